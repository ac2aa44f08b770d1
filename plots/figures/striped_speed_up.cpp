#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/palette.h"
#include "plots/published/published.h"
#include "plots/published/striped_bound.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Speed-up of striped and zigzag over contiguous rings";
constexpr double kAssumedTile = 768.0;     // query rows of a tile of the flash kernel at d = 64
constexpr double kPublishedTile = 2048.0;  // work skipped in the paper: 2048 query rows at once

using Panels = std::map<std::int64_t, Panel>;  // by worker count

// Empty for an algorithm that is no balanced ring. pass_kv is zigzag under another paper's name.
std::string curve_of(const std::string& algorithm) {
  if (algorithm == "striped") return algorithm;
  return algorithm == "zigzag" || algorithm == "pass_kv" ? "zigzag" : "";
}

bool whole_causal(const CsvTable& cases, std::size_t row) {
  return cases.text(row, "mask") == "causal" && cases.number(row, "workers") >= 2.0 &&
         cases.text(row, "kv_len") == cases.text(row, "n_tokens");
}

double tokens_a_worker(const CsvTable& cases, std::size_t row) {
  return cases.number(row, "n_tokens") / cases.number(row, "workers");
}

// The columns between the name of the experiment and the status, and those of the link.
std::set<std::string> parameters_but_algorithm(const CsvTable& cases) {
  std::set<std::string> columns;
  const auto begin = std::find(cases.header().begin(), cases.header().end(), "experiment");
  for (auto column = begin; column != cases.header().end() && *column != "status"; ++column)
    columns.insert(*column);
  for (const char* more : {"provenance", "link_bandwidth_byte_per_s", "link_latency_s"})
    if (cases.has(more)) columns.insert(more);
  for (const char* other : {"experiment", "algorithm", "interest_set"}) columns.erase(other);
  return columns;
}

// Quotient of two medians; its bar is the widest that the two intervals allow.
Point speed_up_point(const CsvTable& cases, std::size_t row, std::size_t ring) {
  const char* prefix = cases.text(row, "ranks") == "serial" ? "critical_path" : "wall_time";
  const auto value = [&](std::size_t from, const char* what) {
    return cases.number(from, fmt::format("{}_{}_s", prefix, what));
  };
  return {.x = tokens_a_worker(cases, row),
          .y = value(ring, "median") / value(row, "median"),
          .low = value(ring, "low95") / value(row, "high95"),
          .high = value(ring, "high95") / value(row, "low95")};
}

struct Pairs {
  std::vector<std::pair<std::size_t, std::size_t>> matched;  // row and its ring's
  std::size_t alone = 0;                                     // without a ring that ran
  std::size_t limited = 0;  // by a link, and left out beside others without one
};

bool over_a_link(const CsvTable& cases, std::size_t row) {
  constexpr const char* kColumn = "link_bandwidth_byte_per_s";
  return cases.has(kColumn) && !cases.text(row, kColumn).empty();
}

Pairs match(const CsvTable& cases) {
  Pairs out;
  for (const std::size_t row : standing_rows(cases)) {
    if (curve_of(cases.text(row, "algorithm")).empty()) continue;
    if (!ran(cases, row) || !whole_causal(cases, row)) continue;
    const auto ring = ring_case(cases, row);
    if (ring && ran(cases, *ring))
      out.matched.emplace_back(row, *ring);
    else
      ++out.alone;
  }
  const auto first_limited =
      std::stable_partition(out.matched.begin(), out.matched.end(),
                            [&](const auto& pair) { return !over_a_link(cases, pair.first); });
  if (first_limited == out.matched.begin()) return out;
  out.limited = static_cast<std::size_t>(out.matched.end() - first_limited);
  out.matched.erase(first_limited, out.matched.end());
  return out;
}

