#include "kernels/mask_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "kernels/mask_pieces.h"
#include "kernels/mask_residues.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Keys of a bits span, at most: so wide that few spans are needed, and so narrow that what is empty
// between them is left out and equal ones are found.
constexpr std::int64_t kBitsKeys = 512;
// The same where nothing is shared nor left out: rows that go one by one take a span at a time.
constexpr std::int64_t kScatteredKeys = 1024;
// A part that all rows of a tile see is cut out of a band where it is at least so wide.
constexpr std::int64_t kLeastFull = 128;

KeyRange intersection(const KeyRange& a, const KeyRange& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

void set_bits(std::uint64_t* words, std::int64_t begin, std::int64_t end) {
  while (begin < end) {
    const std::int64_t stop = std::min(end, begin / 64 * 64 + 64);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (stop - begin));
    words[begin / 64] |= ones << (begin % 64);
    begin = stop;
  }
}

bool same_but_keys(const KeySpan& a, const KeySpan& b) {
  return a.kind == b.kind && a.kind != SpanKind::bits && a.offset == b.offset && a.low == b.low;
}

// Makes the tiles of one schedule.
class TileMaker {
 public:
  TileMaker(TileSchedule& schedule, bool share, int threads = 1)
      : schedule_(schedule), share_(share), threads_(threads) {}

  // Of what follows, these pairs are left out; it does not scatter.
  void leave_out(const PieceMaker& without) { without_ = &without; }

