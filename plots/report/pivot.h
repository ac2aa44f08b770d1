// SPDX-License-Identifier: Apache-2.0
// A table of a run as papers print them: values of its cases, with parameters down the side and
// others across the top.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plots/frame/frame.h"
#include "plots/frame/table.h"

namespace qb {

// Parameters with their values.
using CaseWords = std::vector<std::pair<std::string, std::string>>;

// A value of cases that a table shows: a column of cases.csv, or one that is derived from several
// cases, with its name, its unit and its interval.
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

struct Pivot {
  Columns rows{};      // parameters down the side
  Columns columns{};   // parameters across the top; none: one column of each value
  Columns values{};    // columns of cases.csv, or derived values; see value_named()
  Columns filtered{};  // parameters by which the cases were chosen: the notes name these
  // The case that a speed-up divides: parameters with their values; the others are those of the
  // row. None: one worker.
  CaseWords base{};
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
