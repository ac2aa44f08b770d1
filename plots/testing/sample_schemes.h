// SPDX-License-Identifier: Apache-2.0
// For tests only: cases of many schemes.
#pragma once

#include <fmt/format.h>
#include <string>
#include <vector>

#include "plots/frame/figure.h"
#include "plots/testing/sample_run.h"

namespace qb::testing_support {

// Makes a causal case that ran under threads: `seconds` of wall clock, with an interval of 10 %
// either side.
inline Values scheme_case(const std::string& algorithm, int workers, std::int64_t n_tokens,
                          double seconds, const Values& more = {}) {
  const double pairs = 0.5 * static_cast<double>(n_tokens) * static_cast<double>(n_tokens);
  Values values = ok_case(workers, n_tokens, 1.0);
  values["device_peak_bytes"].clear();
  const Values own = {{"schema_version", "3"},
                      {"algorithm", algorithm},
                      {"kernel", "flash"},
                      {"ranks", "threads"},
                      {"threads", "1"},
                      {"mask", "causal"},
                      {"provenance", "measured"},
                      {"unmasked_pairs", to_text(pairs)},
                      {"executed_pairs", to_text(pairs)},
                      {"critical_path_pairs", to_text(pairs / workers)},
                      {"wall_time_median_s", to_text(seconds)},
                      {"wall_time_low95_s", to_text(seconds * 0.9)},
                      {"wall_time_high95_s", to_text(seconds * 1.1)}};
  for (const auto& [column, value] : own) values[column] = value;
  for (const auto& [column, value] : more) values[column] = value;
  values["case_id"] = fmt::format(
      "{} {} {} {} {} {}", algorithm, workers, n_tokens, values["kv_len"], values["ranks"],
      values["link_bandwidth_byte_per_s"] + values["mask"] + values["batch"] + values["threads"] +
          values["sequences"] + values["pass"]);
  return values;
}

inline CsvTable scheme_table(const std::vector<Values>& rows) {
  CsvTable cases = no_cases();
  for (const Values& values : rows) add_case(cases, values);
  return cases;
}

}  // namespace qb::testing_support
