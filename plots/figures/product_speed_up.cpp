#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "plots/frame/scheme_cases.h"

namespace qb {
namespace {

constexpr const char* kTitle = "CQS for a matrix product: speed-up and idle workers";
constexpr double kPercent = 100.0;

const Columns kSizeColumns = {"n_tokens", "kv_len", "product_depth", "seed"};

// How W was parted; 1 comes first where it is also a half or a quarter.
std::string split_name(std::int64_t workers, std::int64_t row_groups) {
  if (row_groups == 1) return "W1 = 1";
  if (row_groups == workers / 2) return "W1 = W/2";
  if (row_groups == workers / 4) return "W1 = W/4";
  return fmt::format("W1 = {}", row_groups);
}

using Split = std::pair<std::string, std::string>;  // distillation, split_name

struct Size {
  std::string name{};
  std::size_t whole = 0;
  bool has_whole = false;
  std::map<Split, std::map<double, std::size_t>> rows{};  // by workers
};

std::int64_t integer(const CsvTable& cases, std::size_t row, const char* column) {
  return static_cast<std::int64_t>(cases.number(row, column));
}

std::vector<Size> sizes_of(const CsvTable& cases) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : standing_rows(cases))
    if (cases.text(row, "workload") == "matrix_product" && ran(cases, row)) rows.push_back(row);
  std::vector<Size> sizes;
  for (const auto& [key, members] : group_cases(cases, rows, kSizeColumns)) {
    Size size;
    size.name = fmt::format("{} × {} × {}", key[0], key[2], key[1]);
    for (const std::size_t row : members) {
      if (cases.text(row, "algorithm") == "dense") {
        size.whole = row;
        size.has_whole = true;
        continue;
      }
      const std::int64_t workers = integer(cases, row, "workers");
      const std::string split = split_name(workers, integer(cases, row, "product_row_groups"));
      size.rows[{cases.text(row, "distillation"), split}][static_cast<double>(workers)] = row;
    }
    if (!size.rows.empty()) sizes.push_back(std::move(size));
  }
  return sizes;
}

std::string name_of(const Split& split) {
  return split.first == "published" ? split.second
                                    : fmt::format("{}, {}", split.second, split.first);
}

// The same split has the same mark in every panel.
std::map<Split, Style> styles_of(const std::vector<Size>& sizes) {
  std::map<Split, Style> styles;
  for (const Size& size : sizes)
    for (const auto& [split, rows] : size.rows) styles.emplace(split, Style{});
  int index = 0;
  for (auto& [split, style] : styles) style = indexed_style(index++);
  return styles;
}

Panel speed_up_panel(const CsvTable& cases, const Size& size,
                     const std::map<Split, Style>& styles) {
  Panel panel{.title = size.name,
              .y = {.label = "speed-up", .column = "speed_up_ratio", .log = true}};
  for (const auto& [split, rows] : size.rows) {
    Style style = styles.at(split);
    Series measured{.name = name_of(split), .draw = Draw::points, .style = style};
    Series bound{.name = "bound, " + name_of(split),
                 .draw = Draw::line,
                 .style = {style.colour, style.mark, 1},
                 .in_legend = false};
    for (const auto& [workers, row] : rows) {
      if (size.has_whole) measured.points.push_back(time_ratio(cases, size.whole, row, workers));
      bound.points.push_back({.x = workers, .y = cases.number(row, "responsibility_ratio")});
    }
    if (!measured.points.empty()) panel.series.push_back(std::move(measured));
    panel.series.push_back(std::move(bound));
  }
  return panel;
}

// It follows from the split, whatever the size.
Panel idle_panel(const CsvTable& cases, const std::vector<Size>& sizes,
                 const std::map<Split, Style>& styles) {
  Panel panel{
      .title = "Idle workers",
      .y = {.label = "workers without a block (%)", .column = "idle_percent", .from_zero = true}};
  std::map<Split, std::map<double, double>> shares;
  for (const Size& size : sizes)
    for (const auto& [split, rows] : size.rows)
      for (const auto& [workers, row] : rows)
        shares[split][workers] = kPercent * cases.number(row, "idle_workers") / workers;
  for (const auto& [split, points] : shares) {
    Series series{.name = name_of(split), .style = styles.at(split), .in_legend = false};
    for (const auto& [workers, share] : points) series.points.push_back({.x = workers, .y = share});
    panel.series.push_back(std::move(series));
  }
  return panel;
}

}  // namespace

Figure product_speed_up_figure(const CsvTable& cases, const FigureContext& context) {
  const std::vector<Size> sizes = sizes_of(cases);
  if (sizes.empty())
    return empty_figure("product_speed_up", kTitle,
                        "no case of workload matrix_product over several workers has a time");
  const std::map<Split, Style> styles = styles_of(sizes);
  Figure figure{.name = "product_speed_up", .title = kTitle, .subtitle = context.subtitle};
  for (const Size& size : sizes) figure.panels.push_back(speed_up_panel(cases, size, styles));
  figure.panels.push_back(idle_panel(cases, sizes, styles));
  const Axis x = workers_axis(all_x(figure.panels));
  for (Panel& panel : figure.panels) panel.x = x;
  arrange_panels(figure);
  figure.notes = case_notes(cases);
  figure.notes.emplace_back(
      "Speed-up: time of the whole product by one worker over that of the slowest of W, each "
      "alone on one core. Dashed: elements of C over those of the most loaded worker.");
  figure.notes.emplace_back(
      "A size is rows × depth × columns. W = W1 + W2: groups of rows of A and of columns of B; a "
      "worker is idle where none of its pairs of groups has one of each.");
  return figure;
}

}  // namespace qb
