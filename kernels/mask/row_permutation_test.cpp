// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/row_permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "kernels/cpu/instruction_set.h"

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

// The next tests compare vectors of places with the permutation itself, on every instruction set.
class DrawnElements : public ::testing::TestWithParam<InstructionSet> {
 protected:
  DrawnElements() { use_instruction_set(GetParam()); }
  ~DrawnElements() override { use_instruction_set(available_instruction_sets().front()); }
};

TEST_P(DrawnElements, AreThoseAtTheFirstPlaces) {
  constexpr std::uint64_t kSeed = 5;
  std::uint64_t row_index = 0;
  // These are all places, for powers of two and numbers just above them (where half of the places
  // go through the rounds again), a vector more or less than is drawn at a time, and elements of
  // more than 31 bits.
  for (const std::uint64_t n : {1ul, 2ul, 3ul, 17ul, 64ul, 65ul, 127ul, 511ul, 512ul, 513ul, 1000ul,
                                4096ul, 4097ul, 1ul << 31, (1ul << 31) + 1, 1ul << 40})
    for (const std::uint64_t wanted :
         {0ul, 1ul, 15ul, 16ul, 33ul, 511ul, 512ul, 529ul, 1025ul, n}) {
      const std::uint64_t count = std::min({n, wanted, std::uint64_t{5000}});
      const RowPermutation row(n, kSeed, ++row_index);
      std::vector<std::uint64_t> expected;
      for (std::uint64_t place = 0; place < count; ++place) expected.push_back(row.at(place));
      std::vector<std::uint64_t> drawn;
      cpu::for_each_drawn(row, count, [&](std::uint64_t element) { drawn.push_back(element); });
      std::sort(expected.begin(), expected.end());
      std::sort(drawn.begin(), drawn.end());
      ASSERT_EQ(drawn, expected) << count << " of " << n << ", row " << row_index;
    }
}

INSTANTIATE_TEST_SUITE_P(All, DrawnElements, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb
