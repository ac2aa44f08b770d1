// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/mask_tile_maker.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/hash.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// A bits span has at most this many keys: enough that few spans are needed, and few enough that
// gaps are left out and equal ones are found.
constexpr std::int64_t kBitsKeys = 512;
// This is the limit where nothing is shared or left out: rows that are computed one by one take a
// span at a time.
constexpr std::int64_t kScatteredKeys = 1024;
// A part that all rows of a tile see is cut out of a band if it is at least this wide.
constexpr std::int64_t kLeastFull = 128;

void set_bit(std::uint64_t* words, std::int64_t key) {
  const auto bit = static_cast<std::uint64_t>(key);
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void set_bits(std::uint64_t* words, std::int64_t begin, std::int64_t end) {
  while (begin < end) {
    const std::int64_t stop = std::min(end, begin / 64 * 64 + 64);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (stop - begin));
    words[begin / 64] |= ones << (begin % 64);
    begin = stop;
  }
}

// Reserves this many words at once, in huge pages if they fill some: the first write to a small
// page takes as long as drawing a thousand keys. All threads together touch the pages of the first
// `n_used` words, which takes longer than writing them.
void reserve_words(std::vector<std::uint64_t>& words, std::size_t n_words, std::size_t n_used,
                   int threads) {
  if (n_words <= words.capacity()) return;
  words.reserve(n_words);
  constexpr std::size_t kHugePageBytes = 2 << 20;
  auto* const begin = reinterpret_cast<std::byte*>(words.data());
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(begin) % kHugePageBytes;
  const auto pages_of = [&](std::size_t n) {
    return (std::max(n * sizeof(std::uint64_t), skipped) - skipped) / kHugePageBytes;
  };
  if (pages_of(words.capacity()) == 0) return;
  // This call is only advice to the system: small pages serve as well.
  ::madvise(begin + skipped, pages_of(words.capacity()) * kHugePageBytes, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
  parallel_for(static_cast<std::int64_t>(pages_of(n_used)), threads, 1,
               [&](std::int64_t page, std::int64_t, int) {
                 ::madvise(begin + skipped + static_cast<std::size_t>(page) * kHugePageBytes,
                           kHugePageBytes, MADV_POPULATE_WRITE);
               });
#endif
}

bool same_but_keys(const KeySpan& a, const KeySpan& b) {
  return a.kind == b.kind && a.kind != SpanKind::bits && a.offset == b.offset && a.low == b.low;
}

}  // namespace

void TileMaker::add_tile(std::span<const MaskBlock> blocks, std::span<const PieceMaker> makers,
                         const Range& rows) {
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

void TileMaker::add_spans(const PieceMaker& maker) {
  pieces_.clear();
  maker.make(rows_, pieces_);
  left_out_.clear();
  if (without_ != nullptr) without_->make(rows_, left_out_);
  if (maker.scatters() && pieces_.empty()) return add_scattered(maker);
  scatter(maker);
  std::ranges::sort(pieces_,
                    [](const Piece& a, const Piece& b) { return a.keys.begin < b.keys.begin; });
  find_borders();
  Range bits{0, 0};
  std::vector<const Piece*> active;
  std::size_t next = 0;
  for (std::size_t i = 0; i + 1 < borders_.size(); ++i) {
    const Range keys{borders_[i], borders_[i + 1]};
    std::erase_if(active, [&](const Piece* piece) { return piece->keys.end <= keys.begin; });
    for (; next < pieces_.size() && pieces_[next].keys.begin <= keys.begin; ++next)
      active.push_back(&pieces_[next]);
    const auto span = span_of(active, keys);
    if (span && span->kind == SpanKind::bits) {
      bits = {bits.end == keys.begin ? bits.begin : keys.begin, keys.end};
      if (i + 2 < borders_.size()) continue;  // the span of bits may continue
    }
    for (std::int64_t begin = bits.begin; begin < bits.end; begin += kBitsKeys)
      add_bits({begin, std::min(bits.end, begin + kBitsKeys)});
    bits = {0, 0};
    if (span && span->kind != SpanKind::bits) append(*span);
  }
}

void TileMaker::scatter(const PieceMaker& maker) {
  scattered_.clear();
  if (!maker.scatters()) return;
  scattered_words_ = (block_->k.count + 63) / 64;
  scattered_.resize(static_cast<std::size_t>(rows_.count() * scattered_words_));
  constexpr std::int64_t kRowsAtOnce = 64;
  parallel_for(
      rows_.count(), threads_, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end; ++i) {
          std::uint64_t* const words = scattered_.data() + i * scattered_words_;
          maker.scatter(rows_.begin + i, [words](std::int64_t key) { set_bit(words, key); });
        }
      });
}

