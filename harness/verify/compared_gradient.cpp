// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/compared_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace qb {
namespace {

constexpr double kGradientFactor = 1.5;
constexpr double kGradientFloor = 1e-4;
constexpr double kRoundingsOnly = 1e-5;

// Weights that are off by a part of themselves cost that part of terms of up to this many sizes.
constexpr double kLargestTerm = 4.0;

}  // namespace

void ComparedGradient::add(std::int64_t batch, std::int64_t head, const std::vector<double>& exact,
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

bool require_finite(std::string_view name, std::string_view token_word, const TensorView& view,
                    int threads, Verification& verification) {
  auto flaw =
      first_flaw(view.extent, threads, [&](const RowPlace& place) -> std::optional<std::string> {
        const float* const values = view.row_as<float>(place.batch, place.head, place.row);
        const std::int64_t x = first_not_finite(values, view.extent.head_dim);
        if (x == view.extent.head_dim) return std::nullopt;
        return fmt::format("{} at {}, element {} is {}: never written, or not a number", name,
                           place.text(token_word), x, values[x]);
      });
  if (!flaw) return true;
  verification.correct = false;
  verification.message = std::move(*flaw);
  return false;
}

double GradientAllowance::of_lse() const {
  const double off = rounds_lse ? unit_roundoff(DType::f32) * largest_score : 0.0;
  return off <= kMostLseRounding ? 2.0 * off : 0.0;
}

GradientErrors judge_gradient(TensorRole what, const ComparedGradient& gradient,
                              const GradientAllowance& allowed, Verification& verification) {
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
  std::string message;
  if (!(worst.error <= tolerance))
    message = worst.text(gradient.name, tolerance, gradient.token_word) + why_lost;
  else if (auto why = unrepresentable(allowed.largest_score, worst.naive_error,
                                      std::max(worst.magnitude, gradient.size));
           !why.empty())
    message = fmt::format("{}: {}", gradient.name, why);
  else if (worst.error > kRoundingsOnly * gradient.size && !(norm.error_norm() <= largest_norm))
    message =
        fmt::format(
            "{} has a relative L2 error of {:.3g} over {} {}s of a head, tolerance {:.3g}; the "
            "largest error is at {}",
            gradient.name, norm.error(), gradient.tokens.size(), gradient.token_word,
            largest_norm / norm.reference_norm(), worst.place.text(gradient.token_word)) +
        why_lost;
  const bool correct = message.empty();
  if (verification.message.empty()) verification.message = std::move(message);
  return {what, worst.error, worst.naive_error, tolerance, norm.error(), correct};
}

}  // namespace qb
