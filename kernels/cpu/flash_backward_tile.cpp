// SPDX-License-Identifier: Apache-2.0
// Computes the backward pass of a tile of query rows with the query rows in the lanes of vectors.
//
// Scores are held transposed, keys down and query rows across, as in the forward pass
// (flash_tile.cpp). A group of three vectors of rows goes through a block of keys as
//
//   S^T   = K Q^T          K and V read unit by unit where they lie, Q^T and dO^T packed once for
//   dP^T  = V dO^T         the tile
//   P     = 2^(c S - m) i  c = scale log2(e), c S rounded; m and i = 2^-r from LSE = (m + r) log 2
//   dS    = P (dP - D)     m, i and D are one number a lane
//   dV   += P^T dO         P^T and dS^T read unit by unit where they were computed, dO and Q by
//   dK   += dS^T Q         vectors, in panels packed once for the tile
//   dQ^T += K^T dS^T       as the forward pass's output
//
// These are 5 d multiply-adds of a vector of rows for each key. dK and dV of a block are summed
// over the groups of the tile in the first- and second-level cache and then added to the caller's
// rows, so that these are read and written once for some hundred query rows; dQ^T stays in the
// second-level cache for all blocks of the tile's keys, and is then transposed and added. The scale
// is applied to these sums. With d = 64 a vector's products are 320 multiply-adds, and the
// exponential, loads and stores in between some 15 cycles, so that 95 % is the most that can be
// reached.
//
// With pairs of bf16 the products read K, V, Q and dO unconverted. Pairs run over d in the first
// two products, over neighbouring query rows in the next two (rows of P and dS rounded as they lie,
// Q and dO with every two rows interleaved), and over neighbouring keys in the last (K interleaved,
// dS rounded a second time). Sums, statistics and exponentials stay float32. With tiles of bf16 K
// is transposed for the last product, and rows of zeros fill groups up.
//
// Idle lanes, of rows without keys and after the last row, are zeros in Q and dO and have LSE =
// inf. A weight of 0 times NaN or infinity would still be NaN, so that where K, V, Q or dO of the
// tile hold one, blocks with hidden pairs are computed pair by pair.
#include "kernels/cpu/flash_backward.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/instruction_set.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/cpu/backward_group-inl.h"
#include "kernels/cpu/backward_products-inl.h"
#include "kernels/cpu/backward_rows-inl.h"
#include "kernels/cpu/flash_rows-inl.h"
#include "kernels/cpu/flash_runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// Adds the pairs of a tile and a piece one by one, and only those that the schedule allows.
HWY_NOINLINE void add_pairs(const BackwardTile& tile, const BackwardScratch& scratch,
                            const FlashTile::Piece& piece) {
  const BackwardArguments& a = *tile.arguments;
  const std::int64_t dim = a.q.extent.head_dim;
  const std::int64_t value_dim = a.v.extent.head_dim;
  const std::int64_t d = round_up(dim, kFlashColumns);
  const std::int64_t e = round_up(value_dim, kFlashColumns);
  const std::int64_t count = piece.end - piece.begin;
  const float factor = folded_scale(a.scale);
  const float sign = a.scale == 0.0 ? 0.0f : (a.scale < 0.0 ? -1.0f : 1.0f);
  const UnitRows keys =
      unit_rows<Float32Units>(a.k, tile.batch, tile.kv_head, piece.begin, count, scratch.keys);
  const UnitRows values =
      unit_rows<Float32Units>(a.v, tile.batch, tile.kv_head, piece.begin, count, scratch.values);
  float query[kMaxHeadDim];
  float d_out[kMaxHeadDim];
  for (std::int64_t row = 0; row < tile.rows(); ++row) {
    const std::int64_t token = tile.begin + row;
    const RowLse lse = load_lse(a.lse, tile.batch, tile.head, token);
    const float delta = *a.delta.row_as<float>(tile.batch, tile.head, token);
    if (lse.is_empty()) continue;
    convert(a.q.row(tile.batch, tile.head, token), a.q.dtype, query, DType::f32, dim);
    convert(a.d_out.row(tile.batch, tile.head, token), a.d_out.dtype, d_out, DType::f32, value_dim);
    const std::int64_t lane = row % group_rows();
    float* const d_query = scratch.d_queries_t + (row - lane) * d + lane;  // a column
    const auto add_pair = [&](std::int64_t key) {
      const float* const k = keys.data + key * keys.stride;
      const float* const v = values.data + key * values.stride;
      float score = 0.0f;
      float d_p = 0.0f;
      for (std::int64_t x = 0; x < dim; ++x) score += query[x] * k[x];
      for (std::int64_t x = 0; x < value_dim; ++x) d_p += d_out[x] * v[x];
      const float scaled = sign * score * factor;
      const float p = std::exp2(scaled - lse.maximum) * std::exp2(-lse.rest);
      const float d_score = p * (d_p - delta);
      for (std::int64_t x = 0; x < value_dim; ++x) scratch.d_values[key * e + x] += p * d_out[x];
      for (std::int64_t x = 0; x < dim; ++x) {
        scratch.d_keys[key * d + x] += d_score * query[x];
        d_query[x * group_rows()] += d_score * k[x];
      }
    };
    a.schedule->for_each_run(*piece.span, token, {piece.begin, piece.end},
                             [&](std::int64_t begin, std::int64_t end) {
                               for (std::int64_t key = begin; key < end; ++key)
                                 add_pair(key - piece.begin);
                             });
  }
}

