// Draws figures: the only place that runs gnuplot.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

// Writes NAME.csv, NAME.gp and, by gnuplot, NAME.svg, NAME.pdf and NAME.png into `directory` and
// returns the five paths in this order. The same figure gives the same bytes.
//
// Throws UsageError with the figure's sentence when it is empty, and EnvironmentError when gnuplot
// is missing or fails: CSV and script stand then, the pictures do not.
std::vector<std::string> write_figure(const Figure& figure, const std::string& directory);

// Throws UsageError where the path's extension names no format of write_picture's: svg, pdf or png.
void require_picture_format(const std::string& path);

// Draws into a temporary folder and keeps the one picture whose format the path's extension names.
// Throws as require_picture_format and as write_figure.
void write_picture(const Figure& figure, const std::string& path);

}  // namespace qb
