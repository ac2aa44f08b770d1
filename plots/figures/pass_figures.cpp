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

// Groups the cases that ran and differ in algorithm and miss rate alone, in ascending miss rate.
// Cases of a group have the same P + T, unless the run has no two miss rates of one P + T.
Groups pass_groups(const CsvTable& cases) {
  const Rows rows = pass_rows(cases);
  const Columns place = joined({"workers"}, kPlaceColumns);
  Columns told_by = joined(place, kShapeColumns);
  Columns shown = joined(place, differing_columns(rows, kShapeColumns));
  if (group(rows, Columns{"kv_len"}).size() < group(rows, Columns{"kv_len", "n_tokens"}).size()) {
    told_by.emplace_back("kv_len");
    shown.emplace_back("kv_len");
  }
  return panels_by(order(where(rows, ran), miss_rate), told_by, shown);
}

Groups pass_ratio_lines(const Group& panel, int cores) {
  const auto ratio = [=, keys = by_number(where(panel.rows, "algorithm", {"pass_kv"}), miss_rate)](
                         const Row& row) {
    const auto found = keys.find(miss_rate(row));
    if (found == keys.end()) return Point{};
    Point point = time_ratio(row, found->second, clock_of(row));
    point.disturbed = !counts(row, cores) || !counts(found->second, cores);
    return point;
  };
  const auto published = [](const Row& row) {
    return Point{.x = row.number_at("miss_rate_percent"),
                 .y = row.number_at("pass_q_ttft_ms") / row.number_at("pass_kv_ttft_ms")};
  };
  return {{.rows = where(panel.rows, "algorithm", {"pass_q"}),
           .name = kRatio,
           .style = {kBlack, 0},
           .even_empty = true,
           .value = ratio},
          {.rows = all_rows(published_table("context_parallel_table_4_pass_kv_vs_pass_q")),
           .name = kRatio,
           .style = {kGrey, 1},
           .published = true,
           .value = published}};
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

// Says between which miss rates a line of ratios passes through 1, or on which side of it they are.
// Only ratios that count decide, and of those with intervals the ones that exclude 1.
std::string verdict_on(const Series& line) {
  std::vector<double> rates;
  std::vector<int> sides;
  for (const Point& point : line.points) {
    if (point.disturbed) continue;
    const Point ends = std::isfinite(point.high) ? point : Point{.low = point.y, .high = point.y};
    rates.push_back(point.x);
    sides.push_back(ends.high < 1.0 ? -1 : ends.low > 1.0 ? 1 : 0);
  }
  if (sides.empty()) return "no time counts";
  std::vector<std::string> found;
  for (const auto& [before, after] : sign_changes(sides))
    found.push_back(fmt::format("between {:.3g} % and {:.3g} %", rates[before], rates[after]));
  if (!found.empty()) return "equally fast " + listed(found, " and ");
  const std::string all = counted(sides.size(), "miss rate");
  const auto [least, most] = std::ranges::minmax(sides);
  if (least == 0 && most == 0) return "undecided at " + all;
  return fmt::format("{} faster at {} of {}", most > 0 ? "pass_kv" : "pass_q",
                     sides.size() - static_cast<std::size_t>(std::ranges::count(sides, 0)), all);
}

}  // namespace

Figure ttft_miss_rate_figure(const PlottedRun& run) {
  const Groups groups = pass_groups(run.cases);
  Figure figure = line_figure(
      {.title = "Time of pass_q over pass_kv by miss rate",
       .nothing = "no case of pass_kv or pass_q ran",
       .y = {{.y = {.label = kRatio, .column = "pass_q_over_pass_kv_ratio"},
              .lines =
                  [&](const Group& panel) { return pass_ratio_lines(panel, run.provenance.cores); },
              .reference = always(limit_line("equally fast", 1.0)),
              .fit = powers_or_linear}},
       .panels = groups,
       .x = miss_rate,
       .x_axis = rate_axis,
       .last_of_x = true,
       .published_legend = "published, TTFT",
       .notes = joined_notes(
           {{"Above 1 pass_kv is faster, below it pass_q."},
            timing_notes(pass_rows(run.cases)),
            {"Published: Llama 3 405B (arXiv 2411.01783), of whole models, so that only the side "
             "of 1 compares."}})});
  if (!figure.empty_reason.empty()) return figure;
  const Panel& first = figure.panels.front();
  figure.title = fmt::format("pass_q over pass_kv{}: {}; published: {}",
                             figure.panels.size() > 1 ? fmt::format(" ({})", first.title) : "",
                             verdict_on(first.series[0]), verdict_on(first.series[1]));
  return figure;
}

}  // namespace qb
