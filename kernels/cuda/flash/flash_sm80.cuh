// SPDX-License-Identifier: Apache-2.0
// Computes flash attention for sm_80 and later: cp.async loads the tiles, mma.sync multiplies them.
// A block of four warps owns a tile of query rows of one head and walks its live key blocks.
//
//   Q   shared memory, once            S = Q K^T   each warp its rows (32 or 16), all keys
//   K V a ring of slots, K0 V0 K1 V1 … P = 2^(c S - shift), in registers, packed to 16 bits
//                                      O += P V
//
// One item of the ring is consumed at a time: wait until it is there, one barrier (which also says
// that all warps are done with the item before), and the freed slot gets the item kSlots - 1 ahead.
// V is taken before the softmax and not after it, so that the next K is loaded meanwhile.
//
// `thin` tiles of 16 rows are for decoding: the four warps share the keys instead of the rows, and
// merge their results through shared memory at the end. So all warps work even where there is one
// query (or the few query heads of one key-value head), and memory is the limit.
#pragma once

#include "kernels/cuda/flash/flash_softmax.cuh"
#include "kernels/cuda/flash/row_copy.cuh"

namespace qb::cuda {

template <bool kBf16Inputs, int kDim, bool kThinTiles>
struct Sm80 {
  static constexpr bool kBf16 = kBf16Inputs;
  static constexpr int kD = kDim;  // padded head_dim: 64, 128, 256
  static constexpr bool kThin = kThinTiles;
  static constexpr int kWarps = 4;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kRowTiles = kThin || kD == 256 ? 1 : 2;  // tiles of 16 rows in each warp
  static constexpr int kRows = kThin ? 16 : 16 * kRowTiles * kWarps;
  static constexpr int kKeys = 64;
  static constexpr int kWarpKeys = kThin ? kKeys / kWarps : kKeys;
  static constexpr int kSlots = kThin ? (kD == 256 ? 4 : 6) : 2;
  static constexpr int kKeyTiles = kWarpKeys / 8;
  static constexpr int kQueryBytes = kRows * kD * 2;
  static constexpr int kSlotBytes = kKeys * kD * 2;
  static constexpr int kSharedBytes = kQueryBytes + kSlots * kSlotBytes;
  static constexpr int kBlocksPerSm = kD == 256 ? 1 : 2;
  static constexpr int kWordsPerRow = kKeys / 64;
};

template <class C>
class Sm80Block {
 public:
  QB_DEVICE Sm80Block(const FlashParameters& p, std::uint32_t shared)
      : p_(p), queries_(shared), slots_(shared + C::kQueryBytes) {}

  QB_DEVICE void run() {
    const WorkItem item = p_.items[ptx::block_index()];
    const TileWork work = p_.tiles[item.tile];
    batch_ = item.batch;
    kv_head_ = item.kv_head;
    cursor_ = {work.first_masked, work.first_run, work.n_masked, work.n_full};
    load_queries(item, work);
    QB_UNROLL
    for (int pair = 0; pair < kPairs; ++pair) {
      load_next<false, true>(pair);
      if (pair + 1 < kPairs) load_next<true, true>(pair);
    }
    if (first_row() < work.n_rows * p_.pack) {
      const int last_masked = work.first_masked + work.n_masked;
      const int n_full = work.n_full;
      QB_NO_UNROLL
      for (int i = work.first_masked; i < last_masked; ++i) attend<true>(i);
      QB_NO_UNROLL
      for (int i = 0; kPairs == 1 ? cursor_.n_keys > 0 : i < n_full; ++i) attend<false>(0);
    } else {
      look_on(work.n_masked + work.n_full);
    }
    finish();
  }

 private:
  static constexpr int kRowTiles = C::kRowTiles;
  static constexpr int kPairs = C::kSlots / 2;  // slots are counted in pairs of keys and values
  static_assert(C::kSlots % 2 == 0);

