// SPDX-License-Identifier: Apache-2.0
// `qb masks` through the real binary, as far as it gets without Python.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

TEST(Masks, CountThePairsKept) {
  // The middle rows keep 8 * 3 pairs, the first and the last 2 each: N + 2 (N - 1) = 28 of 100.
  const Said said = run_qb("masks --n-tokens 10 --mask '{sliding_window: {left: 1, right: 1}}'");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_THAT(said.out, ContainsRegex("left: 1, right: 1[^0-9]*28 +28 "));
}

TEST(Masks, TheFigureHasASquareAPattern) {
  ScratchFolder scratch;
  const Said said = run_qb("masks --out " + scratch.path("m"), "QB_PYTHON=/nonexistent");
  const CsvTable csv =
      CsvTable::parse(read_file(scratch.path("m/sparse_connectivity.csv")), "connectivity");
  EXPECT_EQ(csv.text(csv.size() - 1, "panel"), "12");
  double block_local = 0.0;
  for (std::size_t row = 0; row < csv.size(); ++row)
    if (csv.text(row, "series") == "{block_local: {block: 8}}")
      block_local += (csv.number(row, "query_token_high") - csv.number(row, "query_token_low")) *
                     (csv.number(row, "key_token_high") - csv.number(row, "key_token_low"));
  EXPECT_EQ(block_local, 8 * 8 * 8) << "pairs of 8 blocks of 8";
}

TEST(Masks, BadWordsAreASentence) {
  EXPECT_THAT(run_qb("masks --n-tokens 32").err, HasSubstr("need 64 or more"));
  const Said unknown = run_qb("masks --mask '{slidingwindow: {left: 1, right: 1}}'");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'sliding_window'"));
}

}  // namespace
}  // namespace qb
