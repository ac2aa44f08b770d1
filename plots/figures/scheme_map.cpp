// SPDX-License-Identifier: Apache-2.0
// Which scheme is the fastest for which problem: a cell for each link and length (or worker count),
// in the colour of the winner, with its name and how many times faster it is than the next best.
// Dense attention splits nothing and is left out, and so are cases under `serial`, which have no
// wall clock of their workers.

#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr double kTie = 1.02;  // times within this factor are a tie
constexpr int kCellHeight = 44;
// White gaps separate cells, whose sides are 1; each gap is about a pixel wide.
constexpr double kHalfWidth = 0.49;
constexpr double kHalfHeight = 0.475;
constexpr std::size_t kMostNamedColumns = 7;  // more cells side by side are too narrow for a name

// The times of cases that are equal except for their algorithm, fastest first, each algorithm once.
struct MapCell {
  Rows rows{};
  [[nodiscard]] const Row& any() const { return rows.front(); }
  [[nodiscard]] const std::string& winner() const { return rows[0].text("algorithm"); }
  [[nodiscard]] const std::string& second() const { return rows[1].text("algorithm"); }
  [[nodiscard]] double lead() const {
    return rows[1].number("wall_time_median_s") / rows[0].number("wall_time_median_s");
  }
  [[nodiscard]] bool tie() const { return lead() <= kTie; }
};

struct Map {
  std::string title{};
  std::string keys{};  // the number of keys, if it differs from the number of new tokens
  std::vector<MapCell> cells{};
};

// What is on which axis: n_tokens or workers, whichever takes more values, against links.
struct Sides {
  std::string y{};
  std::string panels{};  // the other one
};

Rows candidates(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    return ran(row) && !row.is("algorithm", "dense") && !row.is("ranks", "serial") &&
           row.number("wall_time_median_s") > 0.0;
  });
}

Sides sides_of(const Rows& rows) {
  const bool more_counts =
      group(rows, Columns{"workers"}).size() > group(rows, Columns{"n_tokens"}).size();
  return more_counts ? Sides{"workers", "n_tokens"} : Sides{"n_tokens", "workers"};
}

// Gives the number of keys if it differs from the number of new tokens, and also for the last case
// of a sweep of miss rates, at 100 %.
std::string other_keys(const Row& row, const std::set<std::string>& contexts) {
  const std::string& keys = row.text("kv_len");
  const bool passes = row.text("algorithm").starts_with("pass_");
  return keys != row.text("n_tokens") || (passes && contexts.contains(keys)) ? keys : "";
}

// The fastest of several cases of one algorithm (interest sets, seeds) counts.
MapCell cell_of(Rows rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    const auto rank = [](const Row& row) {
      return std::pair(row.number("wall_time_median_s"), row.text("algorithm"));
    };
    return rank(a) < rank(b);
  });
  std::set<std::string> seen;
  return {where(rows, [&](const Row& row) { return seen.insert(row.text("algorithm")).second; })};
}

Rows rows_of_maps(const std::vector<Map>& maps) {
  Rows rows;
  for (const Map& map : maps)
    for (const MapCell& cell : map.cells) rows.push_back(cell.any());
  return rows;
}

std::vector<Map> maps_of(const Rows& rows, const Sides& sides) {
  std::set<std::string> contexts;  // lengths of cases in which cached keys precede the new tokens
  for (const Row& row : rows)
    if (row.text("kv_len") != row.text("n_tokens")) contexts.insert(row.text("kv_len"));
  const Columns place = {sides.panels, "ranks", "model_device"};
  std::vector<Map> maps;
  for (const Group& panel : group(rows, [&](const Row& row) {
         std::vector<std::string> key = values_of(row, joined(place, kShapeColumns));
         key.push_back(other_keys(row, contexts));
         return key;
       })) {
    Map map{.keys = panel.key.back()};
    for (const Group& where_to : group(panel.rows, joined(kLinkColumns, {sides.y})))
      map.cells.push_back(cell_of(where_to.rows));
    std::erase_if(map.cells, [](const MapCell& cell) { return cell.rows.size() < 2; });
    if (!map.cells.empty()) maps.push_back(std::move(map));
  }
  const Columns shown = joined(place, differing_columns(rows_of_maps(maps), kShapeColumns));
  for (Map& map : maps) {
    const Row& any = map.cells.front().any();
    map.title = named_values(any, shown);
    if (!map.keys.empty()) map.title += ", " + named_values(any, {"kv_len"});
  }
  return maps;
}

// Gives the index of the row's group among ascending groups: its cell is drawn there.
double index_of(const Groups& places, const Row& row) {
  const auto holds = [&](const Group& place) { return std::ranges::count(place.rows, row) > 0; };
  return static_cast<double>(std::ranges::find_if(places, holds) - places.begin());
}

std::string lead_text(double lead) {
  return lead < 10.0 ? fmt::format("{:.{}f}×", lead, lead < 2.0 ? 2 : 1)
                     : fmt::format("{:.0f}×", lead);
}

std::string cell_text(const MapCell& cell, bool named) {
  const std::string lead =
      cell.tie() ? (named ? "≈ " + cell.second() : "≈") : lead_text(cell.lead());
  return named ? cell.winner() + '\n' + lead : lead;
}

Style fill(const std::string& algorithm) { return {lightened(algorithm_style(algorithm).colour)}; }

