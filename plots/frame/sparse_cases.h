// SPDX-License-Identifier: Apache-2.0
// Cases of dense and sparse attention as the figures and tables of patterns read them: a line for
// each mask, kernel and device, each row beside dense attention of the same N.
#pragma once

#include "plots/frame/lines.h"

namespace qb {

// `{sliding_window: {left: 8, right: 7}}` is of kind `sliding_window`; a word is its own kind.
[[nodiscard]] std::string pattern_kind(std::string_view mask);

// Names the masks of a figure: `bigbird`, `causal longformer` for an intersection, `global +
// random` for a union. If several would have one name, it adds their arguments: `sliding_window,
// left: 8, right: 7`.
[[nodiscard]] std::map<std::string, std::string> mask_names(const std::set<std::string>& masks);

class SparseCases {
 public:
  // `cases` has the columns of cases.csv, and `run` if several runs are joined. This class keeps a
  // reference to it.
  explicit SparseCases(const CsvTable& cases);

  // Groups rows that ran and differ in n_tokens alone, ascending. A line is named by its mask,
  // `bigbird`, and what else tells it from the others: `bigbird, staged`. The colour tells the
  // pattern, the dash the kernel.
  [[nodiscard]] const Groups& lines() const { return lines_; }
  // Some line has a pattern for a mask.
  [[nodiscard]] bool has_patterns() const;
  // There is one for each device, cpu before cuda, with the rows of its lines. Devices are named if
  // there are several: `CPU`; a GPU by its name if the rows have one.
  [[nodiscard]] const Groups& devices() const { return devices_; }

  // Divides the time of a row by the ideal: that of dense attention at its N and device with all
  // else the same (full mask and the flash kernel), times the share of all pairs that its mask
  // keeps. It is NaN if no such case ran, and for that case itself.
  [[nodiscard]] Point over_ideal(const Row& row) const;

 private:
  Columns base_columns_;  // what a row shares with its dense case: N, device, what else differs
  Groups lines_;
  Groups devices_;
  std::map<std::vector<std::string>, Row> dense_;
};

}  // namespace qb
