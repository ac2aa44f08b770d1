// SPDX-License-Identifier: Apache-2.0
// Figures of interest sets: how small they are, and how even their work is.
#include "plots/figures/figures.h"

namespace qb {
namespace {

const Axis kWorkersAxis = {.label = "workers W", .column = "workers", .tight = true};

double workers(const Row& row) { return row.number("workers"); }

// A column over W, times a factor, against W.
Series over_workers(const Rows& rows, const std::string& name, const Style& style,
                    const std::string& column, double factor = 1.0) {
  return line_series({.name = name, .style = style}, rows, [&](const Row& row) {
    return Point{.x = workers(row), .y = factor * row.number_at(column) / workers(row)};
  });
}

double least_of(const Series& line) { return std::ranges::min(line.points, {}, &Point::y).y; }

}  // namespace

Figure distillation_figure(const CsvTable& table) {
  const Rows rows = all_rows(table);
  if (rows.empty()) return empty_figure("Self-distillation", "there are no ratios");
  const std::uint32_t colour = indexed_style(1).colour;
  const auto published = [&](const std::string& name, std::int64_t parity, int mark) {
    return over_workers(
        where(rows, [=](const Row& row) { return row.integer("workers") % 2 == parity; }), name,
        {colour, mark}, "published_asymptotic_responsibility_ratio");
  };
  const Series even = published("published, even W", 0, 3);
  const Series balanced =
      over_workers(rows, "balanced", indexed_style(0), "balanced_asymptotic_responsibility_ratio");
  const double least = least_of(balanced);
  return {
      .name = "distillation",
      .title = fmt::format(
          "Balanced, the mean load of workers is at least {:.1f} % of the highest; published, it "
          "falls to {:.1f} % at even W",
          kPercent * least, kPercent * least_of(even)),
      .panels = {{.x = kWorkersAxis,
                  .y = {.label = "mean load / highest load",
                        .column = "asymptotic_ratio_over_workers"},
                  .series = {published("published, odd W", 1, 1), even, balanced,
                             limit_line(fmt::format("least of balanced: {:.4f}", least), least)}}},
      .notes = {"Load: the query-key pairs of a worker; the ratio is the mean over N in [40 W, 41 "
                "W). Both are distilled from the same published sets."},
      .finding = "How even the work of workers is, by published and balanced self-distillation."};
}

Figure cqs_product_figure(const CsvTable& splits) {
  const Rows rows = all_rows(splits);
  Figure figure{
      .name = "cqs_product",
      .panels =
          {{.title = "Greatest speed-up over W",
            .x = kWorkersAxis,
            .y = {.label = "speed-up / W", .column = "speed_up_over_workers", .from_zero = true}},
           {.title = "Idle workers",
            .x = kWorkersAxis,
            .y = {.label = "workers without a block (%)",
                  .column = "idle_percent",
                  .from_zero = true}}},
      .columns = 2,
      .notes = {"W = W1 + W2: groups of A's rows and of B's columns. A worker computes a block of "
                "C = A B for each of its row groups with each of its column groups. Speed-up: C's "
                "elements over the most loaded worker's."},
      .finding = "How CQS splits a matrix product: the greatest speed-up, and idle workers."};
  std::vector<std::string> idle;
  for (const Group& split : group(rows, Columns{"split"})) {
    const std::string& name = split.key[0];
    const Style style = indexed_style(static_cast<int>(idle.size()));
    add(figure.panels[0], {over_workers(split.rows, name, style, "largest_speed_up")});
    add(figure.panels[1],
        {over_workers(split.rows, name, style, "workers_without_block", kPercent)});
    const Row most = of_largest(split.rows, workers).back();
    idle.push_back(fmt::format("{:.0f} % with {}",
                               kPercent * most.number_at("workers_without_block") / workers(most),
                               name));
  }
  figure.title = fmt::format("At W = {:.0f} workers without a block are {}", largest(rows, workers),
                             listed(idle));
  return figure;
}

}  // namespace qb
