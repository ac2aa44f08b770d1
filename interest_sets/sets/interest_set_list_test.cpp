// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/known_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string_view text) {
  try {
    (void)parse_interest_sets(text, "my.txt");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

TEST(InterestSetList, ReadsEachFormWithItsLineNumber) {
  const auto sets = parse_interest_sets(
      "# three forms\n"
      "\n"
      "7: 0,1,3\n"
      "  8 4: 0 1 2 4   # remark: with a colon\r\n"
      "36 7 34.898: 0 1 3 14 20 29 32",
      "my.txt");
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].set, (InterestSet{7, {0, 1, 3}}));
  EXPECT_EQ(sets[0].printed_ratio, "");
  EXPECT_EQ(sets[1].set, (InterestSet{8, {0, 1, 2, 4}}));
  EXPECT_THAT(sets[2].set.residues, ElementsAre(0, 1, 3, 14, 20, 29, 32));
  EXPECT_EQ(sets[2].printed_ratio, "34.898");
}

TEST(InterestSetList, KeepsSeveralSetsOfOneModulusAndSetsThatDoNotCover) {
  const auto sets = parse_interest_sets("7: 0 1 3\n7: 0 1 5\n7: 0 1\n", "my.txt");
  EXPECT_EQ(sets.size(), 3u);
}

TEST(InterestSetList, NamesFileAndLineOfBadInput) {
  EXPECT_EQ(refusal("7: 0 1 3\n7 0 1 3\n"),
            "my.txt:2: no ':' between W and its residues; write a line like 7: 0 1 3");
  EXPECT_EQ(refusal("# x\n\n7 4: 0 1 3\n"), "my.txt:3: m is 4, but 3 residues follow");
  EXPECT_THAT(refusal("7: 0 1 three\n"), StartsWith("my.txt:1: interest set"));
  EXPECT_THAT(refusal("7: 0 1 three\n"), HasSubstr("'three' is not a residue"));
  EXPECT_THAT(refusal("7:\n"), HasSubstr("my.txt:1: "));
  EXPECT_THAT(refusal(": 0 1 3\n"), HasSubstr("before the ':'"));
  EXPECT_THAT(refusal("7 3 6.9 1: 0 1 3\n"), HasSubstr("before the ':'"));
  EXPECT_EQ(refusal("seven: 0 1 3\n"), "my.txt:1: W must be a positive whole number, not 'seven'");
  EXPECT_EQ(refusal("0: 0 1 3\n"), "my.txt:1: W must be a positive whole number, not '0'");
  EXPECT_EQ(refusal("3000000000: 0 1 3\n"),
            "my.txt:1: W must be a positive whole number, not '3000000000'");
  EXPECT_EQ(refusal("7 x: 0 1 3\n"), "my.txt:1: m must be a positive whole number, not 'x'");
  EXPECT_EQ(refusal("7 3 nan: 0 1 3\n"), "my.txt:1: the asym-RR 'nan' is not a number");
}

TEST(InterestSetList, AFileWithoutSetsIsNoFileOfSets) {
  EXPECT_EQ(refusal(""), "my.txt: holds no interest set");
  EXPECT_EQ(refusal("# only words\n\n"), "my.txt: holds no interest set");
}

}  // namespace
}  // namespace qb
