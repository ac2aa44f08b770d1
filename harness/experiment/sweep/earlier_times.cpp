// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/earlier_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/schema/run_tables.h"
#include "base/status.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/sweep/progress.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

// Older runs of an experiment add little, and a folder may hold hundreds.
constexpr std::size_t kRunsOfAnExperiment = 3;

std::string kind_of(const Case& c) {
  return fmt::format("{} {} {} {} {} {}", word(c.workload), word(c.ranks), word(c.device),
                     word(c.kernel), word(c.dtype), word(c.pass));
}

// The rows name their cases by id only; the resolved spec of the run has the cases.
void add_run(const std::string& path, EarlierTimes& times) {
  const RunFolder run = read_run_folder(path);
  std::map<std::string, double> took_s;
  for (std::size_t row = 0; row < run.cases.size(); ++row)
    if (row_status(run, row) == Status::ok)
      took_s[Row{&run.cases, row}.text("case_id")] = Row{&run.cases, row}.number("duration_s");
  const Spec spec = load_spec(path + "/spec.resolved.yaml", {.max_cases = SIZE_MAX});
  for (const Case& c : resolved_cases(spec.cases))
    if (const auto found = took_s.find(case_id(c)); found != took_s.end())
      times.add(c, found->second);
}

}  // namespace

EarlierTimes EarlierTimes::read(const std::string& out, const std::string& fingerprint) {
  EarlierTimes times;
  for (const std::filesystem::path& experiment : paths_in(out)) {
    std::size_t taken = 0;
    for (const Manifest& run : list_runs(experiment.string())) {
      if (run.device_fingerprint != fingerprint || !is_readable_schema(run.schema_version))
        continue;
      if (taken++ == kRunsOfAnExperiment) break;
      try {
        add_run(run.folder, times);
      } catch (const UsageError&) {
        continue;  // a damaged run says nothing
      }
    }
  }
  return times;
}

void EarlierTimes::add(const Case& c, double duration_s) {
  if (!(duration_s > 0.0)) return;
  of_case_.emplace(case_id(c), duration_s);  // the newest run comes first
  Rate& rate = of_kind_[kind_of(c)];
  rate.weight += case_weight(c);
  rate.took_s += duration_s;
}

std::optional<double> EarlierTimes::seconds(const Case& c) const {
  if (const auto same = of_case_.find(case_id(c)); same != of_case_.end()) return same->second;
  const auto kind = of_kind_.find(kind_of(c));
  if (kind == of_kind_.end()) return std::nullopt;
  return case_weight(c) * kind->second.took_s / kind->second.weight;
}

bool goes_by_peak(const Case& c) {
  return c.device == Device::cpu && c.ranks != Ranks::model && !c.link_bandwidth_byte_per_s &&
         !c.link_latency_s && c.workload != WorkloadKind::sequence_mixer;
}

std::optional<double> seconds_by_peak(const Case& c, double flop, double peak_flop_per_s) {
  // They were fitted to the committed runs, repeats that were taken again included.
  constexpr double kStart_s = 0.05;
  constexpr double kShareOfPeak = 0.45;
  constexpr double kVerifiedFlopPerS = 16e9;
  constexpr double kVerifiedGradientFlopPerS = 1e9;
  if (!(peak_flop_per_s > 0.0)) return std::nullopt;
  const Shape& s = c.shape;
  const double rows = static_cast<double>(std::min(s.q_len, c.measure.verify_rows) * s.batch) *
                      static_cast<double>(s.q_heads);
  const double verified_flop =
      2.0 * rows * static_cast<double>(s.kv_len) * static_cast<double>(s.head_dim + s.value_dim);
  const int runs = 1 + c.measure.warmups + c.measure.min_repeats;
  return kStart_s + runs * flop / (kShareOfPeak * peak_flop_per_s) +
         verified_flop /
             (c.pass == Passes::forward ? kVerifiedFlopPerS : kVerifiedGradientFlopPerS);
}

}  // namespace qb
