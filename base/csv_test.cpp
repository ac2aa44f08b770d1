#include "base/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/status.h"

namespace qb {
namespace {

TEST(Csv, FieldsSurviveTheRoundTrip) {
  const std::vector<std::string> fields = {"plain", "a,b", "say \"hi\"", "two\nlines", ""};
  const std::string text =
      csv_record(std::vector<std::string>{"a", "b", "c", "d", "e"}) + csv_record(fields);
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
  EXPECT_THROW((void)table.number(0, "b"), UsageError);
}

TEST(Csv, ErrorsNameThePlace) {
  try {
    (void)CsvTable::parse("a,b\n1,2\n1,2,3\n", "t.csv");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "t.csv:3: 3 fields where the header has 2");
  }
  const CsvTable table = CsvTable::parse("n_tokens\n1\n", "t.csv");
  try {
    (void)table.text(0, "n_token");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "t.csv: unknown column 'n_token'; did you mean 'n_tokens'?");
  }
}

TEST(Csv, AppendRefusesAWrongWidth) {
  CsvTable table({"a", "b"});
  EXPECT_THROW(table.append({"1"}), std::logic_error);
}

}  // namespace
}  // namespace qb
