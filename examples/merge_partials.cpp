// SPDX-License-Identifier: Apache-2.0
// Merges attention over two halves of the keys by their LSE, and compares it with attention over
// all keys: O = sum_s O_s exp(LSE_s - LSE), LSE = log sum_s exp(LSE_s).
#include <cmath>
#include <cstdio>

#include "buffer.h"
#include "kernels/attention.h"
#include "kernels/merge.h"

namespace {
constexpr qb::Extent kRows{.heads = 2, .length = 64, .head_dim = 32};
constexpr qb::Extent kStatistics{.heads = 2, .length = 64};

void attend(const qb::TensorView& q, const qb::TensorView& k, const qb::TensorView& v,
            const Buffer& out, const Buffer& lse) {
  const std::int64_t n = q.extent.length;
  const std::int64_t m = k.extent.length;
  const qb::TileSchedule all =
      qb::build_schedule(n, m, {{.q_begin = 0, .q_end = n, .keys = {.begin = 0, .end = m}}}, 64);
  qb::attention(qb::Kernel::flash, {q, k, v, &all, 0.2, out.view, lse.view},
                {qb::heap_allocator()});
}
}  // namespace

int main() {
  Buffer q(kRows), k(kRows), v(kRows), whole(kRows), whole_lse(kStatistics);
  Buffer merged(kRows), lse(kStatistics), part(kRows), part_lse(kStatistics);
  fill_normal({&q, &k, &v});
  attend(q.view, k.view, v.view, whole, whole_lse);
  qb::clear_partial(merged.view, lse.view);
  for (const std::int64_t first : {0, 32}) {
    attend(q.view, k.view.tokens(first, 32), v.view.tokens(first, 32), part, part_lse);
    qb::merge_partial(merged.view, lse.view, part.view, part_lse.view);
  }
  float largest = 0.0f;
  for (std::size_t i = 0; i < merged.values.size(); ++i)
    largest = std::fmax(largest, std::abs(merged.values[i] - whole.values[i]));
  const float alone = std::abs(part.values[0] - whole.values[0]);
  std::printf("merged: the largest difference is %g; one half alone: %g\n", largest, alone);
  return largest < 1e-5f && alone > 1e-3f ? 0 : 1;
}
