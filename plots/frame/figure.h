// A figure as a value: what is drawn, not how. Functions from CSV tables to figures stand in one
// file a figure; the gnuplot writer is the only reader.
//
// NaN in a point means "not available": a NaN y breaks the line, a NaN low or high leaves out the
// interval. Nothing is ever drawn as 0 because it is missing.
// (Members have empty initialisers so that designated initialisers may leave any of them out.)
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/palette.h"

namespace qb {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Tic {
  double value = 0.0;
  std::string label{};
};

struct Axis {
  std::string label{};   // with its unit: `time (ms)`
  std::string column{};  // its name in the figure's CSV, unit as suffix: `time_ms`
  bool log = false;
  bool from_zero = false;   // a linear axis that begins at 0
  bool reversed = false;    // values grow downwards or leftwards
  bool tight = false;       // no margin around the data
  bool whole = false;       // counts: tics at whole numbers only
  double least_span = 0.0;  // of a linear axis, around the middle of the data
  std::vector<Tic> tics{};  // empty: chosen from the range
};

struct Point {
  double x = kNaN;
  double y = kNaN;
  double low = kNaN;  // interval, or edges of a rectangle
  double high = kNaN;
  double x_low = kNaN;
  double x_high = kNaN;
};

enum class Draw {
  line_points,    // line, marks and intervals
  line,           // for dense curves
  points,         // marks and intervals, each on its own
  steps,          // a value holds until the next x
  rectangles,     // x_low..x_high by low..high, filled; `text` at (x, y)
  out_of_memory,  // a cross at (x, y); NaN y: at the upper edge, since there is no value
  limit,          // horizontal dashed line at the y of the first point, across the panel
};

struct Series {
  std::string name{};  // in the legend and the CSV
  Draw draw = Draw::line_points;
  Style style{};
  bool published = false;  // someone else's numbers: dashed, hollow; see published_legend
  bool thin = false;       // a background curve, its marks hollow; rectangles without white borders
  bool in_legend = true;
  std::string text{};  // written into each rectangle, a line for each '\n'
  std::vector<Point> points{};
};

enum class Legend { beside, inside, none };

struct Panel {
  std::string title{};
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
};

struct Figure {
  std::string name{};  // stem of the files
  std::string title{};
  std::string subtitle{};  // provenance: machine, code, date
  std::vector<Panel> panels{};
  int columns = 1;           // of panels
  int panel_height = 330;    // pixels at 96 to the inch
  bool square = false;       // panels as wide as high
  bool shared_axes = false;  // all panels have one range
  bool shared_x = false;     // in x alone
  Legend legend = Legend::beside;
  std::string published_legend{};  // one entry for all published series; empty: each has its own
  std::vector<std::string> notes{};
  // Not empty: there is nothing to draw, and this sentence says why.
  std::string empty_reason{};
};

// A figure without panels that says why; writers write no files for it.
[[nodiscard]] inline Figure empty_figure(std::string name, std::string title, std::string reason) {
  Figure figure;
  figure.name = std::move(name);
  figure.title = std::move(title);
  figure.empty_reason = std::move(reason);
  return figure;
}

// Several panels stand in two columns, lower than a panel alone.
inline void arrange_panels(Figure& figure) {
  if (figure.panels.size() < 2) return;
  figure.columns = 2;
  figure.panel_height = 260;
}

}  // namespace qb