  // Rows [rows.begin, rows.end) of a group of queries against the groups of keys, ascending.
  void add_tile(std::span<const MaskBlock> blocks, std::span<const PieceMaker> makers,
                const KeyRange& rows) {
    const std::size_t first_span = schedule_.spans.size();
    rows_ = rows;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      block_ = &blocks[b];
      first_span_ = first_span;
      add_spans(makers[b]);
    }
    const std::size_t n_spans = schedule_.spans.size() - first_span;
    const std::int64_t q_begin = blocks.front().q_begin;
    if (n_spans != 0)
      schedule_.tiles.push_back({q_begin + rows.begin, q_begin + rows.end,
                                 static_cast<std::int64_t>(first_span),
                                 static_cast<std::int64_t>(n_spans)});
  }

 private:
  // Sweeps over the keys at which a piece begins or ends.
  void add_spans(const PieceMaker& maker) {
    pieces_.clear();
    maker.make(rows_, pieces_);
    left_out_.clear();
    if (without_ != nullptr) without_->make(rows_, left_out_);
    if (maker.scatters() && pieces_.empty()) return add_scattered(maker);
    scatter(maker);
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.keys.begin < b.keys.begin; });
    find_borders();
    KeyRange bits{0, 0};
    std::vector<const Piece*> active;
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < borders_.size(); ++i) {
      const KeyRange keys{borders_[i], borders_[i + 1]};
      std::erase_if(active, [&](const Piece* piece) { return piece->keys.end <= keys.begin; });
      for (; next < pieces_.size() && pieces_[next].keys.begin <= keys.begin; ++next)
        active.push_back(&pieces_[next]);
      const auto span = span_of(active, keys);
      if (span && span->kind == SpanKind::bits) {
        bits = {bits.end == keys.begin ? bits.begin : keys.begin, keys.end};
        if (i + 2 < borders_.size()) continue;  // perhaps it goes on
      }
      add_bits(bits);
      bits = {0, 0};
      if (span && span->kind != SpanKind::bits) append(*span);
    }
  }

  // Calls function(row, key) for the keys of the random shapes too fine for pieces; of one row from
  // one thread.
  template <class Function>
  void for_each_scattered(const PieceMaker& maker, Function function) const {
    constexpr std::int64_t kRowsAtOnce = 64;
    parallel_for(rows_.count(), threads_, kRowsAtOnce,
                 [&](std::int64_t begin, std::int64_t end, int) {
                   for (std::int64_t i = begin; i < end; ++i)
                     maker.scatter(rows_.begin + i, [&](std::int64_t key) { function(i, key); });
                 });
  }

  // Those keys as bits of all rows.
  void scatter(const PieceMaker& maker) {
    scattered_.clear();
    if (!maker.scatters()) return;
    scattered_words_ = (block_->k.count + 63) / 64;
    scattered_.resize(static_cast<std::size_t>(rows_.count() * scattered_words_));
    for_each_scattered(maker, [&](std::int64_t row, std::int64_t key) {
      scattered_[static_cast<std::size_t>(row * scattered_words_ + key / 64)] |= std::uint64_t{1}
                                                                                 << (key % 64);
    });
  }

  // Where there is nothing else they go straight into the words of their spans, none of which is
  // like another.
  void add_scattered(const PieceMaker& maker) {
    std::vector<std::uint64_t>& words = schedule_.words;
    const std::size_t first_word = words.size();
    constexpr std::int64_t kSpanWords = kScatteredKeys / 64;
    const std::int64_t n_words = (block_->k.count + 63) / 64;
    words.resize(first_word + static_cast<std::size_t>(rows_.count() * n_words));
    std::uint64_t* const to = words.data() + first_word;
    for_each_scattered(maker, [&](std::int64_t row, std::int64_t key) {
      const std::int64_t first = key / kScatteredKeys * kSpanWords;  // of the span, in each row
      const std::int64_t row_words = std::min(kSpanWords, n_words - first);
      to[rows_.count() * first + row * row_words + key % kScatteredKeys / 64] |= std::uint64_t{1}
                                                                                 << (key % 64);
    });
    for (std::int64_t begin = 0; begin < block_->k.count; begin += kScatteredKeys) {
      KeySpan span{begin, std::min(block_->k.count, begin + kScatteredKeys), SpanKind::bits};
      const std::int64_t span_words = rows_.count() * span.row_words();
      const auto at = first_word + static_cast<std::size_t>(rows_.count() * begin / 64);
      const auto of_span = std::span(words).subspan(at, static_cast<std::size_t>(span_words));
      if (std::all_of(of_span.begin(), of_span.end(), [](std::uint64_t w) { return w == 0; }))
        continue;
      span.words =
          static_cast<std::int64_t>(at) - (block_->q_begin + rows_.begin) * span.row_words();
      append(span);
    }
  }

  // Keys that all rows of the tile see of a piece.
  [[nodiscard]] KeyRange full_part(const Piece& piece) const {
    if (piece.step != 1 || piece.rows.begin > rows_.begin || piece.rows.end < rows_.end)
      return {0, 0};
    return intersection(piece.keys, {rows_.end - 1 + piece.low, rows_.begin + piece.high + 1});
  }

  void find_borders() {
    borders_.clear();
    if (!scattered_.empty()) borders_ = {0, block_->k.count};
    for (const std::vector<Piece>* pieces : {&pieces_, &left_out_})
      for (const Piece& piece : *pieces) {
        borders_.insert(borders_.end(), {piece.keys.begin, piece.keys.end});
        const KeyRange full = full_part(piece);
        if (full.count() >= kLeastFull) borders_.insert(borders_.end(), {full.begin, full.end});
      }
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
  }

  // What becomes of keys between two borders, in the group's indices.
  [[nodiscard]] std::optional<KeySpan> span_of(const std::vector<const Piece*>& active,
                                               const KeyRange& keys) const {
    if (scattered_.empty() && active.empty()) return std::nullopt;
    bool some_left_out = false;
    for (const Piece& piece : left_out_) {
      if (intersection(full_part(piece), keys) == keys) return std::nullopt;
      some_left_out = some_left_out || intersection(piece.keys, keys).count() > 0;
    }
    if (some_left_out) return KeySpan{keys.begin, keys.end, SpanKind::bits};
    for (const Piece* piece : active)
      if (intersection(full_part(*piece), keys) == keys)
        return KeySpan{keys.begin, keys.end, SpanKind::full};
    const Piece* const only = active.empty() ? nullptr : active.front();
    if (!scattered_.empty() || active.size() > 1 || only->step != 1 ||
        only->rows.begin > rows_.begin || only->rows.end < rows_.end)
      return KeySpan{keys.begin, keys.end, SpanKind::bits};
    if (rows_.end - 1 + only->low <= keys.begin)
      return KeySpan{keys.begin, keys.end, SpanKind::causal, only->high};
    return KeySpan{keys.begin, keys.end, SpanKind::band, only->high, only->low};
  }

  // A span in the group's indices, but for the words of bits.
  void append(KeySpan span) {
    const std::int64_t shift = block_->k_begin - block_->q_begin;
    span.begin += block_->k_begin;
    span.end += block_->k_begin;
    if (span.kind == SpanKind::causal || span.kind == SpanKind::band) span.offset += shift;
    if (span.kind == SpanKind::band) span.low += shift;
    std::vector<KeySpan>& spans = schedule_.spans;
    if (spans.size() > first_span_ && spans.back().end == span.begin &&
        same_but_keys(spans.back(), span))
      spans.back().end = span.end;
    else
      spans.push_back(span);
  }

  void add_bits(const KeyRange& keys) {
    for (std::int64_t begin = keys.begin; begin < keys.end; begin += kBitsKeys)
      add_bits_span({begin, std::min(keys.end, begin + kBitsKeys)});
  }

  void add_bits_span(const KeyRange& keys) {
    const std::int64_t row_words = (keys.count() + 63) / 64;
    buffer_.assign(static_cast<std::size_t>(rows_.count() * row_words), 0);
    for (const Piece& piece : pieces_) fill(piece, keys, row_words, buffer_);
    if (!scattered_.empty()) copy_scattered(keys, row_words);
    take_left_out(keys, row_words);
    std::int64_t set = 0;
    for (const std::uint64_t word : buffer_) set += std::popcount(word);
    if (set == 0) return;
    if (set == rows_.count() * keys.count()) return append({keys.begin, keys.end, SpanKind::full});
    KeySpan span{keys.begin, keys.end, SpanKind::bits};
    span.words = place_of_buffer() - (block_->q_begin + rows_.begin) * row_words;
    append(span);
  }

  void take_left_out(const KeyRange& keys, std::int64_t row_words) {
    if (left_out_.empty()) return;
    taken_.assign(buffer_.size(), 0);
    for (const Piece& piece : left_out_) fill(piece, keys, row_words, taken_);
    for (std::size_t w = 0; w < buffer_.size(); ++w) buffer_[w] &= ~taken_[w];
  }

  void fill(const Piece& piece, const KeyRange& keys, std::int64_t row_words,
            std::vector<std::uint64_t>& to) const {
    if (piece.keys.begin >= keys.end || piece.keys.end <= keys.begin) return;
    const KeyRange rows = intersection(piece.rows, rows_);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const KeyRange live = intersection(piece.live(row), keys);
      if (live.count() == 0) continue;
      std::uint64_t* const words = to.data() + (row - rows_.begin) * row_words;
      if (piece.step == 1) {
        set_bits(words, live.begin - keys.begin, live.end - keys.begin);
        continue;
      }
      const std::int64_t past = (live.begin - row - piece.phase) % piece.step;
      std::int64_t key = live.begin + (past > 0 ? piece.step - past : -past);
      for (; key < live.end; key += piece.step)
        words[(key - keys.begin) / 64] |= std::uint64_t{1} << ((key - keys.begin) % 64);
    }
  }

  void copy_scattered(const KeyRange& keys, std::int64_t row_words) {
    const std::int64_t first = keys.begin / 64;
    const int shift = static_cast<int>(keys.begin % 64);
    const std::uint64_t last = ~std::uint64_t{0} >> ((64 - keys.count() % 64) % 64);
    for (std::int64_t row = 0; row < rows_.count(); ++row) {
      const std::uint64_t* const from = scattered_.data() + row * scattered_words_ + first;
      std::uint64_t* const to = buffer_.data() + row * row_words;
      for (std::int64_t w = 0; w < row_words; ++w) {
        std::uint64_t word = from[w] >> shift;
        if (shift != 0 && first + w + 1 < scattered_words_) word |= from[w + 1] << (64 - shift);
        to[w] |= w + 1 == row_words ? word & last : word;
      }
    }
  }

  // Where the buffer's words stand in the schedule: there already, or appended.
  std::int64_t place_of_buffer() {
    std::uint64_t hash = buffer_.size();
    for (const std::uint64_t word : buffer_) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    std::vector<std::uint64_t>& words = schedule_.words;
    if (share_) {
      const auto [begin, end] = places_.equal_range(hash);
      for (auto at = begin; at != end; ++at)
        if (at->second + buffer_.size() <= words.size() &&
            std::equal(buffer_.begin(), buffer_.end(),
                       words.begin() + static_cast<std::ptrdiff_t>(at->second)))
          return static_cast<std::int64_t>(at->second);
      places_.emplace(hash, words.size());
    }
    const auto place = static_cast<std::int64_t>(words.size());
    words.insert(words.end(), buffer_.begin(), buffer_.end());
    return place;
  }

  TileSchedule& schedule_;
  const bool share_;
  const int threads_;
  const PieceMaker* without_ = nullptr;
  const MaskBlock* block_ = nullptr;
  KeyRange rows_;
  std::size_t first_span_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Piece> left_out_;
  std::vector<std::int64_t> borders_;
  std::vector<std::uint64_t> scattered_;  // [row][scattered_words_], of all keys of the group
  std::int64_t scattered_words_ = 0;
  std::vector<std::uint64_t> buffer_;  // of the bits span at hand
  std::vector<std::uint64_t> taken_;   // out of them again
  std::unordered_multimap<std::uint64_t, std::size_t> places_;
};

