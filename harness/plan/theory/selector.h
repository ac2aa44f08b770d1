// SPDX-License-Identifier: Apache-2.0
// pass-KV or pass-Q: chooses, before a prefill, which tensor goes round the ring (Context
// Parallelism for inference, arXiv 2411.01783), and scores the choices against measured times.
//
// T new and P cached tokens, miss rate m = T / (T + P), W workers, NH and NKV query and key-value
// heads, e bytes an element, C peak FLOP/s of a worker, B bytes/s of its link.
//   Algorithm 1  pass-KV iff T >= W C NKV e / (2 NH B)  or  m >= 2 NKV / NH
//   Algorithm 5  the second bound lowered by 4 T B / (W C e): the all-to-all of pass-Q counts too
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/words.h"

namespace qb {

enum class RingVariant { pass_kv, pass_q };

QB_WORDS(RingVariant, "ring variant", pass_kv, pass_q);

struct Prefill {
  std::int64_t new_tokens = 0;     // T >= 1
  std::int64_t cached_tokens = 0;  // P >= 0
  std::int64_t workers = 1;
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t element_bytes = 2;
  double compute_flop_per_s = 0.0;  // FLOP/s of one worker
  double link_byte_per_s = 0.0;     // bytes/s that one worker sends
  [[nodiscard]] double miss_rate() const;
};

[[nodiscard]] RingVariant choose_algorithm_1(const Prefill& prefill);
[[nodiscard]] RingVariant choose_algorithm_5(const Prefill& prefill);

// One prefill run both ways. pass-KV wins a tie, since it needs no all-to-all.
struct SelectorSample {
  Prefill prefill;
  double pass_kv_s = 0.0;
  double pass_q_s = 0.0;
  [[nodiscard]] RingVariant best() const;
  [[nodiscard]] double seconds(RingVariant variant) const;
};

// Counts by best and chosen variant, and the regret: time(chosen) / time(best) - 1.
struct SelectorScore {
  std::size_t kv_best_kv_chosen = 0;
  std::size_t kv_best_q_chosen = 0;
  std::size_t q_best_kv_chosen = 0;
  std::size_t q_best_q_chosen = 0;
  double mean_regret = 0.0;
  double max_regret = 0.0;
  [[nodiscard]] std::size_t samples() const;
  [[nodiscard]] double accuracy() const;  // NaN without samples
};

using Selector = std::function<RingVariant(const Prefill&)>;
[[nodiscard]] SelectorScore score_selector(std::span<const SelectorSample> samples,
                                           const Selector& choose);

}  // namespace qb
