// SPDX-License-Identifier: Apache-2.0
// For tests only: a run to audit, of which each test damages one thing.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/experiment/audit/audit.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/store.h"
#include "harness/experiment/testing/fake_run.h"
#include "harness/workload/case.h"

namespace qb {

inline constexpr const char* kAuditedSpec = R"(experiment: audited
algorithm: cqs
n_tokens: 64
head_dim: 8
q_heads: 2
kv_heads: 1
device: cpu
sweep:
  workers: [7, 8]
)";

inline RunRow named(const std::vector<std::string>& columns,
                    const std::vector<std::string>& fields) {
  RunRow row;
  for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields[i];
  return row;
}

// A plausible answer of a case that ran.
inline CaseResult plausible_result(const Case& c) {
  CaseResult result;
  result.status = Status::ok;
  result.values = predicted_values(c);
  std::vector<double> times;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const double time = 0.01 + 0.001 * repeat;
    times.push_back(time);
    result.samples.push_back({repeat, false, time, time, time, time, time / 4, time / 4});
  }
  result.samples.push_back({0, true, 9, 9, 9, 9, 2, 2});
  const Summary summary = summarise(times);
  for (const std::string clock :
       {"wall_time", "critical_path", "worker_sum", "longest_subsequence"}) {
    result.values.set_text(clock + "_median_s", to_text(summary.median));
    result.values.set_text(clock + "_low95_s", to_text(summary.low95));
    result.values.set_text(clock + "_high95_s", to_text(summary.high95));
  }
  result.values.set_text("gather_median_s", to_text(summary.median / 4));
  result.values.set_text("merge_median_s", to_text(summary.median / 4));
  result.values.set_text("achieved_flop_per_s",
                         to_text(result.values.number("unmasked_flop") / summary.median));
  result.values.set_text("n_samples", "7");
  result.values.set_text("interval_coverage", to_text(summary.coverage));
  result.values.set_text("verified_rows", "64");
  result.values.set_text("max_error", "1e-7");
  result.values.set_text("relative_l2_error", "2e-8");
  result.values.set_text("tolerance", "2e-7");
  return result;
}

// A consistent run of two cases; each test damages one thing and audits again.
class Audited : public testing::Test {
 protected:
  void SetUp() override {
    const Spec spec = parse_spec(kAuditedSpec, "spec.yaml", {});
    for (const Case& open : spec.cases) {
      const Case c = resolve_case(open);
      const RunStore::Record record =
          make_record(c, plausible_result(c), "2025-01-31T12:00:00Z", 1.0);
      cases_.push_back(named(case_table().columns, case_table().fields_of(record.row)));
      for (const auto& sample : record.samples)
        samples_.push_back(named(sample_table().columns, sample_table().fields_of(sample)));
    }
    run_.write_manifest(device_fingerprint());
    run_.write("spec.resolved.yaml", spec.resolved_yaml);
    run_.write("steps.csv", csv_record(step_table().columns));
    run_.write("memory_timeline.csv", csv_record(timeline_table().columns));
  }
  [[nodiscard]] Audit audit() const {
    run_.write_tables(cases_, samples_);
    return audit_run(run_.path());
  }

  FakeRun run_{"audited"};
  std::vector<RunRow> cases_;
  std::vector<RunRow> samples_;
};

}  // namespace qb
