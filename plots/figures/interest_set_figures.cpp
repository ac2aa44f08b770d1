// Figures of interest sets: how small they are, how many there are, how even their work is.
#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

constexpr const char* kPublished = "published";
constexpr const char* kBalanced = "balanced";

// Makes one line over all rows of a table.
Group line_over(const CsvTable& table, std::string name, const Style& style) {
  return {.rows = all_rows(table), .name = std::move(name), .style = style};
}

Style distillation_style(std::string_view distillation) {
  return indexed_style(distillation == kBalanced ? 0 : 1);
}

// Groups RR curves by distillation, published first.
std::vector<Group> by_distillation(const Rows& rows) {
  std::vector<Group> lines = group(rows, Columns{"distillation"});
  std::reverse(lines.begin(), lines.end());
  for (Group& line : lines) {
    line.name = line.key[0];
    line.style = distillation_style(line.name);
  }
  return lines;
}

// Makes a point for each row: its worker count and a number of the row.
Value at_workers(const std::function<double(const Row&)>& number) {
  return [=](const Row& row) { return Point{.x = row.number("workers"), .y = number(row)}; };
}
Value column_at_workers(const char* column) {
  return at_workers([=](const Row& row) { return row.number(column); });
}

Series drawn_as(Series series, Draw draw) {
  series.draw = draw;
  return series;
}

Axis tight_workers() { return {.label = "workers W", .column = "workers", .tight = true}; }

}  // namespace

Figure set_size_figure(const CsvTable& sets) {
  Figure figure{.name = "set_size", .title = "Size of the smallest known interest sets"};
  if (sets.size() == 0) return empty_figure(figure.title, "there are no sets");
  const auto over_root = [](const char* column) {
    return at_workers(
        [=](const Row& row) { return row.number(column) / std::sqrt(row.number("workers")); });
  };
  Panel panel{.x = tight_workers(), .y = {.label = "m / √W", .column = "size_over_sqrt_workers"}};
  panel.x.log = true;
  add(panel, drawn_as(line_series(line_over(sets, "proved lower bound", {kGrey, 0}),
                                  over_root("lower_bound")),
                      Draw::line));
  int index = 0;
  for (Group& standing : group(all_rows(sets), Columns{"standing"})) {
    standing.name = standing.key[0];
    standing.style = indexed_style(index++);
    add(panel, drawn_as(line_series(standing, over_root("quorum_size")), Draw::points));
  }
  figure.panels = {panel};
  figure.notes = {
      "A worker holds m of W token groups, so m/√W over 1 is what its memory and traffic lose. "
      "Singer: perfect difference sets, W = q² + q + 1. Optimal: no smaller set exists, by "
      "counting "
      "or by exhaustive search."};
  return figure;
}

Figure set_count_figure(const CsvTable& counts) {
  Figure figure{.name = "set_count",
                .title = "How many interest sets of the least size there are",
                .panel_height = 260,
                .shared_x = true,
                .notes = {"Each by exhaustive search; that of size m - 1 found none."}};
  if (counts.size() == 0) return empty_figure(figure.title, "there are no counts");
  const auto marks = [&](const char* name, const char* column, int index) {
    return drawn_as(
        line_series(line_over(counts, name, indexed_style(index)), column_at_workers(column)),
        Draw::points);
  };
  Series sizes = marks("m", "quorum_size", 2);
  sizes.in_legend = false;
  figure.panels = {
      {.title = "Number of minimum sets",
       .x = tight_workers(),
       .y = {.label = "sets", .column = "sets", .log = true},
       .series = {marks("sets with 0 and 1", "sets", 0), marks("up to x → ux + t", "orbits", 1)}},
      {.title = "Their size m",
       .x = tight_workers(),
       .y = {.label = "m", .column = "quorum_size", .whole = true},
       .series = {sizes}}};
  return figure;
}

Figure distillation_figure(const CsvTable& table) {
  Figure figure{.name = "distillation",
                .title = "Balance of published and balanced self-distillation",
                .legend = Legend::inside};
  if (table.size() == 0) return empty_figure(figure.title, "there are no ratios");
  Panel panel{.x = tight_workers(),
              .y = {.label = "asym-RR / W", .column = "asymptotic_ratio_over_workers"}};
  for (const char* distillation : {kPublished, kBalanced}) {
    const std::string column = fmt::format("{}_asymptotic_responsibility_ratio", distillation);
    add(panel, line_series(line_over(table, distillation, distillation_style(distillation)),
                           at_workers([&](const Row& row) {
                             return row.number(column) / row.number("workers");
                           })));
  }
  add(panel, limit_line("0.985", 0.985));
  figure.panels = {panel};
  figure.notes = {
      "asym-RR: mean over N in [40 W, 41 W) of N² / (pairs of the most loaded worker); 1 is "
      "perfect "
      "balance. The same published sets for both. Published, half of an even W's workers compute "
      "the blocks W/2 apart alone."};
  return figure;
}

Figure distillation_ratio_figure(const CsvTable& ratios) {
  Figure figure{.name = "distillation_ratio",
                .title = "Responsibility ratio against sequence length",
                .columns = 2,
                .panel_height = 260,
                .legend = Legend::inside};
  for (const Group& workers : panels_by(all_rows(ratios), {"workers"})) {
    Panel panel{.title = workers.name,
                .x = {.label = "N", .column = "n_tokens", .tight = true},
                .y = {.label = "responsibility ratio", .column = "responsibility_ratio"}};
    for (const Group& line : by_distillation(workers.rows))
      add(panel, drawn_as(line_series(line,
                                      [](const Row& row) {
                                        return Point{.x = row.number("n_tokens"),
                                                     .y = row.number("responsibility_ratio")};
                                      }),
                          Draw::line));
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty()) return empty_figure(figure.title, "there are no ratios");
  figure.notes = {
      "RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up that the split "
      "allows, for the published interest set at every N from W to 41 W."};
  return figure;
}

Figure balance_growth_figure(const CsvTable& ratios) {
  Figure figure{.name = "balance_growth", .title = "What uneven work costs as N grows"};
  Panel panel{.x = {.label = "N", .column = "n_tokens", .log = true},
              .y = {.label = "1 - RR / W", .column = "lost_share", .log = true}};
  int index = 0;
  for (const Group& workers : panels_by(all_rows(ratios), {"workers"})) {
    for (Group& line : by_distillation(workers.rows)) {
      line.style = indexed_style(index);
      line.style.dash = line.name == kBalanced ? 0 : 1;
      line.name = workers.name + ' ' + line.name;
      add(panel, line_series(line, [](const Row& row) {
            return Point{.x = row.number("n_tokens"),
                         .y = 1.0 - row.number("responsibility_ratio") / row.number("workers")};
          }));
    }
    ++index;
  }
  if (panel.series.empty()) return empty_figure(figure.title, "there are no ratios");
  figure.panels = {panel};
  figure.notes = {
      "The worst of the W lengths up to each N. Published, an even W never comes nearer to W than "
      "1/(W + 1)."};
  return figure;
}

}  // namespace qb
