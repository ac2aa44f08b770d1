// SPDX-License-Identifier: Apache-2.0
// Figures of marks in rows: how far numbers are from others. A row has a mark for each of its
// cases, their range as a line and their median.
#pragma once

#include "plots/frame/lines.h"

namespace qb {

struct DotFigure {
  std::string title{};
  std::string nothing{};
  Groups rows{};  // the first on top, with names; the first key tells their look
  std::function<double(const Row&)> value{};
  bool (*counted)(const Row&) = [](const Row&) { return true; };  // others are hollow
  Axis x;
  std::string told_by{};  // column whose values have marks of their own, one above the other
  // The look of the marks of a row (empty: of the legend).
  std::function<Style(const std::string& row, std::size_t place, const std::string& value)> look{};
  std::string mark_name{};  // in the legend, before the value
  bool hollow = false;
  Columns more{};      // what else the CSV says of a case
  std::string line{};  // the name of the vertical line at `line_at`
  double line_at = 0.0;
  std::vector<std::string> notes{};
};

[[nodiscard]] Figure dot_figure(const DotFigure& declared);

}  // namespace qb
