// SPDX-License-Identifier: Apache-2.0
// For tests only: cases of sparse attention in the columns of cases.csv.
#pragma once

#include <fmt/format.h>

#include <string>

#include "plots/testing/sample_run.h"

namespace qb::testing_support {

// Makes a case that keeps `kept` of all pairs, executes half as many more, and takes `time_s`.
inline Values sparse_case(const std::string& mask, std::int64_t n, double kept, double time_s,
                          const std::string& kernel = "flash") {
  Values values = ok_case(1, n, 1.0);
  const double pairs = kept * static_cast<double>(n) * static_cast<double>(n);
  values["case_id"] = fmt::format("{} {} {}", mask, n, kernel);
  values["mask"] = mask;
  values["kernel"] = kernel;
  values["unmasked_pairs"] = to_text(pairs);
  values["executed_pairs"] = to_text(mask == "full" ? pairs : 1.5 * pairs);
  values["wall_time_median_s"] = to_text(time_s);
  values["wall_time_low95_s"] = to_text(0.9 * time_s);
  values["wall_time_high95_s"] = to_text(1.1 * time_s);
  values["device_peak_bytes"] = values["active_memory_peak_bytes"] = "1048576";
  return values;
}

inline Values on_gpu(Values values, const std::string& gpu) {
  values["case_id"] += " gpu";
  values["device"] = "cuda";
  values["gpu"] = gpu;
  values["executed_pairs"].clear();
  return values;
}

}  // namespace qb::testing_support