Panels measured_panels(const CsvTable& cases, const Pairs& pairs) {
  std::vector<std::size_t> rows;
  for (const auto& [row, ring] : pairs.matched) rows.push_back(row);
  const std::vector<std::string> others =
      splitting_columns(cases, rows, {"algorithm", "workers", "n_tokens"});
  std::map<std::int64_t, std::map<std::string, Series>> found;  // by worker count and name
  for (const auto& [row, ring] : pairs.matched) {
    const std::string curve = curve_of(cases.text(row, "algorithm"));
    const std::string name = name_with(curve, cases, row, others);
    auto& series = found[static_cast<std::int64_t>(cases.number(row, "workers"))];
    Series& one = series.try_emplace(name, Series{.name = name}).first->second;
    one.style = algorithm_style(curve);
    one.points.push_back(speed_up_point(cases, row, ring));
  }
  Panels panels;
  for (auto& [workers, by_name] : found) {
    Panel& panel = panels[workers];
    std::map<std::uint32_t, int> variants;  // lines of one curve differ in their marks
    for (auto& [name, series] : by_name) {
      series.style.mark = (series.style.mark + variants[series.style.colour]++) % kMarks;
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const Point& a, const Point& b) { return a.x < b.x; });
      panel.series.push_back(std::move(series));
    }
  }
  return panels;
}

// The smallest tile that the ring cases of most tokens a worker show, by worker count.
std::map<std::int64_t, double> executed_tiles(const CsvTable& cases, const Pairs& pairs) {
  std::map<std::int64_t, std::pair<double, double>> found;  // tokens a worker, tile
  for (const auto& [row, ring] : pairs.matched) {
    const double tile = executed_tile(cases, ring);
    const double tokens = tokens_a_worker(cases, ring);
    if (std::isnan(tile)) continue;
    const auto workers = static_cast<std::int64_t>(cases.number(row, "workers"));
    const auto [at, first] = found.try_emplace(workers, tokens, tile);
    auto& [most, smallest] = at->second;
    if (tokens > most || (tokens == most && tile < smallest)) at->second = {tokens, tile};
  }
  std::map<std::int64_t, double> tiles;
  for (const auto& [workers, best] : found) tiles[workers] = best.second;
  return tiles;
}

// Into the panels of the same worker count; where there is none, they make the panel that is
// returned, of the nearest count.
Panels add_published(Panels& panels) {
  Panels apart;
  std::set<std::int64_t> published = {2, 4, 8};
  std::erase_if(published, [&](std::int64_t workers) { return !panels.contains(workers); });
  for (const std::int64_t workers : published)
    for (Series& series : published_striped_speed_ups(workers))
      panels[workers].series.push_back(std::move(series));
  if (published.empty()) {
    const double ours = std::log2(static_cast<double>(panels.begin()->first));
    const std::int64_t workers = ours < 1.5 ? 2 : ours < 2.5 ? 4 : 8;
    apart[workers].series = published_striped_speed_ups(workers);
  }
  return apart;
}

// Of tokens a worker, over all panels.
struct Range {
  double from = std::numeric_limits<double>::infinity();
  double until = 0.0;
  void hold(const Panels& panels) {
    for (const auto& [workers, panel] : panels)
      for (const double tokens : all_x(panel)) {
        from = std::min(from, tokens);
        until = std::max(until, tokens);
      }
  }
};

Series bound_curve(std::string name, Style style, std::int64_t workers, double tile,
                   const Range& x) {
  constexpr int kPoints = 65;
  Series series{.name = std::move(name), .draw = Draw::line, .style = style};
  for (int i = 0; i < kPoints; ++i) {
    const double tokens = x.from * std::pow(x.until / x.from, i / (kPoints - 1.0));
    series.points.push_back({.x = tokens, .y = speed_up_bound(tokens / tile, workers)});
  }
  return series;
}

// `tile` of ours; NaN in a panel of published numbers alone.
void add_bounds(Panel& panel, std::int64_t workers, double tile, const Range& x) {
  std::vector<Series>& series = panel.series;
  const bool published =
      std::any_of(series.begin(), series.end(), [](const Series& one) { return one.published; });
  series.push_back(bound_curve("bound, pairs", {kBlack, 0}, workers, 1.0, x));
  series.back().thin = true;  // it all but covers the limit
  if (!std::isnan(tile))
    series.push_back(bound_curve("bound, our tiles", {kBlack, 0, 1}, workers, tile, x));
  if (published)
    series.push_back(
        bound_curve("bound, published tiles", {kGrey, 0, 2}, workers, kPublishedTile, x));
  series.push_back({.name = "limit 2 - 1/W",
                    .draw = Draw::limit,
                    .style = {kGrey, 0},
                    .points = {{.y = 2.0 - 1.0 / static_cast<double>(workers)}}});
}

