// SPDX-License-Identifier: Apache-2.0
// Writes figures: NAME.csv with every plotted number, NAME.json with what is shown, and the
// pictures that plots/draw/qbdraw (Python, matplotlib) draws from the two. Only this code starts
// Python.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// A row for each mark. The columns are panel, panel_title, series, kind (data, published,
// out_of_memory, not_tried, limit), x, y, low and high, edges of x and texts if a figure has any,
// its more_columns, and whether a repeat was disturbed if one was. The values have the axes' own
// column names if all panels agree on them, and are `x` and `y` otherwise. Throws std::logic_error
// if two series of a panel could not be told apart.
[[nodiscard]] CsvTable figure_csv(const Figure& figure);
[[nodiscard]] std::string figure_json(const Figure& figure);

// Returns data, published, out_of_memory, not_tried or limit.
[[nodiscard]] std::string_view kind_word(const Series& series);

// The caption of a figure for paper, as LaTeX: its title, what it shows, its notes and its
// provenance.
[[nodiscard]] std::string caption_latex(const Figure& figure);

// How the pictures are to look: words for the renderer, whose --help describes them.
struct DrawOptions {
  std::vector<std::string> formats = {"svg", "pdf", "png"};
  std::vector<std::string> words{};  // such as --width 3.5in
};

// Writes the files of each figure into `directory`, with one start of the renderer, and returns
// their paths, figure by figure: NAME.csv, NAME.json, NAME.FORMAT in the order of the formats,
// NAME.tex, the caption, if one of these is for LaTeX, and NAME.py, which draws the figure and is
// there to be edited. The same figure gives the same bytes.
//
// Throws UsageError with the figure's sentence if one is empty, and with one a line for each figure
// that the renderer refuses, after it drew the others. Throws EnvironmentError if Python or
// matplotlib is missing or fails: CSV and JSON then exist, the pictures do not.
std::vector<std::vector<std::string>> write_figures(std::span<const Figure> figures,
                                                    const std::string& directory,
                                                    const DrawOptions& options = {});

// Throws UsageError unless the path's extension names a format of write_picture: svg, pdf or png.
void require_picture_format(const std::string& path);

// Draws into a temporary folder and keeps the one picture whose format the path's extension names.
// Throws as require_picture_format and write_figures do.
void write_picture(const Figure& figure, const std::string& path);

}  // namespace qb
