// SPDX-License-Identifier: Apache-2.0
// Time and speed-up against sequence length, a line per worker count, as in case study 2 of
// CQS-Attention: the paper's own quantity (kernel time of the worker with the longest subsequence)
// beside the critical path, which counts gather and merge.
#include <ranges>

#include "base/schema/older_runs.h"
#include "plots/figures/figures.h"
#include "plots/figures/operators.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Finds the base case of a row, if both have times.
std::optional<Row> timed_base(const Row& row) {
  const auto base = base_case(row);
  return base && ran(row) && ran(*base) ? base : std::nullopt;
}

std::vector<std::string> speed_up_notes(const Rows& rows) {
  const Rows split = where(rows, [](const Row& row) { return row.integer("workers") > 1; });
  const std::size_t alone =
      count(split, [](const Row& row) { return ran(row) && !timed_base(row); });
  const std::size_t lost = count(split, out_of_memory);
  return {"Dashed: (N / longest subsequence)².", slow_base_note(rows),
          not_drawn({{.number = alone, .what = "case", .reason = "untimed base"},
                     {.number = lost, .what = "case", .reason = "out of memory"}})};
}

Point speed_up_of(const Row& row, IntervalColumns columns = "longest_subsequence") {
  const auto base = timed_base(row);
  return base ? time_ratio(*base, row, columns) : Point{};
}

double pairs_allow(const Row& row) {
  return std::pow(row.number("n_tokens") / row.number("longest_subsequence_tokens"), 2.0);
}

// Makes a line for what the pairs of the longest subsequence allow behind each line.
Groups with_bounds(const Groups& lines) {
  Groups all = lines;
  for (const Group& line : lines)
    all.push_back(behind(line, "by pairs", 1, [](const Row& row) {
      return Point{.y = timed_base(row) ? pairs_allow(row) : kNaN};
    }));
  return all;
}

// Says what the most workers gain, beside what their pairs allow; a plain title where none of them
// had cores of its own.
std::string gain_title(const Groups& lines, int cores) {
  const auto gain = [](const Row& row) { return speed_up_of(row).y; };
  Rows rows = lines.empty() ? Rows{} : lines.back().rows;
  rows = where(rows, [&](const Row& row) {
    return gain(row) > 0.0 && pairs_allow(row) > 0.0 && !oversubscribed(row, cores);
  });
  if (rows.empty()) return "Speed-up over one worker";
  const auto [least, most] = std::ranges::minmax(numbers_of(rows, gain));
  const std::size_t above =
      count(rows, [](const Row& row) { return speed_up_of(row).low > pairs_allow(row); });
  return fmt::format(
      "W = {} gains {:.3g} to {:.3g} times; {} of {} error bars lie above the {:.3g} that pairs "
      "allow",
      workers_of(lines.back()), least, most, above, rows.size(), largest(rows, pairs_allow));
}

// Compares the critical paths of the fewest and the most workers at the longest N that both ran,
// with cores of their own.
std::string time_title(const Groups& lines, int cores) {
  const auto time = [](const Row& row) { return timed(row, "critical_path", 1.0).y; };
  if (lines.size() > 1)
    for (const Row& few : std::views::reverse(lines.front().rows))
      for (const Row& many : lines.back().rows)
        if (many.number("n_tokens") == few.number("n_tokens") && time(few) > time(many) &&
            !oversubscribed(many, cores))
          return fmt::format(
              "The critical path of W = {} is {:.3g} times shorter than that of W = {} "
              "at N = {}",
              workers_of(lines.back()), time(few) / time(many), workers_of(lines.front()),
              grouped(few.number("n_tokens")));
  return "Time against sequence length";
}

}  // namespace

Figure wall_clock_figure(const PlottedRun& run) {
  if (has_operators(run.cases)) return operators_figure(run);
  const auto time = [](const char* title, IntervalColumns columns) {
    return LineFigure::Quantity{
        .title = title,
        .y = {.label = "time (ms)", .column = "time_ms", .log = true},
        .value = [=](const Row& row) { return timed(row, columns, kMilli); }};
  };
  LineFigure declared{.title = time_title(case_lines(run.cases), run.provenance.cores),
                      .nothing = "no case has a time",
                      .lines = case_lines(run.cases),
                      .y = {time("longest subsequence (the paper's time)", "longest_subsequence"),
                            time("critical path, with gather and merge", "critical_path")},
                      .shared_axes = true,
                      .breaks = true,
                      .crosses = kNaN,
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
  Groups lines = case_lines(run.cases);
  std::erase_if(lines, [](const Group& line) { return workers_of(line) == 1; });
  LineFigure declared{.title = gain_title(lines, run.provenance.cores),
                      .nothing = "no case has a time beside a case of one worker and the same N",
                      .lines = lines,
                      .y = {speed_up("the paper's S: longest subsequence", "longest_subsequence"),
                            speed_up("critical path, with gather and merge", "critical_path")},
                      .shared_axes = true,
                      .notes = speed_up_notes(standing_rows(run.cases))};
  declared.y.front().lines = [&](const Group&) { return with_bounds(lines); };
  add_case_study_2(declared, run, true);
  return line_figure(declared);
}

}  // namespace qb
