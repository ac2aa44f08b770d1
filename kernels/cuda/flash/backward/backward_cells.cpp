// SPDX-License-Identifier: Apache-2.0
// Cuts the pairs of a tile schedule into the cells of a fixed grid, and lists them by the blocks of
// keys that own them.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/integers.h"
#include "base/status.h"
#include "kernels/cuda/flash/backward/backward_work.h"
#include "kernels/cuda/flash/flash_groups.h"

namespace qb::cuda {
namespace {

constexpr std::int64_t kUnbounded = std::int64_t{1} << 50;

// The pairs of one cell. Row i of `rows` sees key j of `keys` iff i + low <= j <= i + high; where
// there are bits, these say it instead, a row of words for each query row of the cell.
struct Cell {
  bool used = false;
  Range rows;
  Range keys;
  std::int64_t low = -kUnbounded;
  std::int64_t high = kUnbounded;
  bool every = false;  // every pair of `rows` and `keys` is allowed
  std::vector<std::uint64_t> bits;
};

// Sets bits [begin, end), which are not empty.
void set_run(std::uint64_t* words, std::int64_t begin, std::int64_t end) {
  for (std::int64_t w = begin / 64; w * 64 < end; ++w) {
    const std::int64_t first = std::max(begin - w * 64, std::int64_t{0});
    const std::int64_t last = std::min(end - w * 64, std::int64_t{64});
    words[w] |= ~std::uint64_t{0} >> (64 - (last - first)) << first;
  }
}

// Holds the cells of one block of query rows.
class CellRow {
 public:
  CellRow(const TileSchedule& schedule, std::int64_t row_block, std::int64_t key_block)
      : schedule_(schedule),
        row_block_(row_block),
        key_block_(key_block),
        cells_(index(ceil_div(schedule.n_keys, key_block))) {}

  // Adds the pairs of a span and of some rows of the block that begins at first_row.
  void add(std::int64_t first_row, const Range& rows, const KeySpan& span) {
    const Range live = span.live(rows.begin, rows.end - 1);
    if (live.count() == 0) return;
    for (std::int64_t c = live.begin / key_block_; c * key_block_ < live.end; ++c) {
      Cell& cell = cells_[index(c)];
      if (!cell.used) touched_.push_back(c);
      add(cell, {first_row, c * key_block_}, rows,
          intersection(live, {c * key_block_, (c + 1) * key_block_}), span);
    }
  }

  // Calls take(key block, cell) for each cell that has pairs, ascending, and begins anew.
  template <class Take>
  void finish(Take take) {
    std::ranges::sort(touched_);
    for (const std::int64_t c : touched_) {
      Cell& cell = cells_[index(c)];
      take(c, cell);
      cell.used = false;
      cell.bits.clear();
    }
    touched_.clear();
  }

 private:
  struct Origin {  // first row and first key of the cell
    std::int64_t row = 0;
    std::int64_t key = 0;
  };

  void add(Cell& cell, const Origin& origin, const Range& rows, const Range& live,
           const KeySpan& span) const {
    const bool bounded = span.kind != SpanKind::bits;
    if (bounded && cell.bits.empty()) {
      const std::int64_t low = span.kind == SpanKind::band ? span.low : -kUnbounded;
      const std::int64_t high = span.kind == SpanKind::full ? kUnbounded : span.offset;
      // Where a bound ends the live keys, so that it alone would do, they reach to the end of the
      // cell. So rows of the next tile, of which more keys are live, can join these.
      Range keys = live;
      if (rows.end + high <= live.end) keys.end = origin.key + key_block_;
      if (rows.begin + low >= live.begin) keys.begin = origin.key;
      const bool every = keys == live && span.live(rows.begin).end >= keys.end &&
                         span.live(rows.end - 1).begin <= keys.begin;
      if (!cell.used) {
        cell.used = true;
        cell.rows = rows;
        cell.keys = keys;
        cell.low = low;
        cell.high = high;
        cell.every = every;
        return;
      }
      if (joins(cell, rows, keys, low, high, every)) return;
    }
    if (cell.bits.empty()) {
      cell.bits.assign(index(row_block_ * key_block_ / 64), 0);
      if (cell.used) bounds_to_bits(cell, origin);
    }
    cell.used = true;
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      schedule_.for_each_run(span, row, live, [&](std::int64_t begin, std::int64_t end) {
        set_run(words_of(cell, origin, row), begin - origin.key, end - origin.key);
      });
  }

  // Joins rows to those before them where both have the same keys and bounds.
  static bool joins(Cell& cell, const Range& rows, const Range& keys, std::int64_t low,
                    std::int64_t high, bool every) {
    if (cell.rows.end != rows.begin || cell.keys != keys) return false;
    if (cell.every && every) {
      cell.low = -kUnbounded;
      cell.high = kUnbounded;
    } else if (cell.low != low || cell.high != high) {
      return false;
    }
    cell.every = cell.every && every;
    cell.rows.end = rows.end;
    return true;
  }

  [[nodiscard]] std::uint64_t* words_of(Cell& cell, const Origin& origin, std::int64_t row) const {
    return cell.bits.data() + (row - origin.row) * (key_block_ / 64);
  }

