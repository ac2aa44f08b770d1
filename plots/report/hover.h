// The points of a figure and where its picture has them, for the script of the page, which shows
// the values of the point nearest to the pointer.
#pragma once

#include <string>

#include "plots/frame/figure.h"

namespace qb {

// Writes JSON that may stand inside a <script> element: a list of panels. Places are in the units
// of the SVG, and a missing value is null.
//   PANEL: {"x": AXIS, "y": AXIS, "series": [{"name", "area", "points": [POINT, …]}, …]}
//   AXIS:  {"label", "log", "min", "max", "from", "to", "tics"}; `tics` names values of an axis
//          whose tics are words
//   POINT: [x, y, low, high, disturbed], and x_low, x_high of an area
// Of long curves it keeps every nth point only, so that a figure has a few thousand at most.
[[nodiscard]] std::string hover_json(const Figure& figure);

}  // namespace qb
