// SPDX-License-Identifier: Apache-2.0
// Rules that every published table is tried against, by what its columns hold. A cell that breaks
// one contradicts its own table, or physics; one that obeys is no more than plausible.
#pragma once

#include <optional>
#include <vector>

#include "base/words.h"
#include "harness/papers/answer.h"
#include "harness/papers/paper.h"

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

// What a measured cell should be by those around it. Where two keys change a rate each by a factor,
// a cell is the product of its neighbours in either key over the one in both:
//
//   v(a, b) = v(a', b) * v(a, b') / v(a', b')
//
// Each pair of keys gives such values; their median stands for all. On FlashAttention's 334 rates
// it is within 17 % of what is printed in all but nine, where a change of 30 % leaves it in 97 of
// 100.

// The fewest values whose median is taken.
inline constexpr std::size_t kFewestNeighbours = 3;

// By row; nothing for a cell that is empty, is no positive number or has too few neighbours. Of the
// table's tokens only the next lengths are neighbours, of other keys all values.
[[nodiscard]] std::vector<std::optional<double>> by_neighbours(const PublishedTable& table,
                                                               const std::string& column);

}  // namespace qb
