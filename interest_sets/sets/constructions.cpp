// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/constructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "base/status.h"

namespace qb {

std::optional<int> prime_of_power(int q) {
  if (q < 2) return std::nullopt;
  int prime = 2;
  while (prime <= q / prime && q % prime != 0) ++prime;
  if (q % prime != 0) prime = q;
  while (q % prime == 0) q /= prime;
  if (q != 1) return std::nullopt;
  return prime;
}

FiniteField::FiniteField(int q) : q_(q), prime_(0) {
  const std::optional<int> prime = prime_of_power(q);
  if (!prime || q > 32749) throw std::invalid_argument("GF(q) needs a prime power q");
  prime_ = *prime;
  power_.resize(static_cast<std::size_t>(q));
  log_.resize(static_cast<std::size_t>(q));
  // x is primitive for some monic polynomial x^k - (low digits); for k = 1 that is some generator.
  int low = 1;
  while (low < q && !try_polynomial(low)) ++low;
  if (low == q) throw std::logic_error("no primitive polynomial");
}

// Computes the powers of x where x^k = low; returns false where x is not primitive.
bool FiniteField::try_polynomial(int low) {
  const int top = q_ / prime_;  // weight of the digit of x^(k-1)
  int element = 1;
  for (int i = 0; i < q_ - 1; ++i) {
    if (i > 0 && element == 1) return false;
    power_[static_cast<std::size_t>(i)] = element;
    log_[static_cast<std::size_t>(element)] = i;
    // Multiplication by x shifts by a digit; the digit that leaves at the top returns as that many
    // times `low`.
    const int leaving = element / top;
    element = element % top * prime_;
    for (int times = 0; times < leaving; ++times) element = add(element, low);
    if (element == 0) return false;
  }
  return element == 1;
}

int FiniteField::add(int a, int b) const {
  if (prime_ == 2) return a ^ b;
  int sum = 0;
  for (int digit = 1; a > 0 || b > 0; digit *= prime_) {
    sum += (a % prime_ + b % prime_) % prime_ * digit;
    a /= prime_;
    b /= prime_;
  }
  return sum;
}

namespace {

// Returns, where x^3 = c[0] + c[1] x + c[2] x^2, the exponents below W at which the power of x has
// no x^2; an empty list where x^i is in GF(q) already for some 0 < i < W.
std::vector<int> line_exponents(const FiniteField& field, const std::array<int, 3>& c,
                                int modulus) {
  std::vector<int> exponents;
  std::array<int, 3> power = {1, 0, 0};
  for (int i = 0; i < modulus; ++i) {
    if (i > 0 && power[1] == 0 && power[2] == 0) return {};
    if (power[2] == 0) exponents.push_back(i);
    const int top = power[2];
    power = {field.multiply(top, c[0]), field.add(power[0], field.multiply(top, c[1])),
             field.add(power[1], field.multiply(top, c[2]))};
  }
  return exponents;
}

std::vector<int> wichmann_marks(int r, int s) {
  std::vector<int> marks = {0};
  const auto steps = [&](int times, int step) {
    for (int i = 0; i < times; ++i) marks.push_back(marks.back() + step);
  };
  steps(r, 1);
  steps(1, r + 1);
  steps(r, 2 * r + 1);
  steps(s, 4 * r + 3);
  steps(r + 1, 2 * r + 2);
  steps(r, 1);
  return marks;
}

// Removes residues, from the last one down, as long as the differences stay covered.
void thin_out(InterestSet& set) {
  const auto half = static_cast<std::size_t>(set.modulus / 2);
  std::vector<int> times(half + 1, 0);
  const auto of = [&](int a, int b) -> int& {
    const int apart = std::abs(a - b);
    return times[static_cast<std::size_t>(std::min(apart, set.modulus - apart))];
  };
  for (std::size_t i = 0; i < set.residues.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) ++of(set.residues[i], set.residues[j]);
  for (std::size_t i = set.residues.size(); i-- > 2;) {
    const int residue = set.residues[i];
    bool needed = false;
    for (int other : set.residues)
      if (other != residue) needed |= --of(residue, other) == 0;
    if (!needed) {
      set.residues.erase(set.residues.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    for (int other : set.residues)
      if (other != residue) ++of(residue, other);
  }
}

}  // namespace

std::optional<int> singer_order(int modulus) {
  const int q = static_cast<int>(std::sqrt(static_cast<double>(modulus)));
  for (int near : {q - 1, q})
    if (near >= 2 && std::int64_t{near} * near + near + 1 == modulus && prime_of_power(near))
      return near;
  return std::nullopt;
}

InterestSet singer_set(int modulus) {
  const auto order = singer_order(modulus);
  if (!order)
    throw UsageError(fmt::format(
        "W = {} has no Singer set: W = q^2 + q + 1 with q a prime power does", modulus));
  const FiniteField field(*order);
  for (int c2 = 0; c2 < *order; ++c2)
    for (int c1 = 0; c1 < *order; ++c1)
      for (int c0 = 1; c0 < *order; ++c0) {
        InterestSet set{modulus, line_exponents(field, {c0, c1, c2}, modulus)};
        if (std::ssize(set.residues) != *order + 1 || first_uncovered_difference(set)) continue;
        return set;
      }
  throw std::logic_error("no cubic gives the plane");
}

InterestSet ruler_set(int modulus) {
  if (modulus < 3) return default_interest_set(modulus);  // throws
  const std::int64_t half = modulus / 2;
  int best_r = 0;
  int best_s = 0;
  std::int64_t fewest = half + 2;
  for (std::int64_t r = 0; 4 * r < fewest; ++r) {
    // L = 4 r (r + s + 2) + 3 (s + 1) >= W/2.
    const std::int64_t short_of = half - 4 * r * (r + 2) - 3;
    const std::int64_t s = short_of <= 0 ? 0 : (short_of + 4 * r + 2) / (4 * r + 3);
    if (4 * r + s + 3 >= fewest) continue;
    fewest = 4 * r + s + 3;
    best_r = static_cast<int>(r);
    best_s = static_cast<int>(s);
  }
  InterestSet set{modulus, {}};
  for (int mark : wichmann_marks(best_r, best_s))
    if (mark < modulus) set.residues.push_back(mark);
  thin_out(set);
  verify(set);
  return set;
}

}  // namespace qb
