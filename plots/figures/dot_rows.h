// SPDX-License-Identifier: Apache-2.0
// A figure of rows of dots: each row is an algorithm with a mark for each of its cases, their range
// as a line and their median as a black mark.
#pragma once

#include "plots/frame/lines.h"

namespace qb {

struct DotFigure {
  std::string title{};
  std::string nothing{};
  Groups rows{};  // the first on top; the first word of a key is the algorithm
  std::function<double(const Row&)> value{};
  Axis x;
  ColumnName y_column;
  std::string told_by{};  // column whose values have marks of their own, one above the other
  std::function<int(std::size_t place, const std::string& value)> mark{};
  std::string mark_name{};  // in the legend, before the value
  bool hollow = false;
  Columns more{};      // what else the CSV says of a case
  std::string line{};  // the name of the vertical line at `line_at`
  double line_at = 0.0;
  std::vector<std::string> notes{};
};

[[nodiscard]] Figure dot_figure(const DotFigure& declared);

}  // namespace qb
