// SPDX-License-Identifier: Apache-2.0
// A table of a run as papers print them: one value of its cases, with a parameter down the side and
// another across the top.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plots/frame/frame.h"
#include "plots/frame/table.h"

namespace qb {

struct Pivot {
  Columns rows{};       // parameters down the side
  Columns columns{};    // parameters across the top; none: one column of values
  std::string value{};  // a column of cases.csv, or a derived value
  // The case that a speed-up divides: parameters with their values; the others are those of the
  // row. None: one worker.
  std::vector<std::pair<std::string, std::string>> base{};
  std::string noise_floor{};  // of the run, noted where the values are ratios of times
  bool interval = false;      // behind each value that has one
  bool plain = false;  // for programs: SI units, every digit, names of columns, ends of intervals
};

// The derived values: their names, each with a sentence that says what it is.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& derived_values();

// Makes `N` of a parameter whose values are labelled `N = {}`, and else gives the name of the
// column.
[[nodiscard]] std::string parameter_heading(const std::string& column);

// Cells are medians with three significant digits in a unit that suits the largest. A case without
// a value has its status, a disturbed one an asterisk; the notes say what the repeats cover. Throws
// UsageError for a name that is neither a parameter nor a value, with the nearest one, and where
// two cases share a cell, with the parameters that tell them apart.
[[nodiscard]] Table pivot_table(const Rows& cases, const Pivot& pivot);

}  // namespace qb
