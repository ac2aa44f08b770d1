// SPDX-License-Identifier: Apache-2.0
// Predicts the time of each scheme on eight A100s over a link of 25 GB/s by the cost model.
#include <cstdio>

#include "harness/execute/model/scheme_forecast.h"

int main() {
  const qb::Shape shape{.q_heads = 32,
                        .kv_heads = 32,
                        .q_len = 65536,
                        .kv_len = 65536,
                        .head_dim = 128,
                        .value_dim = 128};
  const qb::PlannedSchemes schemes(
      {.problem = qb::make_problem(shape, qb::MaskKind::causal, qb::DType::bf16, 1),
       .workers = 8,
       .device = qb::a100_device(),
       .link = qb::LinkLimit{.bandwidth_byte_per_s = 25e9, .latency_s = 5e-6}});
  double alone_s = 0.0;
  double ring_s = 0.0;
  for (const qb::SchemeForecast& forecast : qb::ranking(schemes.forecast())) {
    if (!forecast.has_plan()) continue;
    std::printf("%-14s %8.2f ms, of which %8.2f ms wait for messages\n", forecast.scheme.c_str(),
                1e3 * forecast.wall_s, 1e3 * forecast.exposed_s);
    if (forecast.scheme == "dense") alone_s = forecast.wall_s;
    if (forecast.scheme == "ring") ring_s = forecast.wall_s;
  }
  return ring_s > alone_s / 8 && ring_s < alone_s ? 0 : 1;  // eight devices are at most eight times
}
