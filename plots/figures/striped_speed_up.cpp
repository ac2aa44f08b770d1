// SPDX-License-Identifier: Apache-2.0
// Time of a ring over contiguous blocks divided by that of a striped (or zigzag) one of the same
// causal case, against tokens per worker: what balancing the rounds gains, beside what it can gain.
// Serial cases count by their critical path, others by the wall clock; of both passes either is
// their sum, as in a step of training. There is a panel per worker count.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr double kAssumedTile = 768.0;     // query rows of a tile of the flash kernel at d = 64
constexpr double kPublishedTile = 2048.0;  // the paper skips work per 2048 query rows

// Is empty for an algorithm that is not a balanced ring. pass_kv is zigzag under another paper's
// name.
std::string ring_kind(const Row& row) {
  const std::string& algorithm = row.text("algorithm");
  return algorithm == "striped"                            ? "striped"
         : algorithm == "zigzag" || algorithm == "pass_kv" ? "zigzag"
                                                           : "";
}

bool balanced_causal(const Row& row) {
  return ran(row) && !ring_kind(row).empty() && row.is("mask", "causal") &&
         row.number("workers") >= 2.0 && row.text("kv_len") == row.text("n_tokens");
}

double tokens_a_worker(const Row& row) { return row.number("n_tokens") / row.number("workers"); }

// Finds the last ring case with the same parameters, algorithm aside, if it ran.
std::optional<Row> ring_case(const Row& row) {
  const auto ring = case_like(
      row,
      [](const Field& field) {
        return field.column == "algorithm" || field.column == "interest_set";
      },
      [&](const Row& other) {
        return other.is("algorithm", "ring") && other.text("provenance") == row.text("provenance");
      });
  return ring && ran(*ring) ? ring : std::nullopt;
}

bool all_are_modelled(const Rows& rows) { return count(rows, modelled) == rows.size(); }

// Finds the smallest tile among the ring cases with most tokens per worker; NaN if none shows it. A
// modelled case has the tiles of its device's file, and its row does not hold them.
double executed_tile_of(const Rows& rows) {
  std::pair found(0.0, kNaN);  // negated tokens, then the tile
  for (const Row& row : rows) {
    const double tile = modelled(row) ? kNaN : executed_tile(*ring_case(row));
    if (!std::isnan(tile)) found = std::min(found, std::pair(-tokens_a_worker(row), tile));
  }
  return found.second;
}

// Makes the lines of a worker count, by name; those of one kind differ in their marks.
Groups ring_lines(const Group& of_count, const Columns& others) {
  Groups lines = group(order(of_count.rows, tokens_a_worker), [&](const Row& row) {
    return std::vector{name_with(ring_kind(row), row, others), ring_kind(row)};
  });
  std::ranges::stable_sort(lines, {}, &Group::key);
  for (Group& line : lines) line.name = line.key[0];
  style_by_algorithm(lines, [](const Group& line) { return line.key[1]; });
  return lines;
}

std::int64_t workers_in(const Group& panel) { return *parse_integer(panel.key[0]); }

// Makes a panel for each worker count of the rows. If nothing is published of any of them, there is
// also one for the nearest count of which something is.
Groups worker_count_panels(const Rows& rows) {
  Groups panels = panels_by(rows, {"workers", "model_device"});
  const auto shared = [](const Group& panel) {
    return !published_striped_speed_ups(workers_of(panel)).empty();
  };
  if (panels.empty() || std::ranges::any_of(panels, shared)) return panels;
  const double ours = std::log2(static_cast<double>(workers_of(panels.front())));
  const char* const nearest = ours < 1.5 ? "2" : ours < 2.5 ? "4" : "8";
  panels.push_back({.key = {nearest}, .name = fmt::format("W = {}, published alone", nearest)});
  return panels;
}

