#include "base/text_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace qb {
namespace {

TEST(TextTable, AlignsNumbersRightAndCountsCodePoints) {
  TextTable table({"name", "N"});
  table.add({"Σ sum", "9"});
  table.add({"x", "1000"});
  EXPECT_EQ(table.terminal(),
            "name      N\n"
            "-----  ----\n"
            "Σ sum     9\n"
            "x      1000\n");
  EXPECT_EQ(table.markdown(), "| name | N |\n| --- | --- |\n| Σ sum | 9 |\n| x | 1000 |\n");
}

TEST(TextTable, RefusesARaggedRow) {
  TextTable table({"a", "b"});
  EXPECT_THROW(table.add({"1"}), std::logic_error);
}

}  // namespace
}  // namespace qb
