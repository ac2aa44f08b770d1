// SPDX-License-Identifier: Apache-2.0
// pass_kv against pass_q by miss rate: T = n_tokens new tokens attend to kv_len = P + T keys, of
// which P were cached; the miss rate is T / (P + T).
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr const char* kRatio = "pass_q / pass_kv";

Rows pass_rows(const CsvTable& cases) {
  return where(standing_rows(cases), "algorithm", {"pass_kv", "pass_q"});
}

double miss_rate(const Row& row) {
  return kPercent * row.number("n_tokens") / row.number("kv_len");
}

// Groups the cases that ran and differ in algorithm and miss rate alone, in ascending miss rate; a
// group has both algorithms. Cases of a group have the same P + T, unless the run has no two miss
// rates of one P + T.
Groups pass_groups(const CsvTable& cases) {
  const Rows rows = pass_rows(cases);
  const Columns place = joined({"workers"}, kPlaceColumns);
  Columns told_by = joined(place, kShapeColumns);
  Columns shown = differing_columns(rows, told_by);
  if (group(rows, Columns{"kv_len"}).size() < group(rows, Columns{"kv_len", "n_tokens"}).size()) {
    told_by.emplace_back("kv_len");
    shown.emplace_back("kv_len");
  }
  Groups groups = panels_by(order(where(rows, ran), miss_rate), told_by, shown);
  std::erase_if(groups,
                [](const Group& one) { return group(one.rows, Columns{"algorithm"}).size() < 2; });
  return groups;
}

using Pairs = std::map<double, std::pair<Row, Row>>;  // pass_q and pass_kv, by miss rate
Pairs pairs_of(const Group& panel) {
  const auto rows_of = [&](const char* algorithm) {
    return by_number(where(panel.rows, "algorithm", {algorithm}), miss_rate);
  };
  Pairs pairs;
  const auto keys = rows_of("pass_kv");
  for (const auto& [rate, row] : rows_of("pass_q"))
    if (keys.contains(rate)) pairs[rate] = {row, keys.at(rate)};
  return pairs;
}

Groups pass_ratio_lines(const Group& panel, const PlottedRun& run) {
  const auto ratio = [pairs = pairs_of(panel)](const Row& row) {
    const auto found = pairs.find(miss_rate(row));
    if (found == pairs.end()) return Point{};
    const Row& keys = found->second.second;
    Point point = time_ratio(row, keys, clock_of(row));
    point.disturbed = !counts(row) || !counts(keys);
    return point;
  };
  const auto published = [](const Row& row) {
    return Point{.x = row.number_at("miss_rate_percent"),
                 .y = row.number_at("pass_q_ttft_ms") / row.number_at("pass_kv_ttft_ms")};
  };
  Groups lines = {{.rows = where(panel.rows, "algorithm", {"pass_q"}),
                   .name = kRatio,
                   .style = {kBlack, 0},
                   .even_empty = true,
                   .value = ratio}};
  if (run.published)
    lines.push_back(
        {.rows = all_rows(published_table("context_parallel_table_4_pass_kv_vs_pass_q")),
         .name = kRatio,
         .style = {kGrey, 1},
         .published = true,
         .value = published});
  return lines;
}

// Makes tics at 1, 2, 5 of each power of ten from below the least rate to 100 %.
Axis rate_axis(const std::vector<double>& rates) {
  Axis axis{.label = "miss rate T / (P + T) (%)", .column = "miss_rate_percent", .log = true};
  for (double power = 1e-4; power <= 100.0; power *= 10.0)
    for (const auto& [digit, next] : {std::pair(1.0, 2.0), {2.0, 5.0}, {5.0, 10.0}})
      if (next * power > std::ranges::min(rates) && digit * power <= 100.0 * 1.0000001)
        axis.tics.push_back({digit * power, fmt::format("{:g}", digit * power)});
  return axis;
}

std::string faster(bool queries) { return queries ? "pass_q" : "pass_kv"; }

// Says where published ratios, which have no intervals, pass through 1.
std::string crossing_of_values(const std::vector<Point>& curve) {
  std::vector<double> rates;
  std::vector<double> logs;
  for (const Point& point : curve) {
    rates.push_back(point.x);
    logs.push_back(std::log(point.y));
  }
  std::vector<std::string> found;
  for (const double rate : crossings(rates, logs, 0.0))
    found.push_back(fmt::format("{:.2g} %", rate));
  return found.empty() ? faster(curve.front().y < 1.0) + " is the faster throughout"
                       : "equally fast at " + listed(found, " and ");
}

// Says between which miss rates the ratios of a panel pass through 1. Only times that are told
// apart decide.
std::string crossing_text(const Group& panel, const ModelGrade& grade) {
  std::vector<double> rates;
  std::vector<int> sides;
  for (const auto& [rate, pair] : pairs_of(panel)) {
    const auto side = side_of(pair.first, pair.second, grade);
    if (!side) continue;
    rates.push_back(rate);
    sides.push_back(*side);
  }
  if (sides.empty()) return {};
  std::vector<std::string> found;
  for (const auto& [before, after] : sign_changes(sides))
    found.push_back(fmt::format("between {:.3g} % and {:.3g} %", rates[before], rates[after]));
  if (!found.empty()) return "equally fast " + listed(found, " and ");
  const auto first = std::ranges::find_if(sides, [](int side) { return side != 0; });
  const std::string all = counted(sides.size(), "miss rate");
  if (first == sides.end()) return "not told apart at any of " + all;
  return fmt::format("{} is the faster at {} of {}", faster(*first < 0),
                     std::ranges::count(sides, *first), all);
}

// Says it of each panel, and of the published ratios if they are drawn.
std::string pass_title(const Figure& figure, const Groups& panels, const PlottedRun& run) {
  const int cores = run.provenance.cores;
  std::vector<std::string> said;
  for (const Group& panel : panels)
    if (const std::string text = crossing_text(panel, run.model_grade()); !text.empty())
      said.push_back(text + (panels.size() > 1 ? fmt::format(" ({})", panel.name) : ""));
  if (said.empty()) said.push_back(listed({"nothing to rank", oversubscription(run.cases, cores)}));
  for (const Series& series : figure.panels.front().series)
    if (series.published) said.push_back("published, " + crossing_of_values(series.points));
  return "pass_q over pass_kv: " + listed(said, "; ");
}

}  // namespace

Figure ttft_miss_rate_figure(const PlottedRun& run) {
  const Groups panels = pass_groups(run.cases);
  Figure figure = line_figure(
      {.title = "Time of pass_q over pass_kv by miss rate",
       .nothing = "no case of pass_q ran beside one of pass_kv",
       .y = {{.y = {.label = "time of pass_q / time of pass_kv",
                    .column = "pass_q_over_pass_kv_ratio"},
              .lines = [&](const Group& panel) { return pass_ratio_lines(panel, run); },
              .reference = always(limit_line("equally fast", 1.0)),
              .fit = powers_or_linear}},
       .panels = panels,
       .x = miss_rate,
       .x_axis = rate_axis,
       .last_of_x = true,
       .published_legend = "published, TTFT",
       .notes = joined_notes(
           {{"Above 1 pass_kv is faster, below it pass_q."},
            timing_notes(pass_rows(run.cases)),
            {!run.published ? ""
                            : "Published: Llama 3 405B (arXiv 2411.01783); of whole models only "
                              "the side of 1 compares."}})});
  if (figure.empty_reason.empty()) figure.title = pass_title(figure, panels, run);
  return figure;
}

}  // namespace qb
