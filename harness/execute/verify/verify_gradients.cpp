// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/verify/verify_gradients.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/execute/verify/worst_error.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr double kGradientFactor = 1.5;
constexpr double kGradientFloor = 1e-4;
constexpr double kRoundingsOnly = 1e-5;

// One gradient: what was found, in which tokens it is compared, and with what.
struct ComparedGradient {
  TensorRole what;
  const TensorView& found;
  std::span<const std::int64_t> tokens;
  const std::vector<double>& exact;  // [b, heads, tokens, dim], as is the next
  const std::vector<double>& naive;
  double size;  // s of verify_gradients.h

  [[nodiscard]] std::string_view token_word() const { return is_of_keys(what) ? "key" : "row"; }
};

// It takes the finite values only: keys that no query sees may have others.
double root_mean_square(const TensorView& view) {
  double squares = 0.0;
  std::vector<double> row(static_cast<std::size_t>(view.extent.head_dim));
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 0; t < view.extent.length; ++t) {
        convert(view.row(b, h, t), view.dtype, row.data(), DType::f64, view.extent.head_dim);
        for (const double value : row)
          if (std::isfinite(value)) squares += value * value;
      }
  return std::sqrt(squares /
                   static_cast<double>(std::max<std::int64_t>(view.extent.elements(), 1)));
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

struct FoundErrors {
  WorstError worst;
  RelativeL2 norm;
  RelativeL2 naive_norm;
  std::size_t elements = 0;
};

FoundErrors errors_of(const ComparedGradient& gradient) {
  FoundErrors errors;
  auto& [worst, norm, naive_norm, at] = errors;
  const Extent& extent = gradient.found.extent;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (const std::int64_t token : gradient.tokens) {
        const float* const values = gradient.found.row_as<float>(b, h, token);
        for (std::int64_t x = 0; x < extent.head_dim; ++x, ++at) {
          const auto value = static_cast<double>(values[x]);
          worst.add({b, h, token}, x, value, gradient.naive[at], gradient.exact[at]);
          norm.add(value, gradient.exact[at]);
          naive_norm.add(gradient.naive[at], gradient.exact[at]);
        }
      }
  return errors;
}

// Adds the errors of one gradient; the first that is wrong says so.
void judge_gradient(const ComparedGradient& gradient, const Allowance& allowed,
                    Verification& verification) {
  const auto [worst, norm, naive_norm, elements] = errors_of(gradient);
  const double by_weights = allowed.of_lse() * kLargestTerm * gradient.size;
  const double roundoff = allowed.roundoff + allowed.of_lse();
  const double tolerance = kGradientFactor * worst.naive_error + roundoff * worst.magnitude +
                           kGradientFloor * gradient.size + by_weights;
  // Norms are compared and not their quotients, since all of a reference may be 0.
  const double largest_norm = kGradientFactor * naive_norm.error_norm() +
                              (roundoff + kGradientFloor) * norm.reference_norm() +
                              by_weights * std::sqrt(static_cast<double>(elements));
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

void verify_gradients(const GradientProblem& problem, const GradientViews& found,
                      std::span<const std::int64_t> rows, std::span<const std::int64_t> keys,
                      int threads, Verification& verification, double asked_roundings,
                      bool rounds_lse) {
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
  const ReferenceGradients exact = reference_gradients(problem, rows, keys, threads);
  const ReferenceGradients naive = naive_gradients(problem, rows, keys, threads);
  const double of_d_out = root_mean_square(problem.d_out);
  const double of_scores = std::abs(problem.scale) * of_d_out * root_mean_square(problem.v) *
                           std::sqrt(static_cast<double>(problem.v.extent.head_dim));
  const ComparedGradient gradients[] = {
      {TensorRole::d_q, found.d_q, rows, exact.d_q, naive.d_q,
       of_scores * root_mean_square(problem.k)},
      {TensorRole::d_k, found.d_k, keys, exact.d_k, naive.d_k,
       of_scores * root_mean_square(problem.q)},
      {TensorRole::d_v, found.d_v, keys, exact.d_v, naive.d_v, of_d_out}};
  const Allowance allowed{unit_roundoff(problem.q.dtype) + asked_roundings, exact.largest_score,
                          rounds_lse};
  for (const ComparedGradient& gradient : gradients)
    judge_gradient(gradient, allowed, verification);
  verification.correct = verification.correct && verification.message.empty();
}

}  // namespace qb
