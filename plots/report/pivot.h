// SPDX-License-Identifier: Apache-2.0
// A table of a run as papers print them: values of its cases, with parameters down the side and
// others across the top.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/frame.h"
#include "plots/frame/table.h"
#include "plots/frame/value.h"

namespace qb {

// Writes the row's value of a parameter for people: 1024 as `1,024`.
[[nodiscard]] std::string parameter_text(const Row& row, const std::string& column);

struct Pivot {
  Columns rows{};      // parameters down the side
  Columns columns{};   // parameters across the top; none: one column of each value
  Columns values{};    // columns of cases.csv, or derived values; see value_named()
  Columns filtered{};  // parameters by which the cases were chosen: the notes name these
  // The case that a speed-up divides: parameters with their values; the others are those of the
  // row. None: one worker.
  CaseWords base{};
  PeakOf modelled_peak{};     // as PlottedRun has it
  std::string unfinished{};   // of the run: how many cases are there, if some are not
  std::string noise_floor{};  // of the run, noted where the values are ratios of times
  bool interval = false;      // behind each value that has one
  bool plain = false;  // for programs: SI units, every digit, names of columns, ends of intervals
  int digits = 3;      // significant ones
  bool interval_below = false;  // in a second line of the cell
};

// Cells are medians with three significant digits in a unit that suits the largest. A case without
// a value has its status, a disturbed one an asterisk, one that is unsupported a dash; the notes
// say which these are and what the repeats cover. A cell is empty where the run has no such case.
// Throws UsageError for a name that is neither a parameter nor a value, with the nearest one, and
// where two cases share a cell, with the parameters that tell them apart.
[[nodiscard]] Table pivot_table(const Rows& cases, const Pivot& pivot);

// Prints its LaTeX, at most so many points wide: with smaller letters and gaps, intervals and units
// below what they belong to, two digits, or heads that stand upright, in this order, as far as need
// be. Throws UsageError with the width that it needs where all that is not enough.
[[nodiscard]] std::string fitted_latex(const Rows& cases, Pivot pivot, double width_pt);

}  // namespace qb
