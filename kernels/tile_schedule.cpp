// SPDX-License-Identifier: Apache-2.0
#include "kernels/tile_schedule.h"

#include <fmt/format.h>

#include <stdexcept>

namespace qb {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument("tile schedule: " + message);
}

// Returns the sum of clamp(x, 0, limit) over all x <= last.
std::int64_t clamped_sum(std::int64_t last, std::int64_t limit) {
  if (last <= 0) return 0;
  const std::int64_t rising = std::min(last, limit);
  return rising * (rising + 1) / 2 + (last - rising) * limit;
}

// Counts the live pairs of query rows [begin, end) in a span other than bits: keys up to the last
// of each row, less those before its first.
std::int64_t live_pairs(const KeySpan& span, std::int64_t begin, std::int64_t end) {
  const std::int64_t length = span.end - span.begin;
  if (span.kind == SpanKind::full) return (end - begin) * length;
  const auto keys_up_to = [&](std::int64_t offset) {
    // This is the number of keys of row begin - 1, clamped: beyond the limits, as in bands without
    // an end, nothing changes.
    const std::int64_t before_first =
        std::clamp<std::int64_t>(begin + offset - span.begin, begin - end, length);
    return clamped_sum(before_first + (end - begin), length) - clamped_sum(before_first, length);
  };
  const std::int64_t seen = keys_up_to(span.offset);
  return span.kind == SpanKind::causal ? seen : seen - keys_up_to(span.low - 1);
}

// Calls function(end of the block) for each block of `key_block` keys of the span, counted from its
// begin, in which some of the rows [first, last] see a key.
template <class Function>
void for_each_live_block(const TileSchedule& schedule, const KeySpan& span, std::int64_t first,
                         std::int64_t last, std::int64_t key_block, Function function) {
  if (span.kind != SpanKind::bits) {
    const Range live = span.live(first, last);
    if (live.begin >= live.end) return;
    for (std::int64_t begin = live.begin - (live.begin - span.begin) % key_block; begin < live.end;
         begin += key_block)
      function(begin, std::min(span.end, begin + key_block));
    return;
  }
  KeySpan any = span;
  std::vector<std::uint64_t> together(static_cast<std::size_t>(span.row_words()));
  for (std::int64_t row = first; row <= last; ++row)
    for (std::size_t w = 0; w < together.size(); ++w)
      together[w] |= schedule.row_bits(span, row)[w];
  any.words = 0;
  const TileSchedule one_row{1, schedule.n_keys, {}, {}, std::move(together)};
  std::int64_t done = span.begin;
  one_row.for_each_run(any, 0, [&](std::int64_t begin, std::int64_t end) {
    begin = std::max(done, begin - (begin - span.begin) % key_block);
    for (; begin < end; begin = done) {
      done = std::min(span.end, begin + key_block);
      function(begin, done);
    }
  });
}

std::int64_t seen_pairs(const TileSchedule& schedule, const QueryTile& tile, std::int64_t begin,
                        std::int64_t end) {
  std::int64_t pairs = 0;
  for (const KeySpan& span : schedule.spans_of(tile)) {
    if (span.kind != SpanKind::bits) {
      pairs += live_pairs(span, begin, end);
      continue;
    }
    const std::uint64_t* const bits = schedule.row_bits(span, begin);
    for (std::int64_t w = 0; w < (end - begin) * span.row_words(); ++w)
      pairs += std::popcount(bits[w]);
  }
  return pairs;
}

// Counts the pairs that are computed for rows [begin, end) of a tile together.
std::int64_t group_pairs(const TileSchedule& schedule, const QueryTile& tile, std::int64_t begin,
                         std::int64_t end, std::int64_t key_block) {
  std::int64_t keys = 0;
  for (const KeySpan& span : schedule.spans_of(tile)) {
    if (span.kind == SpanKind::full)
      keys += span.end - span.begin;
    else
      for_each_live_block(schedule, span, begin, end - 1, key_block,
                          [&](std::int64_t first, std::int64_t last) { keys += last - first; });
  }
  return (end - begin) * keys;
}

void check_span(const KeySpan& span, std::int64_t n_keys, const std::string& place) {
  if (span.begin < 0 || span.end > n_keys || span.begin >= span.end)
    refuse(fmt::format("{}: keys [{}, {}) are empty or outside [0, {})", place, span.begin,
                       span.end, n_keys));
}

