// SPDX-License-Identifier: Apache-2.0
// What rules of choice that were published would pick for a question, and how long that takes.
#pragma once

#include <string>
#include <vector>

#include "harness/execute/model/scheme_forecast.h"

namespace qb {

struct RuleForecast {
  std::string rule;         // in words, with the paper or system that gives it
  std::string scheme;       // what it picks here: `usp 8x1x2`
  std::string unsupported;  // why that has no plan; the time is then unset
  double wall_s = 0.0;      // as SchemeForecast::wall_s
};

// The rules pick by heads, workers and hosts alone, and place workers in order (hrc). Throws
// Unsupported if the device has no rate for the problem.
[[nodiscard]] std::vector<RuleForecast> forecast_rules(const SchemeQuestion& question);

}  // namespace qb
