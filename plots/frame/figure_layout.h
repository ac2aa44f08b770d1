// SPDX-License-Identifier: Apache-2.0
// What the CSV of a figure and its script must agree on (names, scales), and where everything is on
// the canvas.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

// ---- text as it is read ------------------------------------------------------------------------

// Breaks text at spaces into lines of at most `columns` code points; a longer word gets its own
// line.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, std::size_t columns);

// ---- scales ------------------------------------------------------------------------------------

// Ranges and tics of an axis from the values on it. They are chosen here and not by the drawing
// program, so that they are tested and the same everywhere.
struct Scale {
  double min = 0.0;
  double max = 1.0;
  bool log = false;
  std::vector<Axis::Tic> tics;
  std::vector<double> minor;  // tics without labels
};

// Ignores NaN and, on a log axis, values <= 0. A single value gets room around it; no value at all
// gives [0, 1] or [1, 10]. The labels of powers of two have at most `most_letters` letters
// together.
[[nodiscard]] Scale make_scale(const Axis& axis, std::span<const double> values,
                               std::size_t most_letters = 30);

// ---- layout ------------------------------------------------------------------------------------

// Gives the columns of a figure's CSV; those of the edges of x, and whether a point was disturbed,
// only if the figure has any. The values have the names of the panels' axes if all panels agree on
// them, and are `x` and `y` otherwise.
inline constexpr int kCsvX = 3, kCsvY = 4, kCsvYLow = 5, kCsvYHigh = 6, kCsvXLow = 7, kCsvXHigh = 8;
inline constexpr std::string_view kCsvDisturbed = "disturbed";  // the last one
[[nodiscard]] std::vector<std::string> csv_columns(const Figure& figure);

// Returns data, published, out_of_memory, not_tried or limit.
[[nodiscard]] std::string_view kind_word(const Series& series);
// Says whether the series marks cases without a value: out_of_memory or not_tried.
[[nodiscard]] bool is_cross(const Series& series);

// Makes the scale of panel `p`, from all panels' values if the figure shares its axes, or this one.
// In a frame of `width` pixels labels of powers of two stand apart.
[[nodiscard]] Scale x_scale(const Figure& figure, std::size_t p, double width = 960.0);
[[nodiscard]] Scale y_scale(const Figure& figure, std::size_t p);

inline constexpr double kPixelsPerInch = 96.0;

// Sizes of text in pixels at 96 to the inch; on paper 9.6 are 7.2 pt.
struct Sheet {
  bool paper = false;
  double text = 12.0;  // tics, axes, legend
  double panel_title = 13.0;
  double small = 11.0;  // notes, and texts in rectangles
  double stroke = 1.0;  // factor of the widths of lines and the sizes of marks
};
[[nodiscard]] Sheet sheet_of(const Figure& figure);

// Sizes are pixels at 96 to the inch; y grows downwards.
struct Layout {
  struct Box {
    double left = 0.0;
    double right = 0.0;
    double top = 0.0;
    double bottom = 0.0;
  };
  // A name of lines that lie on one another, in the colour of the one that is drawn.
  struct Label {
    std::string text;
    std::uint32_t colour = kBlack;
  };
  int width = 0;
  int height = 0;
  std::vector<Box> plots;                  // the frame of each panel
  std::vector<std::vector<Label>> labels;  // lines of text above each, from the top
  double legend_left = 0.0;
  double legend_top = 0.0;
  int legend_rows = 0;                // on paper, where it may have columns
  std::vector<std::string> subtitle;  // wrapped
  std::vector<std::string> notes;     // wrapped
  double notes_top = 0.0;
};

inline constexpr double kLabelLine = 13.0;
inline constexpr double kSubtitleTop = 46.0;
inline constexpr double kNoteLine = 16.0;

// Lists the entries of the legend beside the panels, each once: the first series of each name,
// algorithms in the order of their registry and worker counts ascending, lines that lie on one
// another everywhere as one; then one for all published series if the figure names it, then one for
// all out-of-memory marks and one for cases that were not tried.
[[nodiscard]] std::vector<Series> legend_entries(const Figure& figure);

[[nodiscard]] Layout lay_out(const Figure& figure);

}  // namespace qb
