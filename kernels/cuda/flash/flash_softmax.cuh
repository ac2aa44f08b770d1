// SPDX-License-Identifier: Apache-2.0
// This is the softmax between the two products, the same on both paths: what a lane does with its
// share of 16 query rows (two rows: its own and that plus 8) and kTiles * 8 keys.
//
// Running maxima are of raw scores; the scale and log2(e) are one factor c in the multiply-add
// before the exponential: p = 2^(c s - shift) with shift = c max, rounded once. Older sums shrink
// by 2^(old shift - new shift), which is exactly 1 while the maximum stays.
//
// A lane keeps nothing of the mask: it reads the step's geometry when needed; full steps have none.
#pragma once

#include <cmath>

#include "kernels/cuda/flash/flash_layout.h"
#include "kernels/cuda/flash/flash_parameters.h"
#include "kernels/cuda/flash/ptx.cuh"

namespace qb::cuda {

QB_HOST_DEVICE constexpr int smaller(int a, int b) { return a < b ? a : b; }
QB_HOST_DEVICE constexpr int larger(int a, int b) { return a > b ? a : b; }

inline constexpr float kLn2 = 0.6931471805599453F;

// Sets scores that the step does not allow to -inf. first_row, first_key: the warp's first ones in
// the tile. Columns count from the lane's own first one, so that they are compared with constants.
template <bool kPacks, int kTiles>
QB_DEVICE void mask_scores(float (&s)[4 * kTiles], const FlashParameters& p, const MaskedStep& step,
                           int n_rows, int words_per_row, int first_row, int first_key, int lane) {
  static_assert(kTiles < 8 || kTiles % 2 == 0);
  const int column = first_key + accumulator_place(lane, 0).column;
  QB_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = first_row + accumulator_place(lane, 2 * half).row;
    const int token = !kPacks || p.pack == 1 ? row : row / p.pack;
    const int first = larger(token + step.lo, 0) - column;
    const int last = smaller(token + step.hi, step.n_keys - 1) - column;
    QB_UNROLL
    for (int t = 0; t < kTiles; ++t) {
      QB_UNROLL
      for (int i = 0; i < 2; ++i)
        if (8 * t + i < first || 8 * t + i > last) s[4 * t + 2 * half + i] = -INFINITY;
    }
    if (step.bits < 0) continue;
    const std::uint64_t* words =
        p.bits + step.bits + static_cast<std::int64_t>(smaller(token, n_rows - 1)) * words_per_row;
    QB_UNROLL
    for (int from = 0; from < kTiles; from += 8) {
      const std::uint64_t word = words[(first_key + 8 * from) / 64] >> (column % 64);
      QB_UNROLL
      for (int t = from; t < kTiles && t < from + 8; ++t) {
        QB_UNROLL
        for (int i = 0; i < 2; ++i)
          if ((word >> (8 * (t - from) + i) & 1) == 0) s[4 * t + 2 * half + i] = -INFINITY;
      }
    }
  }
}

// A lane keeps this of its two rows. Until the end, `sum` covers only its own columns.
struct RowStatistics {
  float maximum[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0.0F, 0.0F};
};

QB_DEVICE float maximum_of_row(float value) {
  value = fmaxf(value, ptx::shuffle_xor(value, 1));
  return fmaxf(value, ptx::shuffle_xor(value, 2));
}
QB_DEVICE float sum_of_row(float value) {
  value += ptx::shuffle_xor(value, 1);
  return value + ptx::shuffle_xor(value, 2);
}

// A row that has not seen a key has shift 0: 2^(-inf - 0) is 0, whereas -inf - -inf would be NaN.
QB_DEVICE float shift_of(float maximum, float scale_log2) {
  return maximum == -INFINITY ? 0.0F : ptx::multiply(maximum, scale_log2);
}

// Turns scores into unnormalised probabilities in place; `rescale` is for earlier steps' sums.
template <int kTiles>
QB_DEVICE void online_softmax(float (&s)[4 * kTiles], RowStatistics& rows, float (&rescale)[2],
                              float scale_log2) {
  QB_UNROLL
  for (int half = 0; half < 2; ++half) {
    float largest = fmaxf(s[2 * half], s[2 * half + 1]);
    QB_UNROLL
    for (int t = 1; t < kTiles; ++t)
      largest = fmaxf(largest, fmaxf(s[4 * t + 2 * half], s[4 * t + 2 * half + 1]));
    const float before = rows.maximum[half];
    rows.maximum[half] = fmaxf(before, maximum_of_row(largest));
    const float shift = shift_of(rows.maximum[half], scale_log2);
    rescale[half] =
        before == -INFINITY ? 0.0F : ptx::exp2(ptx::multiply(before, scale_log2) - shift);
    float sum = 0.0F;
    QB_UNROLL
    for (int t = 0; t < kTiles; ++t) {
      QB_UNROLL
      for (int i = 0; i < 2; ++i) {
        float& x = s[4 * t + 2 * half + i];
        x = ptx::exp2(fmaf(x, scale_log2, -shift));
        sum += x;
      }
    }
    rows.sum[half] = rows.sum[half] * rescale[half] + sum;
  }
}

