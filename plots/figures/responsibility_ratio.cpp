// Responsibility ratio against sequence length for every smallest interest set of some worker
// counts, and its means over whole intervals of W (supplement E of CQS-Attention).
//
// It reads responsibility_ratio.csv (workers, interest_set, n_tokens, responsibility_ratio) and
// draws a panel for each worker count.
#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/frame/lines.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// A legend cannot tell apart more sets than this in one panel.
constexpr std::size_t kMostNamedSets = 6;

// Computes the mean over the integers N in [jW, (j+1)W), drawn at the middle, for whole intervals
// only.
std::vector<Point> interval_means(const Group& set) {
  const std::int64_t workers = workers_of(set);
  std::map<std::int64_t, std::pair<double, std::int64_t>> sums;
  for (const Row& row : set.rows) {
    auto& [sum, rows] = sums[row.integer("n_tokens") / workers];
    sum += row.number("responsibility_ratio");
    ++rows;
  }
  const auto width = static_cast<double>(workers);
  std::vector<Point> means;
  for (const auto& [interval, entry] : sums)
    if (entry.second == workers)
      means.push_back(
          {.x = (static_cast<double>(interval) + 0.5) * width, .y = entry.first / width});
  return means;
}

Panel ratio_panel(const Group& of_count) {
  const std::vector<Group> sets = group(order(of_count.rows, "n_tokens"), [](const Row& row) {
    return std::vector<std::string>{row.text("interest_set")};
  });
  Panel panel{.title = fmt::format("{}: {} interest set{} of the least size", of_count.name,
                                   sets.size(), sets.size() == 1 ? "" : "s")};
  std::vector<Series> means;
  for (Group set : sets) {
    const int index = static_cast<int>(means.size());
    means.push_back({.name = fmt::format("{{{}}}", set.key[0]),
                     .style = indexed_style(index),
                     .in_legend = sets.size() <= kMostNamedSets,
                     .points = interval_means(set)});
    set.name = means.back().name + " at every N";
    set.style = {lightened(indexed_style(index).colour), 0};
    set.thin = true;
    Series every = line_series(set, [](const Row& row) {
      return Point{.x = row.number("n_tokens"), .y = row.number("responsibility_ratio")};
    });
    every.draw = Draw::line;
    every.in_legend = false;
    add(panel, every);
  }
  for (Series& one : means) panel.series.push_back(std::move(one));
  for (const Row& row : all_rows(published_table("cqs_interest_set_table")))
    if (row.integer("workers") == workers_of(of_count))
      add(panel, limit_line(fmt::format("published asym-RR {}",
                                        row.number("asymptotic_responsibility_ratio")),
                            row.number("asymptotic_responsibility_ratio")));
  panel.x = tokens_axis(all_x(panel));
  panel.y = {.label = "responsibility ratio", .column = "responsibility_ratio"};
  return panel;
}

}  // namespace

Figure responsibility_ratio_figure(const PlottedRun& run, const FigureContext& context) {
  Figure figure{.title = "Responsibility ratio against sequence length",
                .subtitle = context.subtitle,
                .panel_height = 300,
                .legend = Legend::inside};
  if (!run.responsibility)
    return empty_figure(figure.title,
                        "the run folder has no responsibility_ratio.csv (qb sets responsibility "
                        "--csv writes one)");
  for (const Group& of_count : panels_by(all_rows(*run.responsibility), {"workers"}))
    figure.panels.push_back(ratio_panel(of_count));
  if (figure.panels.empty()) return empty_figure(figure.title, "there are no ratios");
  figure.columns = figure.panels.size() > 1 ? 2 : 1;
  figure.notes = {
      "RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up that the split "
      "allows. Thin: every N. Marks: means over whole intervals [jW, (j+1)W), at their middle; "
      "asym-RR is the one of j = 40."};
  return figure;
}

}  // namespace qb
