// SPDX-License-Identifier: Apache-2.0
// Draws declared figures (base/schema/declared_figure.h): which rows make which panels and lines,
// what is drawn as a limit, and what the title may claim.
#pragma once

#include <string>
#include <vector>

#include "base/schema/declared_figure.h"
#include "plots/frame/lines.h"
#include "plots/frame/run.h"
#include "plots/frame/value.h"

namespace qb {

// Draws a panel for each value and each group of rows that no line may join. More than six lines of
// a panel become panels of one algorithm, or of one value of what has most. With one x the lines
// are rows of marks. The figure is empty, with its reason, where no row has a value; `unasked`:
// also where the last value has none, or a figure against W has one W.
[[nodiscard]] Figure declared_figure(const DeclaredFigure& declared, const PlottedRun& run,
                                     bool unasked = false);

// ---- what the drawing and the title share ------------------------------------------------------

// Whether a condition holds of a row; < and > also compare with a column: `n_tokens<kv_len`.
[[nodiscard]] bool holds(const Condition& condition, const Row& row);

// Names a row's value of a parameter or a value: `W = 8`, `N/W = 1,024`, `zigzag`.
[[nodiscard]] std::string name_of(const Row& row, const std::string& word);

// A value over the x of some panels: what the rows of each line show.
struct DeclaredPanel {
  std::string name{};
  Groups lines{};  // their rows ascend in x, one of each x: the best
};
struct DeclaredClaim {
  const std::vector<ShownValue>& values;
  const std::vector<DeclaredPanel>&
      panels;  // those of values.front() come first, then the next one's
  const DeclaredFigure& declared;
  const PlottedRun& run;
  std::function<double(const Row&)> x{};
  double memory_limit = kNaN;  // of all rows, in bytes
};
// Says what the numbers show: of a quotient what its best line reaches; of other values how far two
// lines are apart that differ in how they split one problem, or in one parameter; of memory which
// line does not fit. Values that nothing tells apart make no claim.
[[nodiscard]] std::string declared_title(const DeclaredClaim& claim);

}  // namespace qb
