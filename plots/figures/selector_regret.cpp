// SPDX-License-Identifier: Apache-2.0
// What a rule that selects a scheme costs: of each set of cases that differ in the scheme alone,
// the measured time of the scheme that the rule chooses over that of the fastest, minus one.
#include "plots/figures/dot_rows.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

struct Selector {
  std::string name{};
  std::uint32_t colour = kGrey;
  // Chooses one of the cases; nullopt if the rule says nothing of them.
  std::function<std::optional<Row>(const Rows& cases)> choose{};
};

// What a selector chose in each set of cases of which it says something.
struct Choices {
  Selector selector{};
  Rows rows{};
  std::vector<double> regrets_percent{};
  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double regret : regrets_percent) sum += regret;
    return sum / static_cast<double>(regrets_percent.size());
  }
};

double wall_time_s(const Row& row) { return row.number("wall_time_median_s"); }

// Groups measured cases that are equal but for the scheme and what goes with it, if there are two.
Groups comparable_sets(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases), [](const Row& row) {
    return ran(row) && !modelled(row) && !row.is("algorithm", "dense") &&
           !row.is("ranks", "serial") && wall_time_s(row) > 0.0;
  });
  const Columns of_scheme = {"algorithm", "interest_set", "distillation", "new_key_owner"};
  Groups sets = group(rows, [&](const Row& row) {
    std::vector<std::string> key;
    for (const Field& field : kParameterFields)
      if (std::ranges::count(of_scheme, field.column) == 0) key.push_back(row.at(field.column));
    return key;
  });
  std::erase_if(sets,
                [](const Group& one) { return group(one.rows, Columns{"algorithm"}).size() < 2; });
  return sets;
}

// Chooses the least value of a column that all cases of a set must have.
Selector least(const char* name, NumberColumn column) {
  return {.name = name, .choose = [=](const Rows& cases) -> std::optional<Row> {
            std::optional<Row> chosen;
            for (const Row& row : cases) {
              if (std::isnan(row.number(column))) return std::nullopt;
              if (!chosen || row.number(column) < chosen->number(column)) chosen = row;
            }
            return chosen;
          }};
}

std::optional<Row> first_of(const Rows& cases, std::string_view algorithm) {
  const Rows own = where(cases, "algorithm", {algorithm});
  return own.empty() ? std::nullopt : std::optional<Row>(own.front());
}

// The half of Algorithm 1 of Context Parallelism (arXiv 2411.01783) that needs no bandwidth:
// pass-KV iff the miss rate is 2 NKV / NH or more.
std::optional<Row> by_miss_rate(const Rows& cases) {
  if (!first_of(cases, "pass_kv") || !first_of(cases, "pass_q")) return std::nullopt;
  const Row& any = cases.front();
  const double miss_rate = any.number("n_tokens") / any.number("kv_len");
  const double bound = 2.0 * any.number("kv_heads") / any.number("q_heads");
  return first_of(cases, miss_rate >= bound ? "pass_kv" : "pass_q");
}

std::vector<Selector> selectors_of(const Groups& sets) {
  std::vector<Selector> selectors = {least("by the model", "modelled_wall_time_s"),
                                     least("by pairs", "critical_path_pairs"),
                                     least("by bytes sent", "device_sent_bytes"),
                                     {.name = "by miss rate", .choose = by_miss_rate}};
  std::set<std::string> algorithms;
  for (const Group& one : sets)
    for (const Row& row : one.rows) algorithms.insert(row.text("algorithm"));
  for (const std::string& algorithm : algorithms)
    selectors.push_back(
        {.name = algorithm,
         .colour = algorithm_style(algorithm).colour,
         .choose = [algorithm](const Rows& cases) { return first_of(cases, algorithm); }});
  return selectors;
}

// Gives the choices of each selector that makes some, those with the least mean regret first. A
// selector that says nothing of some sets has the number of its choices in its name.
std::vector<Choices> choices_of(const Groups& sets) {
  std::vector<Choices> all;
  for (const Selector& selector : selectors_of(sets)) {
    Choices own{.selector = selector};
    for (const Group& set : sets)
      if (const std::optional<Row> chosen = selector.choose(set.rows)) {
        const Row& best = *std::ranges::min_element(set.rows, {}, wall_time_s);
        own.rows.push_back(*chosen);
        own.regrets_percent.push_back(kPercent * (wall_time_s(*chosen) / wall_time_s(best) - 1.0));
      }
    if (own.rows.empty()) continue;
    if (own.rows.size() < sets.size())
      own.selector.name += fmt::format(" ({}/{})", own.rows.size(), sets.size());
    all.push_back(std::move(own));
  }
  std::ranges::stable_sort(all, {}, &Choices::mean);
  return all;
}

Groups regret_marks(const std::vector<Choices>& all) {
  Groups lines;
  for (std::size_t row = 0; row < all.size(); ++row) {
    std::map<std::size_t, double> regrets;  // by the row's index in the table
    for (std::size_t i = 0; i < all[row].rows.size(); ++i)
      regrets[all[row].rows[i].index] = all[row].regrets_percent[i];
    Group marks{.rows = all[row].rows,
                .name = all[row].selector.name,
                .style = {all[row].selector.colour, 0},
                .in_legend = false,
                .draw = Draw::points};
    marks.value = [regrets, y = dot_place(row)](const Row& chosen) {
      return Point{.x = regrets.at(chosen.index), .y = y};
    };
    lines.push_back(std::move(marks));
  }
  return lines;
}

std::string means(const std::vector<Choices>& all) {
  std::vector<std::string> parts;
  for (const Choices& one : all)
    parts.push_back(fmt::format("{} {:.1f} %", one.selector.name, one.mean()));
  return listed(parts);
}

}  // namespace

Figure selector_regret_figure(const PlottedRun& run) {
  const Groups sets = comparable_sets(run.cases);
  const std::vector<Choices> all = choices_of(sets);
  std::vector<DotRow> dots;
  for (const Choices& one : all)
    dots.push_back({one.selector.name, one.selector.colour, one.regrets_percent});
  Figure figure = line_figure(
      {.title = "Regret of rules that select a scheme",
       .nothing =
           "no two schemes were measured in cases that are otherwise equal (dense and ranks: "
           "serial do not count)",
       .lines = regret_marks(all),
       .y = {{.y = dot_rows_axis("selector_index", dots),
              .reference = [&](const Group&) { return dot_row_summaries(dots, "no regret"); }}},
       .x_axis = fixed({.label = "regret (%)", .column = "regret_percent"}),
       .keys = {legend_key("a set of cases", {kGrey, 0}, Draw::points)},
       .notes = {
           fmt::format("Regret: the median wall clock of the scheme that a rule chooses over "
                       "the least, minus one; a mark is one of {} of cases that are equal "
                       "but for the scheme, a line the range.",
                       counted(sets.size(), "set")),
           "Rules: always the scheme that is named; the least modelled time; the fewest pairs "
           "on the critical path; the fewest bytes that a worker sends; pass_kv iff the miss "
           "rate is 2 kv_heads / q_heads or more, which is the half of Algorithm 1 of Context "
           "Parallelism that needs no bandwidth. qb select scores those that need one.",
           "Mean regret: " + means(all) + "."}});
  figure.panel_height = dot_rows_height(dots.size());
  figure.finding = dot_rows_finding(dots, "By rule, the median regret", " %");
  return figure;
}

}  // namespace qb