// function(rows) for each tile of the group of queries of these blocks.
template <class Function>
void for_each_tile(const PieceMaker& maker, std::int64_t n_rows, std::int64_t query_tile,
                   Function function) {
  std::vector<std::int64_t> cuts = maker.cuts();
  cuts.push_back(n_rows);
  std::int64_t begin = 0;
  for (const std::int64_t cut : cuts)
    while (begin < std::min(cut, n_rows)) {
      const std::int64_t end = std::min({cut, n_rows, begin + query_tile});
      function(KeyRange{begin, end});
      begin = end;
    }
}

std::vector<PieceMaker> makers_of(const Mask& mask, std::span<const MaskBlock> blocks) {
  std::vector<PieceMaker> makers;
  makers.reserve(blocks.size());
  for (const MaskBlock& block : blocks) makers.emplace_back(mask, block);
  return makers;
}

void check_tile(std::int64_t query_tile) {
  if (query_tile < 1)
    throw std::invalid_argument(fmt::format("tile schedule: query tiles of {} rows", query_tile));
}

TileSchedule build_tiles(const Mask& mask, std::int64_t n_queries, std::int64_t n_keys,
                         std::vector<MaskBlock> blocks, std::int64_t query_tile, int threads) {
  std::sort(blocks.begin(), blocks.end(), [](const MaskBlock& a, const MaskBlock& b) {
    return a.q_begin != b.q_begin ? a.q_begin < b.q_begin : a.k_begin < b.k_begin;
  });
  TileSchedule schedule{n_queries, n_keys, {}, {}, {}};
  TileMaker tiles(schedule, true, threads);
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t end = first;
    while (end < blocks.size() && blocks[end].q_begin == blocks[first].q_begin) ++end;
    const std::span<const MaskBlock> group = std::span(blocks).subspan(first, end - first);
    const std::vector<PieceMaker> makers = makers_of(mask, group);
    for_each_tile(makers.front(), group.front().q.count, query_tile,
                  [&](const KeyRange& rows) { tiles.add_tile(group, makers, rows); });
    first = end;
  }
  return schedule;
}

