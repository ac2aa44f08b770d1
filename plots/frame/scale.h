// Ranges and tics of an axis from the values on it. Chosen here and not by the drawing program, so
// that they are tested and the same everywhere.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

struct Scale {
  double min = 0.0;
  double max = 1.0;
  bool log = false;
  std::vector<Tic> tics;
  std::vector<double> minor;  // without labels
};

// NaN, and on a log axis values <= 0, are ignored. A single value gets room around it; no value at
// all gives [0, 1] or [1, 10].
[[nodiscard]] Scale make_scale(const Axis& axis, std::span<const double> values);

// Of an axis of times up to `longest_s`: s, ms or us.
struct TimeUnit {
  std::string name;    // `ms`; also the suffix of the axis's column
  double per_s = 1.0;  // times seconds
};
[[nodiscard]] TimeUnit time_unit(double longest_s);

// Whether positive values spread over so many powers that a log axis is clearer: a factor of 8.
[[nodiscard]] bool spans_powers(std::span<const double> values);

}  // namespace qb
