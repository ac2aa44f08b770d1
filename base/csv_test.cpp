// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "base/status.h"

namespace qb {
namespace {

// Returns the message with which `act` is refused.
std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Csv, FieldsSurviveTheRoundTrip) {
  const std::vector<std::string> fields = {"plain", "a,b", "say \"hi\"", "two\nlines", "a\rb", ""};
  const std::string text =
      csv_record(std::vector<std::string>{"a", "b", "c", "d", "e", "f"}) + csv_record(fields);
  const CsvTable table = CsvTable::parse(text, "t.csv");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.row(0), fields);
  EXPECT_EQ(table.to_string(), text);
  EXPECT_FALSE(table.torn());
}

TEST(Csv, TornLastLineIsLeftOutAndNamed) {
  const CsvTable table = CsvTable::parse("a,b\n1,2\n3,", "t.csv");
  EXPECT_EQ(table.size(), 1u);
  EXPECT_TRUE(table.torn());
  EXPECT_TRUE(CsvTable::parse("a,b\n1,\"2\n", "t.csv").torn());
}

TEST(Csv, EmptyIsNotAvailableAndTextIsNoNumber) {
  const CsvTable table = CsvTable::parse("a,b\n,x\r\n", "t.csv");
  EXPECT_TRUE(std::isnan(table.number(0, "a")));
  EXPECT_EQ(table.text(0, "b"), "x");
  EXPECT_EQ(refusal([&] { (void)table.number(0, "b"); }),
            "t.csv: record 1, column b: 'x' is not a number");
  EXPECT_EQ(table.row(0).size(), 2u);
}

TEST(Csv, ErrorsNameThePlace) {
  EXPECT_EQ(refusal([] { (void)CsvTable::parse("a,b\n1,2\n1,2,3\n", "t.csv"); }),
            "t.csv:3: 3 fields where the header has 2");
  // A field of two lines counts as two.
  EXPECT_EQ(refusal([] { (void)CsvTable::parse("a,b\n\"1\n1\",2\n1\n", "t.csv"); }),
            "t.csv:4: 1 fields where the header has 2");
  EXPECT_EQ(refusal([] { (void)CsvTable::parse("", "t.csv"); }), "t.csv has no header line");
  EXPECT_EQ(refusal([] { (void)CsvTable::parse("a,b", "t.csv"); }), "t.csv has no header line");
  const CsvTable table = CsvTable::parse("n_tokens\n1\n", "t.csv");
  EXPECT_EQ(refusal([&] { (void)table.text(0, "n_token"); }),
            "t.csv: unknown column 'n_token'; did you mean 'n_tokens'?");
  EXPECT_TRUE(table.has("n_tokens"));
  EXPECT_FALSE(table.has("n_token"));
  EXPECT_THROW((void)table.text(1, "n_tokens"), std::out_of_range);
}

TEST(Csv, AnInsertedColumnIsEmptyOrHasOneValueAndMovesTheOthers) {
  CsvTable table = CsvTable::parse("a,b\n1,2\n3,4\n", "t.csv");
  table.insert_column(1, "new");
  table.insert_column(3, "last", "x");
  EXPECT_EQ(table.to_string(), "a,new,b,last\n1,,2,x\n3,,4,x\n");
  EXPECT_EQ(table.text(1, "b"), "4");
  EXPECT_TRUE(std::isnan(table.number(0, "new")));
  table.remove_column("a");
  table.remove_column("never");
  EXPECT_EQ(table.to_string(), "new,b,last\n,2,x\n,4,x\n");
  EXPECT_EQ(table.text(1, "b"), "4");
}

TEST(Csv, AppendRefusesAWrongWidth) {
  CsvTable table({"a", "b"});
  table.append({"1", "2"});
  EXPECT_THROW(table.append({"1"}), std::logic_error);
  EXPECT_EQ(table.to_string(), "a,b\n1,2\n");
}

}  // namespace
}  // namespace qb
