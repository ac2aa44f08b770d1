// SPDX-License-Identifier: Apache-2.0
// Figures of interest sets: how small they are, and how even their work is.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kBalanced = "balanced";

const Axis kWorkersAxis = {.label = "workers W", .column = "workers", .tight = true};

double workers(const Row& row) { return row.number("workers"); }

}  // namespace

Figure distillation_figure(const CsvTable& table) {
  const auto line = [&](const std::string& name, const std::string& distillation, Style style) {
    const std::string column = distillation + "_asymptotic_responsibility_ratio";
    Group one{.rows = all_rows(table), .name = name, .style = style};
    one.value = [=](const Row& row) { return Point{.y = row.number_at(column) / workers(row)}; };
    return one;
  };
  const auto of_parity = [](Group one, std::int64_t parity) {
    one.rows =
        where(one.rows, [=](const Row& row) { return row.integer("workers") % 2 == parity; });
    return one;
  };
  const std::uint32_t published = indexed_style(1).colour;
  const Group balanced = line(kBalanced, kBalanced, indexed_style(0));
  const auto least_of = [](const Group& one) {
    double least = 1.0;
    for (const Row& row : one.rows) least = std::fmin(least, one.value(row).y);
    return least;
  };
  const Group even = of_parity(line("published, even W", "published", {published, 3}), 0);
  const double least = least_of(balanced);
  return line_figure(
      {.name = "distillation",
       .title = fmt::format(
           "Balanced, the mean load of workers is at least {:.1f} % of the highest; published, it "
           "falls to {:.1f} % at even W",
           kPercent * least, kPercent * least_of(even)),
       .finding = "How even the work of workers is, by published and balanced self-distillation.",
       .nothing = "there are no ratios",
       .lines = {of_parity(line("published, odd W", "published", {published, 1}), 1), even,
                 balanced},
       .y = {{.y = {.label = "mean load / highest load", .column = "asymptotic_ratio_over_workers"},
              .reference =
                  always(limit_line(fmt::format("least of balanced: {:.4f}", least), least))}},
       .x = workers,
       .x_axis = fixed(kWorkersAxis),
       .notes = {
           "Load: the query-key pairs of a worker; the ratio is the mean over N in [40 W, 41 W). "
           "Both are distilled from the same published sets."}});
}

Figure cqs_product_figure(const CsvTable& splits) {
  Groups lines = group(all_rows(splits), Columns{"split"});
  std::vector<std::string> idle;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].name = lines[i].key[0];
    lines[i].style = indexed_style(static_cast<int>(i));
    const Row most = of_largest(lines[i].rows, workers).back();
    idle.push_back(fmt::format("{:.0f} % with {}",
                               kPercent * most.number_at("workers_without_block") / workers(most),
                               lines[i].name));
  }
  const auto over_workers = [](const char* column, double factor) {
    return
        [=](const Row& row) { return Point{.y = factor * row.number_at(column) / workers(row)}; };
  };
  return line_figure(
      {.name = "cqs_product",
       .title = fmt::format("At W = {:.0f} workers without a block are {}",
                            largest(all_rows(splits), workers), listed(idle)),
       .finding = "How CQS splits a matrix product: the greatest speed-up, and idle workers.",
       .nothing = "there are no splits",
       .lines = lines,
       .y = {{.title = "Greatest speed-up over W",
              .y = {.label = "speed-up / W", .column = "speed_up_over_workers", .from_zero = true},
              .value = over_workers("largest_speed_up", 1.0)},
             {.title = "Idle workers",
              .y = {.label = "workers without a block (%)",
                    .column = "idle_percent",
                    .from_zero = true},
              .value = over_workers("workers_without_block", kPercent)}},
       .x = workers,
       .x_axis = fixed(kWorkersAxis),
       .notes = {"W = W1 + W2: groups of A's rows and of B's columns. A worker computes a block of "
                 "C = A B for each of its row groups with each of its column groups. Speed-up: C's "
                 "elements over the most loaded worker's."}});
}

}  // namespace qb