  // The copies join the group of the first key block. Packed rows are one head apart.
  QB_DEVICE void load_queries(const WorkItem& item, const TileWork& work) {
    const std::int64_t token_bytes = p_.q.token_stride * work.q_stride * 2;
    const char* const first = static_cast<const char*>(p_.q.data) +
                              (item.batch * p_.q.batch_stride + item.q_head * p_.q.head_stride +
                               work.q_token * p_.q.token_stride) *
                                  2;
    if (p_.pack == 1) {
      using Copy = RowCopy<C::kRows, C::kD, C::kThreads>;
      const int thread = Sm80Block::thread();
      Copy::copy(queries_, first + Copy::first(thread) * token_bytes + Copy::column(thread) * 2,
                 token_bytes, Copy::column(thread) < p_.head_dim ? work.n_rows : 0, thread);
      return;
    }
    QB_NO_UNROLL
    for (int i = thread(); i < C::kRows * (C::kD / kChunkColumns); i += C::kThreads) {
      const int row = i / (C::kD / kChunkColumns);
      const int column = i % (C::kD / kChunkColumns) * kChunkColumns;
      const bool valid = row < work.n_rows * p_.pack && column < p_.head_dim;
      ptx::copy_async(queries_ + tile_address(C::kRows, row, column),
                      first + (row / p_.pack) * token_bytes +
                          (row % p_.pack) * p_.q.head_stride * 2 + column * 2,
                      valid);
    }
  }

  // Requests the next item of the ring; after the last one an empty group, so that groups and items
  // keep in step. After a full block there are only full ones, all of whose rows exist.
  template <bool kValues, bool kMayBeMasked>
  QB_DEVICE void load_next(int pair) {
    if constexpr (!kValues && kMayBeMasked) cursor_.template next<C::kKeys>(p_);
    if constexpr (!kValues && !kMayBeMasked) cursor_.template next_full<C::kKeys>(p_);
    if (cursor_.n_keys > 0) {
      using Copy = RowCopy<C::kKeys, C::kD, C::kThreads>;
      const TensorAddress& from = kValues ? p_.v : p_.k;
      const int thread = Sm80Block::thread();
      const std::int64_t token = cursor_.token + Copy::first(thread) * cursor_.stride;
      const std::int64_t first = batch_ * from.batch_stride + kv_head_ * from.head_stride +
                                 token * from.token_stride + Copy::column(thread);
      const bool inside = Copy::column(thread) < (kValues ? p_.value_dim : p_.head_dim);
      Copy::copy(slot<kValues>(pair), static_cast<const char*>(from.data) + 2 * first,
                 2 * cursor_.stride * from.token_stride,
                 kMayBeMasked ? (inside ? cursor_.n_keys : 0) : (inside ? kAllRows : 0), thread);
    }
    ptx::copy_commit();
  }

  template <bool kValues>
  QB_DEVICE std::uint32_t slot(int pair) const {
    return slots_ + static_cast<std::uint32_t>((2 * pair + (kValues ? 1 : 0)) * C::kSlotBytes);
  }

  // Waits for the next item of the ring, frees the one before and requests another into its slot:
  // values of kPairs - 1 blocks ahead before keys, keys of kPairs blocks ahead before values.
  template <bool kValues, bool kMasked>
  QB_DEVICE std::uint32_t take() {
    ptx::copy_wait<C::kSlots - 2>();
    ptx::sync_threads();
    load_next<!kValues, kMasked>(kValues ? pair_ : (pair_ == 0 ? kPairs : pair_) - 1);
    return slot<kValues>(pair_);
  }

  // Returns how many keys of a step, from this warp's first one on, some row of the warp may see;
  // the number is 0 or negative where no row sees one.
  QB_DEVICE int live_keys(const MaskedStep& step) const {
    int end = step.n_keys;
    if (!C::kThin && p_.pack == 1) end = smaller(end, first_row() + 16 * kRowTiles + step.hi);
    return end - first_key();
  }

  // Called by a warp whose rows are all past the end of a group: it copies with the others.
  QB_DEVICE void look_on(int n_steps) {
    QB_NO_UNROLL
    for (int i = 0; i < n_steps; ++i) {
      take<false, true>();
      take<true, true>();
      next_pair();
    }
  }
  QB_DEVICE void next_pair() {
    if (kPairs > 1) pair_ = pair_ + 1 == kPairs ? 0 : pair_ + 1;
  }

