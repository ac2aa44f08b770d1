// SPDX-License-Identifier: Apache-2.0
// For tests only: a committed figure as its CSV has it, so that a test asserts what the figure
// claims.
#pragma once

#include <map>
#include <string>

#include "base/files.h"
#include "base/schema/row.h"
#include "base/source_root.h"

namespace qb::testing_support {

class CommittedFigure {
 public:
  CommittedFigure(const std::string& folder, const std::string& name)
      : CommittedFigure("paper_figures/" + folder + "/figures/" + name) {}

  [[nodiscard]] const CsvTable& marks() const { return marks_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  // The number of a mark by the place of its column: 0 and 1 are x and y, 2 and 3 y's low and high,
  // 4 and 5 x's.
  [[nodiscard]] double value(const Row& row, std::size_t place) const {
    return row.number_at(marks_.header().at(kFirst + place));
  }
  // The values of each series of a panel ("1" is the first), by x.
  [[nodiscard]] std::map<std::string, std::map<double, double>> lines(
      const std::string& panel) const {
    std::map<std::string, std::map<double, double>> found;
    for (const Row& row : all_rows(marks_))
      if (row.at("panel") == panel && row.at("kind") != "limit")
        found[row.at("series")][value(row, 0)] = value(row, 1);
    return found;
  }

 private:
  explicit CommittedFigure(const std::string& stem)
      : marks_(CsvTable::parse(read_text(source_path(stem + ".csv")), stem)),
        title_(read_text(source_path(stem + ".json"))) {
    const std::string_view key = "\"title\": \"";  // the figure's stands before those of panels
    title_.erase(0, title_.find(key) + key.size());
    title_.resize(title_.find("\",\n"));
  }

  static constexpr std::size_t kFirst = 4;  // after panel, panel_title, series and kind
  CsvTable marks_;
  std::string title_;
};

}  // namespace qb::testing_support
