// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/verify_gradients.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/verify/compared_gradient.h"

namespace qb {

std::vector<std::int64_t> groups_to_verify(const GradientProblem& problem,
                                           std::int64_t most_pairs) {
  const Extent& q = problem.q.extent;
  const Extent& k = problem.k.extent;
  const std::int64_t groups = k.batch * k.heads;
  const std::int64_t pairs = q.heads / k.heads * q.length * k.length;
  const std::int64_t kept =
      std::clamp<std::int64_t>(most_pairs / std::max<std::int64_t>(pairs, 1), 1, groups);
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 1; i <= kept; ++i) chosen.push_back(i * groups / kept - 1);
  return chosen;
}

void verify_gradients(const GradientProblem& problem, const GradientViews& found,
                      std::span<const std::int64_t> rows, std::span<const std::int64_t> keys,
                      int threads, Verification& verification, double asked_roundings,
                      bool rounds_lse, std::int64_t most_pairs) {
  verification.keys = static_cast<std::int64_t>(keys.size());
  const std::pair<TensorRole, const TensorView*> views[] = {
      {TensorRole::d_q, &found.d_q}, {TensorRole::d_k, &found.d_k}, {TensorRole::d_v, &found.d_v}};
  for (const auto& [what, view] : views) {
    if (!require_finite(word(what), token_word(what), *view, threads, verification)) return;
  }
  const bool has_sinks = found.d_sinks.data != nullptr;
  if (has_sinks && !require_finite("dSinks", "row", found.d_sinks, threads, verification)) return;
  const double of_d_out = root_mean_square(problem.d_out);
  const double of_scores = std::abs(problem.scale) * of_d_out * root_mean_square(problem.v) *
                           std::sqrt(static_cast<double>(problem.v.extent.head_dim));
  const auto compared = [](TensorRole what, const TensorView& view,
                           std::span<const std::int64_t> tokens, double size) {
    return ComparedGradient{word(what), token_word(what), view, tokens, size};
  };
  ComparedGradient d_q =
      compared(TensorRole::d_q, found.d_q, rows, of_scores * root_mean_square(problem.k));
  ComparedGradient d_k =
      compared(TensorRole::d_k, found.d_k, keys, of_scores * root_mean_square(problem.q));
  ComparedGradient d_v = compared(TensorRole::d_v, found.d_v, keys, of_d_out);
  ComparedGradient d_sinks = compared(TensorRole::d_sinks, found.d_sinks, {}, 0.0);
  RelativeL2 norm_of_sinks;
  GradientAllowance allowed{unit_roundoff(problem.q.dtype) + asked_roundings, 0.0, rounds_lse};
  const std::int64_t kv_heads = problem.k.extent.heads;
  for (const std::int64_t group : groups_to_verify(problem, most_pairs)) {
    const std::int64_t batch = group / kv_heads;
    const std::int64_t head = group % kv_heads;
    GradientProblem part = problem;
    for (TensorView* const view : {&part.q, &part.k, &part.v, &part.d_out, &part.out, &part.lse})
      if (view->extent.heads >= kv_heads)  // the last two need not be given
        *view = group_of(*view, batch, head, kv_heads);
    const auto heads = static_cast<std::size_t>(part.q.extent.heads);
    if (!part.sinks.empty())
      part.sinks = part.sinks.subspan(static_cast<std::size_t>(head) * heads, heads);
    const ReferenceGradients exact = reference_gradients(part, rows, keys, threads);
    const ReferenceGradients naive = naive_gradients(part, rows, keys, threads);
    d_q.add(batch, head * part.q.extent.heads, exact.d_q, naive.d_q);
    d_k.add(batch, head, exact.d_k, naive.d_k);
    d_v.add(batch, head, exact.d_v, naive.d_v);
    allowed.largest_score = std::max(allowed.largest_score, exact.largest_score);
    for (std::size_t h = 0; has_sinks && h < exact.d_sinks.size(); ++h) {
      const RowPlace place{batch, head * part.q.extent.heads + static_cast<std::int64_t>(h), 0};
      const double value = *found.d_sinks.row_as<float>(batch, place.head, 0);
      d_sinks.worst.add(place, 0, value, naive.d_sinks[h], exact.d_sinks[h]);
      norm_of_sinks.add(value, exact.d_sinks[h]);
      d_sinks.size = std::max(d_sinks.size, exact.sink_size);
    }
  }
  for (const auto& [what, gradient] :
       {std::pair{TensorRole::d_q, &d_q}, std::pair{TensorRole::d_k, &d_k},
        std::pair{TensorRole::d_v, &d_v}})
    verification.gradients.push_back(judge_gradient(what, *gradient, allowed, verification));
  if (has_sinks) {
    d_sinks.worst.magnitude = std::max(d_sinks.worst.magnitude, d_sinks.size);
    verification.gradients.push_back(
        judge_gradient(TensorRole::d_sinks, d_sinks, allowed, verification));
    verification.gradients.back().relative_l2_error = norm_of_sinks.error();
  }
  verification.correct = verification.correct && verification.message.empty();
}

}  // namespace qb
