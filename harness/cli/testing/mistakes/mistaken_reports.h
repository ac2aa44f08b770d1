// SPDX-License-Identifier: Apache-2.0
// For tests: true results that a subject writes down wrongly.
#pragma once

#include "base/numbers.h"
#include "harness/cli/testing/mistakes/mistaken_plans.h"
#include "harness/cli/testing/mistakes/planted_run.h"

namespace qb::mistakes {

inline void scale(CaseResult& result, const std::string& column, double factor) {
  result.values.set_text(column, to_text(parse_real(result.values.at(column)).value() * factor));
}

// An answer to a subject whose only mistake is in its report.
inline std::string of_report(bool planted, std::function<void(const Case&, CaseResult&)> report,
                             const Lines& more = {}) {
  Subject subject{.spec = spec_text(more)};
  if (planted) subject.report = std::move(report);
  return answer_to(subject);
}

// The clock of each worker and of the whole stops before the partials are merged.
inline std::string of_clock_before_merge(bool planted) {
  return of_report(planted, [](const Case& c, CaseResult& result) {
    for (Sample& sample : result.samples) {
      sample.wall_s -= sample.merge_s + sample.gather_s;
      sample.critical_path_s = std::min(sample.critical_path_s, sample.wall_s);
    }
    add_medians_again(c, result);
  });
}

inline std::string of_counted_warmups(bool planted) {
  return of_report(planted, [](const Case& c, CaseResult& result) {
    const std::vector<Sample> samples = result.samples;
    for (Sample& sample : result.samples) {
      sample.warmup = false;
      sample.disturbed_by.reset();  // those that were disturbed are in no median
    }
    result.samples.front().wall_s *= 10.0;
    add_medians_again(c, result);
    result.samples = samples;
  });
}

inline std::string of_success_always(bool planted) {
  return of_report(planted, [](const Case&, CaseResult& result) {
    result.values.set_text("max_error", "0.5");  // the case was computed, and nobody looked
  });
}

// The number of workers is swept and not written down.
inline std::string of_lost_key(bool planted) {
  Subject subject{.spec = spec_text({{"workers", ""}, {"sweep", "{workers: [7, 8]}"}})};
  if (planted) subject.write = [](RunRow& row) { row["workers"] = "7"; };
  return answer_to(subject);
}

// A program of which the harness has no plan.
inline std::string of_silent_parallelism(bool planted) {
  Subject subject{.spec = spec_text({{"workers", "4"}, {"algorithm", "zigzag"}})};
  subject.other_program = true;
  if (planted)
    subject.report = [](const Case&, CaseResult& result) {
      const Plan plan = undivided(4);
      result.values.set_text("responsibility_ratio",
                             to_text(model_work(plan, Kernel::flash).responsibility_ratio));
    };
  return answer_to(subject);
}

// Each worker holds the whole sequence, whatever W is.
inline std::string of_flat_memory(bool planted) {
  return of_report(planted,
                   [](const Case& c, CaseResult& result) {
                     Case whole = c;
                     whole.algorithm = "dense";
                     whole.workers = 1;
                     result.values.set_text(
                         "device_peak_bytes",
                         predicted_values(whole).at("predicted_device_peak_bytes"));
                   },
                   {{"algorithm", "zigzag"}, {"workers", "4"}});
}

// FLOP is counted from the length of a worker's shard: once in place of N, or twice. The rate that
// follows from it is right by itself.
template <int kPower>
std::string of_shard_flop(bool planted) {
  Subject subject{.spec = spec_text({{"workers", "4"}, {"algorithm", "zigzag"}})};
  subject.other_program = true;  // the harness does not plan its cases
  if (planted)
    subject.report = [](const Case& c, CaseResult& result) {
      for (const char* column : {"unmasked_flop", "achieved_flop_per_s"})
        scale(result, column, std::pow(c.workers, -kPower));
    };
  return answer_to(subject);
}

inline std::string of_rate_of_one_worker(bool planted) {
  return of_report(planted, [](const Case& c, CaseResult& result) {
    scale(result, "achieved_flop_per_s", 1.0 / c.workers);
  });
}

inline std::string of_causal_counted_full(bool planted) {
  return of_report(planted,
                   [](const Case&, CaseResult& result) {
                     scale(result, "unmasked_flop", 2.0);
                     scale(result, "achieved_flop_per_s", 2.0);
                   },
                   {{"mask", "causal"}});
}

inline std::string of_bytes_without_v(bool planted) {
  return of_report(planted,
                   [](const Case&, CaseResult& result) { scale(result, "moved_bytes", 0.5); },
                   {{"algorithm", "ring"}, {"workers", "4"}});
}

inline std::string of_peak_without_workspace(bool planted) {
  return of_report(
      planted,
      [](const Case&, CaseResult& result) { scale(result, "active_memory_peak_bytes", 0.9); },
      {{"algorithm", "dense"}, {"workers", "1"}});
}

}  // namespace qb::mistakes
