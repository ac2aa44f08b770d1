// SPDX-License-Identifier: Apache-2.0
// Computes dQ, dK and dV of causal attention on the CPU and compares them with float64 gradients.
#include <cmath>
#include <cstdio>

#include "buffer.h"
#include "kernels/attention_backward.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/reference_gradients.h"

namespace {
constexpr std::int64_t kTokens = 100;
constexpr qb::Extent kRows{.heads = 2, .length = kTokens, .head_dim = 32};
constexpr qb::Extent kStatistics{.heads = 2, .length = kTokens};
}  // namespace

int main() {
  Buffer q(kRows), k(kRows), v(kRows), out(kRows), d_out(kRows), d_q(kRows), d_k(kRows), d_v(kRows);
  Buffer lse(kStatistics), delta(kStatistics);
  fill_normal({&q, &k, &v, &d_out});
  const double scale = 1.0 / std::sqrt(32.0);
  const qb::Mask mask = qb::Mask::causal(kTokens, kTokens);
  const qb::TokenGroup all{0, kTokens, 1};
  const qb::TileSchedule tiles =
      qb::build_mask_schedule(mask, kTokens, kTokens, {{0, 0, all, all}},
                              qb::kernel_tiles(qb::Kernel::flash, 32).query_tile);
  qb::attention(qb::Kernel::flash, {q.view, k.view, v.view, &tiles, scale, out.view, lse.view},
                {qb::heap_allocator()});
  qb::compute_delta(out.view, d_out.view, delta.view);
  qb::attention_backward(qb::Kernel::flash,
                         {q.view, k.view, v.view, d_out.view, lse.view, delta.view, &tiles, scale,
                          d_q.view, d_k.view, d_v.view},
                         {qb::heap_allocator()});  // adds to the sums, which are zero so far
  const qb::ReferenceGradients reference =
      qb::reference_gradients({q.view, k.view, v.view, d_out.view, mask, scale});
  const double errors[] = {largest_error(d_q, reference.d_q), largest_error(d_k, reference.d_k),
                           largest_error(d_v, reference.d_v)};
  std::printf("largest errors: dQ %g, dK %g, dV %g\n", errors[0], errors[1], errors[2]);
  for (const double error : errors)
    if (!(error > 0.0 && error < 1e-5)) return 1;
}
