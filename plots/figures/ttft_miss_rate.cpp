#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/pass_cases.h"
#include "plots/frame/scale.h"
#include "plots/frame/scheme_cases.h"
#include "plots/published/published_context_parallel.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Passing keys and values, or queries, by miss rate";
constexpr const char* kRatio = "pass_q / pass_kv";
constexpr double kMilliseconds = 1e3;

Panel time_panel(const CsvTable& cases, const PassGroup& group) {
  Panel panel{.title = group.name};
  for (const char* algorithm : {"pass_kv", "pass_q"}) {
    Series series{.name = algorithm, .style = algorithm_style(algorithm)};
    std::map<double, Point> points;  // of several cases of one miss rate the last stands
    for (const std::size_t row : group.rows)
      if (cases.text(row, "algorithm") == algorithm && ran(cases, row)) {
        const double rate = miss_rate_percent(cases, row);
        points[rate] = time_point(cases, row, rate, kMilliseconds);
      }
    for (const auto& [rate, point] : points) series.points.push_back(point);
    panel.series.push_back(std::move(series));
  }
  return panel;
}

Series ratio_series(const CsvTable& cases, const PassGroup& group) {
  Series series{.name = kRatio, .style = {kBlack, 0}};
  std::map<double, std::map<std::string, std::size_t>> by_rate;
  for (const std::size_t row : group.rows)
    if (ran(cases, row)) by_rate[miss_rate_percent(cases, row)][cases.text(row, "algorithm")] = row;
  for (const auto& [rate, row_of] : by_rate) {
    if (row_of.size() < 2) continue;
    const Point point = time_ratio(cases, row_of.at("pass_q"), row_of.at("pass_kv"), rate);
    if (point.y > 0.0) series.points.push_back(point);
  }
  return series;
}

Series published_ratio() {
  const CsvTable& table = published_pass_kv_vs_pass_q();
  Series series{.name = kRatio, .style = {kGrey, 1}, .published = true};
  for (std::size_t row = 0; row < table.size(); ++row)
    series.points.push_back(
        {.x = table.number(row, "miss_rate_percent"),
         .y = table.number(row, "pass_q_ttft_ms") / table.number(row, "pass_kv_ttft_ms")});
  return series;
}

// 1, 2, 5 of each power of ten from below the least rate to 100 %: one range for all panels.
Axis rate_axis(const std::vector<double>& rates) {
  Axis axis{.label = "miss rate T / (P + T) (%)", .column = "miss_rate_percent", .log = true};
  const double least = *std::min_element(rates.begin(), rates.end());
  for (double power = 1e-4; power <= 100.0; power *= 10.0)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double next = digit == 5.0 ? 10.0 * power : digit == 2.0 ? 5.0 * power : 2.0 * power;
      if (next > least && digit * power <= 100.0 * 1.0000001)
        axis.tics.push_back({digit * power, fmt::format("{:g}", digit * power)});
    }
  return axis;
}

std::string crossing_text(const std::vector<Point>& curve) {
  if (curve.empty()) return "no pair of times";
  const std::vector<double> found = crossings_of_one(curve);
  if (found.empty())
    return curve.front().y < 1.0 ? "pass_q is the faster throughout"
                                 : "pass_kv is the faster throughout";
  std::string out;
  for (const double rate : found)
    out += fmt::format("{}{:.2g} %", out.empty() ? "" : " and ", rate);
  return out;
}

void finish_axes(Figure& figure) {
  const Axis x = rate_axis(all_x(figure.panels));
  std::vector<double> times;
  for (std::size_t p = 0; p < figure.panels.size(); p += 2)
    for (const double time : all_y(figure.panels[p])) times.push_back(time);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    Panel& panel = figure.panels[p];
    panel.x = x;
    if (p % 2 == 0) {
      panel.y = {.label = "wall clock (ms)", .column = "wall_time_ms", .log = spans_powers(times)};
      panel.y.from_zero = !panel.y.log;
    } else {
      panel.y = {.label = kRatio, .column = "pass_q_over_pass_kv_ratio"};
      panel.y.log = spans_powers(all_y(panel));
    }
  }
}

std::vector<std::string> notes_of(const CsvTable& cases,
                                  const std::vector<std::pair<std::string, std::string>>& crossed) {
  std::vector<std::string> notes = {
      "T new tokens attend to P cached ones and to themselves. Ratio below 1: pass_q, which sends "
      "queries around and partial outputs home, is the faster; above 1: pass_kv. Its bars: "
      "quotients of the ends of the two intervals."};
  std::string where;
  for (const auto& [name, text] : crossed)
    where += fmt::format("{}{} ({})", where.empty() ? "" : "; ", text, name);
  notes.push_back("Equally fast at: " + where + ". A selector between the two must switch there.");
  for (std::string& note : timing_notes(cases, pass_rows(cases))) notes.push_back(std::move(note));
  notes.push_back(fmt::format(
      "Published: {}; Table 4, 4 ranks, P + T = 128,000. It is the time to first token of the "
      "whole model of 126 layers: what attention does not take pulls its ratio towards 1, so only "
      "the side of 1 compares, and no time of it is drawn.",
      kContextParallelOrigin));
  return notes;
}

}  // namespace

std::vector<double> crossings_of_one(const std::vector<Point>& curve) {
  std::vector<double> found;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double a = std::log(curve[i - 1].y);
    const double b = std::log(curve[i].y);
    if ((a < 0.0) == (b < 0.0)) continue;
    const double from = std::log(curve[i - 1].x);
    found.push_back(std::exp(from + (std::log(curve[i].x) - from) * a / (a - b)));
  }
  return found;
}

Figure ttft_miss_rate_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{.name = "ttft_miss_rate",
                .title = kTitle,
                .subtitle = context.subtitle,
                .columns = 2,
                .panel_height = 230,
                .published_legend = "published, TTFT"};
  std::vector<std::pair<std::string, std::string>> crossed;
  for (const PassGroup& group : pass_groups(cases)) {
    figure.panels.push_back(time_panel(cases, group));
    const Series ratio = ratio_series(cases, group);
    crossed.emplace_back(group.name, crossing_text(ratio.points));
    Panel panel{.title = ""};
    panel.series = {
        ratio,
        published_ratio(),
        {.name = "equally fast", .draw = Draw::limit, .style = {kGrey, 0}, .points = {{.y = 1.0}}}};
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty())
    return empty_figure(figure.name, kTitle, "no case of pass_kv or pass_q ran");
  crossed.emplace_back("published", crossing_text(published_ratio().points));
  finish_axes(figure);
  figure.notes = notes_of(cases, crossed);
  return figure;
}

}  // namespace qb
