// SPDX-License-Identifier: Apache-2.0
// `qb masks` through the real binary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Masks, WithoutAMaskThereIsOneOfEachKind) {
  EXPECT_THAT(run_qb("masks").out, ContainsRegex("block_local: .block: 8[^0-9]*512 "));
}

TEST(Masks, BadWordsAreASentence) {
  EXPECT_THAT(run_qb("masks --n-tokens 32").err, HasSubstr("need 64 or more"));
  const Said unknown = run_qb("masks --mask '{slidingwindow: {left: 1, right: 1}}'");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'sliding_window'"));
}

}  // namespace
}  // namespace qb
