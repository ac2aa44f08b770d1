// SPDX-License-Identifier: Apache-2.0
// Walks the steps of a block of the backward pass, and says which pairs of a step are allowed.
#pragma once

#include "kernels/cuda/flash/backward/backward_parameters.h"
#include "kernels/cuda/flash/flash_softmax.cuh"

namespace qb::cuda {

// Returns the flags of a block of rows, together.
QB_DEVICE std::int32_t flags_of(const std::int32_t* flags, std::int64_t head_slot, int n_chunks,
                                int begin, int n_rows) {
  const std::int32_t* const first = flags + head_slot * n_chunks + begin / kFlagRows;
  std::int32_t all = 0;
  for (int i = 0; i < n_rows / kFlagRows; ++i) all |= first[i];
  return all;
}

// Goes through the steps of this grid block's item: those with one head of the other side after
// those with another, masked steps first. It keeps a few numbers, and reads the rest again at each
// step.
//
// The tensor cores multiply whole blocks, in which pairs that are not allowed have the weight 0.
// That must not meet NaN or infinity, since 0 * NaN is NaN. Steps in which it would are unsafe:
// blocks with such a row and a mask, or a row with LSE = -inf. Those are computed pair by pair
// (backward_pairs.cuh). A cursor visits the unsafe steps or the others.
class StepCursor {
 public:
  QB_DEVICE StepCursor(const BackwardParameters& p, bool unsafe)
      : p_(p), unsafe_(unsafe), head_(first_head()) {
    advance();
  }

  QB_DEVICE bool found() const { return step_ != kNoStep; }
  QB_DEVICE int head() const { return head_; }    // of the other side
  QB_DEVICE int begin() const { return begin_; }  // first row of the other side
  // Returns the step's number in the list of masked steps; below 0 if every pair is allowed.
  QB_DEVICE int step() const { return step_; }

  QB_DEVICE void advance() {
    do {
      next();
    } while (found() && is_unsafe() != unsafe_);
  }

 private:
  static constexpr int kFullStep = -1;
  static constexpr int kNoStep = -2;

  // These are read again each time, so that they take no registers in the loop.
  QB_DEVICE const WorkItem& item() const { return p_.items[ptx::opaque(ptx::block_index())]; }
  QB_DEVICE const BackwardBlock& block() const { return p_.blocks[item().tile]; }
  QB_DEVICE int first_head() const { return item().kv_head * p_.group; }
  QB_DEVICE int end_of_heads() const { return first_head() + p_.group; }

  QB_DEVICE void next() {
    const int n_masked = block().n_masked;
    if (++at_ == n_masked + block().n_full) {
      at_ = 0;
      if (++head_ == end_of_heads()) {
        step_ = kNoStep;
        return;
      }
    }
    if (at_ < n_masked) {
      step_ = block().first_masked + at_;
      begin_ = p_.masked[step_].begin;
      return;
    }
    step_ = kFullStep;
    begin_ += p_.other_block;
    if (at_ == n_masked) run_ = block().first_run;
    if (run_left_ == 0) {
      const BackwardRun& run = p_.runs[run_++];
      begin_ = run.begin;
      run_left_ = run.n_blocks;
    }
    --run_left_;
  }

  QB_DEVICE bool is_unsafe() const {
    if (*p_.nonfinite == 0) return false;
    const std::int64_t batch = item().batch;
    const std::int32_t flags = flags_of(p_.own_flags, batch * p_.own_heads + item().q_head,
                                        p_.own_chunks, block().begin, p_.own_block) |
                               flags_of(p_.other_flags, batch * p_.other_heads + head_,
                                        p_.other_chunks, begin_, p_.other_block);
    return (flags & kNonFiniteRows) != 0 && (step_ >= 0 || (flags & kIdleRows) != 0);
  }

  const BackwardParameters& p_;
  bool unsafe_;
  int head_;
  int at_ = -1;  // number of the step with this head
  int step_ = kFullStep;
  int begin_ = 0;
  int run_ = 0;  // next position in the list
  int run_left_ = 0;
};

// Returns whether own row i and other row j of the blocks are a pair of the step.
QB_DEVICE bool is_pair(const BackwardParameters& p, int step_number, int i, int j) {
  if (step_number < 0) return true;
  const BackwardStep& step = p.masked[step_number];
  if (i < step.own_begin || i >= step.own_end) return false;
  if (j < step.other_begin || j >= step.other_end || j < i + step.lo || j > i + step.hi)
    return false;
  if (step.bits < 0) return true;
  const std::uint64_t word = p.bits[step.bits + i * (p.other_block / 64) + j / 64];
  return (word >> (j % 64) & 1) != 0;
}

// Sets what a lane holds of pairs that are not allowed to 0. It has its share of 16 own rows from
// first_own on and of 64 rows of the other side from first_other on, a multiple of 64; both count
// from the begin of their blocks. Columns count from the lane's own first one, so that they are
// compared with constants.
QB_DEVICE void clear_hidden(float (&x)[32], const BackwardParameters& p, const BackwardStep& step,
                            int first_own, int first_other, int lane) {
  const int column = accumulator_place(lane, 0).column;
  QB_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = first_own + accumulator_place(lane, 2 * half).row;
    const bool outside = row < step.own_begin || row >= step.own_end;
    const int first = larger(step.other_begin, row + step.lo) - first_other - column;
    const int last =
        outside ? -1 : smaller(step.other_end - 1, row + step.hi) - first_other - column;
    QB_UNROLL
    for (int t = 0; t < 8; ++t) {
      QB_UNROLL
      for (int i = 0; i < 2; ++i)
        if (8 * t + i < first || 8 * t + i > last) x[4 * t + 2 * half + i] = 0.0F;
    }
    if (step.bits < 0) continue;
    const std::uint64_t word =
        p.bits[step.bits + row * (p.other_block / 64) + first_other / 64] >> column;
    QB_UNROLL
    for (int t = 0; t < 8; ++t) {
      QB_UNROLL
      for (int i = 0; i < 2; ++i)
        if ((word >> (8 * t + i) & 1) == 0) x[4 * t + 2 * half + i] = 0.0F;
    }
  }
}

}  // namespace qb::cuda
