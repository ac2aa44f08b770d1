#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/scheme_cases.h"

namespace qb {
namespace {

constexpr const char* kTitle = "The fastest scheme by link and size";
constexpr double kTie = 1.02;  // times nearer than that are one
constexpr int kCellHeight = 44;
// White gaps between cells, whose sides are 1: about a pixel each.
constexpr double kHalfWidth = 0.49;
constexpr double kHalfHeight = 0.475;
constexpr std::size_t kMostNamedColumns = 7;  // more cells side by side are too narrow for a name

const Columns kLink = {"link_bandwidth_byte_per_s", "link_latency_s"};

// Fastest first.
struct Timed {
  double seconds = 0.0;
  std::string algorithm{};
  friend auto operator<=>(const Timed&, const Timed&) = default;
};

struct Cell {
  std::size_t row = 0;  // of the table, any of the cell's
  std::vector<Timed> times{};
  [[nodiscard]] double lead() const { return times[1].seconds / times[0].seconds; }
  [[nodiscard]] bool tie() const { return lead() <= kTie; }
};

// Bandwidth, latency, and n_tokens or workers.
using Place = CaseKey;
CaseKey link_of(const Place& place) { return {place[0], place[1]}; }
CaseKey height_of(const Place& place) { return {place[2]}; }

// What is on which axis.
struct Sides {
  std::string y{};       // n_tokens or workers, whichever takes more values
  std::string panels{};  // the other
};

// Columns and rows of the grid, ascending.
struct Grid {
  std::vector<CaseKey> links{};
  std::vector<CaseKey> heights{};
};

using Cells = std::map<CaseKey, std::map<Place, Cell, CaseKeyLess>, CaseKeyLess>;

std::vector<std::size_t> candidates(const CsvTable& cases) {
  std::vector<std::size_t> rows = standing_rows(cases);
  std::erase_if(rows, [&](std::size_t row) {
    return !ran(cases, row) || cases.text(row, "algorithm") == "dense" ||
           cases.text(row, "ranks") == "serial" || !(cases.number(row, "wall_time_median_s") > 0.0);
  });
  return rows;
}

Sides sides_of(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  const std::size_t lengths = group_cases(cases, rows, {"n_tokens"}).size();
  const std::size_t counts = group_cases(cases, rows, {"workers"}).size();
  return counts > lengths ? Sides{"workers", "n_tokens"} : Sides{"n_tokens", "workers"};
}

Columns panel_columns(const Sides& sides) {
  return joined({sides.panels, "ranks", "model_device"}, shape_columns());
}

// The numbers of keys of the cases in which cached keys precede the new tokens.
std::set<std::string> contexts_of(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  std::set<std::string> contexts;
  for (const std::size_t row : rows)
    if (cases.text(row, "kv_len") != cases.text(row, "n_tokens"))
      contexts.insert(cases.text(row, "kv_len"));
  return contexts;
}

// The number of keys, where it is not that of the new tokens; of a sweep of miss rates in its last
// case, of 100 %, too.
std::string other_keys(const CsvTable& cases, std::size_t row,
                       const std::set<std::string>& contexts) {
  const std::string& keys = cases.text(row, "kv_len");
  const bool passes = cases.text(row, "algorithm").starts_with("pass_");
  return keys != cases.text(row, "n_tokens") || (passes && contexts.contains(keys)) ? keys
                                                                                    : std::string();
}

// The cells in which at least two algorithms have a time.
Cells cells_of(const CsvTable& cases, const std::vector<std::size_t>& rows, const Sides& sides) {
  const std::set<std::string> contexts = contexts_of(cases, rows);
  Cells cells;
  for (const std::size_t row : rows) {
    CaseKey panel = case_key(cases, row, panel_columns(sides));
    panel.push_back(other_keys(cases, row, contexts));
    Cell& cell = cells[panel][case_key(cases, row, joined(kLink, {sides.y}))];
    cell.row = row;
    cell.times.push_back({cases.number(row, "wall_time_median_s"), cases.text(row, "algorithm")});
  }
  for (auto& [key, panel] : cells) {
    for (auto& [where, cell] : panel) {
      // Of several cases of one algorithm (interest sets, seeds) the fastest counts.
      std::sort(cell.times.begin(), cell.times.end());
      std::set<std::string> seen;
      std::erase_if(cell.times,
                    [&](const Timed& timed) { return !seen.insert(timed.algorithm).second; });
    }
    std::erase_if(panel, [](const auto& entry) { return entry.second.times.size() < 2; });
  }
  std::erase_if(cells, [](const auto& entry) { return entry.second.empty(); });
  return cells;
}

Grid grid_of(const Cells& cells) {
  std::set<CaseKey, CaseKeyLess> links;
  std::set<CaseKey, CaseKeyLess> heights;
  for (const auto& [key, panel] : cells)
    for (const auto& [where, cell] : panel) {
      links.insert(link_of(where));
      heights.insert(height_of(where));
    }
  return {{links.begin(), links.end()}, {heights.begin(), heights.end()}};
}

double index_of(const std::vector<CaseKey>& keys, const CaseKey& key) {
  return static_cast<double>(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

std::string lead_text(double lead) {
  return lead < 10.0 ? fmt::format("{:.{}f}×", lead, lead < 2.0 ? 2 : 1)
                     : fmt::format("{:.0f}×", lead);
}

std::string cell_text(const Cell& cell, bool named) {
  const std::string& winner = cell.times[0].algorithm;
  if (cell.tie()) return named ? winner + "\n≈ " + cell.times[1].algorithm : "≈";
  return named ? winner + '\n' + lead_text(cell.lead()) : lead_text(cell.lead());
}

Style fill(const std::string& algorithm) { return {lightened(algorithm_style(algorithm).colour)}; }

// One rectangle, or in a tie the two halves of one: the text stands over both.
void add_cell(Panel& panel, const Cell& cell, double x, double y, const std::string& place,
              bool named) {
  const Timed& first = cell.times[0];
  const Timed& second = cell.times[1];
  Series drawn{
      .name = fmt::format("{}: {} {} {}", place, first.algorithm,
                          cell.tie() ? "≈" : lead_text(cell.lead()) + " before", second.algorithm),
      .draw = Draw::rectangles,
      .style = fill(first.algorithm),
      .thin = true,
      .in_legend = false,
      .text = cell_text(cell, named)};
  Point whole{.x = x,
              .y = y,
              .low = y - kHalfHeight,
              .high = y + kHalfHeight,
              .x_low = x - kHalfWidth,
              .x_high = x + kHalfWidth};
  if (cell.tie()) {
    Series half = drawn;
    half.name += ", left half";
    half.text.clear();
    half.points = {whole};
    half.points[0].x_high = x;
    panel.series.push_back(std::move(half));
    drawn.style = fill(second.algorithm);
    whole.x_low = x;
  }
  drawn.points = {whole};
  panel.series.push_back(std::move(drawn));
}

// Bandwidths alone where each has one latency.
Columns link_columns(const Grid& grid) {
  std::set<std::string> bandwidths;
  for (const CaseKey& link : grid.links)
    if (!bandwidths.insert(link[0]).second) return kLink;
  return {kLink[0]};
}

std::vector<Panel> panels_of(const CsvTable& cases, const Cells& cells, const Grid& grid,
                             const Sides& sides) {
  std::vector<std::size_t> drawn;
  for (const auto& [key, panel] : cells)
    for (const auto& [where, cell] : panel) drawn.push_back(cell.row);
  const Columns all = panel_columns(sides);
  Columns shown = {all.begin(), all.begin() + 3};
  for (const std::string& column : differing_columns(cases, drawn, {all.begin() + 3, all.end()}))
    shown.push_back(column);
  Axis x{.label = "link bandwidth", .column = "link_index", .tight = true};
  const bool cached = std::any_of(cells.begin(), cells.end(),
                                  [](const auto& entry) { return !entry.first.back().empty(); });
  Axis y{.label = sides.y == "workers" ? "workers W"
                  : cached             ? "new tokens N"
                                       : "sequence length N (tokens)",
         .column = sides.y + "_index",
         .tight = true};
  std::map<double, std::string> x_tics;
  std::map<double, std::string> y_tics;
  std::vector<Panel> panels;
  for (const auto& [key, of_panel] : cells) {
    const std::size_t any = of_panel.begin()->second.row;
    Panel panel{.title = named_values(cases, any, shown)};
    if (!key.back().empty()) panel.title += ", " + named_values(cases, any, {"kv_len"});
    for (const auto& [where, cell] : of_panel) {
      const double at_x = index_of(grid.links, link_of(where));
      const double at_y = index_of(grid.heights, height_of(where));
      x_tics[at_x] = named_values(cases, cell.row, link_columns(grid));
      y_tics[at_y] = named_values(cases, cell.row, {sides.y}).substr(4);  // without `W = `
      add_cell(panel, cell, at_x, at_y, named_values(cases, cell.row, joined({sides.y}, kLink)),
               grid.links.size() <= kMostNamedColumns);
    }
    panels.push_back(std::move(panel));
  }
  for (const auto& [value, label] : x_tics) x.tics.push_back({value, label});
  for (const auto& [value, label] : y_tics) y.tics.push_back({value, label});
  for (Panel& panel : panels) {
    panel.x = x;
    panel.y = y;
  }
  return panels;
}

// Those that win, or tie, somewhere; who wins most cells comes first.
void add_winners_to_legend(Panel& panel, const Cells& cells) {
  std::map<std::string, int> wins;
  for (const auto& [key, of_panel] : cells)
    for (const auto& [where, cell] : of_panel) {
      ++wins[cell.times[0].algorithm];
      if (cell.tie()) ++wins[cell.times[1].algorithm];
    }
  std::vector<std::pair<std::string, int>> order(wins.begin(), wins.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [algorithm, count] : order)
    panel.series.push_back(legend_key(algorithm, fill(algorithm), Draw::rectangles));
}

std::vector<std::string> notes_of(const CsvTable& cases, const std::vector<std::size_t>& rows,
                                  const Cells& cells, const Grid& grid) {
  std::set<std::string> compared;
  for (const auto& [key, panel] : cells)
    for (const auto& [where, cell] : panel)
      for (const Timed& timed : cell.times) compared.insert(timed.algorithm);
  std::string names;
  for (const std::string& name : compared) names += (names.empty() ? "" : ", ") + name;
  std::vector<std::string> notes = {
      fmt::format("Compared, where they ran: {}; by the median wall clock of cases that are equal "
                  "but for the algorithm. The number: time of the next best over the fastest. Two "
                  "colours and ≈: the two best are within 2 %, a tie. White: fewer than two ran. "
                  "Dense attention, which splits nothing, is no candidate.",
                  names)};
  if (link_columns(grid).size() == 1) {
    std::string latencies;
    for (const CaseKey& link : grid.links)
      for (const auto& [key, panel] : cells)
        for (const auto& [where, cell] : panel) {
          if (link_of(where) != link || link[1].empty()) continue;
          const std::string text =
              fmt::format("{} at {}", named_values(cases, cell.row, {kLink[1]}),
                          named_values(cases, cell.row, {kLink[0]}));
          if (latencies.find(text) == std::string::npos)
            latencies += (latencies.empty() ? "" : ", ") + text;
        }
    if (!latencies.empty()) notes.push_back("Latency of the link: " + latencies + ".");
  }
  if (std::any_of(rows.begin(), rows.end(),
                  [&](std::size_t row) { return cases.text(row, "ranks") == "model"; }))
    notes.emplace_back(kModelNote);
  return notes;
}

}  // namespace

Figure scheme_map_figure(const CsvTable& cases, const FigureContext& context) {
  const std::vector<std::size_t> rows = candidates(cases);
  const Sides sides = sides_of(cases, rows);
  const Cells cells = cells_of(cases, rows, sides);
  if (cells.empty())
    return empty_figure("scheme_map", kTitle,
                        "no two schemes have a wall clock in cases that are otherwise equal "
                        "(dense and ranks: serial do not count)");
  const Grid grid = grid_of(cells);
  Figure figure{.name = "scheme_map",
                .title = kTitle,
                .subtitle = context.subtitle,
                .panels = panels_of(cases, cells, grid, sides),
                .panel_height = kCellHeight * static_cast<int>(grid.heights.size()),
                .shared_axes = true};
  add_winners_to_legend(figure.panels.front(), cells);
  figure.notes = notes_of(cases, rows, cells, grid);
  return figure;
}

}  // namespace qb
