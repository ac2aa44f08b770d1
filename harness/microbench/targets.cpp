// SPDX-License-Identifier: Apache-2.0
#include "harness/microbench/subject.h"

#include <fmt/format.h>

#include <cmath>

#include "base/statistics.h"
#include "base/text_table.h"

namespace qb {
namespace {

Target judge_benchmark(const std::vector<MicrobenchRow>& rows, const std::string& benchmark,
                       const Limit& limit) {
  constexpr std::size_t kLeastUndisturbed = 2;
  std::vector<double> all;
  std::vector<double> undisturbed;
  for (const MicrobenchRow& row : rows) {
    if (row.warmup || row.case_id != benchmark || std::isnan(row.*limit.value)) continue;
    all.push_back(row.*limit.value);
    if (!row.disturbed_by) undisturbed.push_back(row.*limit.value);
  }
  const bool disturbed = all.size() > undisturbed.size() && undisturbed.size() < kLeastUndisturbed;
  const double measured = median(disturbed ? all : undisturbed);
  const bool at_least = limit.value == &MicrobenchRow::peak_fraction;
  const auto text = [&](double value) {
    return at_least ? fmt::format("{:.1f} %", 100.0 * value) : fmt::format("{:.3g}", value);
  };
  Target target{benchmark, (at_least ? ">= " : "<= ") + text(limit.bound)};
  const bool good = at_least ? measured >= limit.bound : measured <= limit.bound;
  if (!std::isnan(measured)) target.measured = text(measured);
  target.verdict = std::isnan(measured) ? "not measured"
                   : disturbed          ? "disturbed"
                   : good               ? "met"
                                        : "missed";
  return target;
}

}  // namespace

std::vector<Target> judge(const std::vector<MicrobenchRow>& rows, const Benchmarks& benchmarks) {
  std::vector<Target> targets;
  for (const Benchmark& one : benchmarks)
    if (one.limit) targets.push_back(judge_benchmark(rows, one.name, *one.limit));
  return targets;
}

std::string target_table(const std::vector<Target>& targets) {
  TextTable table({"benchmark", "target", "measured", "verdict"});
  for (const Target& t : targets) table.add({t.benchmark, t.target, t.measured, t.verdict});
  return table.terminal();
}

}  // namespace qb
