// Which keys a query may see, over global positions. Full and causal here; every later pattern is
// another kind with the same questions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/words.h"

namespace qb {

enum class MaskKind { full, causal };

template <>
struct Words<MaskKind> {
  static constexpr std::string_view what = "mask";
  static constexpr std::pair<MaskKind, std::string_view> table[] = {{MaskKind::full, "full"},
                                                                    {MaskKind::causal, "causal"}};
};

// What a mask says of a rectangle of pairs.
enum class Coverage { none, all, partial };

// One of several sequences packed one after another: its queries see its keys only.
struct Segment {
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

// causal: query q sees key k iff k <= q + offset. With offset = kv_len - q_len the last query sees
// the last key (FlashAttention 2's alignment); offset 0 is the square case. Segments are ascending
// and tile both axes; the alignment then holds within each of them and `offset` says nothing.
struct Mask {
  MaskKind kind = MaskKind::full;
  std::int64_t offset = 0;
  std::vector<Segment> segments{};  // none: one sequence

  [[nodiscard]] static Mask full() { return {}; }
  [[nodiscard]] static Mask causal(std::int64_t q_len, std::int64_t kv_len) {
    return {MaskKind::causal, kv_len - q_len, {}};
  }
  // The segment of query q; nullptr where there are none.
  [[nodiscard]] const Segment* segment_of(std::int64_t q) const {
    const auto after =
        std::upper_bound(segments.begin(), segments.end(), q,
                         [](std::int64_t query, const Segment& s) { return query < s.q_begin; });
    return segments.empty() ? nullptr : &*std::prev(after);
  }
  // Key k of q's sequence is seen iff k <= q + offset_of(q); for causal masks.
  [[nodiscard]] std::int64_t offset_of(std::int64_t q) const {
    const Segment* segment = segment_of(q);
    return segment == nullptr ? offset : segment->k_end - segment->q_end;
  }
  [[nodiscard]] bool allows(std::int64_t q, std::int64_t k) const {
    const Segment* segment = segment_of(q);
    if (segment != nullptr && (k < segment->k_begin || k >= segment->k_end)) return false;
    return kind == MaskKind::full || k <= q + offset_of(q);
  }
  // How many keys of [0, kv_len) query q sees.
  [[nodiscard]] std::int64_t keys_of(std::int64_t q, std::int64_t kv_len) const {
    const Segment* segment = segment_of(q);
    const std::int64_t begin = segment == nullptr ? 0 : segment->k_begin;
    const std::int64_t end = segment == nullptr ? kv_len : segment->k_end;
    if (kind == MaskKind::full) return end - begin;
    return std::clamp<std::int64_t>(q + offset_of(q) + 1, begin, end) - begin;
  }
  friend bool operator==(const Mask&, const Mask&) = default;
};

}  // namespace qb
