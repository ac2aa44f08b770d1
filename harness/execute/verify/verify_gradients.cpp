// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/verify/verify_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/execute/verify/worst_error.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr double kGradientFactor = 1.5;
constexpr double kGradientFloor = 1e-4;
constexpr double kRoundingsOnly = 1e-5;

// One gradient: what was found, in which tokens it is compared, and how far off it is.
struct ComparedGradient {
  TensorRole what;
  const TensorView& found;
  std::span<const std::int64_t> tokens;
  double size;  // s of verify_gradients.h
  WorstError worst{};
  RelativeL2 norm{};
  RelativeL2 naive_norm{};

  [[nodiscard]] std::string_view token_word() const { return is_of_keys(what) ? "key" : "row"; }

  // Compares those heads of a batch that begin with `head`: exact and naive are [heads, tokens,
  // dim].
  void add(std::int64_t batch, std::int64_t head, const std::vector<double>& exact,
           const std::vector<double>& naive) {
    const std::int64_t dim = found.extent.head_dim;
    for (std::size_t at = 0; at < exact.size(); ++head)
      for (const std::int64_t token : tokens) {
        const float* const values = found.row_as<float>(batch, head, token);
        for (std::int64_t x = 0; x < dim; ++x, ++at) {
          const auto value = static_cast<double>(values[x]);
          worst.add({batch, head, token}, x, value, naive[at], exact[at]);
          norm.add(value, exact[at]);
          naive_norm.add(naive[at], exact[at]);
        }
      }
  }
};

double root_mean_square(const TensorView& view) {
  double squares = 0.0;
  for_each_finite(view, [&](double value) { squares += value * value; });
  return std::sqrt(squares /
                   static_cast<double>(std::max<std::int64_t>(view.extent.elements(), 1)));
}

// Returns head `kv_head` of a batch of keys, or the query heads that share it.
TensorView group_of(TensorView view, std::int64_t batch, std::int64_t kv_head,
                    std::int64_t kv_heads) {
  const std::int64_t heads = view.extent.heads / kv_heads;
  view.data = view.row(batch, kv_head * heads, 0);
  view.extent.batch = 1;
  view.extent.heads = heads;
  return view;
}

std::optional<std::string> first_not_finite(TensorRole what, const TensorView& view, int threads) {
  return first_flaw(view.extent, threads, [&](const RowPlace& place) -> std::optional<std::string> {
    const float* const values = view.row_as<float>(place.batch, place.head, place.row);
    for (std::int64_t x = 0; x < view.extent.head_dim; ++x)
      if (!std::isfinite(values[x]))
        return fmt::format("{} at {}, element {} is {}: never written, or not a number", word(what),
                           place.text(is_of_keys(what) ? "key" : "row"), x, values[x]);
    return std::nullopt;
  });
}

// What a tolerance allows besides the error of naive gradients.
struct Allowance {
  double roundoff;       // relative to the largest element
  double largest_score;  // of all rows
  bool rounds_lse;

  // By how much a row's weights may be off, relatively; 0 where that says nothing any more.
  [[nodiscard]] double of_lse() const {
    const double off = rounds_lse ? unit_roundoff(DType::f32) * largest_score : 0.0;
    return off <= kMostLseRounding ? 2.0 * off : 0.0;
  }
  [[nodiscard]] bool loses_weights() const { return rounds_lse && of_lse() == 0.0; }
};

// Weights that are off by a part of themselves cost that part of terms of up to this many sizes.
constexpr double kLargestTerm = 4.0;

// Adds the errors of one gradient; the first that is wrong says so.
void judge_gradient(const ComparedGradient& gradient, const Allowance& allowed,
                    Verification& verification) {
  const auto& [worst, norm, naive_norm] =
      std::tie(gradient.worst, gradient.norm, gradient.naive_norm);
  const double by_weights = allowed.of_lse() * kLargestTerm * gradient.size;
  const double roundoff = allowed.roundoff + allowed.of_lse();
  const double tolerance = kGradientFactor * worst.naive_error + roundoff * worst.magnitude +
                           kGradientFloor * gradient.size + by_weights;
  // Norms are compared and not their quotients, since all of a reference may be 0.
  const double largest_norm = kGradientFactor * naive_norm.error_norm() +
                              (roundoff + kGradientFloor) * norm.reference_norm() +
                              by_weights * std::sqrt(static_cast<double>(worst.elements));
  const char* const why_lost = allowed.loses_weights() ? kLostWeights : "";
  verification.gradients.push_back(
      {gradient.what, worst.error, worst.naive_error, tolerance, norm.error()});
  if (!verification.message.empty()) return;
  if (!(worst.error <= tolerance))
    verification.message =
        worst.text(word(gradient.what), tolerance, gradient.token_word()) + why_lost;
  else if (auto why = unrepresentable(allowed.largest_score, worst.naive_error,
                                      std::max(worst.magnitude, gradient.size));
           !why.empty())
    verification.message = fmt::format("{}: {}", word(gradient.what), why);
  else if (worst.error > kRoundingsOnly * gradient.size && !(norm.error_norm() <= largest_norm))
    verification.message =
        fmt::format(
            "{} has a relative L2 error of {:.3g} over {} {}s of a head, tolerance {:.3g}; the "
            "largest error is at {}",
            word(gradient.what), norm.error(), gradient.tokens.size(), gradient.token_word(),
            largest_norm / norm.reference_norm(), worst.place.text(gradient.token_word())) +
        why_lost;
}

}  // namespace

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
    auto flaw = first_not_finite(what, *view, threads);
    if (!flaw) continue;
    verification.correct = false;
    verification.message = std::move(*flaw);
    return;
  }
  const double of_d_out = root_mean_square(problem.d_out);
  const double of_scores = std::abs(problem.scale) * of_d_out * root_mean_square(problem.v) *
                           std::sqrt(static_cast<double>(problem.v.extent.head_dim));
  ComparedGradient d_q{TensorRole::d_q, found.d_q, rows, of_scores * root_mean_square(problem.k)};
  ComparedGradient d_k{TensorRole::d_k, found.d_k, keys, of_scores * root_mean_square(problem.q)};
  ComparedGradient d_v{TensorRole::d_v, found.d_v, keys, of_d_out};
  Allowance allowed{unit_roundoff(problem.q.dtype) + asked_roundings, 0.0, rounds_lse};
  const std::int64_t kv_heads = problem.k.extent.heads;
  for (const std::int64_t group : groups_to_verify(problem, most_pairs)) {
    const std::int64_t batch = group / kv_heads;
    const std::int64_t head = group % kv_heads;
    GradientProblem part = problem;
    for (TensorView* const view : {&part.q, &part.k, &part.v, &part.d_out, &part.out, &part.lse})
      if (view->extent.heads >= kv_heads)  // the last two need not be given
        *view = group_of(*view, batch, head, kv_heads);
    const ReferenceGradients exact = reference_gradients(part, rows, keys, threads);
    const ReferenceGradients naive = naive_gradients(part, rows, keys, threads);
    d_q.add(batch, head * part.q.extent.heads, exact.d_q, naive.d_q);
    d_k.add(batch, head, exact.d_k, naive.d_k);
    d_v.add(batch, head, exact.d_v, naive.d_v);
    allowed.largest_score = std::max(allowed.largest_score, exact.largest_score);
  }
  for (const ComparedGradient* const gradient : {&d_q, &d_k, &d_v})
    judge_gradient(*gradient, allowed, verification);
  verification.correct = verification.correct && verification.message.empty();
}

}  // namespace qb
