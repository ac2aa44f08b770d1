// SPDX-License-Identifier: Apache-2.0
// Query-key pairs of the busiest worker in each round and, beside them, their sum, which is a
// ring's critical path. They are counts of the plans alone, not times. Cases whose counts are the
// same (other kernels, element types, ranks, passes) are drawn once.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/sparse_cases.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

// The marks of one round are side by side over this share of the distance between two rounds.
constexpr double kRoundSpread = 0.6;
constexpr std::size_t kMostRoundPanels = 2;  // each has its sums beside it
constexpr double kHalfSumBar = 0.38;
// The text of a bar is over its middle, but at least this share of the longest bar from its foot.
constexpr double kLeastTextPlace = 0.24;

// Their sum would be that of neither pass, and a pair costs more in one than in the other.
bool is_of_both_passes(const Row& row) { return row.table->has("pass") && row.is("pass", "both"); }

// Gives the rounds of a case: y is the unmasked pairs per head of the busiest worker, low those of
// the least busy one. A worker without a row in a round does nothing in it. The rounds that end a
// backward pass without a pair are left out: they only bring gradients home.
std::vector<Point> rounds_of(const Row& row, const Rows& steps) {
  std::vector<Point> rounds;
  const Rows computing =
      where(steps, [](const Row& step) { return step.number("unmasked_pairs") >= 0.0; });
  for (const Group& round : group(computing, Columns{"step"})) {
    const auto [least, most] =
        std::ranges::minmax(numbers_of(round.rows, number_in("unmasked_pairs")));
    const bool all = std::ssize(round.rows) >= row.integer("workers");
    rounds.push_back({.x = round.rows.front().number("step"), .y = most, .low = all ? least : 0.0});
  }
  while (!is_forward(row) && !rounds.empty() && rounds.back().y == 0.0) rounds.pop_back();
  return rounds;
}

double critical_path(const Series& line) {
  double sum = 0.0;
  for (const Point& round : line.points) sum += round.y;
  return sum;
}

// Makes lines of rounds, named by algorithm and by what else changes the counts.
std::vector<Series> round_lines(const Group& panel, const std::map<std::string, Rows>& steps) {
  const auto counts = [](const Point& round) { return std::tuple(round.x, round.y, round.low); };
  std::vector<Series> lines;
  std::map<std::string, int> variants;
  Rows rows;
  for (const Row& row : order(panel.rows, [](const Row& one) { return one.text("algorithm"); })) {
    const std::string& algorithm = row.text("algorithm");
    const std::vector<Point> rounds = rounds_of(row, steps.at(row.text("case_id")));
    const bool known = std::ranges::any_of(lines, [&](const Series& other) {
      return other.name == algorithm &&
             std::ranges::equal(other.points, rounds, {}, counts, counts);
    });
    if (known || rounds.empty()) continue;
    lines.push_back({.name = algorithm,
                     .style = algorithm_style(algorithm, variants[algorithm]++),
                     .points = rounds});
    rows.push_back(row);
  }
  const Columns others =
      splitting_columns(rows, {"n_tokens", "workers", "mask", "kv_len", "algorithm"});
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i].name = name_with(lines[i].name, rows[i], others);
  return lines;
}

// Draws a mark for the busiest worker of each round above a bar from the least busy one. Those of
// one round are side by side, so that none hides another.
std::vector<Series> rounds_drawn(std::vector<Series> lines) {
  const auto slots = static_cast<double>(lines.size());
  for (std::size_t slot = 0; slot < lines.size(); ++slot) {
    lines[slot].draw = Draw::points;
    for (Point& round : lines[slot].points) {
      round.x += kRoundSpread * ((static_cast<double>(slot) + 0.5) / slots - 0.5);
      round.high = round.y;
    }
  }
  return lines;
}

// Draws a bar for the sum of each line, with its number and its share of the longest.
std::vector<Series> sums_drawn(const std::vector<Series>& lines) {
  std::vector<Series> bars;
  if (lines.empty()) return bars;
  const double most = critical_path(*std::ranges::max_element(lines, {}, critical_path));
  for (const Series& line : lines) {
    const double sum = critical_path(line);
    const auto place = static_cast<double>(bars.size());
    Series bar{.name = "sum of " + line.name,
               .draw = Draw::rectangles,
               .style = {lightened(line.style.colour)},
               .in_legend = false,
               .text = fmt::format("{} ({:.0f} %)", format_si(sum), kPercent * sum / most),
               .text_x = std::fmax(sum / 2, kLeastTextPlace * most),
               .points = {box(0.0, sum, place - kHalfSumBar, place + kHalfSumBar)}};
    bar.points[0].x = sum;
    bars.push_back(std::move(bar));
  }
  return bars;
}

