// SPDX-License-Identifier: Apache-2.0
// For tests only: a committed figure as its CSV and its JSON have it, so that a test asserts what
// the figure claims.
#pragma once

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/schema/row.h"
#include "base/source_root.h"

namespace qb::testing_support {

// A row of the CSV; a number that it lacks is NaN.
struct Mark {
  std::string panel{};  // `1` is the first
  std::string panel_title{};
  std::string series{};
  std::string kind{};  // data, published, out_of_memory, not_tried or limit
  double x = 0.0;
  double y = 0.0;
  double low = 0.0;  // of y
  double high = 0.0;
  double x_low = std::numeric_limits<double>::quiet_NaN();
  double x_high = std::numeric_limits<double>::quiet_NaN();
  std::map<std::string, std::string, std::less<>> fields{};  // all, by column

  [[nodiscard]] double width() const { return x_high - x_low; }
  [[nodiscard]] double height() const { return high - low; }
  [[nodiscard]] bool is_data() const { return kind == "data"; }
};

class CommittedFigure {
 public:
  // `folder` is one of paper_figures.
  CommittedFigure(const std::string& folder, const std::string& name) {
    const std::string in_folder = "paper_figures/" + folder + "/" + name;
    const std::string in_figures = "paper_figures/" + folder + "/figures/" + name;
    const std::string stem =
        std::filesystem::exists(source_path(in_folder + ".csv")) ? in_folder : in_figures;
    const CsvTable csv = CsvTable::parse(read_text(source_path(stem + ".csv")), stem);
    for (const Row& row : all_rows(csv)) marks_.push_back(mark_of(row));
    json_ = parse_json(read_text(source_path(stem + ".json")), stem);
  }

  // What the figure claims.
  [[nodiscard]] std::string title() const { return json_.at("title"); }
  // The sentence below it.
  [[nodiscard]] std::string finding() const { return json_.at("finding"); }
  [[nodiscard]] std::vector<std::string> notes() const {
    return json_.at("notes").get<std::vector<std::string>>();
  }
  [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }
  [[nodiscard]] std::vector<Mark> marks(std::string_view panel, std::string_view series) const {
    std::vector<Mark> found;
    std::ranges::copy_if(marks_, std::back_inserter(found), [&](const Mark& mark) {
      return mark.panel == panel && mark.series == series;
    });
    return found;
  }
  // Our values of each series of a panel, by x.
  [[nodiscard]] std::map<std::string, std::map<double, double>> lines(
      std::string_view panel) const {
    std::map<std::string, std::map<double, double>> found;
    for (const Mark& mark : marks_)
      if (mark.panel == panel && mark.is_data()) found[mark.series][mark.x] = mark.y;
    return found;
  }
  // What stands at the tics of the axis `x` or `y` of a panel.
  [[nodiscard]] std::map<double, std::string> tics(const std::string& panel,
                                                   const char* axis) const {
    std::map<double, std::string> found;
    for (const auto& tic : json_.at("panels").at(std::stoul(panel) - 1).at(axis).at("tics"))
      found[tic.at(0)] = tic.at(1);
    return found;
  }

 private:
  static Mark mark_of(const Row& row) {
    const std::vector<std::string>& header = row.table->header();
    constexpr std::size_t kX = 4;  // after panel, panel_title, series and kind
    Mark mark{.panel = row.at("panel"),
              .panel_title = row.at("panel_title"),
              .series = row.at("series"),
              .kind = row.at("kind"),
              .x = row.number_at(header.at(kX)),
              .y = row.number_at(header.at(kX + 1)),
              .low = row.number_at(header.at(kX + 2)),
              .high = row.number_at(header.at(kX + 3))};
    if (row.table->has(header[kX] + "_low")) {
      mark.x_low = row.number_at(header[kX] + "_low");
      mark.x_high = row.number_at(header[kX] + "_high");
    }
    for (const std::string& column : header) mark.fields[column] = row.at(column);
    return mark;
  }

  std::vector<Mark> marks_;
  nlohmann::ordered_json json_;
};

}  // namespace qb::testing_support
