// SPDX-License-Identifier: Apache-2.0
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
  EXPECT_EQ(table.markdown(), "| name | N |\n| --- | ---: |\n| Σ sum | 9 |\n| x | 1000 |\n");
}

TEST(TextTable, AlignsWordsLeftAndEndsNoLineWithBlanks) {
  TextTable table({"a", "what", "b"});
  EXPECT_EQ(table.terminal(), "a  what  b\n-  ----  -\n");
  table.add({"12", "word", "long text"});
  table.add({"-", "3 x", ""});
  EXPECT_EQ(table.terminal(),
            " a  what  b\n"
            "--  ----  ---------\n"
            "12  word  long text\n"
            " -  3 x\n");
}

TEST(TextTable, ColumnsOfValuesAreRightAlignedWhateverTheyHold) {
  TextTable table({"N", "W = 7"}, 1);
  table.add({"1000", "oom"});
  EXPECT_EQ(table.terminal(), "   N  W = 7\n----  -----\n1000    oom\n");
  EXPECT_EQ(table.markdown(), "| N | W = 7 |\n| ---: | ---: |\n| 1000 | oom |\n");
}

TEST(TextTable, ATitleStandsOverItsColumnsAndWidensThemWhereItIsLonger) {
  TextTable table({"N", "W = 1", "W = 7", "W = 7"}, 1,
                  {{"", 1}, {"time (ms)", 2}, {"speed-up", 1}});
  table.add({"1000", "20.0", "5.00", "4.00"});
  EXPECT_EQ(table.terminal(),
            "       time (ms)    speed-up\n"
            "   N  W = 1  W = 7     W = 7\n"
            "----  -----  -----  --------\n"
            "1000   20.0   5.00      4.00\n");
  EXPECT_EQ(table.markdown(),
            "| N | time (ms), W = 1 | time (ms), W = 7 | speed-up, W = 7 |\n"
            "| ---: | ---: | ---: | ---: |\n| 1000 | 20.0 | 5.00 | 4.00 |\n");
}

TEST(TextTable, NumbersMayHaveASignAndAUnit) {
  for (const char* cell :
       {"", "-", "12", "-1.5", "0 B", "9.50 ms", "-3 x", "+4 tokens", "2.000 [1]"})
    EXPECT_TRUE(reads_as_number(cell)) << cell;
  for (const char* cell : {"x", "-x", "/3", ":3", "~3", "--1", "[1, 2]"})
    EXPECT_FALSE(reads_as_number(cell)) << cell;
}

TEST(TextTable, RefusesARaggedRow) {
  TextTable table({"a", "b"});
  EXPECT_THROW(table.add({"1"}), std::logic_error);
}

}  // namespace
}  // namespace qb