// Adds one rectangle, or in a tie the two halves of one: the text is over both.
void add_cell(Panel& panel, const MapCell& cell, double x, double y, const std::string& place,
              bool named) {
  Series drawn{
      .name = fmt::format("{}: {} {} {}", place, cell.winner(),
                          cell.tie() ? "≈" : lead_text(cell.lead()) + " before", cell.second()),
      .draw = Draw::rectangles,
      .style = fill(cell.winner()),
      .thin = true,
      .in_legend = false,
      .text = cell_text(cell, named)};
  Point whole{x, y, y - kHalfHeight, y + kHalfHeight, x - kHalfWidth, x + kHalfWidth};
  if (cell.tie()) {
    Series half = drawn;
    half.name += ", left half";
    half.text.clear();
    half.points = {whole};
    half.points[0].x_high = x;
    panel.series.push_back(std::move(half));
    drawn.style = fill(cell.second());
    whole.x_low = x;
  }
  drawn.points = {whole};
  panel.series.push_back(std::move(drawn));
}

// Names bandwidths alone if each has one latency.
Columns link_columns(const Groups& links) {
  std::set<std::string> bandwidths;
  for (const Group& link : links)
    if (!bandwidths.insert(link.key[0]).second) return kLinkColumns;
  return {kLinkColumns[0]};
}

std::vector<Panel> map_panels(const std::vector<Map>& maps, const Sides& sides) {
  const Rows drawn = rows_of_maps(maps);
  const Groups links = group(drawn, kLinkColumns);
  const Groups heights = group(drawn, Columns{sides.y});
  const bool cached =
      std::any_of(maps.begin(), maps.end(), [](const Map& map) { return !map.keys.empty(); });
  Axis x{.label = "link bandwidth", .column = "link_index", .tight = true};
  Axis y{.label = sides.y == "workers" ? "workers W"
                  : cached             ? "new tokens N"
                                       : "sequence length N (tokens)",
         .column = sides.y + "_index",
         .tight = true};
  for (std::size_t i = 0; i < links.size(); ++i)
    x.tics.push_back(
        {static_cast<double>(i), named_values(links[i].rows.front(), link_columns(links))});
  for (std::size_t i = 0; i < heights.size(); ++i)  // leaves out `W = `
    y.tics.push_back(
        {static_cast<double>(i), named_values(heights[i].rows.front(), {sides.y}).substr(4)});
  std::vector<Panel> panels;
  for (const Map& map : maps) {
    Panel panel{.title = map.title, .x = x, .y = y};
    for (const MapCell& cell : map.cells)
      add_cell(panel, cell, index_of(links, cell.any()), index_of(heights, cell.any()),
               named_values(cell.any(), joined({sides.y}, kLinkColumns)),
               links.size() <= kMostNamedColumns);
    panels.push_back(std::move(panel));
  }
  return panels;
}

// The schemes that are the fastest, or tie with it, and in how many cells; most first.
std::vector<std::pair<std::string, int>> winners_of(const std::vector<Map>& maps) {
  std::map<std::string, int> wins;
  for (const Map& map : maps)
    for (const MapCell& cell : map.cells) {
      ++wins[cell.winner()];
      if (cell.tie()) ++wins[cell.second()];
    }
  std::vector<std::pair<std::string, int>> winners(wins.begin(), wins.end());
  std::ranges::stable_sort(winners, std::greater(), &std::pair<std::string, int>::second);
  return winners;
}

std::string winners_finding(const std::vector<Map>& maps) {
  std::vector<std::string> parts;
  for (const auto& [algorithm, wins] : winners_of(maps))
    parts.push_back(fmt::format("{} in {}", algorithm, wins));
  std::size_t cells = 0;
  for (const Map& map : maps) cells += map.cells.size();
  return fmt::format("Of {}, these are the fastest or tie with it: {}.", counted(cells, "cell"),
                     listed(parts));
}

std::vector<std::string> notes_of(const Rows& rows, const std::vector<Map>& maps) {
  std::set<std::string> compared;
  for (const Map& map : maps)
    for (const MapCell& cell : map.cells)
      for (const Row& row : cell.rows) compared.insert(row.text("algorithm"));
  std::vector<std::string> notes = {
      fmt::format("Compared, where they ran: {}; by the median wall clock of cases that are equal "
                  "but for the algorithm. The number: time of the next best over the fastest. Two "
                  "colours and ≈: the two best are within 2 %, a tie. White: fewer than two ran. "
                  "Dense attention, which splits nothing, is left out.",
                  listed({compared.begin(), compared.end()}))};
  const Groups links = group(rows_of_maps(maps), kLinkColumns);
  std::vector<std::string> latencies;
  if (link_columns(links).size() == 1)
    for (const Group& link : links)
      if (!link.key[1].empty())
        latencies.push_back(fmt::format("{} at {}",
                                        named_values(link.rows.front(), {kLinkColumns[1]}),
                                        named_values(link.rows.front(), {kLinkColumns[0]})));
  if (!latencies.empty()) notes.push_back("Latency of the link: " + listed(latencies) + ".");
  if (count(rows, modelled) > 0) notes.emplace_back(kModelNote);
  return notes;
}

}  // namespace

Figure scheme_map_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "The fastest scheme by link and size";
  const Rows rows = candidates(run.cases);
  const Sides sides = sides_of(rows);
  const std::vector<Map> maps = maps_of(rows, sides);
  if (maps.empty())
    return empty_figure(kTitle,
                        "no two schemes have a wall clock in cases that are otherwise equal "
                        "(dense and ranks: serial do not count)");
  Figure figure{.title = kTitle, .panels = map_panels(maps, sides), .shared_axes = true};
  figure.panel_height = kCellHeight * static_cast<int>(figure.panels.front().y.tics.size());
  for (const auto& [algorithm, wins] : winners_of(maps))
    figure.panels.front().series.push_back(
        legend_key(algorithm, fill(algorithm), Draw::rectangles));
  figure.notes = notes_of(rows, maps);
  figure.finding = winners_finding(maps);
  return figure;
}

}  // namespace qb
