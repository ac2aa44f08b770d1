#include "harness/base/list_items.h"

#include <gtest/gtest.h>

namespace qb {
namespace {

TEST(ListItems, StandBetweenSpacesAndCommas) {
  EXPECT_EQ(list_items(" 100+8, 64+1,,7 "), (std::vector<std::string_view>{"100+8", "64+1", "7"}));
  EXPECT_EQ(list_items("0.5"), std::vector<std::string_view>{"0.5"});
  EXPECT_TRUE(list_items(" ,").empty());
  EXPECT_TRUE(list_items("").empty());
}

}  // namespace
}  // namespace qb