// The far pairs of a class, those that are near as well left out.
TileSchedule build_class(const ResidueSplit& split, const MaskBlock& block,
                         std::int64_t query_tile) {
  TileSchedule schedule{block.q.count, block.k.count, {}, {}, {}};
  TileMaker tiles(schedule, true);
  const std::vector<PieceMaker> far = makers_of(split.far, std::span(&block, 1));
  const PieceMaker near(split.near, block);
  tiles.leave_out(near);
  for_each_tile(near, block.q.count, query_tile,
                [&](const KeyRange& rows) { tiles.add_tile(std::span(&block, 1), far, rows); });
  return schedule;
}

// Every shape is a band, so that classes are alike wherever they stand.
bool bands_only(const Mask& mask) {
  return std::all_of(mask.pattern->atoms.begin(), mask.pattern->atoms.end(),
                     [](const Atom& atom) { return std::holds_alternative<BandAtom>(atom.shape); });
}

TileSchedule build_by_residue(const ResidueSplit& split, const MaskBlock& block,
                              std::int64_t query_tile, int threads) {
  TileSchedule schedule =
      build_tiles(split.near, block.q.count, block.k.count, {block}, query_tile, threads);
  const bool alike = bands_only(split.near);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> known;
  for (std::int64_t first = 0; first < split.stride; ++first) {
    const MaskBlock own = split.class_block(block, first);
    if (own.k.count == 0) continue;
    std::size_t index = schedule.of_classes.size();
    if (alike)
      index = known.emplace(std::tuple(own.q.count, own.k.count, own.q.first - own.k.first), index)
                  .first->second;
    if (index == schedule.of_classes.size())
      schedule.of_classes.push_back(build_class(split, own, query_tile));
    schedule.classes.push_back({first, (first + split.phase) % split.stride, split.stride, index});
  }
  return schedule;
}

}  // namespace

