// SPDX-License-Identifier: Apache-2.0
// The host passes these structs, and lists in device memory, to the kernels of the backward pass.
//
// A grid block owns some rows of keys, and alone adds to their gradients. It goes through blocks of
// rows of queries, the other side: one such pair of blocks is a step.
//
//   S, dP              own sums                     other sums
//   K Q^T, V dO^T      dK += dS^T Q, dV += P^T dO   dQ += dS K, atomically
//
// So rows are keys and columns are queries. A tensor that makes scores (Q, K) is called `score`,
// one that they weigh (V, dO) is called `value`.
#pragma once

#include <cstdint>

#include "kernels/cuda/flash/flash_parameters.h"
#include "kernels/cuda/flash/tensor_map.h"
#include "kernels/cuda/runtime/host_device.h"

namespace qb::cuda {

// Blocks of rows begin at multiples of their size, which divides this.
inline constexpr int kBackwardPadding = 128;
// One flag tells of this many rows of a head.
inline constexpr int kFlagRows = 64;
inline constexpr std::int32_t kNonFiniteRows = 1;  // a row holds NaN or infinity
inline constexpr std::int32_t kIdleRows = 2;       // a query row has LSE = -inf

// The steps of a block of rows from `begin` on; the lists are in BackwardParameters.
struct BackwardBlock {
  std::int32_t begin = 0;
  std::int32_t first_masked = 0;
  std::int32_t n_masked = 0;
  std::int32_t first_run = 0;
  std::int32_t n_full = 0;  // steps in the runs
};

// The other side's rows are those from `begin` on. Own row i and other row j, both counted from the
// begin of their blocks, are a pair iff own_begin <= i < own_end, other_begin <= j < other_end,
// i + lo <= j <= i + hi and, where there are bits, bit j of row i's words is set.
struct BackwardStep {
  std::int32_t begin = 0;
  std::int32_t own_begin = 0;
  std::int32_t own_end = 0;
  std::int32_t other_begin = 0;
  std::int32_t other_end = 0;
  std::int32_t lo = 0;
  std::int32_t hi = 0;
  std::int32_t bits = -1;  // first word in `bits`, other_block / 64 words a row; -1: none
};

// Steps of which every pair is allowed, one block of rows after another.
struct BackwardRun {
  std::int32_t begin = 0;
  std::int32_t n_blocks = 0;
};

// What a query row brings from the forward pass. A row that adds nothing has LSE = +inf here, so
// that its P is 0, and D = 0.
struct alignas(8) RowNumbers {
  float lse_log2 = 0.0F;  // LSE * log2(e)
  float delta = 0.0F;     // D
};

struct BackwardParameters {
  TensorAddress own_score;
  TensorAddress own_value;
  TensorAddress other_score;
  TensorAddress other_value;
  TensorAddress sum_score;              // dK
  TensorAddress sum_value;              // dV
  TensorAddress sum_other;              // dQ
  const RowNumbers* numbers = nullptr;  // [batch, query heads, padded queries]
  // One flag for each kFlagRows rows of each head, and one for all inputs together.
  const std::int32_t* own_flags = nullptr;
  const std::int32_t* other_flags = nullptr;
  const std::int32_t* nonfinite = nullptr;
  const WorkItem* items = nullptr;  // `tile` is a block, `q_head` a head of the own side
  const BackwardBlock* blocks = nullptr;
  const BackwardStep* masked = nullptr;
  const BackwardRun* runs = nullptr;
  const std::uint64_t* bits = nullptr;
  std::int32_t n_items = 0;
  std::int32_t own_block = 64;  // rows
  std::int32_t other_block = 64;
  std::int32_t own_length = 0;  // rows that exist
  std::int32_t other_length = 0;
  std::int32_t own_chunks = 0;  // flags of a head
  std::int32_t other_chunks = 0;
  std::int32_t own_heads = 0;
  std::int32_t other_heads = 0;
  std::int32_t group = 1;           // query heads of a key-value head
  std::int32_t padded_queries = 0;  // numbers of a head
  std::int32_t score_columns = 0;   // of the inputs: multiples of 8
  std::int32_t value_columns = 0;
  std::int32_t head_dim = 0;  // of the sums
  std::int32_t value_dim = 0;
  std::int32_t adds_boxes = 0;  // sum_other is aligned, so that the copy engine can add to it
  float scale = 1.0F;
  float scale_log2 = 1.0F;  // scale * log2(e)

  // Returns the numbers of a query head.
  QB_DEVICE const RowNumbers* numbers_of(int batch, int head) const {
    return numbers + (static_cast<std::int64_t>(batch) * other_heads + head) * padded_queries;
  }
};

// On sm_90a, boxes of the own tensors have the own block's rows, those of the others the other
// block's, and those of the sums a warp's: kSumRows rows of kSumColumns float32.
struct BackwardMaps {
  TensorMap own_score;
  TensorMap own_value;
  TensorMap other_score;
  TensorMap other_value;
  TensorMap sum_other;  // where BackwardParameters::adds_boxes says so
};
inline constexpr int kSumRows = 16;
inline constexpr int kSumColumns = 32;

// The kernel that makes RowNumbers and flags of one side gets these. A block takes kFlagRows rows.
struct RowsParameters {
  TensorAddress score;
  TensorAddress value;
  TensorAddress lse;              // of queries only
  TensorAddress delta;            // of queries only
  RowNumbers* numbers = nullptr;  // of queries only
  std::int32_t* flags = nullptr;
  std::int32_t* nonfinite = nullptr;  // becomes 1 where a row holds NaN or infinity
  std::int32_t length = 0;
  std::int32_t chunks = 0;  // flags of a head
  std::int32_t heads = 0;
  std::int32_t score_columns = 0;
  std::int32_t value_columns = 0;
  std::uint32_t exponent = 0;  // bits of a 16-bit number that are all set in NaN and infinity
  std::int32_t n_blocks = 0;
};

}  // namespace qb::cuda
