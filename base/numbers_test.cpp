#include "base/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace qb {
namespace {

TEST(Numbers, IntegersReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_integer("12"), 12);
  EXPECT_EQ(parse_integer("-3"), -3);
  EXPECT_EQ(parse_integer("1_024"), 1024);
  EXPECT_EQ(parse_integer("1e6"), 1'000'000);
  EXPECT_EQ(parse_integer("2.5e3"), 2500);
  EXPECT_EQ(parse_integer("32Ki"), 32768);
  EXPECT_EQ(parse_integer("64K"), 64000);
  EXPECT_EQ(parse_integer("80GiB"), 80LL << 30);
  EXPECT_EQ(parse_integer("1.5GiB"), 3LL << 29);
  EXPECT_EQ(parse_integer("80GB"), 80'000'000'000);
  EXPECT_EQ(parse_integer("010"), 10);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(Numbers, WhatIsNoIntegerIsRefused) {
  for (const char* text : {"", "x", "1.5", "1e-1", "1__0", "_1", "1_", "12abc", "1e30", "nan",
                           "inf", "1 2", "0x10", "--1", "5Qi", "1e", "9223372036854775808"})
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
}

TEST(Numbers, RealsTakeTimeSuffixes) {
  EXPECT_EQ(parse_real("1.5"), 1.5);
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  EXPECT_EQ(parse_real("90s"), 90.0);
  EXPECT_EQ(parse_real("15min"), 900.0);
  EXPECT_EQ(parse_real("20ms"), 0.02);
  EXPECT_EQ(parse_real("nan"), std::nullopt);
  EXPECT_EQ(parse_real("inf"), std::nullopt);
  EXPECT_EQ(parse_real("-"), std::nullopt);
}

TEST(Numbers, TextReadsBackAsTheSameDouble) {
  for (double value : {0.1, 1.0 / 3.0, 1e300, -2.5e-17, 3.0})
    EXPECT_EQ(std::stod(to_text(value)), value);
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Numbers, FormatsForPeople) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(3ULL << 29), "1.50 GiB");
  EXPECT_EQ(format_seconds(0.00342), "3.42 ms");
  EXPECT_EQ(format_seconds(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(format_grouped(-1234567), "-1,234,567");
  EXPECT_EQ(format_grouped(123), "123");
  EXPECT_EQ(format_si(1234567.0), "1.23 M");
}

}  // namespace
}  // namespace qb
