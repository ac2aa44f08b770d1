#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/frame/palette.h"
#include "plots/frame/scale.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Measured against modelled wall clock";
constexpr double kPercent = 100.0;

std::vector<std::size_t> drawn_rows(const CsvTable& cases) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : standing_rows(cases))
    if (ran(cases, row) && !std::isnan(cases.number(row, "model_residual_ratio")) &&
        cases.number(row, "modelled_wall_time_s") > 0.0)
      rows.push_back(row);
  return rows;
}

// The bar is as wide, relative to the measured time, as the interval of the wall clock.
Point residual_point(const CsvTable& cases, std::size_t row, const TimeUnit& unit) {
  const double ratio = 1.0 + cases.number(row, "model_residual_ratio");
  const double median = cases.number(row, "wall_time_median_s");
  return {.x = cases.number(row, "modelled_wall_time_s") * unit.per_s,
          .y = (ratio - 1.0) * kPercent,
          .low = (ratio * cases.number(row, "wall_time_low95_s") / median - 1.0) * kPercent,
          .high = (ratio * cases.number(row, "wall_time_high95_s") / median - 1.0) * kPercent};
}

// Marks by algorithm and ranks; the legend has the colours, then the marks.
std::vector<Series> residual_series(const CsvTable& cases, const std::vector<std::size_t>& rows,
                                    const TimeUnit& unit) {
  std::map<std::pair<std::string, std::string>, Series> found;
  std::map<std::string, Series> algorithms;
  std::map<std::string, Series> players;
  for (const std::size_t row : rows) {
    const std::string& algorithm = cases.text(row, "algorithm");
    const std::string& ranks = cases.text(row, "ranks");
    const Style style{algorithm_style(algorithm).colour, ranks_mark(ranks)};
    Series& series = found[{algorithm, ranks}];
    series.name = fmt::format("{}, {}", algorithm, ranks);
    series.draw = Draw::points;
    series.style = style;
    series.in_legend = false;
    series.points.push_back(residual_point(cases, row, unit));
    algorithms[algorithm] = {.name = algorithm, .draw = Draw::line, .style = {style.colour, 0}};
    players[ranks] = {.name = ranks, .draw = Draw::points, .style = {kBlack, style.mark}};
  }
  std::vector<Series> out;
  for (auto& [key, series] : found) out.push_back(std::move(series));
  for (auto& [name, series] : algorithms) out.push_back(std::move(series));
  for (auto& [name, series] : players) out.push_back(std::move(series));
  return out;
}

// `median 5.1 % of 24 cases (mpi 7.0 %, threads 4.2 %); worst: ring, N = 8,192, W = 8, mpi: +31.0
// %`
std::string summary(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  std::vector<double> all;
  all.reserve(rows.size());
  std::map<std::string, std::vector<double>> by_ranks;
  std::size_t worst = rows.front();
  for (const std::size_t row : rows) {
    const double residual = std::abs(cases.number(row, "model_residual_ratio"));
    all.push_back(residual);
    by_ranks[cases.text(row, "ranks")].push_back(residual);
    if (residual > std::abs(cases.number(worst, "model_residual_ratio"))) worst = row;
  }
  std::string parts;
  for (const auto& [ranks, values] : by_ranks)
    parts += fmt::format("{}{} {:.1f} % of {}", parts.empty() ? "" : ", ", ranks,
                         median(values) * kPercent, values.size());
  const std::string name = name_with(
      fmt::format("{}, N = {}", cases.text(worst, "algorithm"),
                  format_grouped(static_cast<std::int64_t>(cases.number(worst, "n_tokens")))),
      cases, worst, {"workers", "ranks"});
  return fmt::format(
      "Median absolute residual {:.1f} % of {} cases ({}); the worst: {}: {:+.1f} %.",
      median(all) * kPercent, all.size(), parts, name,
      cases.number(worst, "model_residual_ratio") * kPercent);
}

}  // namespace

Figure model_residual_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{.name = "model_residual", .title = kTitle, .subtitle = context.subtitle};
  const std::vector<std::size_t> rows = drawn_rows(cases);
  if (rows.empty())
    return empty_figure(figure.name, kTitle, "no case has a measured time beside a modelled one");
  double longest = 0.0;
  for (const std::size_t row : rows)
    longest = std::max(longest, cases.number(row, "modelled_wall_time_s"));
  const TimeUnit unit = time_unit(longest);
  Panel panel{.series = residual_series(cases, rows, unit)};
  panel.series.push_back({.name = "measured = modelled",
                          .draw = Draw::limit,
                          .style = {kGrey, 0},
                          .points = {{.y = 0.0}}});
  panel.x = {.label = fmt::format("modelled wall time ({})", unit.name),
             .column = "modelled_wall_time_" + unit.name,
             .log = true};
  panel.y = {.label = "measured / modelled - 1 (%)", .column = "model_residual_percent"};
  figure.panels = {std::move(panel)};
  figure.notes = {summary(cases, rows),
                  "Above zero the case took longer than the model says. Bars: the interval of the "
                  "measured median alone. Colour: algorithm; mark: who played the workers."};
  return figure;
}

}  // namespace qb
