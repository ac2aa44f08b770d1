// SPDX-License-Identifier: Apache-2.0
#include "harness/microbench/line_reporter.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <map>

#include "base/numbers.h"
#include "base/statistics.h"

namespace qb {
namespace {

// Returns `87.2 % of the ceiling`, for the counters that a row may have.
std::string counter_text(const std::string& name, double value) {
  if (name == "peak") return fmt::format("{:5.1f} % of the ceiling", 100.0 * value);
  if (name == "flop/s") return fmt::format("{:>8}FLOP/s", format_si(value));
  if (name == "bytes/s") return fmt::format("{:>8}B/s", format_si(value));
  return fmt::format("{} ratio {:.3f}", name, value);
}

// Returns why a run of Google Benchmark failed, or an empty text. The members have other names
// since version 1.8, so that this has to be a template.
template <class Run>
const std::string* failure_of(const Run& run) {
  if constexpr (requires { run.error_occurred; })
    return run.error_occurred ? &run.error_message : nullptr;
  else
    return run.skipped ? &run.skip_message : nullptr;
}

}  // namespace

bool LineReporter::ReportContext(const Context& /*context*/) { return true; }

void LineReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<double> times_s;
  std::map<std::string, std::vector<double>> counters;
  std::string name;
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    name = run.run_name.function_name;
    if (const std::string* reason = failure_of(run)) {
      ++failed_;
      fmt::print(GetErrorStream(), "{}: {}\n", name, *reason);
      return;
    }
    if (run.repetitions > 1 && run.repetition_index == 0) continue;
    times_s.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
    for (const auto& [counter, value] : run.counters) counters[counter].push_back(value.value);
  }
  if (times_s.empty()) return;
  ++succeeded_;
  std::string line = fmt::format("{:<44} {:>10}", name, format_seconds(median(times_s)));
  for (const auto& [counter, values] : counters)
    line += "  " + counter_text(counter, median(values));
  fmt::print(GetOutputStream(), "{}\n", line);
  GetOutputStream().flush();
}

}  // namespace qb
