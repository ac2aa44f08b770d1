// Wall clock against sequence length, a line per worker count, as in case study 2 of CQS-Attention.
//
// It shows the paper's own quantity (kernel time of the worker with the longest subsequence) beside
// the critical path, which counts gather and merge.
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {

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

}  // namespace qb
