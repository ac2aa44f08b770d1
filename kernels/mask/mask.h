// SPDX-License-Identifier: Apache-2.0
// Says which keys a query may see, by global positions: all, those before it, or a sparse pattern.
// A mask is a small value: copies share the pattern.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/words.h"
#include "kernels/mask/mask_pattern.h"

namespace qb {

enum class MaskKind { full, causal, pattern };

// Only these are words; a pattern is written with its parameters.
QB_WORDS(MaskKind, "mask", full, causal);

// This is one of several packed sequences, whose queries see only its own keys.
struct Segment {
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

// causal: query q sees key k iff k <= q + offset. With offset = kv_len - q_len the last query sees
// the last key (FlashAttention 2's alignment); offset 0 is the square case. Segments are ascending
// and tile both axes; the alignment then holds within each of them and `offset` is not used.
// pattern: query q is at position q + offset of the keys; there are no segments.
struct Mask {
  MaskKind kind = MaskKind::full;
  std::int64_t offset = 0;
  std::vector<Segment> segments{};           // empty: there is one sequence
  std::shared_ptr<const Pattern> pattern{};  // set where the kind is `pattern`

  [[nodiscard]] static Mask full() { return {}; }
  [[nodiscard]] static Mask causal(std::int64_t q_len, std::int64_t kv_len) {
    return {MaskKind::causal, kv_len - q_len, {}, {}};
  }
  // Returns the segment of query q; nullptr where there are none.
  [[nodiscard]] const Segment* segment_of(std::int64_t q) const {
    const auto after =
        std::upper_bound(segments.begin(), segments.end(), q,
                         [](std::int64_t query, const Segment& s) { return query < s.q_begin; });
    return segments.empty() ? nullptr : &*std::prev(after);
  }
  // Under a causal mask, q sees key k of its sequence iff k <= q + offset_of(q).
  [[nodiscard]] std::int64_t offset_of(std::int64_t q) const {
    const Segment* segment = segment_of(q);
    return segment == nullptr ? offset : segment->k_end - segment->q_end;
  }
  [[nodiscard]] bool allows(std::int64_t q, std::int64_t k) const {
    if (kind == MaskKind::pattern) return pattern->allows(q + offset, k);
    const Segment* segment = segment_of(q);
    if (segment != nullptr && (k < segment->k_begin || k >= segment->k_end)) return false;
    return kind == MaskKind::full || k <= q + offset_of(q);
  }
  // Returns how many keys of [0, kv_len) query q sees.
  [[nodiscard]] std::int64_t keys_of(std::int64_t q, std::int64_t kv_len) const {
    if (kind == MaskKind::pattern) return keys_of_pattern(q, kv_len);
    const Segment* segment = segment_of(q);
    const std::int64_t begin = segment == nullptr ? 0 : segment->k_begin;
    const std::int64_t end = segment == nullptr ? kv_len : segment->k_end;
    if (kind == MaskKind::full) return end - begin;
    return std::clamp<std::int64_t>(q + offset_of(q) + 1, begin, end) - begin;
  }
  // Says how much of a rectangle of tokens is allowed; `partial` may also be returned for one that
  // is none or all (Pattern::coverage). The mask must not have segments.
  [[nodiscard]] Coverage coverage(const TokenGroup& q, const TokenGroup& k) const;

  friend bool operator==(const Mask& a, const Mask& b) {
    const bool same_pattern =
        a.pattern == b.pattern ||
        (a.pattern != nullptr && b.pattern != nullptr && a.pattern->text == b.pattern->text);
    return a.kind == b.kind && a.offset == b.offset && a.segments == b.segments && same_pattern;
  }

 private:
  [[nodiscard]] std::int64_t keys_of_pattern(std::int64_t q, std::int64_t kv_len) const;
};

[[nodiscard]] std::string to_string(const Mask& mask);  // as it is written in a spec

}  // namespace qb
