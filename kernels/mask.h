// Which keys a query may see, over global positions. Full and causal here; every later pattern is
// another kind with the same questions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

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

// causal: query q sees key k iff k <= q + offset. With offset = kv_len - q_len the last query sees
// the last key (FlashAttention 2's alignment); offset 0 is the square case.
struct Mask {
  MaskKind kind = MaskKind::full;
  std::int64_t offset = 0;

  [[nodiscard]] static Mask full() { return {}; }
  [[nodiscard]] static Mask causal(std::int64_t q_len, std::int64_t kv_len) {
    return {MaskKind::causal, kv_len - q_len};
  }
  [[nodiscard]] bool allows(std::int64_t q, std::int64_t k) const {
    return kind == MaskKind::full || k <= q + offset;
  }
  // Keys of [0, kv_len) that query q sees.
  [[nodiscard]] std::int64_t keys_of(std::int64_t q, std::int64_t kv_len) const {
    if (kind == MaskKind::full) return kv_len;
    return std::clamp<std::int64_t>(q + offset + 1, 0, kv_len);
  }
  friend bool operator==(const Mask&, const Mask&) = default;
};

}  // namespace qb
