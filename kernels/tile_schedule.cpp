#include "kernels/tile_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace qb {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw std::invalid_argument("tile schedule: " + message);
}

// Sum of clamp(x, 0, limit) over all x <= last.
std::int64_t clamped_sum(std::int64_t last, std::int64_t limit) {
  if (last <= 0) return 0;
  const std::int64_t rising = std::min(last, limit);
  return rising * (rising + 1) / 2 + (last - rising) * limit;
}

// Live pairs of query rows [begin, end) in a span.
std::int64_t live_pairs(const KeySpan& span, std::int64_t begin, std::int64_t end) {
  const std::int64_t length = span.end - span.begin;
  if (span.kind == SpanKind::full) return (end - begin) * length;
  const std::int64_t before_first = begin + span.offset - span.begin;  // keys of row begin - 1
  return clamped_sum(before_first + (end - begin), length) - clamped_sum(before_first, length);
}

void check_span(const KeySpan& span, std::int64_t n_keys, const std::string& place) {
  if (span.begin < 0 || span.end > n_keys || span.begin >= span.end)
    fail(fmt::format("{}: keys [{}, {}) are empty or outside [0, {})", place, span.begin, span.end,
                     n_keys));
}

// Query rows that see the same keys.
struct QueryRange {
  std::int64_t begin;
  std::int64_t end;
  std::vector<KeySpan> spans;
};

// Appends a span that begins at or after the end of the last one; neighbouring full spans become
// one.
void append_span(std::vector<KeySpan>& spans, std::size_t first, const KeySpan& span) {
  if (spans.size() > first && spans.back().end == span.begin &&
      spans.back().kind == SpanKind::full && span.kind == SpanKind::full)
    spans.back().end = span.end;
  else
    spans.push_back(span);
}

// Sorted blocks to query ranges; neighbouring ranges that see the same keys become one.
std::vector<QueryRange> group_by_range(std::span<const ScheduleBlock> blocks) {
  std::vector<QueryRange> ranges;
  for (std::size_t i = 0; i < blocks.size();) {
    QueryRange range{blocks[i].q_begin, blocks[i].q_end, {}};
    if (!ranges.empty() && range.begin < ranges.back().end)
      fail(fmt::format("query ranges [{}, {}) and [{}, {}) overlap without being equal",
                       ranges.back().begin, ranges.back().end, range.begin, range.end));
    for (; i < blocks.size() && blocks[i].q_begin == range.begin; ++i) {
      const KeySpan& keys = blocks[i].keys;
      if (blocks[i].q_end != range.end)
        fail(fmt::format("query ranges [{}, {}) and [{}, {}) overlap without being equal",
                         range.begin, range.end, blocks[i].q_begin, blocks[i].q_end));
      if (!range.spans.empty() && keys.begin < range.spans.back().end)
        fail(fmt::format("queries [{}, {}) have two blocks with key {}", range.begin, range.end,
                         keys.begin));
      append_span(range.spans, 0, keys);
    }
    if (!ranges.empty() && ranges.back().end == range.begin && ranges.back().spans == range.spans)
      ranges.back().end = range.end;
    else
      ranges.push_back(std::move(range));
  }
  return ranges;
}

// What query rows [begin, end) see of a span: nothing, all of it, or its part up to the last live
// key.
KeySpan clip(const KeySpan& span, std::int64_t begin, std::int64_t end) {
  if (TileSchedule::live_end(span, begin) == span.end)
    return {span.begin, span.end, SpanKind::full, 0};
  return {span.begin, TileSchedule::live_end(span, end - 1), span.kind, span.offset};
}

}  // namespace

std::int64_t TileSchedule::unmasked_pairs() const {
  std::int64_t pairs = 0;
  for (const QueryTile& tile : tiles)
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s)
      pairs += live_pairs(spans[static_cast<std::size_t>(s)], tile.begin, tile.end);
  return pairs;
}

std::int64_t TileSchedule::executed_pairs(std::int64_t key_block) const {
  std::int64_t pairs = 0;
  for (const QueryTile& tile : tiles)
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
      const KeySpan& span = spans[static_cast<std::size_t>(s)];
      const std::int64_t live = live_end(span, tile.end - 1) - span.begin;
      const std::int64_t blocks = (live + key_block - 1) / key_block;
      pairs += (tile.end - tile.begin) * std::min(span.end - span.begin, blocks * key_block);
    }
  return pairs;
}

void TileSchedule::validate() const {
  std::int64_t last_row = 0;
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const QueryTile& tile = tiles[t];
    if (tile.begin < last_row || tile.begin >= tile.end || tile.end > n_queries)
      fail(fmt::format("tile {}: rows [{}, {}) are empty, out of order or outside [0, {})", t,
                       tile.begin, tile.end, n_queries));
    last_row = tile.end;
    const auto n_spans = static_cast<std::int64_t>(spans.size());
    if (tile.first_span < 0 || tile.n_spans < 0 || tile.first_span > n_spans - tile.n_spans)
      fail(
          fmt::format("tile {}: spans [{}, +{}) of {}", t, tile.first_span, tile.n_spans, n_spans));
    std::int64_t last_key = 0;
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
      const KeySpan& span = spans[static_cast<std::size_t>(s)];
      check_span(span, n_keys, fmt::format("tile {} span {}", t, s));
      if (span.begin < last_key)
        fail(fmt::format("tile {} span {}: key {} is out of order or there twice", t, s,
                         span.begin));
      last_key = span.end;
    }
  }
}

TileSchedule build_schedule(std::int64_t n_queries, std::int64_t n_keys,
                            std::vector<ScheduleBlock> blocks, std::int64_t query_tile) {
  if (query_tile < 1) fail(fmt::format("query tiles of {} rows", query_tile));
  for (const ScheduleBlock& block : blocks) {
    if (block.q_begin < 0 || block.q_end > n_queries || block.q_begin >= block.q_end)
      fail(fmt::format("queries [{}, {}) are empty or outside [0, {})", block.q_begin, block.q_end,
                       n_queries));
    check_span(block.keys, n_keys, fmt::format("queries [{}, {})", block.q_begin, block.q_end));
  }
  std::sort(blocks.begin(), blocks.end(), [](const ScheduleBlock& a, const ScheduleBlock& b) {
    return a.q_begin != b.q_begin ? a.q_begin < b.q_begin : a.keys.begin < b.keys.begin;
  });

  TileSchedule schedule{n_queries, n_keys, {}, {}};
  for (const QueryRange& range : group_by_range(blocks))
    for (std::int64_t begin = range.begin; begin < range.end; begin += query_tile) {
      const std::int64_t end = std::min(range.end, begin + query_tile);
      const std::size_t first_span = schedule.spans.size();
      for (const KeySpan& span : range.spans) {
        const KeySpan live = clip(span, begin, end);
        if (live.begin < live.end) append_span(schedule.spans, first_span, live);
      }
      const std::size_t n_spans = schedule.spans.size() - first_span;
      if (n_spans != 0)
        schedule.tiles.push_back({begin, end, static_cast<std::int64_t>(first_span),
                                  static_cast<std::int64_t>(n_spans)});
    }
  return schedule;
}

}  // namespace qb
