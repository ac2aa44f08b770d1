// SPDX-License-Identifier: Apache-2.0
// The values of cases that tables and declared figures show, by name (base/schema/value_names.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/schema/value_names.h"
#include "plots/frame/frame.h"

namespace qb {

// Parameters with their values.
using CaseWords = std::vector<std::pair<std::string, std::string>>;

// Finds the case that a value of a row divides; none where the run has no such case.
using BaseOf = std::function<std::optional<Row>(const Row&)>;

// Finds among some rows the last one, of the same run, with the same parameters but for those
// fields.
[[nodiscard]] BaseOf case_like(const Rows& rows, const std::function<bool(const Field&)>& excepted);

// Finds the case that a speed-up divides among rows of one table. Without words it is that of one
// worker with the same problem, kernel, device, ranks and threads; else the case with these
// parameters and else those of the row. Where the words name another split, it may be split in its
// own way over as many workers or one.
[[nodiscard]] BaseOf base_of(const CaseWords& words, const CsvTable& cases);

// FLOP/s of the devices of a modelled case together at their peak; NaN where nobody knows it.
using PeakOf = std::function<double(const Row&)>;

struct ShownValue {
  PointOf value{};
  std::string word{};  // as programs read it: `speed_up`, or the column
  std::string name{};  // as people read it, without its unit
  Unit unit{.name = "", .suffix = "", .factor = 1.0};
  bool whole = false;  // counts: written out with all their digits
  bool timed = false;  // it comes from repeats
  BaseOf base{};       // of a quotient
  bool more_is_better = false;
  std::string root_note{};  // says of cases with a root whether it counts
  bool all_modelled = false;

  [[nodiscard]] bool quotient() const { return static_cast<bool>(base); }
  [[nodiscard]] std::string with_unit() const;
};

// Finds the value of this name, typed with blanks and capitals or without. `cases` choose its unit.
// Throws UsageError with the nearest name.
[[nodiscard]] ShownValue value_named(const std::string& typed, const CaseWords& base,
                                     const Rows& cases, const PeakOf& modelled_peak = {});

// Says how slow the slow ones among the base cases of these rows are; empty if there is none.
[[nodiscard]] std::string slow_base_note(const Rows& rows, const BaseOf& base);

// Gives a row's text of a parameter, or of a value that only an axis of x shows.
[[nodiscard]] std::string text_named(const Row& row, const std::string& word);
// Gives the number of either; NaN where it is none.
[[nodiscard]] double number_named(const Row& row, const std::string& word);

}  // namespace qb