// Finds the range of tokens per worker of all marks.
std::pair<double, double> token_range(const Groups& panels) {
  std::set<double> tokens;
  for (const Group& panel : panels) {
    for (const Row& row : panel.rows) tokens.insert(tokens_a_worker(row));
    for (const Series& series : published_striped_speed_ups(workers_in(panel)))
      for (const Point& point : series.points) tokens.insert(point.x);
  }
  return tokens.empty() ? std::pair(kNaN, kNaN) : std::pair(*tokens.begin(), *tokens.rbegin());
}

// Draws what is published of a worker count, and the bounds. The bound of our tiles is in no panel
// of published and modelled numbers alone.
std::vector<Series> reference_of(const Group& panel, std::pair<double, double> tokens) {
  if (panel.key.empty()) return {};  // there is nothing to draw
  const std::int64_t workers = workers_in(panel);
  const double shown = executed_tile_of(panel.rows);
  const double tile = all_are_modelled(panel.rows) ? kNaN
                      : std::isnan(shown)          ? kAssumedTile
                                                   : shown;
  std::vector<Series> out = published_striped_speed_ups(workers);
  for (Series& series : out) series.in_legend = false;  // published_keys() tell what they are
  const double published_tile = out.empty() ? kNaN : kPublishedTile;
  const auto add_bound = [&](const char* name, Style style, double side) {
    constexpr int kPoints = 65;
    if (std::isnan(side)) return;
    out.push_back({.name = name, .draw = Draw::line, .style = style, .thin = side == 1.0});
    for (int i = 0; i < kPoints; ++i) {
      const double x = tokens.first * std::pow(tokens.second / tokens.first, i / (kPoints - 1.0));
      out.back().points.push_back({.x = x, .y = speed_up_bound(x / side, workers)});
    }
  };
  add_bound("bound, pairs", {kBlack, 0, 1}, 1.0);  // thin, as it nearly covers the limit
  add_bound("bound, our tiles", {kBlack, 0, 1}, tile);
  add_bound("bound, published tiles", {kGrey, 0, 2}, published_tile);
  out.push_back(limit_line("limit 2 - 1/W", 2.0 - 1.0 / static_cast<double>(workers)));
  return out;
}

// Makes the entries of the legend that tell the published series: the colour is the hardware, the
// mark the size of the model.
std::vector<Series> published_keys(const Groups& panels) {
  std::map<std::string, Series> hardware;
  std::map<std::string, Series> sizes;
  for (const Group& panel : panels)
    for (const Series& series : published_striped_speed_ups(workers_in(panel))) {
      const std::string size = series.name.substr(0, series.name.find(", "));
      const std::string rest = series.name.substr(size.size() + 2);
      const std::string machine = rest.substr(0, rest.find(", "));
      Series& of_machine = hardware[machine] =
          legend_key("published, " + machine, {.colour = series.style.colour}, Draw::line);
      of_machine.published = true;
      sizes[size] = legend_key("published, " + size + " parameters",
                               {.colour = kGrey, .mark = series.style.mark}, Draw::points, true);
    }
  std::vector<Series> keys;
  for (const auto* entries : {&hardware, &sizes})
    for (const auto& [name, key] : *entries) keys.push_back(key);
  return keys;
}

// Says how many marks are above the limit with their whole error bar, which pairs cannot explain.
std::string above_limit_note(const Rows& rows) {
  const std::size_t above = count(rows, [](const Row& row) {
    return time_ratio(*ring_case(row), row, clock_of(row)).low > 2.0 - 1.0 / row.number("workers");
  });
  if (above == 0) return {};
  return fmt::format(
      "{} of {} lie{} above the limit with the whole error bar; the limit counts query-key pairs "
      "alone.",
      above, counted(rows.size(), "mark"), above == 1 ? "s" : "");
}

// Is empty where nothing was measured.
std::string tile_sentence(const Groups& panels) {
  std::map<std::string, std::string> workers_of_size;
  bool assumed = false;
  for (const Group& panel : panels) {
    const double tile = executed_tile_of(panel.rows);
    assumed = assumed || (std::isnan(tile) && !all_are_modelled(panel.rows));
    if (std::isnan(tile)) continue;
    std::string& all = workers_of_size[fmt::format("{:.0f}", tile)];
    all = listed({all, panel.key[0]});
  }
  std::vector<std::string> parts;
  for (const auto& [tile, workers] : workers_of_size)
    parts.push_back(fmt::format("{} (W = {}, from the executed pairs of the longest ring case)",
                                tile, workers));
  if (assumed) parts.push_back(fmt::format("{} where no case shows it", kAssumedTile));
  return parts.empty() ? "" : "our tiles, in tokens a side: " + listed(parts) + "; ";
}

