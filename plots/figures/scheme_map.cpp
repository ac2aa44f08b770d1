// SPDX-License-Identifier: Apache-2.0
// Which scheme is the fastest for which problem: a cell for each link and length (or worker count),
// or of layouts of a stack for each length and worker count, in the colour of the fastest
// scheme, with its name and how many times faster it is than the next best. Where neither the clock
// nor the model tells the best apart, the cell has a stripe for each of them. Dense attention
// splits nothing and is left out, and so are cases under `serial`, which have no wall clock of
// their workers.

#include <cctype>

#include "base/numbers.h"
#include "base/words.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

// White gaps separate cells, whose sides are 1; each gap is about a pixel wide.
constexpr double kHalfWidth = 0.49;
constexpr double kHalfHeight = 0.475;
// More cells side by side are too narrow for a name and its lead in one line, or for a name.
constexpr std::size_t kMostOneLine = 4;
constexpr std::size_t kMostNamed = 7;

double wall_s(const Row& row) { return row.number("wall_time_median_s"); }

struct Map {
  std::string title{};
  std::vector<Ranking> cells{};  // of cases that are equal except for their algorithm
};

Rows candidates(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    return ran(row) && scheme_of(row) != "dense" && !row.is("ranks", "serial") &&
           row.integer("workers") > 1 && wall_s(row) > 0.0;
  });
}

// Says what the cells are stacked by: n_tokens or workers, whichever takes more values. The other
// one tells the panels apart.
std::string stacked_by(const Rows& rows) {
  const bool more_counts =
      group(rows, Columns{"workers"}).size() > group(rows, Columns{"n_tokens"}).size();
  return more_counts ? "workers" : "n_tokens";
}

// Says whether the number of keys is not that of new tokens, so that cached ones precede these.
bool is_cached(const Row& row) { return own_value(row, "kv_len") != "="; }

Rows rows_of_maps(const std::vector<Map>& maps) {
  Rows rows;
  for (const Map& map : maps)
    for (const Ranking& cell : map.cells) rows.push_back(cell.rows.front());
  return rows;
}

// What the cells stand side by side by.
Columns across(const Rows& rows, const std::string& y) {
  const std::string other = y == "workers" ? "n_tokens" : "workers";
  return rows.empty() || !rows.front().is("workload", "stack") ? kLinkColumns : Columns{other};
}

std::vector<Map> maps_of(const Rows& rows, const std::string& y, const ModelGrade& grade) {
  const Columns x = across(rows, y);
  Columns place = {"ranks", "model_device", "cluster", "stack_layers"};
  if (x == kLinkColumns) place.insert(place.begin(), y == "workers" ? "n_tokens" : "workers");
  std::vector<Map> maps;
  for (const Group& panel : group(rows, [&](const Row& row) {
         std::vector<std::string> key = values_of(row, joined(place, kShapeColumns));
         key.push_back(own_value(row, "kv_len"));
         return key;
       })) {
    Map map;
    for (const Group& where_to : group(panel.rows, joined(x, {y})))
      map.cells.push_back(ranking_of(where_to.rows, grade));
    std::erase_if(map.cells, [](const Ranking& cell) { return cell.rows.size() < 2; });
    if (!map.cells.empty()) maps.push_back(std::move(map));
  }
  const Columns shown = joined(place, differing_columns(rows_of_maps(maps), kShapeColumns));
  for (Map& map : maps) {
    const Row& any = map.cells.front().rows.front();
    map.title = named_values(any, shown);
    if (is_cached(any)) map.title += ", " + named_values(any, {"kv_len"});
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

using Letters = std::map<std::string, std::string>;

// Gives each scheme that is compared the first letter of its name that no scheme before it has.
Letters letters_of(const std::vector<Map>& maps) {
  Letters letters;
  for (const Map& map : maps)
    for (const Ranking& cell : map.cells)
      for (const std::string& names : cell.names)
        for (const std::string_view scheme : split_words(names, "= ")) letters[std::string(scheme)];
  std::string taken = "_";
  for (auto& [scheme, letter] : letters) {
    const std::size_t free = scheme.find_first_not_of(taken);
    taken += free == std::string::npos ? '?' : scheme[free];
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(taken.back())));
  }
  return letters;
}