template <class Units>
class TileGradients {
 public:
  TileGradients(const BackwardTile& tile, const BackwardScratch& scratch)
      : tile_(tile),
        a_(*tile.arguments),
        scratch_(scratch),
        dim_(a_.q.extent.head_dim),
        value_dim_(a_.v.extent.head_dim),
        d_(round_up(dim_, kFlashColumns)),
        e_(round_up(value_dim_, kFlashColumns)) {}

  // Packs the rows and says what is among them.
  HWY_INLINE void begin(bool& rows_finite, bool& idle_lanes) const {
    const std::uint32_t sign = Units::kElements == 2 ? 0x80008000u : 0x80000000u;
    const std::uint32_t flip = a_.scale < 0.0 ? sign : 0u;
    const std::int64_t scored = a_.scale == 0.0 ? 0 : group_rows();
    rows_finite = true;
    idle_lanes = false;
    for (std::int64_t row = 0; row < tile_.rows(); row += group_rows()) {
      bool idle[kFlashGroupRows] = {};
      for (std::int64_t i = 0; i < group_rows(); ++i) {
        idle[i] = !load_statistics(row + i);
        idle_lanes = idle_lanes || idle[i];
        // NaN is not hidden by a score of -inf.
        rows_finite = rows_finite && !std::isnan(scratch_.maximum[row + i]);
      }
      const std::int64_t token = tile_.begin + row;
      const bool queries_finite = pack_rows<Units>(
          {a_.q, tile_.batch, tile_.head, token, idle}, scored, flip, scratch_.staged,
          scratch_.queries_t + row * d_, scratch_.queries + row * d_);
      const bool d_outs_finite = pack_rows<Units>(
          {a_.d_out, tile_.batch, tile_.head, token, idle}, group_rows(), 0u, scratch_.staged,
          scratch_.d_outs_t + row * e_, scratch_.d_outs + row * e_);
      rows_finite = rows_finite && queries_finite && d_outs_finite;
      std::fill_n(scratch_.d_queries_t + row * d_, group_rows() * d_, 0.0f);
    }
  }

  HWY_INLINE void add_block(const FlashTile::Piece& piece) const {
    const std::int64_t count = piece.end - piece.begin;
    std::fill_n(scratch_.d_keys, count * d_, 0.0f);
    std::fill_n(scratch_.d_values, count * e_, 0.0f);
    const bool hides = piece.masked || tile_.idle_lanes;
    if (hides && !(tile_.keys_finite && tile_.rows_finite))
      add_pairs(tile_, scratch_, piece);
    else
      add_groups(piece);
    const auto scale = static_cast<float>(a_.scale);
    for (std::int64_t key = 0; key < count; ++key) {
      const std::int64_t at = piece.begin + key;
      add_scaled(scratch_.d_keys + key * d_, scale, dim_,
                 a_.d_k.row_as<float>(tile_.batch, tile_.kv_head, at));
      add_scaled(scratch_.d_values + key * e_, 1.0f, value_dim_,
                 a_.d_v.row_as<float>(tile_.batch, tile_.kv_head, at));
    }
  }

