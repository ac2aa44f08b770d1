// SPDX-License-Identifier: Apache-2.0
// Rules that every published table is tried against, by what its columns hold. A cell that breaks
// one contradicts its own table, or physics; one that obeys is no more than plausible.
#pragma once

#include <vector>

#include "base/words.h"
#include "harness/papers/answer.h"

namespace qb {

class RowScope;

enum class Rule {
  identity,    // a column equals what the index says that it is
  bound,       // or is at most, or at least that
  rising,      // time and memory do not fall where the sequence grows and all else is equal
  quadratic,   // time does not grow faster than the square of the sequence
  affine,      // memory that is a constant and so much a token grows evenly
  fits,        // what needs no more bytes than a case that ran does not run out of memory
  neighbours,  // a measured value is near what the cells around it give
  copied       // two series of measured values, memory apart, are not equal
};

QB_WORDS(Rule, "rule", identity, bound, rising, quadratic, affine, fits, neighbours, copied);

// Measured times scatter: neither a fall nor a growth by less than these factors breaks a rule.
inline constexpr double kFallOfNoise = 1.1;
inline constexpr double kGrowthOfNoise = 1.25;
inline constexpr double kUnevenMemory = 1.05;
// This many equal values are not an accident.
inline constexpr std::size_t kCopiedValues = 4;

[[nodiscard]] std::vector<PublishedAnswer> try_rules(const PublishedTable& table, RowScope& scope);

}  // namespace qb
