// What the CSV of a figure and its script must agree on (names, scales), and where things stand on
// the canvas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/figure.h"
#include "plots/frame/scale.h"

namespace qb {

struct CsvNames {
  std::string x;
  std::string y;
  bool edges = false;
  [[nodiscard]] std::string y_low() const { return y + "_low"; }
  [[nodiscard]] std::string y_high() const { return y + "_high"; }
  [[nodiscard]] std::string x_low() const { return x + "_low"; }
  [[nodiscard]] std::string x_high() const { return x + "_high"; }
};

// `x` and `y` where the panels' axes have different columns.
[[nodiscard]] CsvNames csv_names(const Figure& figure);

// data, published, out_of_memory or limit.
[[nodiscard]] std::string_view kind_word(const Series& series);

// Rows of the figure's CSV that a series takes: one a point, two for the ends of a limit.
[[nodiscard]] std::size_t csv_rows(const Series& series);

// Of panel `p`; of all panels' values where the figure shares its axes, or this one.
[[nodiscard]] Scale x_scale(const Figure& figure, std::size_t p);
[[nodiscard]] Scale y_scale(const Figure& figure, std::size_t p);

// Pixels at 96 to the inch, y downwards.
struct Box {
  double left = 0.0;
  double right = 0.0;
  double top = 0.0;
  double bottom = 0.0;
};

struct Layout {
  int width = 0;
  int height = 0;
  std::vector<Box> plots;  // the frame of each panel
  double legend_left = 0.0;
  double legend_top = 0.0;
  std::vector<std::string> subtitle;  // wrapped
  std::vector<std::string> notes;     // wrapped
  double notes_top = 0.0;
};

inline constexpr double kSubtitleTop = 46.0;

inline constexpr double kNoteLine = 16.0;

// Entries of the legend beside the panels, each once: the first series of each name, then one for
// all published series where the figure names it, then one for all out-of-memory marks.
struct LegendEntry {
  std::string text;
  Series like;
};
[[nodiscard]] std::vector<LegendEntry> legend_entries(const Figure& figure);

[[nodiscard]] Layout lay_out(const Figure& figure);

}  // namespace qb
