// The repeats of one case as a small picture: in the order in which they were taken, disturbed ones
// hollow, over the interval of the median.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

struct Repeat {
  double time_s = 0.0;
  std::string disturbed_by{};  // empty: nothing
};

// `median` holds the median and its interval in s; what is NaN is left out. The label says whose
// repeats these are. Without a finite repeat it is empty.
[[nodiscard]] std::string samples_strip(const std::vector<Repeat>& repeats, const Point& median,
                                        std::string_view label);

}  // namespace qb
