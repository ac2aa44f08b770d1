// SPDX-License-Identifier: Apache-2.0
// The errors of one gradient beside float64 and the limits that it passes (verify_gradients.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/verify/verify.h"
#include "harness/verify/worst_error.h"

namespace qb {

// What was found, in which tokens it is compared, and how far off it is.
struct ComparedGradient {
  std::string_view name;        // dQ
  std::string_view token_word;  // what its rows are of: row (of a query) or key
  const TensorView& found;      // f32
  std::span<const std::int64_t> tokens;
  double size;  // s of verify_gradients.h
  WorstError worst{};
  RelativeL2 norm{};
  RelativeL2 naive_norm{};

  // Compares those heads of a batch that begin with `head`: exact and naive are [heads, tokens,
  // dim].
  void add(std::int64_t batch, std::int64_t head, const std::vector<double>& exact,
           const std::vector<double>& naive);
};

[[nodiscard]] inline std::string_view token_word(TensorRole what) {
  return is_of_keys(what) ? "key" : "row";
}

// What a tolerance allows besides the error of naive gradients.
struct GradientAllowance {
  double roundoff;             // relative to the largest element
  double largest_score = 0.0;  // of all rows
  bool rounds_lse = false;

  // By how much a row's weights may be off, relatively; 0 where that says nothing any more.
  [[nodiscard]] double of_lse() const;
  [[nodiscard]] bool loses_weights() const { return rounds_lse && of_lse() == 0.0; }
};

// Returns the errors of one gradient. If it is the first that is wrong, the message says so.
[[nodiscard]] GradientErrors judge_gradient(TensorRole what, const ComparedGradient& gradient,
                                            const GradientAllowance& allowed,
                                            Verification& verification);

// Tells whether every element is finite; else the verification fails with a message.
[[nodiscard]] bool require_finite(std::string_view name, std::string_view token_word,
                                  const TensorView& view, int threads, Verification& verification);

[[nodiscard]] double root_mean_square(const TensorView& view);

// Returns head `kv_head` of a batch of keys, or the query heads that share it.
[[nodiscard]] TensorView group_of(TensorView view, std::int64_t batch, std::int64_t kv_head,
                                  std::int64_t kv_heads);

}  // namespace qb
