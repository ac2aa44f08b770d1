// SPDX-License-Identifier: Apache-2.0
// A figure as a value: it says what is drawn, not how. Each figure has its own file with a function
// from CSV tables to it; plots/draw writes it as JSON and CSV.
//
// NaN in a point means "not available": a NaN y breaks the line, a NaN low or high leaves out the
// interval. A missing value is never drawn as 0.
// (Members have empty initialisers so that designated initialisers may leave any of them out.)
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/words.h"
#include "plots/frame/palette.h"

namespace qb {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The name of an axis in the figure's CSV, unit as suffix: `time_ms`. It has no default: an axis
// that is declared without one does not compile.
struct ColumnName : std::string {
  // Throws std::logic_error if the name is empty.
  ColumnName(std::string name);                                    // NOLINT: a text is a name
  ColumnName(const char* name) : ColumnName(std::string(name)) {}  // NOLINT: the same
};

struct Axis {
  struct Tic {
    double value = 0.0;
    std::string label{};
  };
  std::string label{};  // with its unit: `time (ms)`
  ColumnName column;
  bool log = false;
  bool from_zero = false;      // a linear axis that begins at 0
  bool reversed = false;       // values grow downwards or leftwards
  bool tight = false;          // no margin around the data
  bool whole = false;          // counts: tics at whole numbers only
  bool powers_of_two = false;  // a log axis with tics at powers of two
  std::vector<Tic> tics{};     // empty: chosen from the range
};

struct Point {
  double x = kNaN;
  double y = kNaN;
  double low = kNaN;  // interval, or edges of a rectangle
  double high = kNaN;
  double x_low = kNaN;
  double x_high = kNaN;
  bool disturbed = false;           // its mark is hollow
  std::string text{};               // of a rectangle: written into it; '\n' starts a line
  std::vector<std::string> more{};  // its values of Figure::more_columns
};

enum class Draw {
  line_points,    // line, marks and intervals
  line,           // for dense curves
  points,         // marks and intervals without a line
  rectangles,     // x_low..x_high by low..high, filled, with `text` in the middle; one without
                  // width has its text to the right, one without height above
  out_of_memory,  // a cross at (x, y); at the upper edge if y is NaN, since there is no value
  not_tried,      // a plus there: a shorter one ran out of memory, so that this one was not tried
  limit,          // horizontal dashed line at the y of the first point, across the panel
};

QB_WORDS(Draw, "draw", line_points, line, points, rectangles, out_of_memory, not_tried, limit);

struct Series {
  std::string name{};  // in the legend and the CSV
  Draw draw = Draw::line_points;
  Style style{};
  bool published = false;  // someone else's numbers: dashed, hollow; see published_legend
  bool thin = false;       // a background curve, its marks hollow; rectangles without white borders
  bool in_legend = true;
  std::string text{};  // of each rectangle that has none of its own
  std::vector<Point> points{};
};

struct Panel {
  std::string title{};
  Axis x{.column = "x"};
  Axis y{.column = "y"};
  bool own_axes = false;  // it shares no range with the other panels
  std::vector<Series> series{};
};

struct Figure {
  std::string name{};  // stem of the files
  std::string title{};
  std::string subtitle{};  // provenance: machine, code, date
  std::vector<Panel> panels{};
  int columns = 1;                 // of panels
  bool square = false;             // panels as wide as high
  bool shared_axes = false;        // all panels have one range
  bool shared_x = false;           // all panels have one range of x
  std::string published_legend{};  // one entry for all published series; empty: one each
  std::vector<std::string> notes{};
  std::vector<std::string> more_columns{};  // of the CSV: what is known of a mark besides its place
  // One sentence on what this figure shows, with numbers of its data; see report/report.h.
  std::string finding{};
  // If not empty, there is nothing to draw, and this sentence says why.
  std::string empty_reason{};
};

// Makes a figure without panels that says why; writers write no files for it.
[[nodiscard]] Figure empty_figure(std::string title, std::string reason);

// Lists the names of the legend, each once: algorithms in the order of their registry, worker
// counts ascending, limits last. Without those of crosses, and of published series that share one
// entry.
[[nodiscard]] std::vector<std::string> legend_order(const Figure& figure);

// Says whether the series marks cases without a value: out_of_memory or not_tried.
[[nodiscard]] bool is_cross(const Series& series);

// Puts several panels into columns.
void arrange_panels(Figure& figure, int columns);

// ---- pieces of a panel -------------------------------------------------------------------------

// Makes a rectangle; x and y are its middle.
[[nodiscard]] Point box(double x_low, double x_high, double low, double high);

// Makes a series of rectangles without white borders.
[[nodiscard]] Series rectangles(std::string name, std::uint32_t colour,
                                std::vector<Point> points = {});

// Draws a grey dashed line across a panel.
[[nodiscard]] Series limit_line(std::string name, double y, bool in_legend = true);

// Adds those that have a point.
void add(Panel& panel, std::vector<Series> series);

// ---- axes --------------------------------------------------------------------------------------

// Collects a number of the points of a panel, or of several that share an axis, to choose between a
// linear and a log one.
[[nodiscard]] std::vector<double> numbers_at(const std::vector<Panel>& panels,
                                             double Point::*number);

// Says whether positive values spread over so many powers that a log axis is clearer: a factor
// of 8.
[[nodiscard]] bool spans_powers(const std::vector<double>& values);
// Makes the axis a log one if the values span powers.
[[nodiscard]] Axis powers_or_linear(Axis axis, const std::vector<double>& values);
// Does the same; a linear one begins at zero.
[[nodiscard]] Axis powers_or_zero(Axis axis, const std::vector<double>& values);

// Makes the axis `sequence length N (tokens)`, which is log if the values span powers. It has tics
// at powers of two if all values are such, and decimal ones otherwise; so has the next one.
[[nodiscard]] Axis tokens_axis(const std::vector<double>& x);
// Makes the axis `workers W`, which is log.
[[nodiscard]] Axis workers_axis(const std::vector<double>& workers);
// Adds the next of the tics 0, 1, 2, ... and returns its place.
double add_tic(Axis& axis, std::string label);
// Makes tics at whole numbers that are their own labels.
[[nodiscard]] std::vector<Axis::Tic> whole_tics(const std::vector<double>& values);

inline constexpr double kMiB = 1024.0 * 1024.0;  // bytes

// The unit of an axis: its numbers are values of the base unit times `factor`.
struct Unit {
  std::string name{};    // `ms`, `GiB`
  std::string suffix{};  // suffix of a column: `ms`, `gib`
  double factor = 1.0;
};
// Chooses s, ms or us, for times up to `longest_s`.
[[nodiscard]] Unit time_unit(double longest_s);
// Chooses GiB or MiB, whichever shows `largest` bytes with few digits.
[[nodiscard]] Unit byte_unit(double largest);
// Makes an axis in a unit; its label and its column end with it.
[[nodiscard]] Axis axis_in(const Unit& unit, const std::string& label, const std::string& column);

}  // namespace qb
