// SPDX-License-Identifier: Apache-2.0
// Time and speed-up against sequence length, a line per worker count, as in case study 2 of
// CQS-Attention: the paper's own quantity (kernel time of the worker with the longest subsequence)
// beside the critical path, which counts gather and merge.
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Finds the base case of a row, if both have times.
std::optional<Row> timed_base(const Row& row) {
  const auto base = base_case(row);
  return base && ran(row) && ran(*base) ? base : std::nullopt;
}

std::vector<std::string> speed_up_notes(const Rows& rows) {
  // Each kind of base that is used is listed once: `dense, materialized, W = 1`.
  std::set<std::string> bases;
  for (const Row& row : rows)
    if (const auto base = base_case(row))
      bases.insert(fmt::format("{}, {}, W = 1", base->text("algorithm"), base->text("kernel")));
  std::vector<std::string> out = {fmt::format(
      "Base case: {}, of the same N. By the longest subsequence: time of the whole sequence over "
      "its kernel time, the paper's S, without gather and merge. By the critical path: critical "
      "path over critical path, with both. Error bars: quotients of the ends of the two intervals.",
      listed({bases.begin(), bases.end()}, " or "))};
  if (const std::string slow = slow_base_note(rows); !slow.empty()) out.push_back(slow);
  const std::size_t alone = count(rows, [](const Row& row) {
    return row.integer("workers") > 1 && ran(row) && !timed_base(row);
  });
  const std::size_t lost =
      count(rows, [](const Row& row) { return row.integer("workers") > 1 && out_of_memory(row); });
  out.push_back(
      not_drawn({{.number = alone, .what = "case", .reason = "the base case of that N has no time"},
                 {.number = lost, .what = "case", .reason = "out of memory"}}));
  return out;
}

Point speed_up_of(const Row& row, IntervalColumns columns = "longest_subsequence") {
  const auto base = timed_base(row);
  return base ? time_ratio(*base, row, columns) : Point{};
}

// Names the points that lie above or below both their neighbours with the whole error bar.
std::string outlier_note(const Groups& lines) {
  std::vector<std::string> found;
  for (const Group& line : lines)
    for (std::size_t i = 1; i + 1 < line.rows.size(); ++i) {
      const Point before = speed_up_of(line.rows[i - 1]);
      const Point point = speed_up_of(line.rows[i]);
      const Point after = speed_up_of(line.rows[i + 1]);
      const bool below = point.high < before.low && point.high < after.low;
      const bool above = point.low > before.high && point.low > after.high;
      if (below || above)  // neither where one of them has no time
        found.push_back(fmt::format("{} at N = {} ({:.3g} between {:.3g} and {:.3g})", line.name,
                                    grouped(line.rows[i].number("n_tokens")), point.y, before.y,
                                    after.y));
    }
  if (found.empty()) return {};
  return fmt::format(
      "Apart from both neighbours with the whole error bar, for a reason that the run does not "
      "tell: {}.",
      listed(found));
}

}  // namespace

Figure wall_clock_figure(const PlottedRun& run) {
  const auto time = [](const char* title, IntervalColumns columns) {
    return LineFigure::Quantity{
        .title = title,
        .y = {.label = "time (ms)", .column = "time_ms", .log = true},
        .value = [=](const Row& row) { return timed(row, columns, kMilli); }};
  };
  LineFigure declared{.title = "Time against sequence length",
                      .nothing = "no case has a time",
                      .lines = case_lines(run.cases),
                      .y = {time("longest subsequence (the paper's time)", "longest_subsequence"),
                            time("critical path, with gather and merge", "critical_path")},
                      .shared_axes = true,
                      .breaks = true,
                      .crosses = kNaN,
                      .panel_height = 330,
                      .notes = case_notes(run.cases)};
  add_case_study_2(declared, run, false);
  return line_figure(declared);
}

Figure speed_up_figure(const PlottedRun& run) {
  const auto speed_up = [](const char* title, IntervalColumns columns) {
    return LineFigure::Quantity{.title = title,
                                .y = {.label = "speed-up", .column = "speed_up_ratio"},
                                .value = [=](const Row& row) { return speed_up_of(row, columns); },
                                .fit = powers_or_zero};
  };
  LineFigure declared{.title = "Speed-up over one worker",
                      .nothing = "no case has a time beside a case of one worker and the same N",
                      .lines = case_lines(run.cases),
                      .y = {speed_up("the paper's S: longest subsequence", "longest_subsequence"),
                            speed_up("critical path, with gather and merge", "critical_path")},
                      .shared_axes = true,
                      .panel_height = 330,
                      .notes = speed_up_notes(standing_rows(run.cases))};
  std::erase_if(declared.lines, [](const Group& line) { return workers_of(line) == 1; });
  declared.notes.push_back(outlier_note(declared.lines));
  add_case_study_2(declared, run, true);
  return line_figure(declared);
}

}  // namespace qb