TileSchedule build_mask_schedule(const Mask& mask, std::int64_t n_queries, std::int64_t n_keys,
                                 std::vector<MaskBlock> blocks, std::int64_t query_tile,
                                 const ScheduleChoice& choice) {
  check_tile(query_tile);
  const bool whole = blocks.size() == 1 && blocks[0].q_begin == 0 && blocks[0].k_begin == 0 &&
                     blocks[0].q.count == n_queries && blocks[0].k.count == n_keys;
  if (whole && choice.residue_classes)
    if (const auto split = split_by_residue(mask, blocks[0]))
      return build_by_residue(*split, blocks[0], query_tile, choice.threads);
  return build_tiles(mask, n_queries, n_keys, std::move(blocks), query_tile, choice.threads);
}

PairCounts count_pairs(const Mask& mask, const std::vector<MaskBlock>& blocks,
                       const Granularity& granularity) {
  check_tile(granularity.query_tile);
  PairCounts counts;
  if (blocks.empty()) return counts;
  const auto add = [&](const TileSchedule& schedule) {
    counts.unmasked += schedule.unmasked_pairs();
    counts.executed +=
        schedule.executed_pairs(granularity.key_block, granularity.row_group, granularity.row_cost);
    counts.empty_rows += schedule.empty_rows();
  };
  // Short: its tiles need no bits, or few.
  if (granularity.residue_classes && blocks.size() == 1)
    if (const auto split = split_by_residue(mask, blocks[0])) {
      MaskBlock block = blocks[0];
      block.q_begin = 0;
      block.k_begin = 0;
      add(build_by_residue(*split, block, granularity.query_tile, 1));
      return counts;
    }
  const std::vector<PieceMaker> makers = makers_of(mask, blocks);
  for_each_tile(makers.front(), blocks.front().q.count, granularity.query_tile,
                [&](const KeyRange& rows) {
                  TileSchedule one{rows.count(), 0, {}, {}, {}};
                  TileMaker(one, false).add_tile(blocks, makers, rows);
                  add(one);
                });
  return counts;
}

Coverage Mask::coverage(const Positions& q, const Positions& k) const {
  const Positions at{q.first + offset, q.count, q.stride};
  if (kind == MaskKind::pattern) return pattern->coverage(at, k);
  if (q.count == 0 || k.count == 0) return Coverage::none;
  if (kind == MaskKind::full || k.last() <= at.first) return Coverage::all;
  return k.first > at.last() ? Coverage::none : Coverage::partial;
}

std::int64_t Mask::keys_of_pattern(std::int64_t q, std::int64_t kv_len) const {
  const MaskBlock row{0, 0, {q, 1, 1}, {0, kv_len, 1}};
  return count_pairs(*this, {row}, {1, 1, 1}).unmasked;
}

std::string to_string(const Mask& mask) {
  return mask.kind == MaskKind::pattern ? mask.pattern->text : std::string(word(mask.kind));
}

}  // namespace qb