  void bounds_to_bits(Cell& cell, const Origin& origin) const {
    for (std::int64_t row = cell.rows.begin; row < cell.rows.end; ++row) {
      const Range seen = intersection(cell.keys, {row + cell.low, row + cell.high + 1});
      if (seen.count() > 0)
        set_run(words_of(cell, origin, row), seen.begin - origin.key, seen.end - origin.key);
    }
  }

  const TileSchedule& schedule_;
  std::int64_t row_block_;
  std::int64_t key_block_;
  std::vector<Cell> cells_;
  std::vector<std::int64_t> touched_;
};

// Collects the cells of each owner.
class OwnerLists {
 public:
  OwnerLists(const TileSchedule& schedule, const BackwardShape& shape)
      : own_block_(shape.own_block),
        other_block_(shape.other_block),
        owners_(index(ceil_div(schedule.n_keys, own_block_))) {}

  void add(std::int64_t row_number, std::int64_t key_number, const Cell& cell) {
    Owner& owner = owners_[index(key_number)];
    const std::int64_t begin = row_number * other_block_;
    if (is_full(cell)) {
      ++owner.n_full;
      if (!owner.runs.empty() &&
          owner.runs.back().begin + owner.runs.back().n_blocks * other_block_ == begin)
        ++owner.runs.back().n_blocks;
      else
        owner.runs.push_back({narrow(begin), 1});
    } else if (cell.bits.empty()) {
      owner.masked.push_back(bounded_step(cell, begin, key_number * own_block_));
    } else if (std::ranges::any_of(cell.bits, [](std::uint64_t word) { return word != 0; })) {
      owner.masked.push_back(bits_step(cell, begin));
    }
  }

  [[nodiscard]] BackwardWork lists() && {
    BackwardWork lists;
    lists.bits = std::move(bits_);
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      const Owner& owner = owners_[i];
      if (owner.masked.empty() && owner.runs.empty()) continue;
      lists.blocks.push_back({narrow(static_cast<std::int64_t>(i) * own_block_),
                              narrow(std::ssize(lists.masked)), narrow(std::ssize(owner.masked)),
                              narrow(std::ssize(lists.runs)), owner.n_full});
      lists.masked.insert(lists.masked.end(), owner.masked.begin(), owner.masked.end());
      lists.runs.insert(lists.runs.end(), owner.runs.begin(), owner.runs.end());
    }
    return lists;
  }

 private:
  struct Owner {
    std::vector<BackwardStep> masked;
    std::vector<BackwardRun> runs;
    std::int32_t n_full = 0;
  };

  [[nodiscard]] bool is_full(const Cell& cell) const {
    if (!cell.bits.empty())
      return std::ranges::all_of(cell.bits,
                                 [](std::uint64_t word) { return word == ~std::uint64_t{0}; });
    return cell.every && cell.rows.count() == other_block_ && cell.keys.count() == own_block_;
  }

  // Bounds count from the begin of the cell, and from keys to rows.
  [[nodiscard]] static BackwardStep bounded_step(const Cell& cell, std::int64_t first_row,
                                                 std::int64_t first_key) {
    const std::int64_t shift = first_key - first_row;
    return {narrow(first_row),
            narrow(cell.keys.begin - first_key),
            narrow(cell.keys.end - first_key),
            narrow(cell.rows.begin - first_row),
            narrow(cell.rows.end - first_row),
            near(shift - cell.high),
            near(shift - cell.low),
            -1};
  }

  // Appends a cell's bits, a row of words for each key.
  [[nodiscard]] BackwardStep bits_step(const Cell& cell, std::int64_t begin) {
    const std::int64_t first = std::ssize(bits_);
    const std::int64_t own_words = other_block_ / 64;
    if (first + own_block_ * own_words > std::numeric_limits<std::int32_t>::max())
      throw Unsupported("flash on CUDA: the mask needs more than 2^31 words of bits");
    const std::int64_t row_words = own_block_ / 64;
    bits_.resize(index(first + own_block_ * own_words));
    for (std::int64_t row = 0; row < other_block_; ++row)
      for (std::int64_t key = 0; key < own_block_; ++key) {
        const std::uint64_t bit = cell.bits[index(row * row_words + key / 64)] >> (key % 64) & 1;
        bits_[index(first + key * own_words + row / 64)] |= bit << (row % 64);
      }
    return {narrow(begin),        0,
            narrow(own_block_),   0,
            narrow(other_block_), narrow(-kFarAway),
            narrow(kFarAway),     narrow(first)};
  }

  std::int64_t own_block_;
  std::int64_t other_block_;
  std::vector<Owner> owners_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

BackwardWork list_cells(const TileSchedule& schedule, const BackwardShape& shape) {
  OwnerLists owners(schedule, shape);
  const std::int64_t row_block = shape.other_block;
  CellRow cells(schedule, row_block, shape.own_block);
  std::int64_t current = 0;  // block of rows
  const auto finish = [&] {
    cells.finish(
        [&](std::int64_t key_number, const Cell& cell) { owners.add(current, key_number, cell); });
  };
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t begin = tile.begin; begin < tile.end;) {
      const std::int64_t number = begin / row_block;
      const std::int64_t end = std::min(tile.end, (number + 1) * row_block);
      if (number != current) finish();
      current = number;
      for (const KeySpan& span : schedule.spans_of(tile))
        cells.add(number * row_block, {begin, end}, span);
      begin = end;
    }
  finish();
  BackwardWork lists = std::move(owners).lists();
  lists.shape = shape;
  return lists;
}

}  // namespace qb::cuda
