// SPDX-License-Identifier: Apache-2.0
// A tile schedule, a kernel's only input besides tensors, lists the spans of keys that each tile of
// query rows attends to. Every attention pattern is such a schedule: dense is one full span a tile,
// causal cuts the last span on the diagonal, a CQS subsequence lists the spans of its kept group
// pairs, a ring step is dense or causal over its block, a sliding window is one band a tile, and
// the rest of a sparse pattern has one bit for each pair. Spans without a pair are absent, so a
// kernel does no work for them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace qb {

// Rows and columns are local: positions in the tensors handed to the kernel.
enum class SpanKind : std::uint8_t {
  full,    // every pair
  causal,  // query row i sees key j iff j <= i + offset
  band,    // query row i sees key j iff i + low <= j <= i + offset
  bits,    // query row i sees key j iff its bit in TileSchedule::words is set
};

struct Range {  // keys, rows or heads [begin, end)
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};
[[nodiscard]] constexpr Range intersection(const Range& a, const Range& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

struct KeySpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  SpanKind kind = SpanKind::full;
  std::int64_t offset = 0;  // causal, band
  std::int64_t low = 0;     // band
  // bits: query row i has row_words() words from word `words + i * row_words()` on; the lowest bit
  // is for key `begin`, bits from `end` on are 0. `words` counts from row 0, so that a row is found
  // without its tile, and may be negative. Spans with equal bits may share words.
  std::int64_t words = 0;

  [[nodiscard]] std::int64_t row_words() const { return (end - begin + 63) / 64; }
  // Returns the keys from the first to the last that the row may see; for bits, the whole span.
  [[nodiscard]] Range live(std::int64_t row) const {
    if (kind == SpanKind::full || kind == SpanKind::bits) return {begin, end};
    const std::int64_t last = std::clamp(row + offset + 1, begin, end);
    return {kind == SpanKind::causal ? begin : std::clamp(row + low, begin, last), last};
  }
  // Returns the keys between the first and the last that one of the rows [first, last] may see.
  [[nodiscard]] Range live(std::int64_t first, std::int64_t last) const {
    return {live(first).begin, live(last).end};
  }
  friend bool operator==(const KeySpan&, const KeySpan&) = default;
};

// These block sizes are needed to make schedules and to model the work.
struct KernelTiles {
  std::int64_t query_tile = 0;  // rows of a query tile
  std::int64_t key_block = 0;   // keys that are masked together
  // In band and bits spans, a block of key_step keys and row_group rows without a pair is skipped.
  std::int64_t key_step = 1;
  std::int64_t row_group = 1;
  bool residue_classes = false;  // the kernel accepts schedules with residue classes
  std::int64_t row_cost = 0;     // see TileSchedule::rows_alone
  bool resumes = false;          // a call can go on from O and LSE of other keys
};
inline constexpr std::int64_t kWholeSpan = std::int64_t{1} << 40;  // this key_step skips nothing

// Query rows [begin, end); the spans [first_span, first_span + n_spans) are disjoint and ascending.
struct QueryTile {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_span = 0;
  std::int64_t n_spans = 0;
};

// Tiles are disjoint and ascending. In rows outside them a kernel must write O = 0 and LSE = -inf.
struct TileSchedule {
  // Pairs rows first_row, first_row + stride, … with keys first_key, first_key + stride, …, which a
  // dilated window or a stride makes neighbours. They have a schedule of their own over the tokens
  // so numbered; classes that look alike share one.
  struct ResidueClass {
    std::int64_t first_row = 0;
    std::int64_t first_key = 0;
    std::int64_t stride = 1;
    std::size_t schedule = 0;  // in of_classes
  };

  std::int64_t n_queries = 0;
  std::int64_t n_keys = 0;
  std::vector<QueryTile> tiles;
  std::vector<KeySpan> spans;
  std::vector<std::uint64_t> words{};  // words of bits spans
  // These are further pairs of the same rows, each once; the classes have one stride and ascend.
  std::vector<ResidueClass> classes{};
  std::vector<TileSchedule> of_classes{};  // without classes themselves