// Packs probabilities as the A operands of the second product: four registers for each 16 keys.
template <bool kBf16, int kTiles>
QB_DEVICE void pack_probabilities(std::uint32_t (&p)[2 * kTiles], const float (&s)[4 * kTiles]) {
  QB_UNROLL
  for (int i = 0; i < 2 * kTiles; ++i) p[i] = ptx::pack<kBf16>(s[2 * i], s[2 * i + 1]);
}

template <int kCount>
QB_DEVICE void scale_rows(float (&o)[kCount], const float (&factor)[2]) {
  QB_UNROLL
  for (int i = 0; i < kCount; ++i) o[i] *= factor[i / 2 % 2];
}

// Returns the natural logarithm of the sum of exponentials. A row without keys has a sum of exactly
// 0 and is the identity of a merge: O = 0, LSE = -inf. A sum of NaN (from a score that is NaN or
// +inf) stays NaN in both.
QB_DEVICE float log_sum_exp(float sum, float shift) {
  return sum == 0.0F ? -INFINITY : (shift + ptx::log2(sum)) * kLn2;
}
// Returns the factor for O at the end.
QB_DEVICE float inverse_of(float sum) { return sum == 0.0F ? 0.0F : 1.0F / sum; }

// Says where row `row` of a tile's output goes.
struct OutputRow {
  float* out = nullptr;
  float* lse = nullptr;
};
QB_DEVICE OutputRow output_row(const FlashParameters& p, const TileWork& work, const WorkItem& item,
                               int row) {
  const TensorAddress& out = p.out[work.to_partial];
  const TensorAddress& lse = p.lse[work.to_partial];
  const int token = p.pack == 1 ? row : row / p.pack;
  const int head = p.pack == 1 ? item.q_head : item.q_head + row % p.pack;
  const std::int64_t at = work.out_row + static_cast<std::int64_t>(token) * work.out_stride;
  return {static_cast<float*>(out.data) + item.batch * out.batch_stride + head * out.head_stride +
              at * out.token_stride,
          static_cast<float*>(lse.data) + item.batch * lse.batch_stride + head * lse.head_stride +
              at * lse.token_stride};
}

// Stores two neighbouring outputs of a row, one at a time where they are not aligned to 8 bytes.
QB_DEVICE void store_pair(float* row, int column, int n_columns, float first, float second) {
  float* const at = row + column;
  if (column + 1 < n_columns && reinterpret_cast<std::uintptr_t>(at) % 8 == 0) {
#ifdef __CUDACC__
    *reinterpret_cast<float2*>(at) = make_float2(first, second);
#else
    at[0] = first;
    at[1] = second;
#endif
  } else {
    if (column < n_columns) at[0] = first;
    if (column + 1 < n_columns) at[1] = second;
  }
}

// Normalises and writes a lane's two rows: kCount / 4 tiles of 8 columns.
// The caller has reduced the statistics to whole rows.
template <int kCount>
QB_DEVICE void store_rows(const FlashParameters& p, const TileWork& work, const WorkItem& item,
                          const float (&o)[kCount], const RowStatistics& rows, int first_row,
                          int lane) {
  QB_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = first_row + accumulator_place(lane, 2 * half).row;
    if (row >= work.n_rows * p.pack) continue;
    const OutputRow target = output_row(p, work, item, row);
    const float inverse = inverse_of(rows.sum[half]);
    const int column = accumulator_place(lane, 0).column;
    QB_UNROLL
    for (int t = 0; t < kCount / 4; ++t)
      store_pair(target.out, column + 8 * t, p.value_dim, o[4 * t + 2 * half] * inverse,
                 o[4 * t + 2 * half + 1] * inverse);
    if (lane % 4 == 0)
      *target.lse = log_sum_exp(rows.sum[half], shift_of(rows.maximum[half], p.scale_log2));
  }
}

}  // namespace qb::cuda
