// SPDX-License-Identifier: Apache-2.0
// Computes the backward pass of flash attention for sm_80 and later: cp.async loads the tiles,
// mma.sync multiplies them. FlashAttention-2 (arXiv 2307.08691), algorithm 2, with keys and queries
// as in backward_parameters.h.
//
// A block of four warps owns 64 rows of keys, whose tiles stay in shared memory and whose sums
// stay in registers, 16 rows a warp. It goes through blocks of 64 rows of the other side:
//
//   S  = own score . other score^T     16 x 64 a warp, in registers
//   P  = 2^(c S - LSE)                 packed to 16 bits: already the A operand of the next product
//   dP = own value . other value^T
//   dS = P (dP - D)                    packed too
//   dV += P  . other value
//   dK += dS . other score
//   dQ += dS^T . own score
//
// The contraction of the last product runs over the rows of all warps, so dS goes through shared
// memory, and each warp computes 16 rows of it and adds them to device memory atomically.
//
// At d = 64 the other side's tiles have two stages: the next ones are loaded during the whole step.
// At d = 128 one stage leaves room for two blocks on a multiprocessor, each of which computes while
// the other waits; the next tiles are loaded during the product for dQ. At d = 256 sums of 16 rows
// do not fit into a warp's registers: two warps share the rows, each with half of the columns of
// every sum, and both compute S and dP (seven products' time in place of five).
#pragma once

#include "kernels/cuda/flash/backward/backward_step.cuh"
#include "kernels/cuda/flash/backward/backward_weights.cuh"
#include "kernels/cuda/flash/row_copy.cuh"

namespace qb::cuda {

template <bool kBf16Inputs, int kDim>
struct BackwardSm80 {
  static constexpr bool kBf16 = kBf16Inputs;
  static constexpr int kD = kDim;   // padded head_dim: 64, 128, 256
  static constexpr int kRows = 64;  // of the own block and of the other one
  static constexpr int kColumnParts = kD == 256 ? 2 : 1;
  static constexpr int kColumns = kD / kColumnParts;  // of a warp's sums
  static constexpr int kThreads = 128 * kColumnParts;
  static constexpr int kStages = kD == 64 ? 2 : 1;
  static constexpr int kBlocksPerSm = kD == 256 ? 1 : 2;
  static constexpr int kTileBytes = kRows * kD * 2;
  static constexpr int kGradients = (2 + 2 * kStages) * kTileBytes;
  static constexpr int kNumbers = kGradients + kRows * kRows * 2;
  static constexpr int kNumbersBytes = kRows * static_cast<int>(sizeof(RowNumbers));
  static constexpr int kSharedBytes = kNumbers + kStages * kNumbersBytes;
};

template <class C>
class Sm80Backward {
 public:
  QB_DEVICE Sm80Backward(const BackwardParameters& p, std::uint32_t shared)
      : p_(p), shared_(shared) {}

  QB_DEVICE void run() {
    StepCursor next(p_, false);
    if (!next.found()) return;
    load_own();
    load_other(next, 0);
    ptx::copy_commit();
    int stage = 0;
    QB_NO_UNROLL
    for (; next.found();) {
      const int step = next.step();
      const int begin = next.begin();
      const int head = next.head();
      next.advance();
      ptx::copy_wait<0>();
      ptx::sync_threads();
      if constexpr (C::kStages == 2) load_next(next, stage ^ 1);
      std::uint32_t gradients[16];
      add_own(gradients, step, stage);
      if (column_part() == 0) store_packed(shared_gradients(), 16 * row_part(), gradients, lane());
      ptx::sync_threads();
      if constexpr (C::kStages == 1) load_next(next, 0);
      add_queries(begin, head);
      if constexpr (C::kStages == 2) stage ^= 1;
    }
    finish();
  }

 private:
  // The thread's number is read again each time, so that it takes no registers in the loop.
  QB_DEVICE static int thread() { return ptx::opaque(ptx::thread_index()); }
  QB_DEVICE static int lane() { return thread() % 32; }
  QB_DEVICE static int row_part() { return thread() / 32 % 4; }  // 16 rows each
  QB_DEVICE static int column_part() { return C::kColumnParts == 1 ? 0 : thread() / 128; }

  QB_DEVICE const WorkItem& item() const { return p_.items[ptx::opaque(ptx::block_index())]; }
  QB_DEVICE int own_begin() const { return p_.blocks[item().tile].begin; }

