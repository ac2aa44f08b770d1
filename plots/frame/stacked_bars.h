// Bars of parts, each part on the one before it, numbered where there is room.
#pragma once

#include <cstdint>
#include <string>

#include "plots/frame/figure.h"

namespace qb {

// One slice of a bar: its edges, and where its text stands.
struct Slice {
  std::string name{};  // its series and legend entry; slices of one name share one
  std::uint32_t colour = kBlack;
  double x_low = 0.0;
  double x_high = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::string text{};      // empty: none
  double text_y = kNaN;    // NaN: in its middle
  bool published = false;  // someone else's, in a lighter colour
};

// Adds it to the series of its name. Text needs a series of its own, for which `place` must tell
// the slice from all others of the panel of its name: `N = 128`.
void add_slice(Panel& panel, const Slice& slice, const std::string& place);

}  // namespace qb
