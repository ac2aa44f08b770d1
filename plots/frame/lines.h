// SPDX-License-Identifier: Apache-2.0
// What figures share that draw a row of cases.csv as a point: lines of rows, times and ratios, and
// the notes below.
#pragma once

#include "plots/frame/figure.h"
#include "plots/frame/frame.h"
#include "plots/frame/run.h"

namespace qb {

// What a figure leaves out: how many, of how many if that says something, of what, and why.
struct Omission {
  std::size_t number = 0;
  std::string what{};    // one of them: `case of pass_q`
  std::string reason{};  // `unsupported`
  std::size_t of = 0;
};
// Says what is not drawn: `Not drawn: 4 of 48 cases (unsupported); 1 panel (beyond six).` It is
// empty if nothing is left out. Every figure says it in this sentence.
[[nodiscard]] std::string not_drawn(const std::vector<Omission>& all);

// Makes one sentence of all that say what is not drawn.
void join_not_drawn(std::vector<std::string>& notes);
// Says how many marks are hollow; empty if none is.
[[nodiscard]] std::string disturbed_note(const Figure& figure);

// ---- pieces ------------------------------------------------------------------------------------

// Adds a point for each row, in their order; those without a y are left out unless they break the
// line.
[[nodiscard]] Series line_series(Series series, const Rows& rows, const PointOf& value,
                                 bool breaks = false);

// Keeps the first `most` panels and returns not_drawn() of the others; `order` says by what they
// are sorted.
template <class One>
[[nodiscard]] std::string keep_first(std::vector<One>& panels, std::size_t most,
                                     std::string_view order) {
  if (panels.size() <= most) return {};
  const std::size_t all = panels.size();
  panels.resize(most);
  return not_drawn({{.number = all - most,
                     .what = "panel",
                     .reason = fmt::format("beyond the first {} by {}", most, order),
                     .of = all}});
}

// Draws marks at y = `limit` (NaN: at the upper edge), one for each x: crosses for rows that ran
// out of memory, and pluses for those that were not tried because a shorter one had. A series
// without points is left out.
[[nodiscard]] std::vector<Series> out_of_memory_series(const Group& line, double limit,
                                                       const std::function<double(const Row&)>& x);

// Shades the lines that have one look, from light to dark in their order.
void shade_equal_looks(Groups& lines);

// Says which columns hold the seconds of a case: its wall clock or, under `serial`, where one
// device plays all workers, the critical path composed from them.
[[nodiscard]] IntervalColumns clock_of(const Row& row);
// Reads a median and its interval, times a factor.
[[nodiscard]] Point timed(const Row& row, IntervalColumns columns, double factor);
// Reads the time of a case in ms.
[[nodiscard]] Point time_ms(const Row& row);
// Reads the FLOP/s of a case by its wall clock, times a factor.
[[nodiscard]] Point flop_rate(const Row& row, double factor);
// Multiplies a value and its interval.
[[nodiscard]] Point scaled(const Point& point, double factor);
// Divides the medians of two rows; the bar is the widest that the two intervals allow.
[[nodiscard]] Point time_ratio(const Row& over, const Row& under, IntervalColumns columns);

// ---- notes -------------------------------------------------------------------------------------

inline constexpr const char* kModelNote = "Model: predicted, nothing was timed.";

// The word of the status that some rows share, and the reason if they share that, too.
[[nodiscard]] std::string status_reason(const Group& status);

// Says what error bars are, by interval_coverage and n_samples of the rows: `Bars: 75 to 93.8 %
// intervals, 3 to 5 repeats.` Bars are those of medians.
[[nodiscard]] std::string interval_note(const Rows& rows);

// Says that results stay f32 where one of a narrower type is off by less than the type rounds by;
// empty where none is.
[[nodiscard]] std::string rounding_note(const Rows& rows,
                                        const std::function<double(const Row&)>& error);

// Says what the bars are, and which cases have no point and why.
[[nodiscard]] std::vector<std::string> case_notes(const CsvTable& cases);

// Says how the times of some rows were obtained: what their bars are, which cases of the run have
// no point and why, and whether some come from a model.
[[nodiscard]] std::vector<std::string> timing_notes(const Rows& rows);

// Puts notes in the order in which a reader needs them: what marks and lines mean, what is modelled
// or biased, what is left out, then the rest.
void order_by_need(std::vector<std::string>& notes);

// Joins lists of notes; empty notes are left out.
[[nodiscard]] std::vector<std::string> joined_notes(
    std::initializer_list<std::vector<std::string>> parts);

}  // namespace qb
