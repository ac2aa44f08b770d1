#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "plots/frame/palette.h"
#include "plots/frame/scale.h"
#include "plots/frame/scheme_cases.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Communication that computing does not hide";
constexpr std::size_t kMostPanels = 6;
constexpr double kGiga = 1e9;

struct PanelKey {
  std::int64_t n_tokens = 0;
  std::int64_t workers = 0;
  std::string ranks{};
  auto operator<=>(const PanelKey&) const = default;
};

bool modelled(const CsvTable& cases, std::size_t row) {
  return cases.text(row, "ranks") == "model" || cases.text(row, "provenance") == "model";
}

PanelKey panel_of(const CsvTable& cases, std::size_t row) {
  return {static_cast<std::int64_t>(cases.number(row, "n_tokens")),
          static_cast<std::int64_t>(cases.number(row, "workers")), cases.text(row, "ranks")};
}

// Percent of the wall clock; NaN where the row has no such time.
double exposed_share(const CsvTable& cases, std::size_t row) {
  return 100.0 * cases.number(row, "exposed_communication_median_s") /
         cases.number(row, "wall_time_median_s");
}

// GB/s; NaN without a limit.
double bandwidth(const CsvTable& cases, std::size_t row) {
  constexpr const char* kColumn = "link_bandwidth_byte_per_s";
  return cases.has(kColumn) ? cases.number(row, kColumn) / kGiga : kNaN;
}

std::vector<std::size_t> drawn_rows(const CsvTable& cases) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : standing_rows(cases))
    if (ran(cases, row) && cases.number(row, "workers") >= 2.0 &&
        cases.text(row, "ranks") != "serial" && exposed_share(cases, row) >= 0.0)
      rows.push_back(row);
  return rows;
}

// Rows of each panel. The model's stand in each measured panel of their N and W, or in one of their
// own where there is none.
std::map<PanelKey, std::vector<std::size_t>> rows_of_panels(const CsvTable& cases,
                                                            const std::vector<std::size_t>& rows) {
  std::map<PanelKey, std::vector<std::size_t>> panels;
  for (const std::size_t row : rows)
    if (!modelled(cases, row)) panels[panel_of(cases, row)].push_back(row);
  const auto measured = panels;
  for (const std::size_t row : rows) {
    if (!modelled(cases, row)) continue;
    const PanelKey own = panel_of(cases, row);
    bool beside = false;
    for (const auto& [key, members] : measured)
      if (key.n_tokens == own.n_tokens && key.workers == own.workers) {
        panels[key].push_back(row);
        beside = true;
      }
    if (!beside) panels[own].push_back(row);
  }
  return panels;
}

using Value = double (*)(const CsvTable& cases, std::size_t row);

struct Look {
  Value y = exposed_share;
  std::vector<std::string> others;  // columns that name a line besides its algorithm
  bool unlimited = false;           // there are cases without a limit, which
  double no_limit = 1.0;            // stand here, GB/s
};

// The lines of a panel by name; the model's are thin where measured ones stand beside them.
struct Lines {
  std::map<std::string, Series> limited{};                  // ascending bandwidth
  std::map<std::string, std::vector<Point>> not_limited{};  // of the same names
};

Lines read_lines(const CsvTable& cases, const PanelKey& key, const std::vector<std::size_t>& rows,
                 const Look& look) {
  Lines lines;
  std::map<std::pair<std::string, bool>, int> variants;  // of an algorithm, and of its model
  for (const std::size_t row : rows) {
    const bool behind = modelled(cases, row) && key.ranks != "model";
    const std::string& algorithm = cases.text(row, "algorithm");
    std::string name = name_with(algorithm, cases, row, look.others);
    if (behind) name += ", model";
    Series& line = lines.limited[name];
    if (line.name.empty()) {
      line = {.name = name, .thin = behind};
      line.style = algorithm_style(algorithm, variants[{algorithm, behind}]++);
      if (behind) line.style.dash = 1;
    }
    const double limit = bandwidth(cases, row);
    if (std::isnan(limit))
      lines.not_limited[name].push_back({.x = look.no_limit, .y = look.y(cases, row)});
    else
      line.points.push_back({.x = limit, .y = look.y(cases, row)});
  }
  for (auto& [name, line] : lines.limited)
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](const Point& a, const Point& b) { return a.x < b.x; });
  return lines;
}

Panel draw_panel(const CsvTable& cases, const PanelKey& key, const std::vector<std::size_t>& rows,
                 const Look& look) {
  const Lines lines = read_lines(cases, key, rows, look);
  Panel panel{.title = fmt::format("N = {}, W = {}, {}", format_grouped(key.n_tokens), key.workers,
                                   key.ranks)};
  for (const auto& [name, line] : lines.limited) {
    panel.series.push_back(line);
    const auto apart = lines.not_limited.find(name);
    if (apart == lines.not_limited.end()) continue;
    panel.series.push_back(line);
    panel.series.back().name += ", no limit";
    panel.series.back().in_legend = false;
    panel.series.back().points = apart->second;
  }
  return panel;
}

std::vector<std::string> line_columns(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  return splitting_columns(
      cases, rows, {"algorithm", "n_tokens", "workers", "ranks", "link_bandwidth_byte_per_s"});
}

