// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include <gmock/gmock.h>

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Text, CountsCodePoints) { EXPECT_EQ(display_width("10⁻³ ×"), 6u); }

TEST(Text, BreaksAtSpaces) {
  EXPECT_THAT(wrap_text("one two three", 7), ElementsAre("one two", "three"));
}

TEST(Text, ALongWordStandsAlone) {
  EXPECT_THAT(wrap_text("a incomparable b", 4), ElementsAre("a", "incomparable", "b"));
}

TEST(Text, NothingGivesNoLine) { EXPECT_THAT(wrap_text("  ", 10), IsEmpty()); }

}  // namespace
}  // namespace qb
