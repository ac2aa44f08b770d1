#include "kernels/mask/row_permutation.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace qb {
namespace {

TEST(RowPermutation, IsABijectionAndItsInverse) {
  for (const std::uint64_t n : {1u, 2u, 3u, 7u, 64u, 65u, 1000u}) {
    const RowPermutation row(n, 5, 17);
    std::set<std::uint64_t> places;
    for (std::uint64_t x = 0; x < n; ++x) {
      ASSERT_LT(row.place_of(x), n);
      ASSERT_EQ(row.at(row.place_of(x)), x) << "n = " << n;
      places.insert(row.place_of(x));
    }
    EXPECT_EQ(places.size(), n);
  }
}

TEST(RowPermutation, RowsAndSeedsDrawEveryKeyEquallyOften) {
  constexpr std::uint64_t kKeys = 100;
  constexpr std::uint64_t kRows = 20000;
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    std::vector<int> drawn(kKeys, 0);
    for (std::uint64_t row = 0; row < kRows; ++row)
      for (std::uint64_t i = 0; i < 5; ++i) ++drawn[RowPermutation(kKeys, seed, row).at(i)];
    // Chi squared with 99 degrees of freedom exceeds 160 once in ten thousand.
    double chi_squared = 0.0;
    for (const int count : drawn) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
    EXPECT_LT(chi_squared, 160.0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace qb