  QB_DEVICE std::uint32_t tile(int number) const {
    return shared_ + static_cast<std::uint32_t>(number * C::kTileBytes);
  }
  QB_DEVICE std::uint32_t own_score() const { return tile(0); }
  QB_DEVICE std::uint32_t own_value() const { return tile(1); }
  QB_DEVICE std::uint32_t other_score(int stage) const { return tile(2 + 2 * stage); }
  QB_DEVICE std::uint32_t other_value(int stage) const { return tile(3 + 2 * stage); }
  QB_DEVICE std::uint32_t shared_gradients() const {
    return shared_ + static_cast<std::uint32_t>(C::kGradients);
  }
  QB_DEVICE std::uint32_t numbers(int stage) const {
    return shared_ + static_cast<std::uint32_t>(C::kNumbers + stage * C::kNumbersBytes);
  }

  // ---- Loads ------------------------------------------------------------------------------------

  QB_DEVICE static void load_tile(std::uint32_t tile, const TensorAddress& from, int batch,
                                  int head, int begin, int length, int n_columns) {
    using Copy = RowCopy<C::kRows, C::kD, C::kThreads>;
    const int thread = Sm80Backward::thread();
    const int column = Copy::column(thread);
    const std::int64_t token = begin + Copy::first(thread);
    const std::int64_t first =
        batch * from.batch_stride + head * from.head_stride + token * from.token_stride + column;
    Copy::copy(tile, static_cast<const char*>(from.data) + 2 * first, 2 * from.token_stride,
               column < n_columns ? smaller(C::kRows, length - begin) : 0, thread);
  }

  QB_DEVICE void load_own() const {
    const WorkItem& own = item();
    const int begin = own_begin();
    load_tile(own_score(), p_.own_score, own.batch, own.q_head, begin, p_.own_length,
              p_.score_columns);
    load_tile(own_value(), p_.own_value, own.batch, own.q_head, begin, p_.own_length,
              p_.value_columns);
  }

  QB_DEVICE void load_other(const StepCursor& at, int stage) const {
    const int batch = item().batch;
    load_tile(other_score(stage), p_.other_score, batch, at.head(), at.begin(), p_.other_length,
              p_.score_columns);
    load_tile(other_value(stage), p_.other_value, batch, at.head(), at.begin(), p_.other_length,
              p_.value_columns);
    const int thread = Sm80Backward::thread();
    if (thread * kChunkBytes < C::kNumbersBytes)
      ptx::copy_async(numbers(stage) + static_cast<std::uint32_t>(thread * kChunkBytes),
                      p_.numbers_of(batch, at.head()) + at.begin() + 2 * thread, true);
  }

  // After the last step an empty group is requested.
  QB_DEVICE void load_next(const StepCursor& next, int stage) const {
    if (next.found()) load_other(next, stage);
    ptx::copy_commit();
  }

  // ---- Products ---------------------------------------------------------------------------------

  // Computes S or dP: this warp's 16 own rows by the 64 other rows.
  QB_DEVICE static void multiply(float (&s)[32], std::uint32_t own, std::uint32_t other) {
    QB_UNROLL
    for (float& x : s) x = 0.0F;
    const Place a = query_fragment(lane());
    const Place b = key_fragment(lane());
    const std::uint32_t a_at =
        ptx::opaque(own + tile_address(C::kRows, 16 * row_part() + a.row, a.column));
    const std::uint32_t b_at = ptx::opaque(other + tile_address(C::kRows, b.row, b.column));
    QB_NO_UNROLL
    for (int panel = 0; panel < C::kD / kPanelColumns; ++panel) {
      const auto to_panel = static_cast<std::uint32_t>(panel * (C::kRows * kPanelRowBytes));
      QB_UNROLL
      for (int depth = 0; depth < kPanelColumns; depth += 16) {
        std::uint32_t left[4];
        ptx::load_matrices(left, along_row(a_at + to_panel, C::kRows, depth));
        QB_UNROLL
        for (int row = 0; row < C::kRows; row += 16) {
          std::uint32_t right[4];
          ptx::load_matrices(right, along_row(b_at + to_panel, C::kRows, depth) +
                                        static_cast<std::uint32_t>(row * kPanelRowBytes));
          ptx::multiply_add<C::kBf16>(&s[row / 2], left, right[0], right[1]);
          ptx::multiply_add<C::kBf16>(&s[row / 2 + 4], left, right[2], right[3]);
        }
      }
    }
  }

