// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/noise_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/status.h"
#include "harness/experiment/audit/compare.h"
#include "harness/experiment/store/machine.h"

namespace qb {

std::string busy_note(const std::string& loads, int cores) {
  if (!(std::strtod(loads.c_str(), nullptr) > kBusyLoad * cores)) return {};
  return fmt::format(
      "Other programs are using this machine (load averages {} on {} {}). Repeats that they slow "
      "down are repeated and marked. Always busy? Use --clock cpu with threads: 1, or qb ab, in "
      "which two programs take turns.",
      loads, cores, cores == 1 ? "core" : "cores");
}

std::optional<std::size_t> row_to_repeat(const CsvTable& cases) {
  constexpr double kShare = 0.05;
  constexpr double kLeast_s = 2.0;
  double total_s = 0.0;
  for (const Row& row : all_rows(cases)) total_s += row.number("duration_s");
  std::optional<std::size_t> longest;
  double longest_s = 0.0;
  for (const Row& row : all_rows(cases)) {
    const double duration_s = row.number("duration_s");
    if (row.text("status") != word(Status::ok) || row.text("provenance") != "measured" ||
        duration_s > std::max(kLeast_s, kShare * total_s) || duration_s <= longest_s)
      continue;
    longest = row.index;
    longest_s = duration_s;
  }
  return longest;
}

NoiseFloor noise_floor_of(const std::string& case_label, const Row& first,
                          const RowValues& second) {
  const IntervalColumns clock = judged_clock(first.text("ranks"));
  return {case_label, second.number(clock.median()) / first.number(clock.median()),
          second.number(clock.low95()) / first.number(clock.high95()),
          second.number(clock.high95()) / first.number(clock.low95())};
}

}  // namespace qb
