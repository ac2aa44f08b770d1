// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "plots/frame/lines.h"

namespace qb {
namespace {

template <class AnAxis>
concept CompilesWithoutColumn = requires {
  AnAxis{.label = "time (s)"};
};
template <class AnAxis>
concept CompilesWithColumn = requires {
  AnAxis{.label = "time (s)", .column = "time_s"};
};

TEST(Axis, OneThatIsDeclaredWithoutAColumnDoesNotCompile) {
  EXPECT_TRUE(CompilesWithColumn<Axis>);
  EXPECT_FALSE(CompilesWithoutColumn<Axis>);
}

TEST(Axis, AnEmptyColumnIsRefusedWhereItIsDeclared) {
  EXPECT_THROW((void)(Axis{.label = "time (s)", .column = ""}), std::logic_error);
  EXPECT_THROW((void)ColumnName(std::string()), std::logic_error);
}

TEST(Axis, PowersMakeItALogOne) {
  const Axis axis{.column = "time_s"};
  EXPECT_TRUE(powers_or_linear(axis, {1.0, 8.0}).log);
  EXPECT_FALSE(powers_or_linear(axis, {1.0, 7.0}).log);
  EXPECT_FALSE(powers_or_linear(axis, {1.0, 7.0}).from_zero);
  EXPECT_TRUE(powers_or_zero(axis, {1.0, 7.0}).from_zero);
  EXPECT_FALSE(powers_or_zero(axis, {1.0, 8.0}).from_zero);
}

}  // namespace
}  // namespace qb