void TileMaker::add_scattered(const PieceMaker& maker) {
  std::vector<std::uint64_t>& words = schedule_.words;
  const std::size_t first_word = words.size();
  const std::int64_t n_words = (block_->k.count + 63) / 64;
  const std::int64_t n_rows = rows_.count();
  if (share_)
    reserve_words(words, static_cast<std::size_t>(schedule_.n_queries * n_words),
                  static_cast<std::size_t>((block_->q.count - rows_.begin) * n_words), threads_);
  words.resize(first_word + static_cast<std::size_t>(n_rows * n_words));
  std::uint64_t* const to = words.data() + first_word;
  constexpr std::int64_t kRowsAtOnce = 64;
  parallel_for(n_rows, threads_, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end, int) {
    // The pieces of a row lie a multiple of pages apart: written bit by bit they would evict each
    // other from the cache.
    std::vector<std::uint64_t> row_words(static_cast<std::size_t>(n_words));
    for (std::int64_t i = begin; i < end; ++i) {
      std::ranges::fill(row_words, 0);
      maker.scatter(rows_.begin + i,
                    [of_row = row_words.data()](std::int64_t key) { set_bit(of_row, key); });
      for (std::int64_t first = 0; first < n_words; first += kScatteredKeys / 64) {
        const std::int64_t count = std::min(kScatteredKeys / 64, n_words - first);
        std::copy_n(row_words.data() + first, count, to + n_rows * first + i * count);
      }
    }
  });
  for (std::int64_t begin = 0; begin < block_->k.count; begin += kScatteredKeys) {
    KeySpan span{begin, std::min(block_->k.count, begin + kScatteredKeys), SpanKind::bits};
    const std::uint64_t* const own = to + n_rows * begin / 64;
    const std::int64_t n_own = n_rows * span.row_words();
    if (std::all_of(own, own + n_own, [](std::uint64_t word) { return word == 0; })) continue;
    span.words = (own - words.data()) - (block_->q_begin + rows_.begin) * span.row_words();
    append(span);
  }
}

Range TileMaker::full_part(const Piece& piece) const {
  if (piece.step != 1 || piece.rows.begin > rows_.begin || piece.rows.end < rows_.end)
    return {0, 0};
  return intersection(piece.keys, {rows_.end - 1 + piece.low, rows_.begin + piece.high + 1});
}

void TileMaker::find_borders() {
  borders_.clear();
  if (!scattered_.empty()) borders_ = {0, block_->k.count};
  for (const std::vector<Piece>* pieces : {&pieces_, &left_out_})
    for (const Piece& piece : *pieces) {
      borders_.insert(borders_.end(), {piece.keys.begin, piece.keys.end});
      const Range full = full_part(piece);
      if (full.count() >= kLeastFull) borders_.insert(borders_.end(), {full.begin, full.end});
    }
  std::ranges::sort(borders_);
  borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
}

std::optional<KeySpan> TileMaker::span_of(const std::vector<const Piece*>& active,
                                          const Range& keys) const {
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

void TileMaker::append(KeySpan span) {
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

void TileMaker::add_bits(const Range& keys) {
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

void TileMaker::take_left_out(const Range& keys, std::int64_t row_words) {
  if (left_out_.empty()) return;
  taken_.assign(buffer_.size(), 0);
  for (const Piece& piece : left_out_) fill(piece, keys, row_words, taken_);
  for (std::size_t w = 0; w < buffer_.size(); ++w) buffer_[w] &= ~taken_[w];
}

void TileMaker::fill(const Piece& piece, const Range& keys, std::int64_t row_words,
                     std::vector<std::uint64_t>& to) const {
  if (piece.keys.begin >= keys.end || piece.keys.end <= keys.begin) return;
  const Range rows = intersection(piece.rows, rows_);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const Range live = intersection(piece.live(row), keys);
    if (live.count() == 0) continue;
    std::uint64_t* const words = to.data() + (row - rows_.begin) * row_words;
    if (piece.step == 1) {
      set_bits(words, live.begin - keys.begin, live.end - keys.begin);
      continue;
    }
    const std::int64_t past = (live.begin - row - piece.phase) % piece.step;
    std::int64_t key = live.begin + (past > 0 ? piece.step - past : -past);
    for (; key < live.end; key += piece.step) set_bit(words, key - keys.begin);
  }
}

void TileMaker::copy_scattered(const Range& keys, std::int64_t row_words) {
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

std::int64_t TileMaker::place_of_buffer() {
  std::uint64_t hash = buffer_.size();
  for (const std::uint64_t word : buffer_) hash = hash_with(hash, word);
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

}  // namespace qb
