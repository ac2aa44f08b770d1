// SPDX-License-Identifier: Apache-2.0
// Figures of stacked bars, declared.
//
// A bar is a stack of named, coloured parts over one x, as shares of a whole; bars of one x stand
// side by side. bar_figure() makes the panels, the slices with their texts, the tics, and the
// sentence that says why there is nothing to draw. The y of a slice is its share.
#pragma once

#include "plots/frame/frame.h"

namespace qb {

struct BarFigure {
  struct Part {
    std::string name{};
    std::uint32_t colour = kBlack;
    double value = kNaN;  // only positive ones are drawn
    std::string text{};   // empty: the share in percent, if there is room
  };
  struct Bar {
    double x = kNaN;      // places are 1 apart, whatever their x, and ascend
    double left = -0.44;  // edges, from the middle of its place
    double right = 0.44;
    std::vector<Part> parts{};  // from below
    double whole = kNaN;        // what the shares are of; NaN: the sum of the parts
    bool published = false;     // its colours are lighter
  };
  struct BarPanel {
    std::string title{};
    std::vector<Bar> bars{};
  };
  std::string title{};
  std::string nothing{};  // the reason if there are no bars but published ones
  Axis x;
  Axis y;
  std::vector<BarPanel> panels{};  // those without bars are left out
  std::function<std::string(double x)> tic = grouped;
  // A part with this share of the whole has room for its share; infinity: none has.
  double least_texted = std::numeric_limits<double>::infinity();
  std::vector<std::string> notes{};  // empty ones are left out
};

[[nodiscard]] Figure bar_figure(const BarFigure& declared);

// Makes an axis of percents from 0 to 100.
[[nodiscard]] Axis percent_axis(std::string label);

}  // namespace qb
