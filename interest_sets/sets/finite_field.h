// Arithmetic of GF(q), q a prime power, by tables.
#pragma once

#include <optional>
#include <vector>

namespace qb {

struct PrimePower {
  int prime = 0;
  int exponent = 0;
};
// q = prime^exponent; nullopt where q is no prime power.
[[nodiscard]] std::optional<PrimePower> prime_power(int q);

// Elements are 0..q-1: the polynomial a_0 + a_1 x + … over GF(p) is the number a_0 + a_1 p + …, so
// 0 and 1 are zero and one. Products go through logarithms to a primitive element.
class FiniteField {
 public:
  // Throws std::invalid_argument unless q is a prime power, at most 32749 (products fit an int).
  explicit FiniteField(int q);

  [[nodiscard]] int size() const { return q_; }
  [[nodiscard]] int add(int a, int b) const;
  [[nodiscard]] int negative(int a) const;
  [[nodiscard]] int multiply(int a, int b) const {
    if (a == 0 || b == 0) return 0;
    const int sum = log_[static_cast<std::size_t>(a)] + log_[static_cast<std::size_t>(b)];
    return power_[static_cast<std::size_t>(sum < q_ - 1 ? sum : sum - (q_ - 1))];
  }

 private:
  [[nodiscard]] bool try_polynomial(int low);

  int q_;
  int prime_;
  std::vector<int> power_;  // of the primitive element
  std::vector<int> log_;
};

}  // namespace qb
