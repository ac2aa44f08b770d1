#include "plots/frame/figure.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "plots/frame/bars.h"
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
template <class Quantity>
concept CompilesWithoutY = requires {
  Quantity{.title = "time"};
};
template <class Figure>
concept CompilesWithoutX = requires {
  Figure{.y = {.column = "share_percent"}};
};

TEST(Axis, OneThatIsDeclaredWithoutAColumnDoesNotCompile) {
  EXPECT_TRUE(CompilesWithColumn<Axis>);
  EXPECT_FALSE(CompilesWithoutColumn<Axis>);
  EXPECT_FALSE(CompilesWithoutY<LineFigure::Quantity>);
  EXPECT_FALSE(CompilesWithoutX<BarFigure>);
}

TEST(Axis, AnEmptyColumnIsRefusedWhereItIsDeclared) {
  EXPECT_THROW((void)(Axis{.label = "time (s)", .column = ""}), std::logic_error);
  EXPECT_THROW((void)ColumnName(std::string()), std::logic_error);
}

}  // namespace
}  // namespace qb