// The tiles by size, and what is assumed of the worker counts without.
std::string tile_sentence(const Panels& panels, const std::map<std::int64_t, double>& tiles) {
  std::map<std::string, std::string> workers_of;  // by size
  for (const auto& [workers, tile] : tiles) {
    std::string& list = workers_of[fmt::format("{:.0f}", tile)];
    list += fmt::format("{}{}", list.empty() ? "" : ", ", workers);
  }
  std::string out;
  for (const auto& [tile, workers] : workers_of)
    out += fmt::format("{}{} (W = {}, from the executed pairs of the longest ring case)",
                       out.empty() ? "" : ", ", tile, workers);
  if (tiles.size() < panels.size())
    out += fmt::format("{}{} where no case shows it", out.empty() ? "" : ", ", kAssumedTile);
  return "our tiles, in tokens a side: " + out;
}

std::vector<std::string> notes(const Panels& panels, const std::map<std::int64_t, double>& tiles,
                               const Pairs& pairs) {
  std::vector<std::string> out = {
      "Time of the contiguous ring over that of the same causal case, striped or zigzag: critical "
      "paths where ranks are serial, wall clocks otherwise. Bars: quotients of the ends of the two "
      "intervals.",
      fmt::format("Bounds of the critical path of a striped ring, c = N/W: by pairs [(c+1) + "
                  "2(W-1)c] / [W(c+1)], by tiles the same in n = c/tile; {}; published tiles: {} "
                  "query rows.",
                  tile_sentence(panels, tiles), kPublishedTile),
      "Published: Striped Attention (arXiv 2311.09431), tables 3 to 5, orange A100, grey TPU v4; "
      "circles 1B, squares 3B, triangles 7B parameters; W is the sequence-parallel side of the "
      "mesh. Those are whole training steps, backward pass, projections and feed-forward layers "
      "included, so they lie below what attention alone gains and are not comparable with ours."};
  if (pairs.alone > 0)
    out.push_back(
        fmt::format("{} striped or zigzag case{} no point because no ring case of the "
                    "same parameters has a time.",
                    pairs.alone, pairs.alone == 1 ? " has" : "s have"));
  if (pairs.limited > 0)
    out.push_back(
        fmt::format("Cases over a link of limited bandwidth are left out beside those without: {}.",
                    pairs.limited));
  return out;
}

}  // namespace

std::optional<std::size_t> ring_case(const CsvTable& cases, std::size_t row) {
  const std::set<std::string> same = parameters_but_algorithm(cases);
  std::optional<std::size_t> found;
  for (std::size_t other = 0; other < cases.size(); ++other)
    if (cases.text(other, "algorithm") == "ring" &&
        std::all_of(same.begin(), same.end(), [&](const std::string& column) {
          return cases.text(other, column) == cases.text(row, column);
        }))
      found = other;
  return found;
}

Figure striped_speed_up_figure(const CsvTable& cases, const FigureContext& context) {
  const Pairs pairs = match(cases);
  Figure figure{.name = "striped_speed_up",
                .title = kTitle,
                .subtitle = context.subtitle,
                .shared_axes = true,
                .published_legend = "published, training step"};
  if (pairs.matched.empty())
    return empty_figure(figure.name, kTitle,
                        "no causal striped or zigzag case ran beside a ring case of the same "
                        "parameters");
  Panels panels = measured_panels(cases, pairs);
  const std::map<std::int64_t, double> tiles = executed_tiles(cases, pairs);
  figure.notes = notes(panels, tiles, pairs);
  Panels apart = add_published(panels);
  Range x;
  x.hold(panels);
  x.hold(apart);
  for (auto& [workers, panel] : panels) {
    const auto tile = tiles.find(workers);
    add_bounds(panel, workers, tile == tiles.end() ? kAssumedTile : tile->second, x);
    panel.title = fmt::format("W = {}", workers);
    figure.panels.push_back(std::move(panel));
  }
  for (auto& [workers, panel] : apart) {
    add_bounds(panel, workers, kNaN, x);
    panel.title = fmt::format("W = {}, published alone", workers);
    figure.panels.push_back(std::move(panel));
  }
  for (Panel& panel : figure.panels) {
    panel.x = {.label = "tokens a worker N/W", .column = "tokens_per_worker", .log = true};
    panel.y = {.label = "ring time / time", .column = "speed_up_ratio"};
  }
  arrange_panels(figure);
  return figure;
}

}  // namespace qb
