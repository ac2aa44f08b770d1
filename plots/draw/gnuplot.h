// SPDX-License-Identifier: Apache-2.0
// Draws figures. Writes the CSV with every plotted number and the gnuplot script that draws SVG,
// PDF and PNG from that CSV. Only this code runs gnuplot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// The columns are panel, series, kind (data, published, out_of_memory, limit), x, y, low and high,
// and edges of x if a figure has any. The values have the axes' own column names if all panels
// agree on them. Throws std::logic_error if two series of a panel could not be told apart.
[[nodiscard]] CsvTable figure_csv(const Figure& figure);

// Run it with `gnuplot NAME.gp` in the folder of NAME.csv. Needs gnuplot 5.4 with cairo.
[[nodiscard]] std::string gnuplot_script(const Figure& figure);

// Makes a gnuplot string constant: in single quotes only the quote itself is special.
[[nodiscard]] std::string gnuplot_quote(std::string_view text);

// The caption of a figure for paper, as LaTeX: its title, its notes and its provenance.
[[nodiscard]] std::string caption_latex(const Figure& figure);

// Writes NAME.csv, NAME.gp and, by gnuplot, NAME.svg, NAME.pdf and NAME.png into `directory`, for
// paper also NAME.tex with the caption, and returns the paths in this order. The same figure gives
// the same bytes.
//
// Throws UsageError with the figure's sentence if it is empty. Throws EnvironmentError if gnuplot
// is missing or fails: CSV and script then exist, the pictures do not.
std::vector<std::string> write_figure(const Figure& figure, const std::string& directory);

// Throws UsageError unless the path's extension names a format of write_picture: svg, pdf or png.
void require_picture_format(const std::string& path);

// Draws into a temporary folder and keeps the one picture whose format the path's extension names.
// Throws as require_picture_format and write_figure do.
void write_picture(const Figure& figure, const std::string& path);

}  // namespace qb
