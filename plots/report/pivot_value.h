// SPDX-License-Identifier: Apache-2.0
// A value of cases that a table shows: a column of cases.csv, or one that is derived from several
// cases, with its name, its unit and its interval.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plots/frame/frame.h"

namespace qb {

// Parameters with their values.
using CaseWords = std::vector<std::pair<std::string, std::string>>;

struct ShownValue {
  std::function<Point(const Row&)> value;
  std::string word{};  // as programs read it: `speed_up`, or the column
  std::string name{};  // as people read it, without its unit
  Unit unit{.name = "", .suffix = "", .factor = 1.0};
  bool whole = false;       // counts: written out with all their digits
  bool timed = false;       // it comes from repeats
  bool quotient = false;    // of a base case
  std::string root_note{};  // says of cases with a root whether it counts
  bool all_modelled = false;
};

// The derived values: their names, each with a sentence that says what it is.
inline constexpr std::pair<std::string_view, std::string_view> kDerivedValues[] = {
    {"time", "the wall clock, and under `ranks: serial` the critical path"},
    {"device_sent", "what the busiest device sends, a root among them"},
    {"device_peak", "what the fullest device holds at its peak, a root among them"},
    {"speed_up", "that time of the base case over that of the case"},
    {"efficiency", "the speed-up over the number of workers"},
    {"paper_speed_up",
     "the time of the base case over that of the longest subsequence, CQS-Attention's S"}};

// Finds the value of this name: a derived one, a column, or a column without its unit
// (critical_path is critical_path_median_s), typed with blanks and capitals or without. `base` says
// which case a speed-up divides (see Pivot). Throws UsageError with the nearest name.
[[nodiscard]] ShownValue value_named(const std::string& typed, const CaseWords& base,
                                     const Rows& cases);

// Finds the column of a parameter by its column, its key, or its heading in tables: `N`. Throws
// UsageError with the nearest name.
[[nodiscard]] std::string parameter_named(const std::string& typed, const CsvTable& cases);

// Writes the row's value of a parameter for people: 1024 as `1,024`.
[[nodiscard]] std::string parameter_text(const Row& row, const std::string& column);

// Makes `N` of a parameter whose values are labelled `N = {}`, and else gives the name of the
// column.
[[nodiscard]] std::string parameter_heading(const std::string& column);

}  // namespace qb