  template <bool kMasked>
  QB_DEVICE void attend(int masked_step) {
    float s[kRowTiles][4 * C::kKeyTiles];
    const int live = kMasked ? live_keys(p_.masked[masked_step]) : C::kWarpKeys;
    const std::uint32_t keys = take<false, kMasked>();
    score<kMasked>(s, keys, live);
    const std::uint32_t values = take<true, kMasked>();
    next_pair();
    if constexpr (kMasked) {
      const int n_rows = p_.tiles[p_.items[ptx::opaque(ptx::block_index())].tile].n_rows;
      QB_UNROLL
      for (int r = 0; r < kRowTiles; ++r)
        mask_scores<true, C::kKeyTiles>(s[r], p_, p_.masked[masked_step], n_rows, C::kWordsPerRow,
                                        first_row() + 16 * r, first_key(), lane());
    }
    std::uint32_t probabilities[kRowTiles][2 * C::kKeyTiles];
    QB_UNROLL
    for (int r = 0; r < kRowTiles; ++r) {
      float rescale[2];
      online_softmax<C::kKeyTiles>(s[r], rows_[r], rescale, p_.scale_log2);
      scale_rows(out_[r], rescale);
      pack_probabilities<C::kBf16, C::kKeyTiles>(probabilities[r], s[r]);
    }
    add_values<kMasked>(probabilities, values, live);
  }

  // The number is read again each time: with two registers more the compiler spills at d = 128.
  QB_DEVICE static int thread() { return ptx::opaque(ptx::thread_index()); }
  QB_DEVICE static int warp() { return thread() / 32; }
  QB_DEVICE static int lane() { return thread() % 32; }

  QB_DEVICE int first_row() const { return C::kThin ? 0 : warp() * 16 * kRowTiles; }
  QB_DEVICE int first_key() const { return C::kThin ? warp() * C::kWarpKeys : 0; }

  template <bool kMasked>
  QB_DEVICE void score(float (&s)[kRowTiles][4 * C::kKeyTiles], std::uint32_t keys, int live) {
    QB_UNROLL
    for (int r = 0; r < kRowTiles; ++r) {
      QB_UNROLL
      for (float& x : s[r]) x = 0.0F;
    }
    const Place q = query_fragment(lane());
    const Place k = key_fragment(lane());
    const std::uint32_t q_at =
        ptx::opaque(queries_ + tile_address(C::kRows, first_row() + q.row, q.column));
    const std::uint32_t k_at =
        ptx::opaque(keys + tile_address(C::kKeys, first_key() + k.row, k.column));
    QB_NO_UNROLL
    for (int panel = 0; panel < C::kD / kPanelColumns; ++panel) {
      const std::uint32_t q_p = q_at + panel * (C::kRows * kPanelRowBytes);
      const std::uint32_t k_p = k_at + panel * (C::kKeys * kPanelRowBytes);
      QB_UNROLL
      for (int depth = 0; depth < kPanelColumns; depth += 16) {
        std::uint32_t a[kRowTiles][4];
        QB_UNROLL
        for (int r = 0; r < kRowTiles; ++r)
          ptx::load_matrices(a[r], along_row(q_p, C::kRows, depth) + 16U * r * kPanelRowBytes);
        QB_UNROLL
        for (int key = 0; key < C::kWarpKeys; key += 16) {
          if (kMasked && key >= live) break;
          std::uint32_t b[4];
          ptx::load_matrices(b, along_row(k_p, C::kKeys, depth) +
                                    static_cast<std::uint32_t>(key * kPanelRowBytes));
          QB_UNROLL
          for (int r = 0; r < kRowTiles; ++r) {
            ptx::multiply_add<C::kBf16>(&s[r][key / 2], a[r], b[0], b[1]);
            ptx::multiply_add<C::kBf16>(&s[r][key / 2 + 4], a[r], b[2], b[3]);
          }
        }
      }
    }
  }

  template <bool kMasked>
  QB_DEVICE void add_values(const std::uint32_t (&probabilities)[kRowTiles][2 * C::kKeyTiles],
                            std::uint32_t values, int live) {
    const Place v = value_fragment(lane());
    const std::uint32_t v_at =
        ptx::opaque(values + tile_address(C::kKeys, first_key() + v.row, v.column));
    QB_UNROLL
    for (int key = 0; key < C::kWarpKeys; key += 16) {
      if (kMasked && key >= live) break;
      QB_UNROLL
      for (int column = 0; column < C::kD; column += 16) {
        std::uint32_t b[4];
        ptx::load_matrices_transposed(b, along_row(v_at, C::kKeys, column) +
                                             static_cast<std::uint32_t>(key * kPanelRowBytes));
        QB_UNROLL
        for (int r = 0; r < kRowTiles; ++r) {
          const std::uint32_t(&p)[2 * C::kKeyTiles] = probabilities[r];
          const std::uint32_t a[4] = {p[key / 4], p[key / 4 + 1], p[key / 4 + 2], p[key / 4 + 3]};
          ptx::multiply_add<C::kBf16>(&out_[r][column / 2], a, b[0], b[1]);
          ptx::multiply_add<C::kBf16>(&out_[r][column / 2 + 4], a, b[2], b[3]);
        }
      }
    }
  }

