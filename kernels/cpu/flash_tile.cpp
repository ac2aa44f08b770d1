// SPDX-License-Identifier: Apache-2.0
// Computes a tile of flash attention with the query rows in the lanes of vectors.
//
// Scores are held transposed, keys down and query rows across: a group of up to three vectors of
// rows goes through a block of keys as
//
//   S^T = K Q^T              K read unit by unit where it lies, Q^T packed once for the tile
//   m'  = max(m, c max S)    down the columns: no vector is ever summed up or searched across
//   P   = 2^(c S - m')       f = 2^(m - m'),  c = scale log2(e), c S rounded once
//   l   = f l + sum P
//   O^T = f O^T + V^T P      V read unit by unit where it lies
//
// and at the end O / l, LSE = (m + log2 l) log 2, transposed back. So float32 keys and values are
// neither packed nor copied, and what a group streams from the second-level cache is its keys and
// values once, two bytes a cycle.
//
// With pairs of bf16 the products read K unconverted, and V with every two rows interleaved; S, the
// statistics and O stay float32, P is rounded to bf16. With tiles of bf16 (tile_registers-inl.h)
// they read V transposed.
#include "kernels/cpu/flash_tile.h"

#include <algorithm>

#include "kernels/cpu/instruction_set.h"

#include "kernels/cpu/every_set-inl.h"

#include <hwy/cache_control.h>

#include "kernels/cpu/flash_group-inl.h"
#include "kernels/cpu/flash_rows-inl.h"
#include "kernels/cpu/flash_runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// A tile whose rows are cut into groups of kVectorBlock vectors; the last group may have fewer.
template <class Units>
class Tile {
 public:
  Tile(const FlashTile& tile, const FlashScratch& scratch)
      : tile_(tile),
        scratch_(scratch),
        units_((tile.arguments->q.extent.head_dim + Units::kElements - 1) / Units::kElements),
        value_dim_(tile.arguments->v.extent.head_dim),
        factor_(folded_scale(tile.arguments->scale)) {}

  HWY_INLINE bool attend() {
    begin();
    for (const FlashTile::Block& block : tile_.blocks) {
      Run::Rows rows[kFlashKeyBlock];
      for (std::size_t p = 0; p < block.size(); ++p) rows[p] = piece_rows(block[p]);
      for_each_group([&](const auto& group, std::int64_t row, std::int64_t width) {
        attend_group(group, row, width, block, rows);
      });
    }
    if (tile_.masked && holds_nan()) return false;
    finish();
    return true;
  }

 private:
  // Calls function(group, its first row, its width) for all groups. Four vectors of rows are two
  // groups of two: the sums of one vector alone are too few to hide the latency of a multiply-add.
  template <class Function>
  HWY_INLINE void for_each_group(Function function) {
    std::int64_t row = 0;
    for (std::int64_t vectors = ceil_div(tile_.rows(), lanes()); vectors > 0;) {
      const std::int64_t taken = vectors == 4 ? 2 : std::min<std::int64_t>(kVectorBlock, vectors);
      const std::int64_t width = taken * lanes();
      if (taken == 1)
        function(group_of<1>(row), row, width);
      else if (taken == 2)
        function(group_of<2>(row), row, width);
      else
        function(group_of<kVectorBlock>(row), row, width);
      vectors -= taken;
      row += width;
    }
  }

  template <std::size_t V>
  HWY_INLINE Group<V> group_of(std::int64_t row) {
    return {scratch_.queries + row * round_up(units_, kFlashColumns),
            scratch_.accumulator + row * round_up(value_dim_, kFlashColumns),
            scratch_.largest + row,
            scratch_.sum + row,
            units_,
            value_dim_,
            factor_};
  }