const Columns kCellColumns = {"link_bandwidth_byte_per_s", "link_latency_s", "n_tokens", "workers"};

// Adds a rectangle for each plan that is the fastest in a cell, from the fastest on; those of a tie
// have the letters of their schemes. `after_name` separates a name from its lead; empty where names
// have no room.
void add_cell(std::map<std::string, std::vector<Point>>& schemes, const Ranking& cell, double x,
              double y, const std::string& after_name, const Letters& letters) {
  Replacements short_names(letters.rbegin(), letters.rend());  // cqs_sharded before cqs
  short_names.emplace_back(" = ", "=");
  const double width = 2.0 * kHalfWidth / static_cast<double>(cell.level);
  for (std::size_t i = 0; i < cell.level; ++i) {
    const Row& row = cell.rows[i];
    const std::string& scheme = scheme_of(row);
    const double left = x - kHalfWidth + width * static_cast<double>(i);
    Point stripe = box(left, left + width, y - kHalfHeight, y + kHalfHeight);
    stripe.x = x;
    stripe.text =
        cell.has_winner()
            ? listed({after_name.empty() ? "" : cell.names[i], lead_text(cell.lead())}, after_name)
            : replaced(cell.names[i], short_names);
    stripe.more = joined(values_of(row, kCellColumns), {to_text(wall_s(row)), to_text(cell.lead()),
                                                        cell.names[0], cell.names[1]});
    for (const std::string_view name : split_words(cell.names[i], "= "))
      schemes[std::string(name)];  // all are in the legend
    schemes[scheme].push_back(std::move(stripe));
  }
}

// Names bandwidths alone if each has one latency.
Columns link_columns(const Groups& links) {
  std::set<std::string> bandwidths;
  for (const Group& link : links)
    if (!bandwidths.insert(link.key[0]).second) return kLinkColumns;
  return {kLinkColumns[0]};
}

