// From a figure to the two texts that stand for it: the CSV with every plotted number and the
// gnuplot script that draws SVG, PDF and PNG from that CSV. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// Columns panel, series, kind (data, published, out_of_memory, limit), x, y, low and high under the
// axes' own column names where all panels agree on them, and edges of x where a figure has any.
// Throws std::logic_error where two series of a panel could not be told apart.
[[nodiscard]] CsvTable figure_csv(const Figure& figure);

// Run it with `gnuplot NAME.gp` in the folder of NAME.csv. Needs gnuplot 5.4 with cairo.
[[nodiscard]] std::string gnuplot_script(const Figure& figure);

// A gnuplot string constant: in single quotes nothing but the quote itself is special.
[[nodiscard]] std::string gnuplot_quote(std::string_view text);

}  // namespace qb
