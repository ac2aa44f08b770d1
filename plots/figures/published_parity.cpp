// SPDX-License-Identifier: Apache-2.0
// Our numbers over published ones, a row for each paper or, of one paper, for each of its tables:
// numbers of other units have no common axis, but their ratios do. Beside them the rows that
// contradict or differ, each counted once, as data/papers/coverage.csv does.
#include "base/verdict.h"
#include "plots/figures/dots.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

struct StandingLook {
  RowStanding standing;
  Style style;
};
constexpr StandingLook kLooks[] = {{RowStanding::reproduced, {0x56B4E9, 1}},
                                   {RowStanding::derived, {0x009E73, 0}},
                                   {RowStanding::predicted, {0x0072B2, 2}},
                                   {RowStanding::differs, {0xE69F00, 4}},
                                   {RowStanding::contradicts, {0xD55E00, 3}}};
constexpr double kHalfDisputed = 0.35;
constexpr std::size_t kLeastOnASide = 20;  // fewer numbers show no bias

Style standing_look(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      kLooks, [=](const StandingLook& one) { return word(one.standing) == name; });
  return found == std::end(kLooks) ? Style{kGrey} : found->style;
}

double ratio_of(const Row& row) { return row.number_at("ours") / row.number_at("published"); }

double sum_of(const Rows& tables, std::string_view column) {
  double sum = 0.0;
  for (const Row& table : tables) sum += table.number_at(column);
  return sum;
}
double disputed(const Rows& tables) {
  return sum_of(tables, "contradicts") + sum_of(tables, "differs");
}

std::string spaced(std::string_view name) { return replaced(name, {{"_", " "}, {".csv", ""}}); }

// Says which papers' modelled numbers are all on one side of the published ones, the furthest
// first.
std::vector<std::string> one_sided(const Rows& answers) {
  std::vector<std::pair<double, std::string>> found;
  for (const Group& paper : group(answers, Columns{"paper", "kind"})) {
    const std::vector<double> ratios = numbers_of(paper.rows, ratio_of);
    if (const std::string bias = bias_text(ratios, 1.0);
        paper.key[1] == "modelled" && ratios.size() >= kLeastOnASide && !bias.empty())
      found.emplace_back(-std::abs(std::log(median(ratios))),
                         fmt::format("{} of {} {}", ratios.size(), spaced(paper.key[0]), bias));
  }
  std::ranges::sort(found);
  std::vector<std::string> texts;
  for (const auto& [distance, text] : found) texts.push_back(text);
  return texts;
}

// A bar of each kind for the tables of each row, with their numbers behind it.
Panel disputed_panel(const Groups& tables, const Axis& names) {
  Panel panel{.x = {.label = "disputed rows", .column = "rows", .from_zero = true, .whole = true},
              .y = names};
  std::vector<double> ends(tables.size());
  for (const std::string kind : {"contradicts", "differs", "rows"}) {
    Series bars = rectangles(kind + ", rows", standing_look(kind).colour);
    bars.in_legend = kind == "contradicts";  // marks have the names of the others
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const Rows& own = tables[i].rows;
      const double from = ends[i];
      if (kind != "rows") ends[i] += sum_of(own, kind);
      const auto y = static_cast<double>(i);
      bars.points.push_back(box(from, ends[i], y - kHalfDisputed, y + kHalfDisputed));
      if (kind == "rows")
        bars.points.back().text = fmt::format("{:.0f} + {:.0f} of {:.0f}", sum_of(own, "contradicts"),
                                              sum_of(own, "differs"), sum_of(own, "rows"));
    }
    std::erase_if(bars.points,
                  [](const Point& bar) { return bar.x_low == bar.x_high && bar.text.empty(); });
    add(panel, {bars});
  }
  return panel;
}

}  // namespace

Figure published_parity_figure(const CsvTable& answers, const CsvTable& coverage) {
  const Rows shown = where(all_rows(answers), [](const Row& row) {
    return ratio_of(row) > 0.0 && row.at("verdict") != word(RowStanding::contradicts);
  });
  const Rows all = all_rows(coverage);
  const std::string by = group(all, Columns{"paper"}).size() > 1 ? "paper" : "table";
  Groups tables = group(all, Columns{by});
  std::ranges::stable_sort(tables, std::greater(),
                           [](const Group& one) { return disputed(one.rows); });
  Groups rows;
  std::erase_if(tables, [&](const Group& one) {
    Group marks{.key = one.key,
                .rows = where(shown, [&](const Row& row) { return row.at(by) == one.key[0]; }),
                .name = spaced(one.key[0])};
    const std::string paper = spaced(one.rows.front().at("paper")) + " ";
    if (marks.name.starts_with(paper)) marks.name.erase(0, paper.size());
    const bool nothing = marks.rows.empty() && disputed(one.rows) == 0.0;
    if (!nothing) rows.push_back(std::move(marks));
    return nothing;
  });
  const std::vector<std::string> biased = one_sided(shown);
  Figure figure = dot_figure(
      {.title = listed({fmt::format("Of {} published rows {:.0f} contradict and {:.0f} differ",
                                    grouped(sum_of(all, "rows")), sum_of(all, "contradicts"),
                                    sum_of(all, "differs")),
                        biased.empty() ? "" : "modelled numbers: " + biased.front()},
                       "; "),
       .nothing = "no published number has one of ours beside it",
       .rows = rows,
       .value = ratio_of,
       .x = {.label = "ours / published", .column = "ours_over_published_ratio", .log = true},
       .told_by = "verdict",
       .look = [](const std::string&, std::size_t,
                  const std::string& standing) { return standing_look(standing); },
       .more = {"paper", "table", "line", "claim", "published", "ours"},
       .line = "ours = published",
       .line_at = 1.0,
       .notes = {
           "Predicted, differs: by the cost model. Derived: from parameters. Bars: rows that "
           "contradict themselves, others or the hardware, and rows that differ.",
           biased.empty() ? "" : fmt::format("Modelled, one side: {}.", listed(biased, "; ")),
           not_drawn({{.number = answers.size() - shown.size(),
                       .what = "answer",
                       .reason = "it contradicts, or is not above zero",
                       .of = answers.size()}})}});
  figure.name = "published_parity";
  figure.finding = "Our numbers over published ones, and the disputed rows beside them.";
  if (!figure.empty_reason.empty()) return figure;
  figure.panels.push_back(disputed_panel(tables, figure.panels.front().y));
  arrange_panels(figure, 2);
  return figure;
}

}  // namespace qb
