// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/symmetry.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace qb {
namespace {

// Calls visit(image) for each affine image with a pair of the set on (0, 1); residues are
// ascending, and one image comes as often as symmetry repeats it.
template <class Visit>
void for_each_image(const InterestSet& set, Visit&& visit) {
  const int modulus = set.modulus;
  const std::vector<int> inverse = unit_inverses(modulus);
  const auto wrapped = [modulus](int residue) { return (residue % modulus + modulus) % modulus; };
  std::vector<int> image(set.residues.size());
  for (int zero : set.residues)
    for (int one : set.residues) {
      const int unit = inverse[static_cast<std::size_t>(wrapped(one - zero))];
      if (unit == 0) continue;
      std::transform(set.residues.begin(), set.residues.end(), image.begin(),
                     [&](int residue) { return wrapped(residue - zero) * unit % modulus; });
      std::ranges::sort(image);
      visit(std::as_const(image));
    }
}

}  // namespace

std::vector<int> unit_inverses(int modulus) {
  std::vector<int> inverse(static_cast<std::size_t>(modulus), 0);
  for (int x = 1; x < modulus; ++x) {
    if (inverse[static_cast<std::size_t>(x)] != 0 || std::gcd(x, modulus) != 1) continue;
    int y = 1;
    while (x * y % modulus != 1) ++y;
    inverse[static_cast<std::size_t>(x)] = y;
    inverse[static_cast<std::size_t>(y)] = x;
  }
  return inverse;
}

std::vector<InterestSet> orbit_with_zero_and_one(const InterestSet& set) {
  std::vector<InterestSet> orbit;
  for_each_image(set, [&](const std::vector<int>& image) {
    orbit.push_back({set.modulus, image});
  });
  const auto before = [](const InterestSet& a, const InterestSet& b) {
    return a.residues < b.residues;
  };
  std::ranges::sort(orbit, before);
  orbit.erase(std::unique(orbit.begin(), orbit.end()), orbit.end());
  return orbit;
}

InterestSet orbit_representative(const InterestSet& set) {
  InterestSet first{set.modulus, {}};
  for_each_image(set, [&](const std::vector<int>& image) {
    if (first.residues.empty() || image < first.residues) first.residues = image;
  });
  if (first.residues.empty()) throw std::invalid_argument("no two residues differ by a unit");
  return first;
}

namespace {

// Returns the least x with {0, 1, x} in the orbit of {0, b, c}; 0 where there is none.
int least_third(int modulus, const std::vector<int>& inverse, int b, int c) {
  int least = 0;
  const std::array<int, 3> triple = {0, b, c};
  for (int zero = 0; zero < 3; ++zero)
    for (int one = 0; one < 3; ++one) {
      if (zero == one) continue;
      const int other = 3 - zero - one;
      const auto from_zero = [&](int index) {
        return (triple[static_cast<std::size_t>(index)] - triple[static_cast<std::size_t>(zero)] +
                modulus) %
               modulus;
      };
      const int unit = inverse[static_cast<std::size_t>(from_zero(one))];
      if (unit == 0) continue;
      const int x = from_zero(other) * unit % modulus;
      if (least == 0 || x < least) least = x;
    }
  return least;
}

}  // namespace

TripleTypes::TripleTypes(int modulus) : modulus_(modulus) {
  const std::vector<int> inverse = unit_inverses(modulus);
  const auto n = static_cast<std::size_t>(modulus);
  std::vector<int> third(n * n, 0);
  std::vector<int> triples(n, 0);  // number of (difference, other) with that least third
  for (int b = 1; b < modulus; ++b)
    for (int c = 1; c < modulus; ++c) {
      if (b == c) continue;
      third[at(b, c)] = least_third(modulus, inverse, b, c);
      ++triples[static_cast<std::size_t>(third[at(b, c)])];
    }
  for (int x = 2; x < modulus; ++x)
    if (triples[static_cast<std::size_t>(x)] > 0) thirds_.push_back(x);
  std::ranges::sort(thirds_, [&](int x, int y) {
    return std::tuple(x != 2, -triples[static_cast<std::size_t>(x)], x) <
           std::tuple(y != 2, -triples[static_cast<std::size_t>(y)], y);
  });
  std::vector<int> rank(n, count());
  for (int type = 0; type < count(); ++type)
    rank[static_cast<std::size_t>(this->third(type))] = type;
  rank[0] = count();
  type_.assign(n * n, count());
  for (std::size_t i = 0; i < type_.size(); ++i)
    type_[i] = rank[static_cast<std::size_t>(third[i])];

  forbidden_.assign(thirds_.size(), std::vector<ResidueBits>(n));
  for (int type = 0; type < count(); ++type)
    for (int b = 1; b < modulus; ++b)
      for (int c = 1; c < modulus; ++c)
        if (b != c && type_[at(b, c)] < type)
          forbidden_[static_cast<std::size_t>(type)][static_cast<std::size_t>(b)].add(c);
}

int TripleTypes::of(int a, int b, int c) const {
  return type_[at((b - a + modulus_) % modulus_, (c - a + modulus_) % modulus_)];
}

void TripleTypes::forbid(int type, int a, int b, ResidueBits& bits) const {
  const int difference = b >= a ? b - a : b - a + modulus_;
  const ResidueBits& of_zero =
      forbidden_[static_cast<std::size_t>(type)][static_cast<std::size_t>(difference)];
  // The bits are rotated by a: residues below W - a go up by a, the others wrap around.
  const auto shift_up = [&](int by) {
    const auto skip = static_cast<std::size_t>(by) / 64;
    const auto bit = static_cast<unsigned>(by) % 64;
    for (std::size_t i = bits.words.size(); i-- > skip;) {
      std::uint64_t word = of_zero.words[i - skip] << bit;
      if (bit > 0 && i > skip) word |= of_zero.words[i - skip - 1] >> (64 - bit);
      bits.words[i] |= word;
    }
  };
  const auto shift_down = [&](int by) {
    const auto skip = static_cast<std::size_t>(by) / 64;
    const auto bit = static_cast<unsigned>(by) % 64;
    for (std::size_t i = 0; i + skip < bits.words.size(); ++i) {
      std::uint64_t word = of_zero.words[i + skip] >> bit;
      if (bit > 0 && i + skip + 1 < bits.words.size())
        word |= of_zero.words[i + skip + 1] << (64 - bit);
      bits.words[i] |= word;
    }
  };
  shift_up(a);  // bits at W and above are never read
  shift_down(modulus_ - a);
}

}  // namespace qb
