// SPDX-License-Identifier: Apache-2.0
// Computes the output from partials: O = sum_s O_s 2^(L_s - M) / sum_s 2^(L_s - M), M = max_s L_s,
// with L_s the LSE in base 2. (0, -inf) is the identity; without any other partial it is the
// result. A partial whose LSE is NaN makes the row NaN.
//
// The kernel is bound by memory: a group of threads owns a row, each thread four neighbouring
// columns, so that a source is read in 16-byte pieces. It reads the LSE of the sources twice, the
// second time from the cache, and their rows once. The threads of a block that share a head walk
// the rows of one tile.
#pragma once

#include "kernels/cuda/flash/flash_softmax.cuh"

namespace qb::cuda {

inline constexpr int kMergeThreads = 128;
inline constexpr float kLog2e = 1.4426950408889634F;

// Returns NaN where one of them is NaN: fmaxf would ignore it, and with it a partial that is NaN.
QB_DEVICE float larger_or_nan(float a, float b) { return a > b || a != a ? a : b; }

class MergeRow {
 public:
  QB_DEVICE MergeRow(const MergeParameters& p, const MergeParameters::Tile& tile, int row,
                     int batch, int head)
      : p_(p), tile_(tile), head_(head) {
    const std::int64_t token = tile.token + static_cast<std::int64_t>(row) * tile.stride;
    out_ = p.out.row<float>(batch, head, token);
    lse_ = p.lse.row<float>(batch, head, token);
    part_out_ = p.part_out.row<float>(batch, head, tile.source_row + row);
    part_lse_ = p.part_lse.row<float>(batch, head, tile.source_row + row);
  }

  // Every thread of the row computes the maximum and the sum; each merges its own columns.
  QB_DEVICE void merge(int first_column, int column_step) const {
    const float before = log_sum_before();
    const float shift = largest_log_sum(before);
    const bool empty = shift == -INFINITY;
    const float weight_before = empty ? 0.0F : ptx::exp2(before - shift);
    float sum = weight_before;
    if (!empty)
      for (int s = 0; s < tile_.n_sources; ++s) sum += ptx::exp2(log_sum(s) - shift);
    const float inverse = empty ? 0.0F : 1.0F / sum;
    for (int column = first_column; column < p_.value_dim; column += column_step)
      merge_quad(column, empty ? 0.0F : shift, weight_before, inverse);
  }
  // Call this after a barrier: every thread of the row has then read the old LSE.
  QB_DEVICE void store_lse() const {
    const float before = log_sum_before();
    const float shift = largest_log_sum(before);
    if (shift == -INFINITY) {
      *lse_ = -INFINITY;
      return;
    }
    float sum = ptx::exp2(before - shift);
    for (int s = 0; s < tile_.n_sources; ++s) sum += ptx::exp2(log_sum(s) - shift);
    *lse_ = log_sum_exp(sum, shift);
  }

 private:
  struct Quad {
    float x[4] = {0.0F, 0.0F, 0.0F, 0.0F};
  };

  QB_DEVICE static bool quad_aligned(const float* at) {
    return reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
  }

  QB_DEVICE static Quad load_quad(const float* at, int n) {
    Quad quad;
#ifdef __CUDACC__
    if (n >= 4 && quad_aligned(at)) {
      const float4 all = *reinterpret_cast<const float4*>(at);
      return {{all.x, all.y, all.z, all.w}};
    }
#endif
    QB_UNROLL
    for (int i = 0; i < 4; ++i)
      if (i < n) quad.x[i] = at[i];
    return quad;
  }

  QB_DEVICE static void store_quad(float* at, int n, const Quad& quad) {
#ifdef __CUDACC__
    if (n >= 4 && quad_aligned(at)) {
      *reinterpret_cast<float4*>(at) = make_float4(quad.x[0], quad.x[1], quad.x[2], quad.x[3]);
      return;
    }
#endif
    QB_UNROLL
    for (int i = 0; i < 4; ++i)
      if (i < n) at[i] = quad.x[i];
  }

  // Without a list there is one source for all heads.
  QB_DEVICE MergeParameters::Source source_of(int s) const {
    if (p_.sources == nullptr) return {0, 0, p_.heads};
    return p_.sources[tile_.first_source + s];
  }

  // Returns the LSE of what the output holds, in base 2.
  QB_DEVICE float log_sum_before() const { return p_.accumulate != 0 ? *lse_ * kLog2e : -INFINITY; }
  QB_DEVICE float largest_log_sum(float before) const {
    float largest = before;
    for (int s = 0; s < tile_.n_sources; ++s) largest = larger_or_nan(largest, log_sum(s));
    return largest;
  }

  // Returns the LSE of source s, in base 2; -inf where the source does not have this head.
  QB_DEVICE float log_sum(int s) const {
    const MergeParameters::Source source = source_of(s);
    if (head_ < source.head_begin || head_ >= source.head_end) return -INFINITY;
    return part_lse_[source.row * p_.part_lse.token_stride] * kLog2e;
  }

  QB_DEVICE void merge_quad(int column, float shift, float weight_before, float inverse) const {
    const int n = p_.value_dim - column;
    Quad total;
    if (weight_before != 0.0F) {
      total = load_quad(out_ + column, n);
      QB_UNROLL
      for (float& x : total.x) x *= weight_before;
    }
    for (int s = 0; s < tile_.n_sources; ++s) {
      const float weight = ptx::exp2(log_sum(s) - shift);
      if (weight == 0.0F) continue;
      const Quad part =
          load_quad(part_out_ + source_of(s).row * p_.part_out.token_stride + column, n);
      QB_UNROLL
      for (int i = 0; i < 4; ++i) total.x[i] += weight * part.x[i];
    }
    QB_UNROLL
    for (float& x : total.x) x *= inverse;
    store_quad(out_ + column, n, total);
  }

  const MergeParameters& p_;
  const MergeParameters::Tile& tile_;
  int head_;
  float* out_;
  float* lse_;
  const float* part_out_;
  const float* part_lse_;
};

// One block merges one tile of one head.
QB_DEVICE void merge_block(const MergeParameters& p, const MergeParameters::Tile& tile,
                           int head_slot) {
  const int batch = head_slot / p.heads;
  const int head = head_slot % p.heads;
  // A row has this many threads: a power of two that covers its quads, at most a warp.
  int row_threads = 1;
  while (row_threads < 32 && 4 * row_threads < p.value_dim) row_threads *= 2;
  const int thread = ptx::thread_index();
  const int rows_at_once = kMergeThreads / row_threads;
  for (int first = 0; first < tile.n_rows; first += rows_at_once) {
    const int row = first + thread / row_threads;
    const bool inside = row < tile.n_rows;
    const MergeRow of(p, tile, inside ? row : 0, batch, head);
    if (inside) of.merge(thread % row_threads * 4, row_threads * 4);
    ptx::sync_threads();
    if (inside && thread % row_threads == 0) of.store_lse();
    ptx::sync_threads();
  }
}

}  // namespace qb::cuda
