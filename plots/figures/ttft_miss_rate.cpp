// pass_kv against pass_q by the share of tokens that are new: wall clock, and their ratio beside
// the published one. A selector between the two must find where the ratio crosses 1.
#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr const char* kRatio = "pass_q / pass_kv";

Rows pass_rows(const CsvTable& cases) {
  return where(standing_rows(cases), "algorithm", {"pass_kv", "pass_q"});
}

Rows of_algorithm(const Group& from, std::string_view algorithm) {
  return where(from.rows, "algorithm", {algorithm});
}

Groups time_lines(const Group& panel) {
  Groups lines;
  for (const char* algorithm : {"pass_kv", "pass_q"})
    lines.push_back({.rows = of_algorithm(panel, algorithm),
                     .name = algorithm,
                     .style = algorithm_style(algorithm),
                     .even_empty = true});
  return lines;
}

// Makes the line of this run and the published one.
Groups ratio_lines(const Group& panel) {
  const auto ratio = [keys = by_number(of_algorithm(panel, "pass_kv"), miss_rate)](const Row& row) {
    const auto found = keys.find(miss_rate(row));
    return found == keys.end() ? Point{} : time_ratio(row, found->second, clock_of(row));
  };
  const auto published = [](const Row& row) {
    return Point{.x = row.number("miss_rate_percent"),
                 .y = row.number("pass_q_ttft_ms") / row.number("pass_kv_ttft_ms")};
  };
  return {{.rows = of_algorithm(panel, "pass_q"),
           .name = kRatio,
           .style = {kBlack, 0},
           .even_empty = true,
           .value = ratio},
          {.rows = all_rows(published_table("context_parallel_table_4_pass_kv_vs_pass_q")),
           .name = kRatio,
           .style = {kGrey, 1},
           .published = true,
           .value = published}};
}

// Makes tics at 1, 2, 5 of each power of ten from below the least rate to 100 %: one range for all
// panels.
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
  std::vector<std::string> found;
  for (const double rate : crossings_of_one(curve)) found.push_back(fmt::format("{:.2g} %", rate));
  if (!found.empty()) return listed(found, " and ");
  return curve.front().y < 1.0 ? "pass_q is the faster throughout"
                               : "pass_kv is the faster throughout";
}

}  // namespace

double miss_rate(const Row& row) { return 100.0 * row.number("n_tokens") / row.number("kv_len"); }

Groups pass_groups(const CsvTable& cases) {
  const Rows rows = pass_rows(cases);
  const Columns place = joined({"workers"}, kPlaceColumns);
  Columns told_by = joined(place, kShapeColumns);
  Columns shown = joined(place, differing_columns(rows, kShapeColumns));
  if (group(rows, Columns{"kv_len"}).size() < group(rows, Columns{"kv_len", "n_tokens"}).size()) {
    told_by.emplace_back("kv_len");
    shown.emplace_back("kv_len");
  }
  Groups groups = group(order(where(rows, ran), miss_rate), told_by);
  // A case that did not run may be the first of its group, but has the same name.
  for (Group& one : groups) one.name = named_values(one.rows.front(), shown);
  return groups;
}

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

Figure ttft_miss_rate_figure(const PlottedRun& run) {
  Figure figure =
      line_figure({.title = "Passing keys and values, or queries, by miss rate",
                   .nothing = "no case of pass_kv or pass_q ran",
                   .y = {{.y = {.label = "wall clock (ms)", .column = "wall_time_ms"},
                          .value = [](const Row& row) { return timed(row, clock_of(row), kMilli); },
                          .lines = time_lines,
                          .fit = powers_or_zero,
                          .alike = true},
                         {.y = {.label = kRatio, .column = "pass_q_over_pass_kv_ratio"},
                          .lines = ratio_lines,
                          .reference = always(limit_line("equally fast", 1.0)),
                          .fit =
                              [](Axis axis, const std::vector<double>& y) {
                                axis.log = spans_powers(y);
                                return axis;
                              }}},
                   .panels = pass_groups(run.cases),
                   .by_panel = true,
                   .x = miss_rate,
                   .x_axis = rate_axis,
                   .last_of_x = true,
                   .panel_height = 230,
                   .published_legend = "published, TTFT"});
  std::vector<std::string> crossed;
  for (std::size_t p = 1; p < figure.panels.size(); p += 2)
    crossed.push_back(fmt::format("{} ({})", crossing_text(figure.panels[p].series[0].points),
                                  figure.panels[p - 1].title));
  if (!figure.panels.empty())
    crossed.push_back(
        fmt::format("{} (published)", crossing_text(figure.panels[1].series[1].points)));
  figure.notes = joined_notes(
      {{"T new tokens attend to P cached ones and to themselves. Ratio below 1: pass_q, which "
        "sends queries around and partial outputs home, is the faster; above 1: pass_kv. Its bars: "
        "quotients of the ends of the two intervals.",
        "Equally fast at: " + listed(crossed, "; ") +
            ". A selector between the two must switch there."},
       timing_notes(pass_rows(run.cases)),
       {fmt::format(
           "Published: {}; Table 4, 4 ranks, P + T = 128,000. It is the time to first token of the "
           "whole model of 126 layers: what attention does not take pulls its ratio towards 1, so "
           "only the side of 1 compares, and no time of it is drawn.",
           kContextParallelOrigin)}});
  return figure;
}

}  // namespace qb
