// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

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
  EXPECT_EQ(parse_bytes("80GiB"), 80LL << 30);
  EXPECT_EQ(parse_bytes("1.5GiB"), 3LL << 29);
  EXPECT_EQ(parse_bytes("80GB"), 80'000'000'000);
  for (const char* bytes : {"80GiB", "2KB", "64B", "2kB"})
    EXPECT_EQ(parse_integer(bytes), std::nullopt) << bytes;
  EXPECT_EQ(parse_bytes("5B"), 5);
  EXPECT_EQ(parse_bytes("3kB"), 3000);
  EXPECT_EQ(parse_bytes("2Mi"), 2 << 20);
  EXPECT_EQ(parse_bytes("7M"), 7'000'000);
  EXPECT_EQ(parse_bytes("2TB"), 2'000'000'000'000);
  EXPECT_EQ(parse_integer("+12e1"), 120);
  EXPECT_EQ(parse_integer("9e18"), 9'000'000'000'000'000'000);
  EXPECT_EQ(parse_integer("010"), 10);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(Numbers, WhatIsNoIntegerIsRefused) {
  for (const char* text : {"",
                           "x",
                           "1.5",
                           "1e-1",
                           "1__0",
                           "_1",
                           "1_",
                           "12abc",
                           "1e30",
                           "nan",
                           "inf",
                           "1 2",
                           "0x10",
                           "--1",
                           "1-",
                           "5Qi",
                           "5ki",
                           "5KK",
                           "5Kib",
                           "1e",
                           "1_.5",
                           "1_e3",
                           "9223372036854775808",
                           "9.3e18"})
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
}

TEST(Numbers, NothingIsReadBehindTheEndOfTheText) {
  const std::string_view longer = "1_234e5min";
  EXPECT_EQ(parse_integer(longer.substr(0, 1)), 1);
  EXPECT_EQ(parse_integer(longer.substr(0, 2)), std::nullopt);
  EXPECT_EQ(parse_integer(longer.substr(0, 4)), 123);
  EXPECT_EQ(parse_real(longer.substr(0, 6)), std::nullopt);
  EXPECT_EQ(parse_real(longer.substr(0, 7)), 1234e5);
  EXPECT_EQ(parse_real(longer.substr(0, 8)), std::nullopt);  // m is not a suffix
}

TEST(Numbers, RealsTakeTimeSuffixes) {
  EXPECT_EQ(parse_real("1.5"), 1.5);
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  EXPECT_EQ(parse_real("-2.5E+3"), -2500.0);
  EXPECT_EQ(parse_real("+.5"), 0.5);
  EXPECT_EQ(parse_real("1_000.2_5"), 1000.25);
  EXPECT_EQ(parse_real("1ns"), 1e-9);
  EXPECT_EQ(parse_real("1us"), 1e-6);
  EXPECT_EQ(parse_real("2h"), 7200.0);
  EXPECT_EQ(parse_real("3days"), std::nullopt);
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
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Numbers, TextOfARealHasAPointAndTheShortestHasNoneThatIsNotNeeded) {
  for (const auto& [value, text, shortest] :
       std::initializer_list<std::tuple<double, const char*, const char*>>{
           {12.0, "12.0", "12"},
           {-0.0, "-0.0", "-0"},
           {1e9, "1.0e+09", "1e+09"},
           {2e-6, "2.0e-06", "2e-06"},
           {2.5e-6, "2.5e-06", "2.5e-06"}}) {
    EXPECT_EQ(to_text(value), text);
    EXPECT_EQ(shortest_text(value), shortest);
    EXPECT_EQ(parse_real(text), value);
  }
}

TEST(Numbers, SeedsHaveAll64BitsAndNoSign) {
  EXPECT_EQ(parse_seed("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_seed("1_024"), 1024u);
  EXPECT_EQ(parse_seed("1e19"), 10'000'000'000'000'000'000u);
  EXPECT_EQ(parse_seed("0"), 0u);
  for (const char* text : {"18446744073709551616", "1e20", "-1", "0.5", ""})
    EXPECT_EQ(parse_seed(text), std::nullopt) << text;
}

TEST(Numbers, BytesAreInTheLargestUnitBelowThem) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(3ULL << 29), "1.50 GiB");
  EXPECT_EQ(format_bytes(1ULL << 40), "1.00 TiB");
  EXPECT_EQ(format_bytes(1ULL << 52), "4096.00 TiB");
}

TEST(Numbers, SecondsAreInTheUnitThatPeopleUse) {
  EXPECT_EQ(format_seconds(7200.0), "2.00 h");
  EXPECT_EQ(format_seconds(3600.0), "1.00 h");
  EXPECT_EQ(format_seconds(3594.0), "59.9 min");
  EXPECT_EQ(format_seconds(120.0), "2.0 min");
  EXPECT_EQ(format_seconds(119.0), "119.00 s");
  EXPECT_EQ(format_seconds(1.0), "1.00 s");
  EXPECT_EQ(format_seconds(0.25), "250.00 ms");
  EXPECT_EQ(format_seconds(1e-3), "1.00 ms");
  EXPECT_EQ(format_seconds(-0.00342), "-3.42 ms");
  EXPECT_EQ(format_seconds(25e-6), "25.00 us");
  EXPECT_EQ(format_seconds(1e-6), "1.00 us");
  EXPECT_EQ(format_seconds(25e-9), "25 ns");
  EXPECT_EQ(format_seconds(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Numbers, LongNumbersAreGroupedOrShortened) {
  EXPECT_EQ(format_grouped(-1234567), "-1,234,567");
  EXPECT_EQ(format_grouped(-123), "-123");
  EXPECT_EQ(format_grouped(0), "0");
  EXPECT_EQ(format_grouped(123), "123");
  EXPECT_EQ(format_grouped(1000), "1,000");
  EXPECT_EQ(format_si(1234567.0), "1.23 M");
  EXPECT_EQ(format_si(-2000.0), "-2 k");
  EXPECT_EQ(format_si(1000.0), "1 k");
  EXPECT_EQ(format_si(999.0), "999");
  EXPECT_EQ(format_si(0.5), "0.5 ");  // a unit may follow
  EXPECT_EQ(format_si(5e18), "5 E");
  EXPECT_EQ(format_si(5e20), "500 E");
}

TEST(Numbers, ARateIsInBytesOrBitsASecond) {
  for (const auto& [text, rate] : {std::pair{"50e9", 50e9},
                                   {"50GB/s", 50e9},
                                   {"400Gb/s", 50e9},
                                   {"400Gbps", 50e9},
                                   {"400Gbit/s", 50e9},
                                   {"12.5GiB/s", 12.5 * (1 << 30)},
                                   {"8b/s", 1.0},
                                   {"1_000", 1e3}})
    EXPECT_EQ(parse_byte_rate(text), rate) << text;
  for (const char* text : {"", "fast", "5us", "400 Gb/s", "400Gbs", "/s", "b", "Gb/s", "nan"})
    EXPECT_EQ(parse_byte_rate(text), std::nullopt) << text;
}

}  // namespace
}  // namespace qb
