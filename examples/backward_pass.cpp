// SPDX-License-Identifier: Apache-2.0
// Computes dQ, dK and dV of causal attention on the CPU and compares them with float64 gradients.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "kernels/attention_backward.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/reference_gradients.h"

namespace {
constexpr std::int64_t kTokens = 100;
constexpr qb::Extent kRows{.heads = 2, .length = kTokens, .head_dim = 32};
constexpr qb::Extent kStatistics{.heads = 2, .length = kTokens};

struct Buffer {
  std::vector<float> values;
  qb::TensorView view;
  explicit Buffer(const qb::Extent& extent)
      : values(static_cast<std::size_t>(extent.elements())),
        view(qb::contiguous_view(values.data(), qb::DType::f32, extent)) {}
};

double largest_error(const Buffer& computed, const std::vector<double>& reference) {
  double largest = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i)
    largest = std::fmax(largest, std::abs(computed.values[i] - reference[i]));
  return largest;
}
}  // namespace

int main() {
  Buffer q(kRows), k(kRows), v(kRows), out(kRows), d_out(kRows), d_q(kRows), d_k(kRows), d_v(kRows);
  Buffer lse(kStatistics), delta(kStatistics);
  std::mt19937 random(1);
  for (Buffer* buffer : {&q, &k, &v, &d_out})
    for (float& value : buffer->values) value = std::normal_distribution<float>()(random);
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
