// SPDX-License-Identifier: Apache-2.0
// Figures of interest sets: how small they are, how many there are, how even their work is.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kBalanced = "balanced";

Group line_over(const CsvTable& table, std::string name, const std::string& column, int index,
                Draw draw = Draw::points) {
  return {.rows = all_rows(table),
          .name = std::move(name),
          .style = indexed_style(index),
          .draw = draw,
          .value = [=](const Row& row) { return Point{.y = row.number_at(column)}; }};
}

// Groups RR curves by distillation, published first; if both are the same they are one curve.
Groups by_distillation(const Rows& rows) {
  Groups lines = group(rows, Columns{"distillation"});
  std::reverse(lines.begin(), lines.end());
  for (Group& line : lines) {
    line.name = line.key[0];
    line.style = indexed_style(line.name == kBalanced ? 0 : 1);
    line.draw = Draw::line;
  }
  const auto ratio = [](const Row& row) { return row.text("responsibility_ratio"); };
  if (lines.size() == 2 && std::ranges::equal(lines[0].rows, lines[1].rows, {}, ratio, ratio)) {
    lines[1].name = lines[0].name + " = " + lines[1].name;
    lines.erase(lines.begin());
  }
  return lines;
}

// Lists the worker counts between the least and the greatest that a table leaves out: `80 to 90,
// 92`.
std::string missing_workers(const CsvTable& table) {
  std::vector<std::string> gaps;
  std::optional<std::int64_t> before;
  for (const auto& [count, row] : by_number(all_rows(table), "workers")) {
    const auto at = static_cast<std::int64_t>(count);
    if (before && at > *before + 2) gaps.push_back(fmt::format("{} to {}", *before + 1, at - 1));
    if (before && at == *before + 2) gaps.push_back(fmt::format("{}", at - 1));
    before = at;
  }
  return listed(gaps);
}

const Axis kWorkersAxis = {.label = "workers W", .column = "workers", .tight = true};

Figure interest_set_figure(std::string name, std::string finding, LineFigure declared,
                           Figure::Legend legend = Figure::Legend::beside) {
  Figure figure = line_figure(declared);
  figure.name = std::move(name);
  figure.finding = std::move(finding);
  figure.legend = legend;
  return figure;
}

double workers(const Row& row) { return row.number("workers"); }

double size_over_root(const Row& row) {
  return row.number_at("quorum_size") / std::sqrt(workers(row));
}

std::string sizes_finding(const Rows& sets) {
  if (sets.empty()) return {};
  const auto [least, most] = std::ranges::minmax(sets, {}, size_over_root);
  const auto shown = [](const Row& row) {
    return fmt::format("{:.3f} (W = {:.0f})", size_over_root(row), workers(row));
  };
  const std::size_t at_bound = count(sets, [](const Row& row) {
    return row.number_at("quorum_size") == row.number_at("lower_bound");
  });
  return fmt::format("m / √W lies between {} and {}; {} of {} meet the proved lower bound.",
                     shown(least), shown(most), at_bound, counted(sets.size(), "set"));
}

}  // namespace

Figure set_size_figure(const CsvTable& sets) {
  const auto over_root = [](const char* column) {
    return
        [=](const Row& row) { return Point{.y = row.number_at(column) / std::sqrt(workers(row))}; };
  };
  Groups lines = {{.rows = all_rows(sets),
                   .name = "proved lower bound",
                   .style = {kGrey, 0},
                   .draw = Draw::line,
                   .value = over_root("lower_bound")}};
  int index = 0;
  for (const Group& standing : group(all_rows(sets), Columns{"standing"}))
    lines.push_back({.rows = standing.rows,
                     .name = standing.key[0],
                     .style = indexed_style(index++),
                     .draw = Draw::points});
  Axis x = kWorkersAxis;
  x.log = true;
  return interest_set_figure(
      "set_size", sizes_finding(all_rows(sets)),
      {.title = "Size of the smallest known interest sets",
       .nothing = "there are no sets",
       .lines = lines,
       .y = {{.y = {.label = "m / √W", .column = "size_over_sqrt_workers"},
              .value = over_root("quorum_size")}},
       .x = workers,
       .x_axis = fixed(x),
       .notes = {"A worker holds m of W token groups, so m/√W over 1 is what its memory and "
                 "traffic lose. Singer: perfect difference sets, W = q² + q + 1. Optimal: no "
                 "smaller set exists, by counting or by exhaustive search."}});
}

