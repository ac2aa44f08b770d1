// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/known_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace qb {
namespace {

TEST(KnownAnswers, AreAllRightInThisBuild) {
  const std::vector<KnownAnswer> answers = known_answers();
  EXPECT_GE(answers.size(), 30u);
  for (const KnownAnswer& answer : answers)
    EXPECT_FALSE(is_wrong(answer)) << answer.question << ": " << answer.computed;
}

TEST(KnownAnswers, NameWhatIsWrong) {
  const std::vector<KnownAnswer> answers = {
      {"one and one", 2.0, 2.0},
      {"[1, 2, 3] * [1, 2, 3]", 9.0, 0.0},
      {"the median of nothing", 1.0, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(known_answers_text(answers),
            "2 of 3 WRONG: [1, 2, 3] * [1, 2, 3] is 9, not 0; the median of nothing is 1, not nan");
}

}  // namespace
}  // namespace qb
