// SPDX-License-Identifier: Apache-2.0
// pass_kv against pass_q by miss rate: T = n_tokens new tokens attend to kv_len = P + T keys, of
// which P were cached; the miss rate is T / (P + T).
#include "base/statistics.h"
#include "plots/figures/figures.h"
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
  Columns shown = joined(place, differing_columns(rows, kShapeColumns));
  if (group(rows, Columns{"kv_len"}).size() < group(rows, Columns{"kv_len", "n_tokens"}).size()) {
    told_by.emplace_back("kv_len");
    shown.emplace_back("kv_len");
  }
  Groups groups = panels_by(order(where(rows, ran), miss_rate), told_by, shown);
  std::erase_if(groups,
                [](const Group& one) { return group(one.rows, Columns{"algorithm"}).size() < 2; });
  return groups;
}

Groups pass_ratio_lines(const Group& panel, bool beside_published) {
  const auto ratio =
      [keys = by_number(where(panel.rows, "algorithm", {"pass_kv"}), miss_rate)](const Row& row) {
        const auto found = keys.find(miss_rate(row));
        return found == keys.end() ? Point{} : time_ratio(row, found->second, clock_of(row));
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
  if (beside_published)
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

std::string faster(const Point& ratio) { return ratio.y < 1.0 ? "pass_q" : "pass_kv"; }

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
  return found.empty() ? faster(curve.front()) + " is the faster throughout"
                       : listed(found, " and ");
}

// Says between which miss rates a curve of ratios passes through 1. Only those whose interval
// excludes 1 decide.
std::string crossing_text(const std::vector<Point>& curve) {
  if (curve.empty()) return "no pair of times";
  std::vector<int> sides;
  for (const Point& point : curve) sides.push_back(point.high < 1.0 ? -1 : point.low > 1.0 ? 1 : 0);
  const auto first = std::ranges::find_if(sides, [](int side) { return side != 0; });
  if (first == sides.end())
    return fmt::format("not decided, since every interval of {} includes 1",
                       counted(curve.size(), "miss rate"));
  std::vector<std::string> found;
  for (const auto& [before, after] : sign_changes(sides))
    found.push_back(fmt::format("between {:.3g} % and {:.3g} %", curve[before].x, curve[after].x));
  if (!found.empty()) return listed(found, " and ");
  const std::string winner = faster(curve[static_cast<std::size_t>(first - sides.begin())]);
  const auto undecided = static_cast<std::size_t>(std::ranges::count(sides, 0));
  if (undecided == 0) return winner + " is the faster throughout";
  return fmt::format("{} is the faster at {} of {}, the other intervals include 1", winner,
                     curve.size() - undecided, counted(curve.size(), "miss rate"));
}

}  // namespace

Figure ttft_miss_rate_figure(const PlottedRun& run) {
  const Groups groups = pass_groups(run.cases);
  Figure figure = line_figure(
      {.title = "Time of pass_q over pass_kv by miss rate",
       .nothing = "no case of pass_q ran beside one of pass_kv",
       .y = {{.y = {.label = kRatio, .column = "pass_q_over_pass_kv_ratio"},
              .lines = [&](const Group& panel) { return pass_ratio_lines(panel, run.published); },
              .reference = always(limit_line("equally fast", 1.0)),
              .fit = powers_or_linear}},
       .panels = groups,
       .x = miss_rate,
       .x_axis = rate_axis,
       .last_of_x = true,
       .published_legend = "published, TTFT"});
  if (!figure.empty_reason.empty()) return figure;
  figure.notes = joined_notes(
      {{"Above 1 pass_kv is faster, below it pass_q."}, timing_notes(pass_rows(run.cases))});
  // More workers than cores rank nothing.
  const std::string crowded = oversubscription(run.cases, run.provenance.cores);
  figure.title =
      "pass_q over pass_kv: " +
      (crowded.empty() ? "equally fast " + crossing_text(figure.panels[0].series[0].points)
                       : crowded);
  if (!run.published) return figure;
  const std::string published = crossing_of_values(figure.panels[0].series[1].points);
  figure.title = crowded.empty() ? fmt::format("{}, published at {}", figure.title, published)
                                 : fmt::format(
                                       "Published, pass_q and pass_kv are equally fast at "
                                       "{}; ours are {}",
                                       published, crowded);
  figure.notes.push_back(
      fmt::format("Published: Llama 3 405B (arXiv 2411.01783), equally fast at {}; of whole models "
                  "only the side of 1 compares.",
                  published));
  return figure;
}

}  // namespace qb