void check_classes(const TileSchedule& schedule) {
  std::int64_t last_row = -1;
  for (const TileSchedule::ResidueClass& part : schedule.classes) {
    const std::int64_t stride = schedule.classes.front().stride;
    const std::string place = fmt::format("class of row {}", part.first_row);
    if (part.stride != stride || part.first_row <= last_row || part.first_row >= stride ||
        part.first_key < 0)
      refuse(fmt::format("{}: it is out of order, or its stride {} is not {}", place, part.stride,
                         stride));
    last_row = part.first_row;
    if (part.schedule >= schedule.of_classes.size())
      refuse(fmt::format("{}: schedule {} is not among the {} there are", place, part.schedule,
                         schedule.of_classes.size()));
    const TileSchedule& own = schedule.of_classes[part.schedule];
    const bool rows_fit =
        part.first_row + (own.n_queries - 1) * stride < schedule.n_queries && own.n_queries > 0;
    const bool keys_fit =
        part.first_key + (own.n_keys - 1) * stride < schedule.n_keys && own.n_keys > 0;
    if (!rows_fit || !keys_fit || !own.classes.empty())
      refuse(fmt::format("{}: {} rows and {} keys do not fit, or it has classes itself", place,
                         own.n_queries, own.n_keys));
  }
}

struct QueryRange {  // rows that see the same keys
  std::int64_t begin;
  std::int64_t end;
  std::vector<KeySpan> spans;
};

// Appends a span at or after the end of the last one; neighbouring full spans become one.
void append_span(std::vector<KeySpan>& spans, std::size_t first, const KeySpan& span) {
  if (spans.size() > first && spans.back().end == span.begin &&
      spans.back().kind == SpanKind::full && span.kind == SpanKind::full)
    spans.back().end = span.end;
  else
    spans.push_back(span);
}

