// SPDX-License-Identifier: Apache-2.0
// Double ring (LoongTrain, arXiv 2406.18485; BurstAttention): W = R x C workers, R to a host. In
// each of C windows K and V go round inside of the host, R - 1 hops. What a worker had first in a
// window it also sends, at the window's start, to the worker with its place on the next host, which
// needs it R steps later: the hop between hosts has a whole window to arrive. So K and V make W - 1
// hops, as in a ring, of which R (C - 1) = W - R leave each host, shared out over its R workers,
// while all W - 1 hops of the ring leave it from one worker.
//
// Backward, dK and dV follow their K and V inside of the window. Published systems bring them back
// to where the window began and then to the next host, W + C hops. Here the two hops are one, from
// the last worker of the window to the first of the next: W hops, as in a ring.
#include <fmt/format.h>

#include <span>

#include "base/status.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

namespace {

// The workers of an inner ring: as the keys ask, or those of a host if they divide all workers, or
// the most up to 8 that do.
int inner_ring(const StrategyOptions& options) {
  constexpr int kMostOfAHost = 8;
  const int host = options.workers_per_host;
  int rows = options.keys.integer("grid_rows");
  if (rows == 0 && host > 0 && options.workers % host == 0) rows = host;
  for (int i = kMostOfAHost; rows == 0; --i)
    if (options.workers % i == 0) rows = i;
  if (options.workers % rows == 0) return rows;
  throw Unsupported(fmt::format(
      "double_ring has inner rings of equal size, and {} workers are not dealt to rings of {}",
      options.workers, rows));
}

}  // namespace

Plan plan_double_ring(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  const int rows = inner_ring(options);
  const int windows = workers / rows;
  RotationBuilder builder(problem, "double_ring", {1, rows, windows},
                          deal_called(options.keys.text("grid_layout")), options.pass,
                          options.gradients);
  builder.pad_keys();
  for (int window = 0; window < windows; ++window)
    for (int hop = 0; hop < rows; ++hop) {
      const int step = window * rows + hop;
      const int keys = builder.place(0, -hop, -window);
      const bool is_last = hop + 1 == rows;
      const auto pass_on = [&](std::span<const TensorRole> tensors, int to, int delay) {
        for (const TensorRole what : tensors)
          builder.send(step, to, TransferKind::p2p, what, keys, 0, delay);
      };
      builder.add_task(step, 0, keys);
      if (!is_last) pass_on(kKeyInputs, builder.place(0, 1, 0), 1);
      if (hop == 0 && window + 1 < windows) pass_on(kKeyInputs, builder.place(0, 0, 1), rows);
      if (options.pass == Pass::backward && workers > 1)
        pass_on(gradients_of(false), builder.place(0, 1, is_last ? 1 : 0), 1);
    }
  return builder.finish();
}

}  // namespace qb