  HWY_INLINE void begin() {
    const AttentionArguments& a = *tile_.arguments;
    const std::int64_t units = round_up(units_, kFlashColumns);
    const std::uint32_t flip = Units::kElements == 2 ? 0x80008000u : 0x80000000u;
    for_each_group([&](const auto& group, std::int64_t row, std::int64_t width) {
      const std::int64_t count = a.scale == 0.0 ? 0 : std::min(width, tile_.rows() - row);
      transpose_in(
          [&](std::int64_t i) {
            return unit_rows<Units>(a.q, tile_.batch, tile_.head(row + i), tile_.token(row + i), 1,
                                    scratch_.keys + i * units)
                .data;
          },
          count, units, width, a.scale < 0.0 ? flip : 0u, group.queries);
      std::fill_n(group.accumulator, round_up(value_dim_, kFlashColumns) * width, 0.0f);
      std::fill_n(group.largest, width, kMinusInfinity);
      std::fill_n(group.sum, width, 0.0f);
      if (tile_.resumes) resume(group, row, width);
    });
  }

  // Treats O and LSE of other keys as one block before these.
  template <std::size_t V>
  HWY_INLINE void resume(const Group<V>& group, std::int64_t row, std::int64_t width) {
    const std::int64_t count = std::min(width, tile_.rows() - row);
    const std::int64_t stride = round_up(value_dim_, kFlashColumns);
    transpose_in(
        [&](std::int64_t i) {
          return unit_rows<Float32Units>(tile_.out, tile_.batch, tile_.head(row + i),
                                         tile_.token(row + i), 1, scratch_.values + i * stride)
              .data;
        },
        count, stride, width, 0u, group.accumulator);
    for (std::int64_t i = 0; i < count; ++i) {
      const RowState state = state_of(tile_, row + i);
      group.largest[i] = state.largest;
      group.sum[i] = state.sum;
    }
    const Floats d;
    for (std::int64_t i = 0; i < width; i += lanes())
      for (std::int64_t x = 0; x < value_dim_; ++x) {
        float* const to = group.accumulator + x * width + i;
        hn::Store(hn::Mul(hn::Load(d, to), hn::Load(d, group.sum + i)), d, to);
      }
  }

  // Returns whether an output became NaN, which a masked value may have caused.
  [[nodiscard]] HWY_INLINE bool holds_nan() {
    const Floats d;
    const auto zero = hn::Zero(d);
    Vector any = zero;
    for_each_group([&](const auto& group, std::int64_t, std::int64_t width) {
      // 0 x is 0 except for NaN and infinity, which are rare, so that a closer check is cheap.
      for (std::int64_t x = 0; x < value_dim_ * width; x += lanes())
        any = hn::MulAdd(hn::Load(d, group.accumulator + x), zero, any);
    });
    return !hn::AllTrue(d, hn::Eq(any, zero));
  }

  HWY_INLINE Run::Rows piece_rows(const FlashTile::Piece& piece) {
    const AttentionArguments& a = *tile_.arguments;
    const std::int64_t count = piece.end - piece.begin;
    const std::int64_t stride = round_up(value_dim_, kFlashColumns);
    const UnitRows keys =
        unit_rows<Units>(a.k, tile_.batch, tile_.kv_head(), piece.begin, count,
                         scratch_.keys + piece.at * round_up(a.k.extent.head_dim, kFlashColumns),
                         Units::kTiles ? kFlashKeyStep : 1);
    float* const values = scratch_.values + piece.at / Units::kElements * stride;
    if constexpr (Units::kTiles) {
      float* const pairs = scratch_.values + kFlashTilePitch * stride;
      float* const columns = scratch_.values + piece.at / 2;
      pair_rows(a.v, tile_.batch, tile_.kv_head(), piece.begin, count, stride, pairs);
      transpose_in([&](std::int64_t i) { return pairs + i * stride; }, ceil_div(count, 2), stride,
                   (round_up(count, Units::kKeys) + kFlashKeyStep) / 2, 0u, columns,
                   kFlashTilePitch);
      return {keys, {columns, kFlashTilePitch}};
    } else if constexpr (Units::kElements == 2) {
      pair_rows(a.v, tile_.batch, tile_.kv_head(), piece.begin, count, stride, values);
      return {keys, {values, stride}};
    } else {
      return {keys,
              unit_rows<Units>(a.v, tile_.batch, tile_.kv_head(), piece.begin, count, values)};
    }
  }

