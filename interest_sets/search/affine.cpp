#include "interest_sets/search/affine.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace qb {
namespace {

// Calls visit(image) for each affine image that has a pair of the set on (0, 1); ascending
// residues, one image as often as symmetry repeats it.
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
      std::sort(image.begin(), image.end());
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
  std::sort(orbit.begin(), orbit.end(), before);
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

}  // namespace qb
