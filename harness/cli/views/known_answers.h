// SPDX-License-Identifier: Apache-2.0
// Known answers: constants that were worked out by hand or are printed in papers, beside what this
// build makes of the same questions. A compiler or a library with a fault shows here, without a
// second machine to compare with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qb {

struct KnownAnswer {
  std::string_view question;
  double expected = 0.0;
  double computed = 0.0;  // NaN where it could not be computed
};

// Interval arithmetic, verdicts, statistics, counts of plans, interest sets, and float64 attention
// with its gradients; it takes a few milliseconds.
[[nodiscard]] std::vector<KnownAnswer> known_answers();

// Whether the two differ by more than the rounding of a few operations on doubles.
[[nodiscard]] bool is_wrong(const KnownAnswer& answer);

// `all 35 right`, or `2 of 35 WRONG: …` with each wrong one.
[[nodiscard]] std::string known_answers_text(std::span<const KnownAnswer> answers);

}  // namespace qb
