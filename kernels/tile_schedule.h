// The kernels' only input besides tensors: for each query tile, the key spans that it attends to.
//
// Everything the field calls by different names is one of these: dense is one full span a tile,
// causal cuts the last span on the diagonal, a CQS subsequence lists the spans of its kept group
// pairs and leaves out the banned ones, a ring step is a dense or causal schedule over its block.
// Spans of nothing are absent, so a kernel does no work for masked-out pairs at tile granularity.
#pragma once

#include <cstdint>
#include <vector>

namespace qb {

// Rows and columns are local: positions in the tensors handed to the kernel.
enum class SpanKind : std::uint8_t {
  full,    // every pair
  causal,  // query row i sees key j iff j <= i + offset
};

struct KeySpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  SpanKind kind = SpanKind::full;
  std::int64_t offset = 0;

  friend bool operator==(const KeySpan&, const KeySpan&) = default;
};

// Query rows [begin, end) with spans [first_span, first_span + n_spans) of the schedule, which are
// disjoint and ascending.
struct QueryTile {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_span = 0;
  std::int64_t n_spans = 0;
};

// Tiles are disjoint and ascending. Query rows in no tile have no keys: a kernel must write O = 0
// and LSE = -inf there too.
struct TileSchedule {
  std::int64_t n_queries = 0;
  std::int64_t n_keys = 0;
  std::vector<QueryTile> tiles;
  std::vector<KeySpan> spans;

  // Pairs that the spans allow: the useful work.
  [[nodiscard]] std::int64_t unmasked_pairs() const;
  // Pairs that a kernel computes which masks inside blocks of key_block keys: a full span costs
  // its keys, a partial one every block of it that has a live pair.
  [[nodiscard]] std::int64_t executed_pairs(std::int64_t key_block) const;
  // Keys of a span that query row i sees: [span.begin, live_end(span, i)).
  [[nodiscard]] static std::int64_t live_end(const KeySpan& span, std::int64_t query) {
    if (span.kind == SpanKind::full) return span.end;
    const std::int64_t end = query + span.offset + 1;
    return end < span.begin ? span.begin : (end < span.end ? end : span.end);
  }

  // Throws std::invalid_argument naming the first tile or span that is out of range, out of order
  // or overlapping.
  void validate() const;
};

// A rectangle of pairs: query rows × key columns, with its mask. The input of build_schedule.
struct ScheduleBlock {
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  KeySpan keys;
};

// Cuts blocks into query tiles of at most `query_tile` rows. A tile never straddles two q ranges
// that differ in their keys; neighbouring full spans become one. Blocks must come grouped: equal
// q ranges are identical or disjoint. Dead spans (a causal block wholly above the diagonal) vanish.
[[nodiscard]] TileSchedule build_schedule(std::int64_t n_queries, std::int64_t n_keys,
                                          std::vector<ScheduleBlock> blocks,
                                          std::int64_t query_tile);

}  // namespace qb
