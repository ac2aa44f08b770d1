// SPDX-License-Identifier: Apache-2.0
// Query-key pairs of each round of a scheme, a bar a round: as many as each worker has, and from
// there on those of the busiest one alone. The bars of a row end at the critical path. They are
// counts of the plans alone, not times. Cases whose counts are the same (other kernels, element
// types, ranks, passes) are drawn once.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/patterns.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr const char* kPairsTitle = "Query-key pairs in each round";
constexpr double kHalfRow = 0.38;

// Their sum would be that of neither pass, and a pair costs more in one than in the other.
bool is_of_both_passes(const Row& row) { return row.table->has("pass") && row.is("pass", "both"); }

// Gives the rounds of a case: x is the round, y the unmasked pairs per head of its busiest worker,
// low those of the least busy one, which is 0 if a worker has no row in it. The rounds that end a
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

double path_of(const Series& scheme) {
  double sum = 0.0;
  for (const Point& round : scheme.points) sum += round.y;
  return sum;
}

// Gives the schemes of a panel with their rounds, named by algorithm and by what else changes the
// counts.
std::vector<Series> round_schemes(const Group& panel, const std::map<std::string, Rows>& steps) {
  const auto counts = [](const Point& round) { return std::tuple(round.x, round.y, round.low); };
  std::vector<Series> schemes;
  Rows rows;
  for (const Row& row : order(panel.rows, [](const Row& one) { return one.text("algorithm"); })) {
    const std::string& algorithm = row.text("algorithm");
    const std::vector<Point> rounds = rounds_of(row, steps.at(row.text("case_id")));
    const bool known = std::ranges::any_of(schemes, [&](const Series& other) {
      return other.name == algorithm &&
             std::ranges::equal(other.points, rounds, {}, counts, counts);
    });
    if (known || rounds.empty()) continue;
    schemes.push_back({.name = algorithm, .points = rounds});
    rows.push_back(row);
  }
  const Columns others =
      splitting_columns(rows, {"n_tokens", "workers", "mask", "kv_len", "algorithm"});
  for (std::size_t i = 0; i < schemes.size(); ++i)
    schemes[i].name = name_with(schemes[i].name, rows[i], others);
  return schemes;
}

// Draws a row for each scheme: its rounds one after another, then its critical path and the share
// of the longest one.
Panel scheme_rows(const std::vector<Series>& schemes) {
  Panel panel{.x = {.label = "unmasked pairs a head on the critical path",
                    .column = "critical_path_pairs",
                    .from_zero = true},
              .y = {.column = "scheme_index", .reversed = true}};
  Series all = rectangles("of each worker", kComputeColour);
  Series some = rectangles("of the busiest alone, others wait", lightened(kComputeColour));
  Series sums = rectangles("sum", kWhite);
  sums.in_legend = false;
  const double longest = path_of(*std::ranges::max_element(schemes, {}, path_of));
  for (const Series& scheme : schemes) {
    const double at = add_tic(panel.y, scheme.name);
    const auto add_bar = [&](Series& to, double from, double length) {
      Point bar = box(from, from + length, at - kHalfRow, at + kHalfRow);
      bar.x = length;
      bar.y = at;
      to.points.push_back(bar);
    };
    double from = 0.0;
    for (const Point& round : scheme.points) {
      for (const auto& [part, begin, end] :
           {std::tuple(&all, 0.0, round.low), std::tuple(&some, round.low, round.y)}) {
        if (!(end > begin)) continue;
        add_bar(*part, from + begin, end - begin);
        part->points.back().more = {fmt::format("{:g}", round.x)};
      }
      from += round.y;
    }
    add_bar(sums, from, 0.0);
    sums.points.back().x = from;
    sums.points.back().text =
        fmt::format("{} ({:.0f} %)", format_si(from), kPercent * from / longest);
  }
  panel.series = {all, some, sums};
  return panel;
}

std::string panel_name(const Row& row) {
  return listed({"N = " + grouped(row.number("n_tokens")),
                 own_value(row, "kv_len") == "=" ? "" : grouped(row.number("kv_len")) + " keys",
                 fmt::format("W = {}, {} mask", row.text("workers"), pattern_name(row))});
}

// Compares the longest and the shortest critical path of the panel where they differ most.
std::string paths_title(const std::vector<std::vector<Series>>& panels) {
  std::string title = kPairsTitle;
  double most = 1.0;
  for (const std::vector<Series>& schemes : panels) {
    const auto [shortest, longest] = std::ranges::minmax_element(schemes, {}, path_of);
    const double ratio = path_of(*longest) / path_of(*shortest);
    if (!(ratio > most)) continue;
    most = ratio;
    title = fmt::format("The critical path of {} has {} times the pairs of that of {}",
                        longest->name, significant(ratio), shortest->name);
  }
  return title;
}

}  // namespace

Figure work_per_round_figure(const PlottedRun& run) {
  if (!run.steps) return empty_figure(kPairsTitle, "the run folder has no steps.csv");
  const std::map<std::string, Rows> steps = rows_by_case(*run.steps);
  const Rows all = where(standing_rows(run.cases), [&](const Row& row) {
    return row.integer("workers") >= 2 && steps.contains(row.text("case_id"));
  });
  const Rows rows = where(all, [](const Row& row) { return !is_of_both_passes(row); });
  if (rows.empty() && !all.empty())
    return empty_figure(kPairsTitle,
                        "each case is of both passes, whose rounds follow each other; a case of "
                        "one pass would be drawn");
  Groups panels = group(rows, Columns{"n_tokens", "workers", "mask", "kv_len"});
  const std::size_t of_one_round = std::erase_if(panels, [&](const Group& panel) {
    return std::ranges::all_of(round_schemes(panel, steps),
                               [](const Series& one) { return one.points.size() == 1; });
  });
  const std::string left_out = keep_first(panels, kMostPanels, "N, W and mask");
  if (panels.empty())
    return empty_figure(kPairsTitle,
                        "no case has several workers, and pairs of several rounds in steps.csv");
  std::vector<std::vector<Series>> drawn;
  Figure figure{.more_columns = {"round"}};
  for (const Group& panel : panels) {
    drawn.push_back(round_schemes(panel, steps));
    figure.panels.push_back(scheme_rows(drawn.back()));
    figure.panels.back().title = panel_name(panel.rows.front());
  }
  figure.title = paths_title(drawn);
  figure.notes = joined_notes(
      {{"A bar is a round: the pairs that each worker has, then those of the busiest one alone. "
        "Counts of the plans.",
        left_out,
        not_drawn(
            {{.number = of_one_round, .what = "panel", .reason = "each case is a single round"},
             {.number = count(all, is_of_both_passes),
              .what = "case of both passes",
              .reason = "the rounds of one follow those of the other"}})}});
  return figure;
}

}  // namespace qb