Figure set_count_figure(const CsvTable& counts) {
  const auto perfect = [](const Row& row) {
    const double m = row.number_at("quorum_size");
    return m * (m - 1.0) + 1.0 == workers(row);
  };
  Group sizes = line_over(counts, "m", "quorum_size", 2);
  sizes.rows = where(sizes.rows, [&](const Row& row) { return !perfect(row); });
  Group singer = line_over(counts, "m, perfect difference set", "quorum_size", 3);
  singer.rows = where(singer.rows, perfect);
  const std::string missing = missing_workers(counts);
  Figure figure = interest_set_figure(
      "set_count",
      "Sets of the least size are many where it has just grown, and few at a perfect difference "
      "set.",
      {.title = "How many interest sets of the least size there are",
       .nothing = "there are no counts",
       .lines = {line_over(counts, "sets with 0 and 1", "sets", 0),
                 line_over(counts, "up to x → ux + t", "orbits", 1)},
       .y = {{.title = "Number of minimum sets",
              .y = {.label = "sets", .column = "sets", .log = true}},
             {.title = "Their size m",
              .y = {.label = "m", .column = "quorum_size", .whole = true},
              .lines =
                  [&](const Group&) {
                    return Groups{sizes, singer};
                  }}},
       .x = workers,
       .x_axis = fixed(kWorkersAxis),
       .notes = {
           "Each by exhaustive search; that of size m - 1 found none. Within one m the number "
           "falls as W grows, since m(m - 1) differences must reach W - 1 distances; a "
           "perfect difference set, W = m(m - 1) + 1, has none to spare.",
           missing.empty() ? ""
                           : fmt::format("No marks at W = {}: the search for these was not "
                                         "run to its end.",
                                         missing)}});
  figure.columns = 1;
  figure.shared_x = true;
  return figure;
}

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
  double least = 1.0;
  for (const Row& row : balanced.rows) least = std::fmin(least, balanced.value(row).y);
  return interest_set_figure(
      "distillation",
      fmt::format("Balanced self-distillation keeps at least {:.1f} % of perfect balance.",
                  kPercent * least),
      {.title = "Balance of published and balanced self-distillation",
       .nothing = "there are no ratios",
       .lines = {of_parity(line("published, odd W", "published", {published, 1}), 1),
                 of_parity(line("published, even W", "published", {published, 3}), 0), balanced},
       .y = {{.y = {.label = "asym-RR / W", .column = "asymptotic_ratio_over_workers"},
              .reference =
                  always(limit_line(fmt::format("least of balanced: {:.4f}", least), least))}},
       .x = workers,
       .x_axis = fixed(kWorkersAxis),
       .notes = {"asym-RR: mean over N in [40 W, 41 W) of N² / (pairs of the most loaded worker); "
                 "1 is perfect balance. The same published sets for both. Published, half of an "
                 "even W's workers compute the blocks W/2 apart alone."}},
      Figure::Legend::inside);
}

Figure cqs_product_figure(const CsvTable& splits) {
  Groups lines = group(all_rows(splits), Columns{"split"});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].name = lines[i].key[0];
    lines[i].style = indexed_style(static_cast<int>(i));
  }
  const auto over_workers = [](const char* column, double factor) {
    return
        [=](const Row& row) { return Point{.y = factor * row.number_at(column) / workers(row)}; };
  };
  return interest_set_figure(
      "cqs_product",
      "The fewer groups the rows of A have, the more workers have no block to compute.",
      {.title = "How CQS splits a matrix product",
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
       .notes = {"W = W1 + W2: groups of the rows of A and of the columns of B. A worker computes "
                 "a block of C = A B for each pair of its groups that has one of each. Speed-up: "
                 "elements of C over those of the most loaded worker."}});
}

Figure balance_growth_figure(const CsvTable& ratios) {
  Groups lines;
  for (const Group& of_count : panels_by(all_rows(ratios), {"workers"}))
    for (Group& line : by_distillation(of_count.rows)) {
      line.style = worker_style(workers_of(of_count));
      line.style.dash = line.key[0] == kBalanced ? 0 : 1;
      line.name = listed({of_count.name, line.name});
      line.draw = Draw::line_points;
      lines.push_back(std::move(line));
    }
  return interest_set_figure(
      "balance_growth",
      "Of published distillation, an even W never comes nearer to W than 1/(W + 1).",
      {.title = "What uneven work costs as N grows",
       .nothing = "there are no ratios",
       .lines = lines,
       .y = {{.y = {.label = "1 - RR / W", .column = "lost_share", .log = true},
              .value =
                  [](const Row& row) {
                    return Point{.y = 1.0 - row.number("responsibility_ratio") / workers(row)};
                  }}},
       .x_axis = fixed({.label = "N", .column = "n_tokens", .log = true}),
       .notes = {"The worst of the W lengths up to each N. Published, an even W never comes nearer "
                 "to W than 1/(W + 1)."}});
}

}  // namespace qb