  template <std::size_t V>
  HWY_INLINE void attend_group(const Group<V>& group, std::int64_t row, std::int64_t width,
                               const FlashTile::Block& block, const Run::Rows* rows) {
    alignas(64) float largest[kFlashGroupRows];
    std::fill_n(largest, width, kMinusInfinity);
    std::int64_t n_runs = 0;
    std::int64_t keys = 0;
    for (std::size_t p = 0; p < block.size(); ++p) {
      const FlashTile::Piece& piece = block[p];
      const auto score = [&](std::int64_t begin, std::int64_t end, const Run::Mask* mask) {
        Run::Rows from = rows[p];
        from.keys.data += (begin - piece.begin) * from.keys.stride;
        from.values.data +=
            (begin - piece.begin) / Units::kElements * (Units::kTiles ? 1 : from.values.stride);
        runs_[n_runs] = {from, end - begin, keys, {}};
        score_run<Units, V>(group, runs_[n_runs], mask, scratch_.scores + keys * width, largest);
        keys += end - begin;
        // Last keys without partners are paired with some that no row sees.
        for (; keys % Units::kKeys != 0; ++keys)
          std::fill_n(scratch_.scores + keys * width, width, kMinusInfinity);
        ++n_runs;
      };
      for_each_live_run(
          *tile_.arguments->schedule, piece, width,
          [&](std::int64_t lane) { return token_of(row + lane); }, score);
    }
    if (n_runs == 0) return;
    attend_scored<Units, V>(group, std::span(runs_, static_cast<std::size_t>(n_runs)), keys,
                            largest, scratch_.scores);
  }

  // Returns the query row of a group's lane; lanes after the last row repeat it.
  [[nodiscard]] HWY_INLINE std::int64_t token_of(std::int64_t row) const {
    return tile_.token(std::min(row, tile_.rows() - 1));
  }

  HWY_INLINE void finish() {
    const Floats d;
    for_each_group([&](const auto& group, std::int64_t row, std::int64_t width) {
      const std::int64_t count = std::min(width, tile_.rows() - row);
      alignas(64) float inverse[kFlashGroupRows];
      for (std::int64_t i = 0; i < width; i += lanes()) {
        const Vector sum = hn::Load(d, group.sum + i);
        const auto none = hn::Eq(sum, hn::Zero(d));
        hn::Store(hn::IfThenZeroElse(none, hn::Div(hn::Set(d, 1.0f), sum)), d, inverse + i);
      }
      for (std::int64_t i = 0; i < count; ++i)
        store_lse(tile_.lse, tile_.batch, tile_.head(row + i), tile_.token(row + i),
                  lse_of_sum(group.largest[i], group.sum[i]));
      transpose_out(group.accumulator, count, value_dim_, width, inverse, [&](std::int64_t i) {
        return tile_.out.row_as<float>(tile_.batch, tile_.head(row + i), tile_.token(row + i));
      });
    });
  }

  const FlashTile& tile_;
  const FlashScratch& scratch_;
  const std::int64_t units_;
  const std::int64_t value_dim_;
  const float factor_;
  Run runs_[kFlashKeyBlock];  // runs of the current group and block
};

bool attend(const FlashTile& tile, const FlashScratch& scratch) {
#if HWY_TARGET == HWY_AVX3
  if (tile.bf16_pairs && bf16_tiles()) {
    const TileRegisters registers;
    return Tile<Bf16Tiles>(tile, scratch).attend();
  }
  if (tile.bf16_pairs) return Tile<Bf16Pairs>(tile, scratch).attend();
#endif
  return Tile<Float32Units>(tile, scratch).attend();
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(attend);

bool attend_tile(const FlashTile& tile, const FlashScratch& scratch) {
  return HWY_DYNAMIC_DISPATCH(attend)(tile, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
