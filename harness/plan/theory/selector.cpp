// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/selector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qb {
namespace {

// Returns the T from which a hop of K and V hides behind the attention of a shard.
double hiding_new_tokens(const Prefill& p) {
  return static_cast<double>(p.workers * p.kv_heads * p.element_bytes) * p.compute_flop_per_s /
         (2.0 * static_cast<double>(p.q_heads) * p.link_byte_per_s);
}

// Returns the miss rate from which K and V are the smaller message.
double smaller_message_miss_rate(const Prefill& p) {
  return 2.0 * static_cast<double>(p.kv_heads) / static_cast<double>(p.q_heads);
}

RingVariant pass_kv_if(bool condition) {
  return condition ? RingVariant::pass_kv : RingVariant::pass_q;
}

RingVariant choose_above(const Prefill& p, double miss_rate) {
  return pass_kv_if(static_cast<double>(p.new_tokens) >= hiding_new_tokens(p) ||
                    p.miss_rate() >= miss_rate);
}

}  // namespace

double Prefill::miss_rate() const {
  return static_cast<double>(new_tokens) / static_cast<double>(new_tokens + cached_tokens);
}

RingVariant choose_algorithm_1(const Prefill& prefill) {
  return choose_above(prefill, smaller_message_miss_rate(prefill));
}

RingVariant choose_algorithm_5(const Prefill& prefill) {
  const double lowered =
      4.0 * static_cast<double>(prefill.new_tokens) * prefill.link_byte_per_s /
      (static_cast<double>(prefill.workers * prefill.element_bytes) * prefill.compute_flop_per_s);
  return choose_above(prefill, smaller_message_miss_rate(prefill) - lowered);
}

RingVariant SelectorSample::best() const { return pass_kv_if(pass_kv_s <= pass_q_s); }

double SelectorSample::seconds(RingVariant variant) const {
  return variant == RingVariant::pass_kv ? pass_kv_s : pass_q_s;
}

std::size_t SelectorScore::samples() const {
  return kv_best_kv_chosen + kv_best_q_chosen + q_best_kv_chosen + q_best_q_chosen;
}

double SelectorScore::accuracy() const {
  if (samples() == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(kv_best_kv_chosen + q_best_q_chosen) / static_cast<double>(samples());
}

SelectorScore score_selector(std::span<const SelectorSample> samples, const Selector& choose) {
  SelectorScore score;
  double regret_sum = 0.0;
  for (const SelectorSample& sample : samples) {
    const RingVariant chosen = choose(sample.prefill);
    const bool kv_best = sample.best() == RingVariant::pass_kv;
    const bool kv_chosen = chosen == RingVariant::pass_kv;
    ++(kv_best ? (kv_chosen ? score.kv_best_kv_chosen : score.kv_best_q_chosen)
               : (kv_chosen ? score.q_best_kv_chosen : score.q_best_q_chosen));
    const double regret = sample.seconds(chosen) / sample.seconds(sample.best()) - 1.0;
    regret_sum += regret;
    score.max_regret = std::max(score.max_regret, regret);
  }
  if (!samples.empty()) score.mean_regret = regret_sum / static_cast<double>(samples.size());
  return score;
}

}  // namespace qb
