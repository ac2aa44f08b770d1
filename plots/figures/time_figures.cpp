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

}  // namespace

Figure wall_clock_figure(const PlottedRun& run) {
  const auto time = [](const char* title, const char* prefix) {
    return LineFigure::Quantity{
        .title = title,
        .y = {.label = "time (ms)", .column = "time_ms", .log = true},
        .value = [=](const Row& row) { return timed(row, prefix, kMilli); }};
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
  const auto speed_up = [](const char* title, const char* prefix) {
    return LineFigure::Quantity{.title = title,
                                .y = {.label = "speed-up", .column = "speed_up_ratio"},
                                .value =
                                    [=](const Row& row) {
                                      const auto base = timed_base(row);
                                      return base ? time_ratio(*base, row, prefix) : Point{};
                                    },
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
  add_case_study_2(declared, run, true);
  return line_figure(declared);
}

}  // namespace qb
