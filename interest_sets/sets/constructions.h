// SPDX-License-Identifier: Apache-2.0
// Constructs interest sets for any W: perfect ones where geometry gives them, else rulers.
#pragma once

#include <optional>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// Returns the prime of which q is a power; nullopt where q is not a prime power.
[[nodiscard]] std::optional<int> prime_of_power(int q);

// Computes in GF(q) by tables of logarithms to a primitive element. Elements are 0..q-1: the
// polynomial a_0 + a_1 x + … over GF(p) is the number a_0 + a_1 p + …, so 0 and 1 are zero and one.
class FiniteField {
 public:
  // Throws std::invalid_argument unless q is a prime power, at most 32749 (products fit an int).
  explicit FiniteField(int q);

  [[nodiscard]] int size() const { return q_; }
  [[nodiscard]] int add(int a, int b) const;
  [[nodiscard]] int multiply(int a, int b) const {
    if (a == 0 || b == 0) return 0;
    const int sum = log_[static_cast<std::size_t>(a)] + log_[static_cast<std::size_t>(b)];
    return power_[static_cast<std::size_t>(sum < q_ - 1 ? sum : sum - (q_ - 1))];
  }

 private:
  [[nodiscard]] bool try_polynomial(int low);

  int q_;
  int prime_;
  std::vector<int> power_;  // powers of the primitive element
  std::vector<int> log_;
};

// Returns the order q of the Singer sets of W = q^2 + q + 1, q a prime power; nullopt for other W.
[[nodiscard]] std::optional<int> singer_order(int modulus);

// Returns the perfect difference set of a line of the projective plane over GF(q): q + 1 residues.
// The points are the powers x^0, x^1, … of a root of a cubic over GF(q), up to factors in GF(q);
// the line is where x^2 has no share, so 0 and 1 are on it. Each cubic that is tried costs O(q^2).
// Throws UsageError where W has no singer_order(). (Singer, Trans. AMS 43, 1938.)
[[nodiscard]] InterestSet singer_set(int modulus);

// Returns a complete ruler (every distance 1..L) of length L >= W/2 with the fewest marks that
// Wichmann's pattern gives, about sqrt(3 W / 2): steps 1 r times, r + 1, 2r + 1 r times, 4r + 3 s
// times, 2r + 2 r + 1 times, 1 r times; marks that are not needed mod W are left out. Throws
// UsageError unless W >= 3. (Wichmann, J. London Math. Soc. 38, 1963.)
[[nodiscard]] InterestSet ruler_set(int modulus);

}  // namespace qb
