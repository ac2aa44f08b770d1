// SPDX-License-Identifier: Apache-2.0
// Computes the unsafe steps of the backward pass (backward_step.cuh) pair by pair, in float32, and
// only the pairs that are allowed: NaN and infinity of a row reach no pair that the row has not.
//
// It runs after the kernel of the other steps, over the same items, and ends at once where no input
// holds NaN or infinity. It is slow, and meant to be: a block takes 64 x 64 pairs at a time, puts P
// and dS into shared memory, and adds to the sums in device memory. A block owns its rows' sums, so
// that these are added up in one order; dQ is added to atomically.
#pragma once

#include "kernels/cuda/flash/backward/backward_step.cuh"
#include "kernels/cuda/flash/backward/backward_weights.cuh"

namespace qb::cuda {

inline constexpr int kPairsThreads = 128;
inline constexpr int kPairsSharedBytes = 2 * 64 * 64 * 4;

template <bool kBf16>
class PairsBlock {
 public:
  QB_DEVICE PairsBlock(const BackwardParameters& p, std::uint32_t shared)
      : p_(p), shared_(shared) {}

  QB_DEVICE void run() const {
    if (*p_.nonfinite == 0) return;
    for (StepCursor at(p_, true); at.found(); at.advance())
      for (int own = 0; own < p_.own_block; own += 64)
        for (int other = 0; other < p_.other_block; other += 64) {
          weigh(at, own, other);
          ptx::sync_threads();
          add(at, own, other);
          ptx::sync_threads();
        }
  }

 private:
  static constexpr float kNoPair = -1.0F;  // in place of P, which is never negative

  QB_DEVICE const WorkItem& item() const { return p_.items[ptx::block_index()]; }
  QB_DEVICE int own_begin() const { return p_.blocks[item().tile].begin; }

  // Returns where P (and, 16 KiB further on, dS) of a pair is.
  QB_DEVICE std::uint32_t place(int i, int j) const {
    return shared_ + static_cast<std::uint32_t>(4 * (i % 64 * 64 + j % 64));
  }
  QB_DEVICE static std::uint32_t gradient(std::uint32_t place) { return place + 64 * 64 * 4; }

  QB_DEVICE static float dot(const std::uint16_t* a, const std::uint16_t* b, int n) {
    float sum = 0.0F;
    for (int x = 0; x < n; ++x) sum += ptx::widen<kBf16>(a[x]) * ptx::widen<kBf16>(b[x]);
    return sum;
  }

  // Computes P and dS of the pairs of 64 own rows and 64 others.
  QB_DEVICE void weigh(const StepCursor& at, int own, int other) const {
    for (int pair = ptx::thread_index(); pair < 64 * 64; pair += kPairsThreads) {
      const int i = own + pair / 64;
      const int j = other + pair % 64;
      const std::uint32_t to = place(i, j);
      float p = kNoPair;
      float d_s = 0.0F;
      if (is_pair(p_, at.step(), i, j)) {
        const int batch = item().batch;
        const int own_head = item().q_head;
        const int own_row = own_begin() + i;
        const int other_row = at.begin() + j;
        const RowNumbers numbers = p_.numbers_of(batch, at.head())[other_row];
        if (numbers.lse_log2 != INFINITY) {
          const float s = dot(p_.own_score.row<const std::uint16_t>(batch, own_head, own_row),
                              p_.other_score.row<const std::uint16_t>(batch, at.head(), other_row),
                              p_.score_columns);
          const float d_p =
              dot(p_.own_value.row<const std::uint16_t>(batch, own_head, own_row),
                  p_.other_value.row<const std::uint16_t>(batch, at.head(), other_row),
                  p_.value_columns);
          p = ptx::exp2(fmaf(s, p_.scale_log2, -numbers.lse_log2));
          d_s = p * (d_p - numbers.delta);
        }
      }
      ptx::store_shared(to, p);
      ptx::store_shared(gradient(to), d_s);
    }
  }

  // A sum over the pairs of a row or column.
  struct Sum {
    float value = 0.0F;
    bool any = false;  // there is a pair
    QB_DEVICE void add(float weight, std::uint16_t element) {
      value += weight * ptx::widen<kBf16>(element);
      any = true;
    }
  };

  QB_DEVICE void add(const StepCursor& at, int own, int other) const {
    const int batch = item().batch;
    const int own_head = item().q_head;
    add_own_sums(own, p_.other_score.row<const std::uint16_t>(batch, at.head(), at.begin() + other),
                 p_.other_score.token_stride, true, p_.sum_score.row<float>(batch, own_head, 0),
                 p_.sum_score.token_stride, p_.head_dim, p_.scale);
    add_own_sums(own, p_.other_value.row<const std::uint16_t>(batch, at.head(), at.begin() + other),
                 p_.other_value.token_stride, false, p_.sum_value.row<float>(batch, own_head, 0),
                 p_.sum_value.token_stride, p_.value_dim, 1.0F);
    add_other_sums(own, other, p_.sum_other.row<float>(batch, at.head(), 0), at.begin());
  }

  // Own row i gets the sum over j of P or dS (i, j) times row j of `from`. A thread adds to the
  // same elements in every step.
  QB_DEVICE void add_own_sums(int own, const std::uint16_t* from, std::int64_t from_stride,
                              bool of_gradients, float* sums, std::int64_t sum_stride,
                              int n_columns, float factor) const {
    for (int at = ptx::thread_index(); at < 64 * n_columns; at += kPairsThreads) {
      const int i = at / n_columns;
      const int column = at % n_columns;
      Sum sum;
      for (int j = 0; j < 64; ++j) {
        const float p = ptx::load_shared(place(i, j));
        // Elements of a row that does not exist are not read.
        if (p == kNoPair) continue;
        const float weight = of_gradients ? ptx::load_shared(gradient(place(i, j))) : p;
        sum.add(weight, from[j * from_stride + column]);
      }
      if (sum.any) sums[(own_begin() + own + i) * sum_stride + column] += factor * sum.value;
    }
  }

  // Row j of the other side gets the sum over i of dS (i, j) times row i of the own scores.
  QB_DEVICE void add_other_sums(int own, int other, float* sums, int begin) const {
    const int first_own = own_begin() + own;
    for (int at = ptx::thread_index(); at < 64 * p_.head_dim; at += kPairsThreads) {
      const int j = at / p_.head_dim;
      const int column = at % p_.head_dim;
      Sum sum;
      for (int i = 0; i < 64; ++i) {
        const float p = ptx::load_shared(place(i, j));
        if (p == kNoPair) continue;
        sum.add(ptx::load_shared(gradient(place(i, j))),
                p_.own_score.row<const std::uint16_t>(item().batch, item().q_head,
                                                      first_own + i)[column]);
      }
      if (sum.any)
        ptx::add_atomically(sums + (begin + other + j) * p_.sum_other.token_stride + column,
                            p_.scale * sum.value);
    }
  }

  const BackwardParameters& p_;
  std::uint32_t shared_;
};

}  // namespace qb::cuda