  [[nodiscard]] HWY_INLINE bool keys_finite(const Range& keys) const {
    bool finite = true;
    for (std::int64_t begin = keys.begin; begin < keys.end && finite; begin += kBackwardKeyBlock) {
      const std::int64_t count = std::min(keys.end - begin, kBackwardKeyBlock);
      const UnitRows k =
          unit_rows<Units>(a_.k, tile_.batch, tile_.kv_head, begin, count, scratch_.keys);
      const UnitRows v =
          unit_rows<Units>(a_.v, tile_.batch, tile_.kv_head, begin, count, scratch_.values);
      finite = all_finite<Units>(k.data, count * k.stride) &&
               all_finite<Units>(v.data, count * v.stride);
    }
    return finite;
  }

 private:
  // Returns whether lane `row` of the tile is a row that has keys.
  [[nodiscard]] HWY_INLINE bool load_statistics(std::int64_t row) const {
    const std::int64_t token = tile_.begin + row;
    const RowLse lse =
        row < tile_.rows() ? load_lse(a_.lse, tile_.batch, tile_.head, token) : RowLse{};
    const bool live = !lse.is_empty();
    scratch_.maximum[row] = live ? lse.maximum : -kMinusInfinity;
    scratch_.inverse[row] = std::exp2(-lse.rest);
    scratch_.delta[row] = live ? *a_.delta.row_as<float>(tile_.batch, tile_.head, token) : 0.0f;
    return live;
  }

  HWY_INLINE void add_groups(const FlashTile::Piece& piece) const {
    const std::int64_t count = piece.end - piece.begin;
    constexpr std::int64_t kTogether = Units::kTiles ? kFlashKeyStep : 1;
    const UnitRows keys = unit_rows<Units>(a_.k, tile_.batch, tile_.kv_head, piece.begin, count,
                                           scratch_.keys, kTogether);
    const UnitRows values = unit_rows<Units>(a_.v, tile_.batch, tile_.kv_head, piece.begin, count,
                                             scratch_.values, kTogether);
    UnitRows key_columns = keys;
    if constexpr (Units::kTiles) {
      pair_rows(a_.k, tile_.batch, tile_.kv_head, piece.begin, count, d_, scratch_.staged);
      transpose_in([&](std::int64_t i) { return scratch_.staged + i * d_; }, ceil_div(count, 2), d_,
                   kBackwardTilePitch, 0u, scratch_.key_pairs);
      key_columns = {scratch_.key_pairs, kBackwardTilePitch};
    } else if constexpr (Units::kElements == 2) {
      pair_rows(a_.k, tile_.batch, tile_.kv_head, piece.begin, count, d_, scratch_.key_pairs);
      key_columns = {scratch_.key_pairs, d_};
    }
    for (std::int64_t row = 0; row < tile_.rows(); row += group_rows()) {
      const BackwardGroup group = group_of(row);
      const std::int64_t last = tile_.rows() - 1;
      for_each_live_run(
          *a_.schedule, piece, group_rows(),
          [&](std::int64_t lane) { return tile_.begin + std::min(row + lane, last); },
          [&](std::int64_t begin, std::int64_t end, const Run::Mask* mask) {
            const std::int64_t at = begin - piece.begin;  // a multiple of kFlashKeyStep
            add_run<Units>(group,
                           {{keys.data + at * keys.stride, keys.stride},
                            {values.data + at * values.stride, values.stride},
                            {key_columns.data +
                                 at / Units::kElements * (Units::kTiles ? 1 : key_columns.stride),
                             key_columns.stride},
                            end - begin,
                            mask,
                            scratch_.d_keys + at * d_,
                            scratch_.d_values + at * e_},
                           scratch_);
          });
    }
  }

