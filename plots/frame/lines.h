// Figures of lines, declared.
//
// A line is a group of rows with a name and a look; a panel shows one quantity of the lines' rows.
// A declaration says which rows are drawn, what is on x and y, what a line and a panel are, and
// what is beside them. line_figure() makes the panels, the series, the axes, and the sentence that
// says why there is nothing to draw.
#pragma once

#include "plots/frame/figure.h"
#include "plots/frame/frame.h"
#include "plots/frame/run.h"

namespace qb {

inline constexpr double kMilli = 1e3;  // ms per second
inline constexpr double kPercent = 100.0;

// What a row shows: y and its interval; also x if no declaration gives it.
using Value = std::function<Point(const Row&)>;

// What the y axis shows.
struct Quantity {
  std::string title{};  // title of its panels
  Axis y{};
  Value value{};
};

struct LineFigure {
  std::string title{};
  std::string nothing{};                  // the reason if no row has a value above 0
  std::vector<Group> lines{};             // the rows of each line
  std::vector<Quantity> y{};              // each has a panel
  std::vector<Group> panels{};            // or one for each of these groups, named by its title
  std::function<double(const Row&)> x{};  // empty: n_tokens, with its axis
  Axis x_axis{};
  bool y_by_range = false;   // each y axis is log if its values span powers, or starts at zero
  bool shared_axes = false;  // the panels have one range, and one choice of log axes
  bool breaks = false;       // a row without a value breaks its line
  std::optional<double> crosses{};  // y of crosses for cases that ran out of memory; NaN: the edge
  // Gives further series of a line, drawn behind it, and those of the first panel alone.
  std::function<std::vector<Series>(const Group& line)> beside{};
  std::function<Series(const Group& line)> published{};
  std::vector<Series> reference{};  // in every panel
  int panel_height = 260;           // height if there are several panels
  std::string published_legend{};
  std::vector<std::string> notes{};
};

[[nodiscard]] Figure line_figure(const LineFigure& declared, const FigureContext& context);

// ---- pieces ------------------------------------------------------------------------------------

// Draws a point for each row, in their order; those without a y are left out unless they break the
// line.
[[nodiscard]] Series line_series(const Group& line, const Value& value, bool breaks = false);

// Draws crosses against n_tokens at y = `limit` (NaN: at the upper edge) for rows that ran out of
// memory.
[[nodiscard]] Series out_of_memory_series(const Group& line, double limit);

// Groups the cases of a run that differ in n_tokens alone, in its order: one line per worker count,
// named by what tells it from the others: `W = 7`, or `W = 7, flash` if there are several kernels.
// The worker counts ascend.
[[nodiscard]] std::vector<Group> case_lines(const CsvTable& cases);
// Gives the worker count of such a line.
[[nodiscard]] std::int64_t workers_of(const Group& line);

// Says which columns hold the seconds of a case: its wall clock or, under `serial`, where one
// device plays all workers, the critical path composed from them.
[[nodiscard]] std::string clock_of(const Row& row);
// Reads median and interval of PREFIX_median_s, PREFIX_low95_s, PREFIX_high95_s times a factor.
[[nodiscard]] Point timed(const Row& row, const std::string& prefix, double factor,
                          double x = kNaN);
// Divides the medians of two rows; the bar is the widest that the two intervals allow.
[[nodiscard]] Point time_ratio(const Row& over, const Row& under, const std::string& prefix,
                               double x = kNaN);

// ---- notes -------------------------------------------------------------------------------------

inline constexpr const char* kModelNote =
    "model: predicted by the calibrated cost model; nothing was timed.";

// Says what the bars are, by the interval_coverage and n_samples of the row whose interval covers
// its median worst.
[[nodiscard]] std::string interval_note(const Rows& rows);

// Says what the bars are, and which cases have no point and why.
[[nodiscard]] std::vector<std::string> case_notes(const CsvTable& cases);

// Says how the times of some rows were obtained: what their bars are, which cases of the run have
// no point and why, and whether some come from a model.
[[nodiscard]] std::vector<std::string> timing_notes(const Rows& rows);

// Puts notes one after the other.
[[nodiscard]] std::vector<std::string> joined_notes(
    std::initializer_list<std::vector<std::string>> parts);

}  // namespace qb