// Turns sorted blocks into query ranges; neighbouring ranges that see the same keys become one.
std::vector<QueryRange> group_by_range(std::span<const ScheduleBlock> blocks) {
  std::vector<QueryRange> ranges;
  for (std::size_t i = 0; i < blocks.size();) {
    QueryRange range{blocks[i].q_begin, blocks[i].q_end, {}};
    if (!ranges.empty() && range.begin < ranges.back().end)
      refuse(fmt::format("query ranges [{}, {}) and [{}, {}) overlap without being equal",
                         ranges.back().begin, ranges.back().end, range.begin, range.end));
    for (; i < blocks.size() && blocks[i].q_begin == range.begin; ++i) {
      const KeySpan& keys = blocks[i].keys;
      if (blocks[i].q_end != range.end)
        refuse(fmt::format("query ranges [{}, {}) and [{}, {}) overlap without being equal",
                           range.begin, range.end, blocks[i].q_begin, blocks[i].q_end));
      if (!range.spans.empty() && keys.begin < range.spans.back().end)
        refuse(fmt::format("queries [{}, {}) have two blocks with key {}", range.begin, range.end,
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

// Returns what query rows [begin, end) see of a span: nothing, all of it, or its part between the
// first and the last live key.
KeySpan clip(const KeySpan& span, std::int64_t begin, std::int64_t end) {
  const Range first = span.live(begin);
  const Range last = span.live(end - 1);
  if (first.end == span.end && last.begin == span.begin)
    return {span.begin, span.end, SpanKind::full, 0};
  KeySpan part = span;
  part.begin = first.begin;
  part.end = last.end;
  return part;
}

// Returns the sum of function(schedule) over the residue classes; each schedule is evaluated once.
template <class Function>
std::int64_t sum_of_classes(const TileSchedule& schedule, Function function) {
  std::vector<std::int64_t> times(schedule.of_classes.size());
  for (const TileSchedule::ResidueClass& part : schedule.classes) ++times[part.schedule];
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) sum += times[i] * function(schedule.of_classes[i]);
  return sum;
}

template <class Function>
void for_each_live_row(const TileSchedule& schedule, Function function) {
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t row = tile.begin; row < tile.end; ++row)
      if (std::ranges::any_of(schedule.spans_of(tile), [&](const KeySpan& span) {
            if (span.kind != SpanKind::bits) return span.live(row).count() > 0;
            const std::uint64_t* const bits = schedule.row_bits(span, row);
            return std::any_of(bits, bits + span.row_words(),
                               [](std::uint64_t word) { return word != 0; });
          }))
        function(row);
}

}  // namespace

std::span<const KeySpan> TileSchedule::spans_of(std::int64_t row) const {
  const auto after = std::ranges::upper_bound(tiles, row, {}, &QueryTile::begin);
  if (after == tiles.begin() || row >= std::prev(after)->end) return {};
  return spans_of(*std::prev(after));
}

std::int64_t TileSchedule::unmasked_pairs() const {
  std::int64_t pairs =
      sum_of_classes(*this, [](const TileSchedule& part) { return part.unmasked_pairs(); });
  for (const QueryTile& tile : tiles) pairs += seen_pairs(*this, tile, tile.begin, tile.end);
  return pairs;
}

std::int64_t TileSchedule::executed_pairs(std::int64_t key_block, std::int64_t row_group,
                                          std::int64_t row_cost) const {
  std::int64_t pairs = sum_of_classes(*this, [&](const TileSchedule& part) {
    return part.executed_pairs(key_block, row_group, row_cost);
  });
  for (const QueryTile& tile : tiles) {
    if (rows_alone(tile, key_block, row_group, row_cost)) {
      pairs += seen_pairs(*this, tile, tile.begin, tile.end);
      continue;
    }
    const std::int64_t step = row_group == 0 ? tile.end - tile.begin : row_group;
    for (std::int64_t first = tile.begin; first < tile.end; first += step)
      pairs += group_pairs(*this, tile, first, std::min(tile.end, first + step), key_block);
  }
  return pairs;
}

bool TileSchedule::rows_alone(const QueryTile& tile, std::int64_t key_block, std::int64_t row_group,
                              std::int64_t row_cost) const {
  const bool scattered = std::ranges::count(spans_of(tile), SpanKind::bits, &KeySpan::kind) > 0;
  if (row_cost == 0 || !scattered) return false;
  const std::int64_t end = std::min(tile.end, tile.begin + row_group);
  return row_cost * seen_pairs(*this, tile, tile.begin, end) <
         group_pairs(*this, tile, tile.begin, end, key_block);
}

std::int64_t TileSchedule::stored_pairs() const {
  std::int64_t pairs = 0;
  for (const QueryTile& tile : tiles)
    for (const KeySpan& span : spans_of(tile))
      pairs += (tile.end - tile.begin) * (span.end - span.begin);
  return pairs;
}

std::int64_t TileSchedule::empty_rows() const {
  std::int64_t rows = n_queries;
  if (classes.empty()) {
    for_each_live_row(*this, [&](std::int64_t) { --rows; });
    return rows;
  }
  std::vector<bool> live(static_cast<std::size_t>(n_queries));
  for_each_live_row(*this, [&](std::int64_t row) { live[static_cast<std::size_t>(row)] = true; });
  for (const ResidueClass& part : classes)
    for_each_live_row(of_classes[part.schedule], [&](std::int64_t row) {
      live[static_cast<std::size_t>(part.first_row + row * part.stride)] = true;
    });
  return rows - std::ranges::count(live, true);
}

std::int64_t TileSchedule::bytes() const {
  std::size_t of_all = tiles.size() * sizeof(QueryTile) + spans.size() * sizeof(KeySpan) +
                       words.size() * sizeof(std::uint64_t) +
                       classes.size() * sizeof(TileSchedule::ResidueClass);
  for (const TileSchedule& part : of_classes) of_all += static_cast<std::size_t>(part.bytes());
  return static_cast<std::int64_t>(of_all);
}

void TileSchedule::validate() const {
  std::int64_t last_row = 0;
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const QueryTile& tile = tiles[t];
    if (tile.begin < last_row || tile.begin >= tile.end || tile.end > n_queries)
      refuse(fmt::format("tile {}: rows [{}, {}) are empty, out of order or outside [0, {})", t,
                         tile.begin, tile.end, n_queries));
    last_row = tile.end;
    const auto n_spans = static_cast<std::int64_t>(spans.size());
    if (tile.first_span < 0 || tile.n_spans < 0 || tile.first_span > n_spans - tile.n_spans)
      refuse(fmt::format("tile {}: spans [{}, +{}) are not among the {} there are", t,
                         tile.first_span, tile.n_spans, n_spans));
    std::int64_t last_key = 0;
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
      const KeySpan& span = spans[static_cast<std::size_t>(s)];
      check_span(span, n_keys, fmt::format("tile {} span {}", t, s));
      if (span.begin < last_key)
        refuse(fmt::format("tile {} span {}: key {} is out of order or comes twice", t, s,
                           span.begin));
      last_key = span.end;
      if (span.kind != SpanKind::bits) continue;
      const std::int64_t first_word = span.words + tile.begin * span.row_words();
      const std::int64_t n_words = (tile.end - tile.begin) * span.row_words();
      if (first_word < 0 || first_word > static_cast<std::int64_t>(words.size()) - n_words)
        refuse(fmt::format("tile {} span {}: words [{}, +{}) of {}", t, s, first_word, n_words,
                           words.size()));
    }
  }
  for (const TileSchedule& part : of_classes) part.validate();
  check_classes(*this);
}

TileSchedule build_schedule(std::int64_t n_queries, std::int64_t n_keys,
                            std::vector<ScheduleBlock> blocks, std::int64_t query_tile) {
  if (query_tile < 1) refuse(fmt::format("a query tile cannot have {} rows", query_tile));
  for (const ScheduleBlock& block : blocks) {
    if (block.q_begin < 0 || block.q_end > n_queries || block.q_begin >= block.q_end)
      refuse(fmt::format("queries [{}, {}) are empty or outside [0, {})", block.q_begin,
                         block.q_end, n_queries));
    check_span(block.keys, n_keys, fmt::format("queries [{}, {})", block.q_begin, block.q_end));
    if (block.keys.kind == SpanKind::bits)
      refuse(fmt::format("queries [{}, {}): a block has no bits of its own", block.q_begin,
                         block.q_end));
  }
  std::ranges::sort(blocks, [](const ScheduleBlock& a, const ScheduleBlock& b) {
    return a.q_begin != b.q_begin ? a.q_begin < b.q_begin : a.keys.begin < b.keys.begin;
  });

  TileSchedule schedule{n_queries, n_keys, {}, {}, {}};
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
