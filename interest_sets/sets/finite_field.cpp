#include "interest_sets/sets/finite_field.h"

#include <stdexcept>

namespace qb {

std::optional<PrimePower> prime_power(int q) {
  if (q < 2) return std::nullopt;
  int prime = 2;
  while (prime <= q / prime && q % prime != 0) ++prime;
  if (q % prime != 0) prime = q;
  int exponent = 0;
  while (q % prime == 0) {
    q /= prime;
    ++exponent;
  }
  if (q != 1) return std::nullopt;
  return PrimePower{prime, exponent};
}

FiniteField::FiniteField(int q) : q_(q), prime_(0) {
  const auto power = prime_power(q);
  if (!power || q > 32749) throw std::invalid_argument("GF(q) needs a prime power q");
  prime_ = power->prime;
  power_.resize(static_cast<std::size_t>(q));
  log_.resize(static_cast<std::size_t>(q));
  // x is primitive for some monic polynomial x^k - (low digits); for k = 1 that is some generator.
  int low = 1;
  while (low < q && !try_polynomial(low)) ++low;
  if (low == q) throw std::logic_error("no primitive polynomial");
}

// Runs through the powers of x where x^k = low; false where they come round before all are met.
bool FiniteField::try_polynomial(int low) {
  const int top = q_ / prime_;  // the digit of x^(k-1)
  int element = 1;
  for (int i = 0; i < q_ - 1; ++i) {
    if (i > 0 && element == 1) return false;
    power_[static_cast<std::size_t>(i)] = element;
    log_[static_cast<std::size_t>(element)] = i;
    // Times x: shift by a digit; what leaves at the top comes back as that many times `low`.
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

int FiniteField::negative(int a) const {
  int result = 0;
  for (int digit = 1; a > 0; digit *= prime_) {
    result += (prime_ - a % prime_) % prime_ * digit;
    a /= prime_;
  }
  return result;
}

}  // namespace qb