std::vector<Panel> map_panels(const std::vector<Map>& maps, const std::string& side) {
  const Rows drawn = rows_of_maps(maps);
  const Columns by = across(drawn, side);
  const bool by_link = by == kLinkColumns;
  const Groups links = group(drawn, by);
  const Groups heights = group(drawn, Columns{side});
  const bool cached = std::ranges::any_of(drawn, is_cached);
  const auto label = [&](const std::string& column) {
    return column == "workers" ? "workers W"
           : cached            ? "new tokens N"
                               : "sequence length N (tokens)";
  };
  Axis x{.label = by_link ? "link bandwidth" : label(by[0]),
         .column = by_link ? "link_index" : by[0] + "_index",
         .tight = true};
  Axis y{.label = label(side), .column = side + "_index", .tight = true};
  for (const Group& link : links) {
    const std::string name = named_values(link.rows.front(), by_link ? link_columns(links) : by);
    add_tic(x, by_link ? name : name.substr(4));
  }
  for (const Group& height : heights)  // leaves out `W = `
    add_tic(y, named_values(height.rows.front(), {side}).substr(4));
  const Letters letters = letters_of(maps);
  const std::string after_name = links.size() <= kMostOneLine ? " "
                                 : links.size() <= kMostNamed ? "\n"
                                                              : "";
  std::vector<Panel> panels;
  for (const Map& map : maps) {
    Panel panel{.title = map.title, .x = x, .y = y};
    std::map<std::string, std::vector<Point>> schemes;
    for (const Ranking& cell : map.cells)
      add_cell(schemes, cell, index_of(links, cell.rows.front()),
               index_of(heights, cell.rows.front()), after_name, letters);
    for (auto& [scheme, stripes] : schemes) {
      const auto place = std::distance(letters.begin(), letters.find(scheme));
      const Style style = drawn.front().is("workload", "stack")
                              ? indexed_style(static_cast<int>(place))
                              : algorithm_style(scheme);
      const std::uint32_t fill = lightened(style.colour);
      panel.series.push_back(rectangles(scheme, fill, std::move(stripes)));
      panel.series.back().text = letters.at(scheme);
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

// Counts the cells that a scheme wins alone; most first.
std::string winners_sentence(const std::vector<Map>& maps) {
  std::map<std::string, int> wins;
  std::size_t ties = 0;
  for (const Map& map : maps)
    for (const Ranking& cell : map.cells)
      if (cell.has_winner())
        ++wins[cell.names.front()];
      else
        ++ties;
  std::vector<std::pair<std::string, int>> winners(wins.begin(), wins.end());
  std::ranges::stable_sort(winners, std::greater(), &std::pair<std::string, int>::second);
  const std::string cells = counted(rows_of_maps(maps).size(), "cell");
  std::vector<std::string> parts;
  for (const auto& [algorithm, number] : winners)
    parts.push_back(parts.empty() ? fmt::format("{} leads in {} of {}", algorithm, number, cells)
                                  : fmt::format("{} in {}", algorithm, number));
  if (parts.empty()) return fmt::format("In none of {} one scheme leads: all are ties", cells);
  return listed(parts) + (ties == 0   ? ""
                          : ties == 1 ? "; 1 is a tie"
                                      : fmt::format("; {} are ties", ties));
}

// Names the drawn schemes that no published time is of.
std::string ungraded_note(const std::vector<Map>& maps, const ModelGrade& grade) {
  std::set<std::string> ungraded;
  for (const Map& map : maps)
    for (const Ranking& cell : map.cells)
      for (std::size_t i = 0; i < cell.level; ++i)
        if (const Row& row = cell.rows[i]; !grade.of(row).schemes.contains(scheme_of(row)))
          ungraded.insert(scheme_of(row));
  return grade.forward.schemes.empty() || ungraded.empty()
             ? ""
             : fmt::format("No published row grades {}: the error of all stands in.",
                           fmt::join(ungraded, ", "));
}

std::vector<std::string> notes_of(const Rows& rows, const std::vector<Map>& maps,
                                  const ModelGrade& grade) {
  std::string latencies;
  const Groups links = group(rows_of_maps(maps), kLinkColumns);
  if (link_columns(links).size() == 1)
    for (const Group& link : links)
      latencies = listed({latencies, named_values(link.rows.front(), {kLinkColumns[1]})});
  const std::size_t left_out = count(rows, [=](const Row& row) { return !counts(row); });
  return {
      fmt::format(
          "A cell: the fastest plan and its lead, or the letters of a tie; = joins schemes of one "
          "plan. A tie: {}.",
          count(rows, modelled) == 0
              ? "their intervals overlap"
              : fmt::format("within the model's error for either scheme (p90; {:.3g} times "
                            "for all schemes)",
                            grade.of(rows.front()).p90)),
      latencies.empty() ? "" : fmt::format("Latency, from the left: {}.", latencies),
      ungraded_note(maps, grade),
      not_drawn({{.number = left_out, .what = "case", .reason = "disturbed"}})};
}

}  // namespace

Figure scheme_map_figure(const PlottedRun& run) {
  const Rows rows = candidates(run.cases);
  const std::string side = stacked_by(rows);
  const ModelGrade grade = run.model_grade();
  const std::vector<Map> maps = maps_of(rows, side, grade);
  if (maps.empty())
    return empty_figure("The fastest scheme by link and size",
                        "no two plans have an undisturbed wall clock in cases that are otherwise "
                        "equal (dense, ranks: serial and W = 1 do not count)");
  return {.title = modelled_first(rows_of_maps(maps), winners_sentence(maps)),
          .panels = map_panels(maps, side),
          .shared_axes = true,
          .notes = joined_notes({notes_of(rows, maps, grade)}),
          .more_columns = joined(kCellColumns, {"wall_time_s", "lead_ratio", "fastest", "next"})};
}

}  // namespace qb
