// Responsibility ratio against sequence length for every smallest interest set of some worker
// counts, and its means over whole intervals of W (supplement E of CQS-Attention).
//
// It reads responsibility_ratio.csv (workers, interest_set, n_tokens, responsibility_ratio) and
// draws a panel for each worker count.
#include <fmt/format.h>

#include "plots/figures/figures.h"
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

std::string name_of(const Group& set) { return fmt::format("{{{}}}", set.key[0]); }

Groups sets_of(const Group& of_count) {
  return group(order(of_count.rows, "n_tokens"),
               [](const Row& row) { return std::vector<std::string>{row.text("interest_set")}; });
}

Groups lines_of(const Group& of_count) {
  Groups sets = sets_of(of_count);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sets[i].name = name_of(sets[i]) + " at every N";
    sets[i].style = {lightened(indexed_style(static_cast<int>(i)).colour), 0};
    sets[i].thin = true;
    sets[i].in_legend = false;
    sets[i].draw = Draw::line;
  }
  return sets;
}

std::vector<Series> means_and_published(const Group& of_count) {
  const Groups sets = sets_of(of_count);
  if (sets.empty()) return {};
  std::vector<Series> out;
  for (const Group& set : sets)
    out.push_back({.name = name_of(set),
                   .style = indexed_style(static_cast<int>(out.size())),
                   .in_legend = sets.size() <= kMostNamedSets,
                   .points = interval_means(set)});
  for (const Row& row :
       where(all_rows(published_table("cqs_interest_set_table")), "workers", {of_count.key[0]})) {
    const double ratio = row.number("asymptotic_responsibility_ratio");
    out.push_back(limit_line(fmt::format("published asym-RR {}", ratio), ratio));
  }
  return out;
}

}  // namespace

Figure responsibility_ratio_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Responsibility ratio against sequence length";
  if (!run.responsibility)
    return empty_figure(kTitle,
                        "the run folder has no responsibility_ratio.csv (qb sets responsibility "
                        "--csv writes one)");
  Groups panels = panels_by(all_rows(*run.responsibility), {"workers"});
  for (Group& panel : panels) {
    const std::size_t sets = sets_of(panel).size();
    panel.name += fmt::format(": {} interest set{} of the least size", sets, sets == 1 ? "" : "s");
  }
  Figure figure = line_figure(
      {.title = kTitle,
       .nothing = "there are no ratios",
       .y = {{.y = {.label = "responsibility ratio", .column = "responsibility_ratio"},
              .value = shows("responsibility_ratio"),
              .lines = lines_of,
              .reference = means_and_published,
              .x_axis = tokens_axis}},
       .panels = panels,
       .notes = {"RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up "
                 "that the split allows. Thin: every N. Marks: means over whole intervals [jW, "
                 "(j+1)W), at their middle; asym-RR is the one of j = 40."}});
  figure.panel_height = 300;
  figure.legend = Figure::Legend::inside;
  return figure;
}

}  // namespace qb
