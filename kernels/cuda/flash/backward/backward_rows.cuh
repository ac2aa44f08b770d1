// SPDX-License-Identifier: Apache-2.0
// Prepares the rows of one side for the backward pass: the numbers that each query row brings from
// the forward pass, in one place and in units of log 2, and flags of rows that the tensor cores
// must not meet everywhere (backward_step.cuh). It reads Q, K, V and dO once.
#pragma once

#include <cmath>

#include "kernels/cuda/flash/backward/backward_parameters.h"
#include "kernels/cuda/flash/flash_layout.h"
#include "kernels/cuda/flash/ptx.cuh"

namespace qb::cuda {

inline constexpr int kRowsThreads = 128;
inline constexpr int kRowsSharedBytes = 8;

// Handles kFlagRows rows of a head.
class RowsBlock {
 public:
  QB_DEVICE RowsBlock(const RowsParameters& p, std::uint32_t shared)
      : p_(p),
        shared_(shared),
        slot_(ptx::block_index() / p.chunks),
        first_(ptx::block_index() % p.chunks * kFlagRows) {}

  QB_DEVICE void run() const {
    const int thread = ptx::thread_index();
    if (thread < 2) ptx::store_shared(shared_ + static_cast<std::uint32_t>(4 * thread), 0);
    ptx::sync_threads();
    // Threads that find something store the same number.
    if (p_.numbers != nullptr && thread < kFlagRows && store_numbers(first_ + thread))
      ptx::store_shared(shared_ + 4, kIdleRows);
    if (hold_nonfinite(p_.score, p_.score_columns) || hold_nonfinite(p_.value, p_.value_columns))
      ptx::store_shared(shared_, kNonFiniteRows);
    ptx::sync_threads();
    if (thread != 0) return;
    const std::int32_t nonfinite = ptx::load_shared_int(shared_);
    p_.flags[ptx::block_index()] = nonfinite | ptx::load_shared_int(shared_ + 4);
    if (nonfinite != 0) *p_.nonfinite = 1;
  }

 private:
  struct alignas(16) Chunk {
    std::uint32_t pairs[4];  // of 16-bit numbers
  };

  // Returns whether a query row exists and adds nothing.
  QB_DEVICE bool store_numbers(int row) const {
    RowNumbers numbers{INFINITY, 0.0F};
    bool idle = false;
    if (row < p_.length) {
      const float lse = *row_of<float>(p_.lse, row);
      idle = lse == -INFINITY;
      if (!idle) {
        constexpr double kLogsOfTwo = 1.4426950408889634;  // log2(e)
        numbers.lse_log2 = static_cast<float>(static_cast<double>(lse) * kLogsOfTwo);
        numbers.delta = *row_of<float>(p_.delta, row);
      }
    }
    p_.numbers[static_cast<std::int64_t>(slot_) * p_.chunks * kFlagRows + row] = numbers;
    return idle;
  }
  template <class Element>
  QB_DEVICE const Element* row_of(const TensorAddress& rows, int row) const {
    return rows.row<Element>(slot_ / p_.heads, slot_ % p_.heads, row);
  }

  // Returns whether this thread's share of the rows holds NaN or infinity.
  QB_DEVICE bool hold_nonfinite(const TensorAddress& rows, int n_columns) const {
    const int chunks = n_columns / kChunkColumns;
    bool found = false;
    for (int i = ptx::thread_index(); i < kFlagRows * chunks; i += kRowsThreads) {
      const int row = first_ + i / chunks;
      if (row >= p_.length) break;
      const Chunk chunk = *reinterpret_cast<const Chunk*>(row_of<std::uint16_t>(rows, row) +
                                                          i % chunks * kChunkColumns);
      QB_UNROLL
      for (const std::uint32_t pair : chunk.pairs)
        found = found || (pair & p_.exponent) == p_.exponent ||
                (pair >> 16 & p_.exponent) == p_.exponent;
    }
    return found;
  }

  const RowsParameters& p_;
  std::uint32_t shared_;
  int slot_;
  int first_;  // row
};

}  // namespace qb::cuda
