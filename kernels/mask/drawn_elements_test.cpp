// Compares vectors of places with the permutation itself, on every instruction set.
#include "kernels/mask/drawn_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/instruction_set.h"

namespace qb {
namespace {

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