  [[nodiscard]] HWY_INLINE BackwardGroup group_of(std::int64_t row) const {
    return {scratch_.queries_t + row * d_,
            scratch_.d_outs_t + row * e_,
            scratch_.queries + row * d_,
            scratch_.d_outs + row * e_,
            scratch_.d_queries_t + row * d_,
            scratch_.maximum + row,
            scratch_.inverse + row,
            scratch_.delta + row,
            std::min(group_rows(), tile_.rows() - row),
            dim_,
            value_dim_,
            folded_scale(a_.scale)};
  }

  const BackwardTile& tile_;
  const BackwardArguments& a_;
  const BackwardScratch& scratch_;
  const std::int64_t dim_;
  const std::int64_t value_dim_;
  const std::int64_t d_;
  const std::int64_t e_;
};

// Returns function(gradients of the tile in the units that it multiplies in).
template <class Function>
HWY_INLINE auto with_units(const BackwardTile& tile, const BackwardScratch& scratch,
                           Function function) {
#if HWY_TARGET == HWY_AVX3
  if (tile.bf16_pairs && bf16_tiles()) {
    const TileRegisters registers;
    return function(TileGradients<Bf16Tiles>(tile, scratch));
  }
  if (tile.bf16_pairs) return function(TileGradients<Bf16Pairs>(tile, scratch));
#endif
  return function(TileGradients<Float32Units>(tile, scratch));
}

bool keys_finite(const BackwardTile& tile, const Range& keys, const BackwardScratch& scratch) {
  return with_units(tile, scratch,
                    [&](const auto& gradients) { return gradients.keys_finite(keys); });
}

void begin_tile(const BackwardTile& tile, const BackwardScratch& scratch, bool& rows_finite,
                bool& idle_lanes) {
  with_units(tile, scratch,
             [&](const auto& gradients) { gradients.begin(rows_finite, idle_lanes); });
}

void add_block(const BackwardTile& tile, const BackwardScratch& scratch,
               const FlashTile::Piece& piece) {
  with_units(tile, scratch, [&](const auto& gradients) { gradients.add_block(piece); });
}

void add_queries(const BackwardTile& tile, const BackwardScratch& scratch) {
  const BackwardArguments& a = *tile.arguments;
  const std::int64_t dim = a.q.extent.head_dim;
  const std::int64_t d = round_up(dim, kFlashColumns);
  alignas(64) float ones[kFlashGroupRows];
  std::fill_n(ones, kFlashGroupRows, 1.0f);
  for (std::int64_t row = 0; row < tile.rows(); row += group_rows()) {
    const std::int64_t count = std::min(group_rows(), tile.rows() - row);
    const auto staged = [&](std::int64_t i) { return scratch.staged + i * d; };
    transpose_out(scratch.d_queries_t + row * d, count, dim, group_rows(), ones, staged);
    for (std::int64_t i = 0; i < count; ++i)
      add_scaled(staged(i), static_cast<float>(a.scale), dim,
                 a.d_q.row_as<float>(tile.batch, tile.head, tile.begin + row + i));
  }
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(keys_finite);
HWY_EXPORT(begin_tile);
HWY_EXPORT(add_block);
HWY_EXPORT(add_queries);

bool backward_keys_finite(const BackwardTile& tile, const Range& keys,
                          const BackwardScratch& scratch) {
  return HWY_DYNAMIC_DISPATCH(keys_finite)(tile, keys, scratch);
}

void begin_backward_tile(BackwardTile& tile, const BackwardScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(begin_tile)(tile, scratch, tile.rows_finite, tile.idle_lanes);
}

void add_backward_block(const BackwardTile& tile, const BackwardScratch& scratch,
                        const FlashTile::Piece& piece) {
  HWY_DYNAMIC_DISPATCH(add_block)(tile, scratch, piece);
}

void add_query_gradients(const BackwardTile& tile, const BackwardScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(add_queries)(tile, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