bool times_both_passes(const Row& row) { return row.is("pass", "both"); }

std::string bounds_sentence(const Groups& panels) {
  return fmt::format(
      "Bounds of the critical path of a striped ring, c = N/W: by pairs [(c+1) + 2(W-1)c] / "
      "[W(c+1)], by tiles the same in n = c/tile; {}published tiles: {} query rows.",
      tile_sentence(panels), kPublishedTile);
}

// Names what was timed. Where the passes differ, the names of the lines have them.
std::string timed_pass(const Rows& rows) {
  const std::size_t forward = count(rows, is_forward);
  const std::size_t both = count(rows, times_both_passes);
  if (forward == rows.size()) return "the forward pass";
  if (both == rows.size()) return "the forward pass and the backward pass, added up,";
  return forward + both == 0 ? "the backward pass"
                             : "the pass that a line names, forward where it names none,";
}

// Says what the published steps have that ours have not.
std::string published_sentence(const Rows& rows) {
  const bool steps = count(rows, times_both_passes) == rows.size();
  return fmt::format(
      "Published: Striped Attention (arXiv 2311.09431), tables 3 to 5; W is the sequence-parallel "
      "side of the mesh. Those are whole training steps, {}",
      steps ? "with projections and feed-forward layers, which no layout makes faster: they lie "
              "below what the two passes of attention alone gain."
            : "backward pass, projections and feed-forward layers included, so they lie below what "
              "attention alone gains and are not comparable with ours.");
}

}  // namespace

Figure striped_speed_up_figure(const PlottedRun& run) {
  const Rows all = where(standing_rows(run.cases), balanced_causal);
  const Rows matched = where(all, [](const Row& row) { return ring_case(row).has_value(); });
  const Rows unlimited =
      where(matched, [](const Row& row) { return row.is("link_bandwidth_byte_per_s", ""); });
  const Rows& rows = unlimited.empty() ? matched : unlimited;
  const Columns others = splitting_columns(rows, {"algorithm", "workers", "n_tokens"});
  const Groups panels = worker_count_panels(rows);
  const std::size_t alone = all.size() - matched.size();
  const std::size_t limited = matched.size() - rows.size();
  return line_figure(
      {.title = "Speed-up of striped and zigzag over contiguous rings",
       .nothing = "no causal striped or zigzag case ran beside a ring case of the same parameters",
       .y = {{.y = {.label = "ring time / time", .column = "speed_up_ratio"},
              .value =
                  [](const Row& row) { return time_ratio(*ring_case(row), row, clock_of(row)); },
              .lines = [&](const Group& panel) { return ring_lines(panel, others); },
              .reference =
                  [&](const Group& panel) { return reference_of(panel, token_range(panels)); }}},
       .panels = panels,
       .x = tokens_a_worker,
       .x_axis =
           fixed({.label = "tokens a worker N/W", .column = "tokens_per_worker", .log = true}),
       .shared_axes = true,
       .keys = published_keys(panels),
       .notes = {
           fmt::format("Time of {} in the contiguous ring over that of the same causal case, "
                       "striped or zigzag: critical paths where ranks are serial, wall clocks "
                       "otherwise. Error bars: quotients of the ends of the two intervals.",
                       timed_pass(rows)),
           above_limit_note(rows), bounds_sentence(panels), published_sentence(rows),
           not_drawn({{.number = alone,
                       .what = "striped or zigzag case",
                       .reason = "no ring case of the same parameters has a time"},
                      {.number = limited,
                       .what = "case",
                       .reason = "over a link of limited bandwidth, beside those without"}})}});
}

}  // namespace qb
