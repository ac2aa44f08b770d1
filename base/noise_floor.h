// SPDX-License-Identifier: Apache-2.0
// What the same case, measured twice by the same program, differs by: a ratio that is no further
// from 1 than this says nothing.
#pragma once

#include <fmt/format.h>

#include <string>

namespace qb {

// The ratio of the second median to the first, and its interval from those of both medians.
struct NoiseFloor {
  std::string case_label;
  double ratio = 1.0;
  double low = 1.0;
  double high = 1.0;

  [[nodiscard]] std::string text() const {
    return fmt::format("A/A, the same case measured twice ({}): {:.3f} [{:.3f}, {:.3f}]",
                       case_label, ratio, low, high);
  }
};

}  // namespace qb