Axis names_axis(const std::vector<Series>& lines) {
  Axis axis{.label = "", .column = "line_index", .reversed = true};
  for (const Series& line : lines)
    axis.tics.push_back({static_cast<double>(axis.tics.size()), line.name});
  return axis;
}

std::string panel_name(const Row& row, const std::map<std::string, std::string>& masks) {
  return listed({"N = " + grouped(row.number("n_tokens")),
                 own_value(row, "kv_len") == "=" ? "" : grouped(row.number("kv_len")) + " keys",
                 fmt::format("W = {}, {} mask", row.text("workers"), masks.at(row.text("mask")))});
}

// Compares the longest and the shortest critical path of the panel where they differ most.
void say_paths(Figure& figure, const Groups& panels,
               const std::map<std::vector<std::string>, std::vector<Series>>& lines) {
  double most = 1.0;
  for (const Group& panel : panels) {
    const auto [shortest, longest] =
        std::ranges::minmax_element(lines.at(panel.key), {}, critical_path);
    const double ratio = critical_path(*longest) / critical_path(*shortest);
    if (!(ratio > most)) continue;
    most = ratio;
    figure.title = fmt::format("The critical path of {} has {} times the pairs of that of {}",
                               longest->name, significant(ratio), shortest->name);
  }
}

}  // namespace

Figure work_per_round_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Query-key pairs in each round";
  if (!run.steps) return empty_figure(kTitle, "the run folder has no steps.csv");
  const std::map<std::string, Rows> steps = rows_by_case(*run.steps);
  const Rows all = where(standing_rows(run.cases), [&](const Row& row) {
    return row.integer("workers") >= 2 && steps.contains(row.text("case_id"));
  });
  const Rows rows = where(all, [](const Row& row) { return !is_of_both_passes(row); });
  if (rows.empty() && !all.empty())
    return empty_figure(kTitle,
                        "each case is of both passes, whose rounds follow each other; a case of "
                        "one pass would be drawn");
  std::map<std::vector<std::string>, std::vector<Series>> lines;  // by panel
  std::set<std::string> mask_texts;
  Groups panels = group(rows, Columns{"n_tokens", "workers", "mask", "kv_len"});
  for (const Group& panel : panels) {
    lines[panel.key] = round_lines(panel, steps);
    mask_texts.insert(panel.key[2]);
  }
  const std::size_t of_one_round = std::erase_if(panels, [&](const Group& panel) {
    return std::ranges::all_of(lines[panel.key],
                               [](const Series& line) { return line.points.size() == 1; });
  });
  const std::map<std::string, std::string> masks = mask_names(mask_texts);
  const std::string left_out = keep_first(panels, kMostRoundPanels, "N, W and mask");
  for (Group& panel : panels) panel.name = panel_name(panel.rows.front(), masks);
  const auto of_panel = [&](auto draw) {
    return [&lines, draw](const Group& panel) { return draw(lines[panel.key]); };
  };
  Figure figure = line_figure(
      {.title = kTitle,
       .nothing = "no case has several workers, and pairs of several rounds in steps.csv",
       .y =
           {{.y = {.label = "unmasked pairs a head", .column = "unmasked_pairs", .from_zero = true},
             .reference = of_panel(rounds_drawn),
             .x_axis = fixed({.label = "round", .column = "round", .whole = true})},
            {.title = "critical path: the sum of the busiest",
             .y = {.label = "", .column = "line_index"},
             .reference = of_panel(sums_drawn),
             .x_axis = fixed({.label = "unmasked pairs a head",
                              .column = "critical_path_pairs",
                              .from_zero = true})}},
       .panels = panels,
       .by_panel = true,
       .notes = {
           "Mark: the busiest worker of a round; its bar ends at the least busy one. Counts of "
           "the plans.",
           left_out,
           not_drawn(
               {{.number = of_one_round, .what = "panel", .reason = "each case is a single round"},
                {.number = count(all, is_of_both_passes),
                 .what = "case of both passes",
                 .reason = "the rounds of one follow those of the other"}})}});
  for (std::size_t i = 1; i < figure.panels.size(); i += 2)
    figure.panels[i].y = names_axis(lines[panels[i / 2].key]);
  say_paths(figure, panels, lines);
  return figure;
}

}  // namespace qb
