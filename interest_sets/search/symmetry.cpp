// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/cover_search.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace qb {
namespace {

// Calls visit(image) for each affine image with a pair of the set on (0, 1); residues are
// ascending, and one image comes as often as symmetry repeats it. inverse: of unit_inverses().
template <class Visit>
void for_each_image(const InterestSet& set, const std::vector<int>& inverse, Visit&& visit) {
  const int modulus = set.modulus;
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
  std::set<std::vector<int>> images;
  for_each_image(set, unit_inverses(set.modulus),
                 [&](const std::vector<int>& image) { images.insert(image); });
  std::vector<InterestSet> orbit;
  for (const std::vector<int>& image : images) orbit.push_back({set.modulus, image});
  return orbit;
}

InterestSet orbit_representative(const InterestSet& set) {
  const std::vector<InterestSet> orbit = orbit_with_zero_and_one(set);
  if (orbit.empty()) throw std::invalid_argument("no two residues differ by a unit");
  return orbit.front();
}

TripleTypes::TripleTypes(int modulus) : modulus_(modulus) {
  const std::vector<int> inverse = unit_inverses(modulus);
  const auto n = static_cast<std::size_t>(modulus);
  std::vector<int> third(n * n, 0);
  std::vector<int> triples(n, 0);  // number of (difference, other) with that least third
  for (int b = 1; b < modulus; ++b)
    for (int c = 1; c < modulus; ++c) {
      if (b == c) continue;
      int& least = third[at(b, c)];  // least x with {0, 1, x} in the orbit of {0, b, c}, or 0
      for_each_image({modulus, {0, b, c}}, inverse, [&](const std::vector<int>& image) {
        least = least == 0 ? image[2] : std::min(least, image[2]);
      });
      ++triples[static_cast<std::size_t>(least)];
    }
  for (int x = 2; x < modulus; ++x)
    if (triples[static_cast<std::size_t>(x)] > 0) thirds_.push_back(x);
  std::ranges::sort(thirds_, {}, [&](int x) {
    return std::tuple(x != 2, -triples[static_cast<std::size_t>(x)], x);
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
          forbidden_[static_cast<std::size_t>(type)][static_cast<std::size_t>(b)].set(
              static_cast<std::size_t>(c));
}

int TripleTypes::of(int a, int b, int c) const {
  return type_[at((b - a + modulus_) % modulus_, (c - a + modulus_) % modulus_)];
}

void TripleTypes::forbid(int type, int a, int b, ResidueBits& bits) const {
  const int difference = b >= a ? b - a : b - a + modulus_;
  const ResidueBits& of_zero =
      forbidden_[static_cast<std::size_t>(type)][static_cast<std::size_t>(difference)];
  // Residues from W - a on wrap around; bits at W and above are never read.
  bits |= of_zero << static_cast<std::size_t>(a);
  bits |= of_zero >> static_cast<std::size_t>(modulus_ - a);
}

}  // namespace qb