// Tics of the bandwidths, and `no limit` behind them where a case has none.
Axis bandwidth_axis(const CsvTable& cases, const std::vector<std::size_t>& rows, Look& look) {
  Axis axis{.label = "link bandwidth (GB/s)", .column = "link_bandwidth_gb_per_s", .log = true};
  std::vector<double> limits;
  for (const std::size_t row : rows) {
    const double limit = bandwidth(cases, row);
    look.unlimited = look.unlimited || std::isnan(limit);
    if (!std::isnan(limit)) limits.push_back(limit);
  }
  if (!look.unlimited) return axis;
  if (!limits.empty()) {
    axis.tics = make_scale(axis, limits).tics;
    look.no_limit = 4.0 * *std::max_element(limits.begin(), limits.end());
    std::erase_if(axis.tics, [&](const Tic& tic) { return tic.value * 2.0 > look.no_limit; });
  }
  axis.tics.push_back({look.no_limit, "no limit"});
  return axis;
}

double exposed_seconds(const CsvTable& cases, std::size_t row) {
  return cases.number(row, "exposed_communication_median_s");
}

// How long the link takes for what the busiest worker sends.
double link_seconds(const CsvTable& cases, std::size_t row) {
  return cases.number(row, "worker_sent_bytes") / cases.number(row, "link_bandwidth_byte_per_s");
}

// Measured cases whose link has a limit, and the model's of the same.
std::vector<std::size_t> limited_rows(const CsvTable& cases) {
  std::vector<std::size_t> rows = drawn_rows(cases);
  std::erase_if(rows, [&](std::size_t row) {
    return !(bandwidth(cases, row) > 0.0) || !(exposed_seconds(cases, row) > 0.0);
  });
  return rows;
}

// Beside each line what its bytes alone take, thin.
void add_link_times(const CsvTable& cases, const PanelKey& key,
                    const std::vector<std::size_t>& rows, Look look, Panel& panel) {
  look.y = link_seconds;
  std::vector<std::size_t> measured = rows;
  if (key.ranks != "model")
    std::erase_if(measured, [&](std::size_t row) { return modelled(cases, row); });
  for (auto& [name, line] : read_lines(cases, key, measured, look).limited) {
    line.name += ", bytes / bandwidth";
    line.thin = true;
    line.style.dash = 2;
    line.in_legend = false;
    panel.series.push_back(std::move(line));
  }
}

bool has_thin_line(const Figure& figure) {
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      if (series.thin) return true;
  return false;
}

std::string left_out(std::size_t panels) {
  return fmt::format("The first {} panels by N, W and ranks are drawn; left out: {}.", kMostPanels,
                     panels - kMostPanels);
}

}  // namespace

Figure exposed_time_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{.name = "exposed_time",
                .title = "Exposed communication follows the link",
                .subtitle = context.subtitle,
                .shared_axes = true};
  const std::vector<std::size_t> rows = limited_rows(cases);
  if (rows.empty())
    return empty_figure(figure.name, figure.title,
                        "no case of two workers or more names a link.bandwidth");
  Look look{.y = exposed_seconds, .others = line_columns(cases, rows)};
  const Axis x = bandwidth_axis(cases, rows, look);
  const auto panels = rows_of_panels(cases, rows);
  for (const auto& [key, members] : panels) {
    if (figure.panels.size() == kMostPanels) break;
    figure.panels.push_back(draw_panel(cases, key, members, look));
    add_link_times(cases, key, members, look, figure.panels.back());
    figure.panels.back().x = x;
    figure.panels.back().y = {
        .label = "exposed communication (s)", .column = "exposed_communication_s", .log = true};
  }
  figure.panels.front().series.push_back(
      legend_key("bytes / bandwidth", {.colour = kGrey, .dash = 2}));
  figure.panels.front().series.back().thin = true;
  arrange_panels(figure);
  figure.notes = {
      "Time in which the worker with most of it waited for data on its way, summed over steps: "
      "median. Thin: what the busiest worker sends over the link's bandwidth, which is what would "
      "be exposed if nothing were hidden behind computing. A line below its thin one hides the "
      "difference; one above it waits for more than the link."};
  if (panels.size() > kMostPanels) figure.notes.push_back(left_out(panels.size()));
  return figure;
}

Figure exposed_communication_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{.name = "exposed_communication",
                .title = kTitle,
                .subtitle = context.subtitle,
                .shared_axes = true};
  const std::vector<std::size_t> rows = drawn_rows(cases);
  if (rows.empty())
    return empty_figure(figure.name, kTitle,
                        "no case of two workers or more that are not serial has communication "
                        "times");
  Look look{.others = line_columns(cases, rows)};
  const Axis x = bandwidth_axis(cases, rows, look);
  const auto panels = rows_of_panels(cases, rows);
  for (const auto& [key, members] : panels) {
    if (figure.panels.size() == kMostPanels) break;
    figure.panels.push_back(draw_panel(cases, key, members, look));
    figure.panels.back().x = x;
    figure.panels.back().y = {.label = "exposed communication (% of wall)",
                              .column = "exposed_communication_percent",
                              .from_zero = true};
  }
  arrange_panels(figure);
  figure.notes = {
      "Time in which the worker with most of it waited for data on its way, summed over steps, "
      "over the wall clock of the case: medians of both; the run keeps no interval of the first. "
      "Waiting for a peer that is not ready is not in it."};
  if (std::any_of(rows.begin(), rows.end(), [&](std::size_t row) {
        return cases.text(row, "algorithm") == "cqs" && cases.text(row, "ranks") == "model";
      }))
    figure.notes.push_back(
        "cqs, modelled: a worker's first step begins when the root's link has served those before "
        "it, which is in the wall clock and not in what is exposed.");
  if (look.unlimited)
    figure.notes.push_back(
        "No limit: the case names no bandwidth, data move as fast as the machine's memory or "
        "network lets them.");
  if (has_thin_line(figure))
    figure.notes.push_back("Thin and dashed: the cost model's prediction.");
  if (panels.size() > kMostPanels) figure.notes.push_back(left_out(panels.size()));
  return figure;
}

}  // namespace qb