  // Values that only the end needs are read at the end.
  QB_DEVICE void finish() {
    const WorkItem item = p_.items[ptx::opaque(ptx::block_index())];
    const TileWork& work = p_.tiles[item.tile];
    QB_UNROLL
    for (int r = 0; r < kRowTiles; ++r) {
      QB_UNROLL
      for (float& sum : rows_[r].sum) sum = sum_of_row(sum);
    }
    if constexpr (C::kThin) {
      finish_thin(item, work);
    } else {
      QB_UNROLL
      for (int r = 0; r < kRowTiles; ++r)
        store_rows(p_, work, item, out_[r], rows_[r], first_row() + 16 * r, lane());
    }
  }

  // After a thin tile, O of each warp takes the place of the ring; the sums and shifts follow it.
  static constexpr int kThinStatistics = C::kWarps * 16 * C::kD * 4;
  static_assert(!C::kThin || kThinStatistics + C::kWarps * 16 * 8 <= C::kSlots * C::kSlotBytes);
  QB_DEVICE std::uint32_t thin_statistics(int warp, int row) const {
    return slots_ + kThinStatistics + (warp * 16 + row) * 8;
  }

  QB_DEVICE void finish_thin(const WorkItem& item, const TileWork& work) {
    const int lane = Sm80Block::lane();
    const int warp = Sm80Block::warp();
    ptx::copy_wait<0>();
    ptx::sync_threads();
    QB_UNROLL
    for (int i = 0; i < C::kD / 2; ++i) {
      const Place at = accumulator_place(lane, i % 4);
      ptx::store_shared(slots_ + ((warp * 16 + at.row) * C::kD + i / 4 * 8 + at.column) * 4,
                        out_[0][i]);
    }
    QB_UNROLL
    for (int half = 0; half < 2; ++half) {
      if (lane % 4 != 0) continue;
      const std::uint32_t at = thin_statistics(warp, accumulator_place(lane, 2 * half).row);
      const float sum = rows_[0].sum[half];
      ptx::store_shared(at, sum);
      ptx::store_shared(at + 4,
                        sum == 0.0F ? -INFINITY : shift_of(rows_[0].maximum[half], p_.scale_log2));
    }
    ptx::sync_threads();
    for (int i = thread(); i < smaller(16, work.n_rows * p_.pack) * C::kD; i += C::kThreads)
      store_thin(item, work, i / C::kD, i % C::kD);
  }

  QB_DEVICE void store_thin(const WorkItem& item, const TileWork& work, int row, int column) {
    float shift = -INFINITY;
    QB_UNROLL
    for (int w = 0; w < C::kWarps; ++w)
      shift = fmaxf(shift, ptx::load_shared(thin_statistics(w, row) + 4));
    float sum = 0.0F;
    float out = 0.0F;
    QB_UNROLL
    for (int w = 0; w < C::kWarps; ++w) {
      const float of_warp = ptx::load_shared(thin_statistics(w, row) + 4);
      if (of_warp == -INFINITY) continue;
      const float weight = ptx::exp2(of_warp - shift);
      sum += weight * ptx::load_shared(thin_statistics(w, row));
      out += weight * ptx::load_shared(slots_ + ((w * 16 + row) * C::kD + column) * 4);
    }
    const OutputRow target = output_row(p_, work, item, row);
    if (column < p_.value_dim) target.out[column] = out * inverse_of(sum);
    if (column == 0) *target.lse = log_sum_exp(sum, shift);
  }

  const FlashParameters& p_;
  std::uint32_t queries_;
  std::uint32_t slots_;
  int batch_ = 0;
  int kv_head_ = 0;
  KeyCursor cursor_;
  int pair_ = 0;  // pair of slots of the current block
  RowStatistics rows_[kRowTiles];
  float out_[kRowTiles][C::kD / 2] = {};
};

}  // namespace qb::cuda