  // Returns how many pairs the spans allow: the useful work.
  [[nodiscard]] std::int64_t unmasked_pairs() const;
  // Returns how many pairs a kernel computes that masks inside blocks of key_block keys and
  // row_group rows (0 means whole tiles). A full span costs its keys, a partial span costs
  // each of its blocks that has an allowed pair, and a tile of rows alone costs what the rows see.
  [[nodiscard]] std::int64_t executed_pairs(std::int64_t key_block, std::int64_t row_group = 0,
                                            std::int64_t row_cost = 0) const;
  // Returns whether a tile's rows see so few, scattered keys that they cost less one by one, at
  // row_cost times as much for each pair (0: never), than in groups. The first group decides.
  [[nodiscard]] bool rows_alone(const QueryTile& tile, std::int64_t key_block,
                                std::int64_t row_group, std::int64_t row_cost) const;
  // Returns how many pairs a kernel stores that stores every key of every span for all rows.
  [[nodiscard]] std::int64_t stored_pairs() const;
  [[nodiscard]] std::int64_t empty_rows() const;  // rows that see no key, in a tile or not
  [[nodiscard]] std::int64_t bytes() const;       // memory of the schedule itself

  [[nodiscard]] std::span<const KeySpan> spans_of(const QueryTile& tile) const {
    return std::span(spans).subspan(static_cast<std::size_t>(tile.first_span),
                                    static_cast<std::size_t>(tile.n_spans));
  }
  [[nodiscard]] std::span<const KeySpan> spans_of(std::int64_t row) const;  // empty without a tile
  [[nodiscard]] const std::uint64_t* row_bits(const KeySpan& span, std::int64_t row) const {
    return words.data() + (span.words + row * span.row_words());
  }
  [[nodiscard]] bool sees(const KeySpan& span, std::int64_t row, std::int64_t key) const {
    const Range range = span.live(row);
    if (key < range.begin || key >= range.end) return false;
    if (span.kind != SpanKind::bits) return true;
    const std::int64_t bit = key - span.begin;
    return (row_bits(span, row)[bit / 64] >> (bit % 64) & 1) != 0;
  }
  // Calls function(begin, end) for each run of keys of the span that query row i sees, ascending.
  template <class Function>
  void for_each_run(const KeySpan& span, std::int64_t row, Function function) const {
    for_each_run(span, row, {span.begin, span.end}, function);
  }
  template <class Function>
  void for_each_run(const KeySpan& span, std::int64_t row, const Range& within,
                    Function function) const;

  // Throws std::invalid_argument naming the first tile or span that is out of range, out of order
  // or overlapping.
  void validate() const;
};

struct ScheduleBlock {  // a rectangle of pairs with its mask
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  KeySpan keys;
};

// Cuts blocks into query tiles of at most `query_tile` rows, none across two q ranges that differ
// in their keys. Neighbouring full spans become one; empty ones (a causal block above the diagonal)
// are dropped. The q ranges of the blocks must be identical or disjoint.
[[nodiscard]] TileSchedule build_schedule(std::int64_t n_queries, std::int64_t n_keys,
                                          std::vector<ScheduleBlock> blocks,
                                          std::int64_t query_tile);

template <class Function>
void TileSchedule::for_each_run(const KeySpan& span, std::int64_t row, const Range& within,
                                Function function) const {
  const auto [begin, end] = intersection(span.live(row), within);
  if (begin == end) return;
  if (span.kind != SpanKind::bits) return function(begin, end);
  const std::uint64_t* const bits = row_bits(span, row);
  const std::int64_t n_bits = end - span.begin;
  // Returns the first bit of that value from `at` on.
  const auto next = [&](std::int64_t at, bool value) {
    while (at < n_bits) {
      const std::uint64_t rest = (value ? bits[at / 64] : ~bits[at / 64]) >> (at % 64);
      if (rest != 0) return std::min(n_bits, at + std::countr_zero(rest));
      at += 64 - at % 64;
    }
    return n_bits;
  };
  for (std::int64_t at = next(begin - span.begin, true); at < n_bits;) {
    const std::int64_t run_end = next(at, false);
    function(span.begin + at, span.begin + run_end);
    at = next(run_end, true);
  }
}

}  // namespace qb
