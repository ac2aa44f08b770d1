// SPDX-License-Identifier: Apache-2.0
// A case for tests that takes a few milliseconds.
#pragma once

#include <string>

#include "harness/workload/case.h"

namespace qb {

[[nodiscard]] inline Case tiny(const std::string& algorithm, int workers) {
  Case c;
  c.experiment = "tiny";
  c.algorithm = algorithm;
  c.workers = workers;
  c.threads = 1;
  c.shape = {.batch = 1,
             .q_heads = 2,
             .kv_heads = 1,
             .q_len = 100,
             .kv_len = 100,
             .head_dim = 16,
             .value_dim = 16};
  c.measure = {.warmups = 1, .min_repeats = 3, .max_repeats = 3, .retakes = 0, .verify_rows = 32};
  return c;
}

}  // namespace qb