  // Returns where a lane reads B of a product over the rows of a tile, of this warp's columns.
  QB_DEVICE static std::uint32_t transposed(std::uint32_t tile) {
    const Place b = value_fragment(lane());
    const int first_column = column_part() * C::kColumns;
    return ptx::opaque(tile + tile_address(C::kRows, b.row, first_column + b.column));
  }

  // sum += A . (16 rows of a tile from `row` on), `at` is transposed(tile).
  QB_DEVICE static void add_rows_of_tile(float (&sum)[C::kColumns / 2], const std::uint32_t (&a)[4],
                                         std::uint32_t at, int row) {
    QB_UNROLL
    for (int column = 0; column < C::kColumns; column += 16) {
      std::uint32_t b[4];
      ptx::load_matrices_transposed(
          b, along_row(at, C::kRows, column) + static_cast<std::uint32_t>(row * kPanelRowBytes));
      ptx::multiply_add<C::kBf16>(&sum[column / 2], a, b[0], b[1]);
      ptx::multiply_add<C::kBf16>(&sum[column / 2 + 4], a, b[2], b[3]);
    }
  }

  QB_DEVICE static void add_product(float (&sum)[C::kColumns / 2],
                                    const std::uint32_t (&packed)[16], std::uint32_t tile) {
    const std::uint32_t at = transposed(tile);
    QB_UNROLL
    for (int row = 0; row < C::kRows; row += 16) {
      const std::uint32_t a[4] = {packed[row / 4], packed[row / 4 + 1], packed[row / 4 + 2],
                                  packed[row / 4 + 3]};
      add_rows_of_tile(sum, a, at, row);
    }
  }

  // Adds a step to the own sums. `gradients` becomes the packed dS.
  QB_DEVICE void add_own(std::uint32_t (&gradients)[16], int step, int stage) {
    const int first_own = 16 * row_part();
    float s[32];
    multiply(s, own_score(), other_score(stage));
    to_weights(s, numbers(stage), p_.scale_log2, lane());
    if (step >= 0) clear_hidden(s, p_, p_.masked[step], first_own, 0, lane());
    std::uint32_t weights[16];
    pack_probabilities<C::kBf16, 8>(weights, s);
    add_product(sum_value_, weights, other_value(stage));
    float d_p[32];
    multiply(d_p, own_value(), other_value(stage));
    to_score_gradients(s, d_p, numbers(stage), lane());
    if (step >= 0) clear_hidden(s, p_, p_.masked[step], first_own, 0, lane());
    pack_probabilities<C::kBf16, 8>(gradients, s);
    add_product(sum_score_, gradients, other_score(stage));
  }

  // Adds dS^T . own score to 16 rows of dQ, which are columns of dS.
  QB_DEVICE void add_queries(int begin, int head) const {
    float d_q[C::kColumns / 2];
    QB_UNROLL
    for (float& x : d_q) x = 0.0F;
    // A is stored transposed: its rows are the depth, as in the B operand of S.
    const Place a = key_fragment(lane());
    const std::uint32_t a_at =
        ptx::opaque(shared_gradients() + tile_address(C::kRows, a.row, 16 * row_part() + a.column));
    const std::uint32_t b_at = transposed(own_score());
    QB_UNROLL
    for (int row = 0; row < C::kRows; row += 16) {
      std::uint32_t left[4];
      ptx::load_matrices_transposed(left, a_at + static_cast<std::uint32_t>(row * kPanelRowBytes));
      add_rows_of_tile(d_q, left, b_at, row);
    }
    add_share<true>(p_.sum_other.row<float>(item().batch, head, 0), p_.sum_other.token_stride,
                    begin + 16 * row_part(), p_.other_length, column_part() * C::kColumns,
                    p_.head_dim, p_.scale, d_q, lane());
  }

  QB_DEVICE void finish() const {
    const WorkItem& own = item();
    const int first_row = own_begin() + 16 * row_part();
    const int first_column = column_part() * C::kColumns;
    add_share<false>(p_.sum_score.row<float>(own.batch, own.q_head, 0), p_.sum_score.token_stride,
                     first_row, p_.own_length, first_column, p_.head_dim, p_.scale, sum_score_,
                     lane());
    add_share<false>(p_.sum_value.row<float>(own.batch, own.q_head, 0), p_.sum_value.token_stride,
                     first_row, p_.own_length, first_column, p_.value_dim, 1.0F, sum_value_,
                     lane());
  }

  const BackwardParameters& p_;
  std::uint32_t shared_;
  float sum_score_[C::kColumns / 2] = {};
  float sum_value_[C::kColumns / 2] = {};
};

}  // namespace qb::cuda
