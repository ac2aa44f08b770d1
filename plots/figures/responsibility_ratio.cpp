// SPDX-License-Identifier: Apache-2.0
// Responsibility ratio of every smallest interest set against N, and its means over whole intervals
// of W (supplement E of CQS-Attention): a panel for each worker count of responsibility_ratio.csv.
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// A legend cannot tell apart more sets than this in one panel.
constexpr std::size_t kMostNamedSets = 6;

// The legend, inside a panel, names two sets of a curve up to this many characters.
constexpr std::size_t kShortSet = 8;

// Computes means over the integers N in [jW, (j+1)W), for whole intervals only.
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

// Gives the sets of a worker count. Those with the same ratio at every N are one: their curves
// would hide each other.
Groups distinct_sets(const Group& of_count) {
  const auto ratio = [](const Row& row) { return row.text("responsibility_ratio"); };
  Groups distinct;
  for (Group& set : group(order(of_count.rows, "n_tokens"), Columns{"interest_set"})) {
    const auto known = std::ranges::find_if(distinct, [&](const Group& other) {
      return std::ranges::equal(other.rows, set.rows, {}, ratio, ratio);
    });
    if (known == distinct.end())
      distinct.push_back(std::move(set));
    else
      known->key.push_back(set.key[0]);
  }
  for (Group& set : distinct) {
    set.name = fmt::format("{{{}}}", set.key[0]);
    const std::size_t others = set.key.size() - 1;
    if (others == 1 && set.key[1].size() <= kShortSet)
      set.name += fmt::format(" = {{{}}}", set.key[1]);
    else if (others > 0)
      set.name += fmt::format(" +{}", others);
  }
  return distinct;
}

// Gives the style of each set. Of more sets than a legend can name, the one with the greatest and
// the one with the least mean at the longest sequences have colours.
std::vector<Style> styles_of(const Groups& sets) {
  std::vector<Style> styles;
  std::map<double, std::size_t> by_mean;
  for (const Group& set : sets) {
    const std::vector<Point> means = interval_means(set);
    by_mean.emplace(means.empty() ? 0.0 : means.back().y, styles.size());
    styles.push_back(sets.size() <= kMostNamedSets ? indexed_style(static_cast<int>(styles.size()))
                                                   : Style{kGrey, 0});
  }
  if (sets.size() <= kMostNamedSets) return styles;
  styles[by_mean.rbegin()->second] = indexed_style(0);
  styles[by_mean.begin()->second] = indexed_style(1);
  return styles;
}

Groups set_lines(const Group& of_count) {
  Groups sets = distinct_sets(of_count);
  const std::vector<Style> styles = styles_of(sets);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sets[i].name += " at every N";
    sets[i].style = {lightened(styles[i].colour), 0};
    sets[i].thin = true;
    sets[i].in_legend = false;
    sets[i].draw = Draw::line;
  }
  return sets;
}

std::vector<Series> means_and_published(const Group& of_count) {
  const Groups sets = distinct_sets(of_count);
  if (sets.empty()) return {};
  const std::vector<Style> styles = styles_of(sets);
  std::vector<Series> out;
  for (std::size_t i = 0; i < sets.size(); ++i)
    out.push_back({.name = sets[i].name,
                   .style = styles[i],
                   .in_legend = styles[i].colour != kGrey,
                   .points = interval_means(sets[i])});
  for (const Row& row :
       where(all_rows(published_table("cqs_interest_set_table")), "workers", {of_count.key[0]})) {
    const double ratio = row.number_at("asymptotic_responsibility_ratio");
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
  for (Group& panel : panels)
    panel.name +=
        fmt::format(": {} of the least size",
                    counted(group(panel.rows, Columns{"interest_set"}).size(), "interest set"));
  Figure figure = line_figure(
      {.title = kTitle,
       .nothing = "there are no ratios",
       .y = {{.y = {.label = "responsibility ratio", .column = "responsibility_ratio"},
              .value = shows("responsibility_ratio"),
              .lines = set_lines,
              .reference = means_and_published,
              .x_axis = tokens_axis}},
       .panels = panels,
       .notes = {
           "RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up "
           "that the split allows. Thin: every N. Marks: means over whole intervals [jW, "
           "(j+1)W), at their middle; asym-RR is the one of j = 40. The sets with the greatest "
           "and the least mean have colours, the others are grey. +1: another set has the same "
           "ratios."}});
  figure.panel_height = 300;
  figure.legend = Figure::Legend::inside;
  return figure;
}

}  // namespace qb
