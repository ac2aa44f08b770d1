// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/value.h"

#include <gmock/gmock.h>

#include "base/status.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;

TEST(Value, ASpeedUpHasABaseOfItsOwnPass) {
  Values base = ok_case(1, 1000, 1.0);
  Values row = ok_case(7, 1000, 0.43);
  base["pass"] = row["pass"] = "backward";
  Values forward = ok_case(1, 1000, 1.0);
  forward["pass"] = "forward";
  forward["case_id"] += "f";
  const CsvTable cases = cases_of({base, row, forward});
  EXPECT_EQ(base_of({}, cases)(Row{&cases, 1}), (Row{&cases, 0}));
}

TEST(Value, ABaseOfAnotherSchemeHasAsManyWorkersOrOne) {
  const CsvTable cases =
      scheme_table({scheme_case("ring", 4, 1024, 2.0), scheme_case("ring", 8, 1024, 1.0),
                    scheme_case("zigzag", 8, 1024, 0.5), scheme_case("zigzag", 16, 1024, 0.5),
                    scheme_case("dense", 1, 1024, 4.0)});
  const BaseOf ring = base_of({{"algorithm", "ring"}}, cases);
  EXPECT_EQ(ring(Row{&cases, 2}), (Row{&cases, 1}));
  EXPECT_EQ(ring(Row{&cases, 3}), std::nullopt) << "no ring of 16 ran";
  EXPECT_EQ(base_of({{"algorithm", "dense"}}, cases)(Row{&cases, 3}), (Row{&cases, 4}));
}

TEST(Value, DerivedValuesFollowFromTheirColumns) {
  CsvTable cases = scheme_table({scheme_case("dense", 1, 1024, 4.0, {{"scale", "2"}}),
                                 scheme_case("ring", 4, 1024, 2.0,
                                             {{"unmasked_flop", "8e9"},
                                              {"peak_flop_per_s", "8e9"},
                                              {"critical_path_pairs", "262144"},
                                              {"device_sent_bytes", "1e6"},
                                              {"link_bandwidth_byte_per_s", "1e6"},
                                              {"exposed_communication_median_s", "0.5"},
                                              {"scale", "2"}})});
  const Rows rows = all_rows(cases);
  const auto value = [&](const char* name) { return value_named(name, {}, rows).value(rows[1]).y; };
  EXPECT_DOUBLE_EQ(value("speed_up"), 2.0);
  EXPECT_DOUBLE_EQ(value("efficiency"), 0.5);
  EXPECT_DOUBLE_EQ(value("worker_speed"), 1e9) << "a quarter of the FLOP in 2 s";
  EXPECT_DOUBLE_EQ(value("mfu"), 50.0) << "of a quarter of the peak";
  EXPECT_DOUBLE_EQ(value("imbalance"), 2.0);
  EXPECT_DOUBLE_EQ(value("exposed_ratio"), 0.5);
  EXPECT_DOUBLE_EQ(number_named(rows[1], "tokens_per_worker"), 256.0);
  EXPECT_DOUBLE_EQ(number_named(rows[1], "miss_rate"), 100.0);
  EXPECT_DOUBLE_EQ(number_named(rows[1], "typical_score"), 16.0) << "2 sqrt(64)";
  EXPECT_TRUE(std::isnan(value("over_ideal"))) << "no pattern";
}

TEST(Value, APatternIsComparedWithDenseAttentionForAsManyPairs) {
  const char* const window = "{sliding_window: {left: 8, right: 7}}";
  const auto masked = [](const char* mask, double seconds, const char* pairs) {
    return scheme_case("dense", 1, 1024, seconds, {{"mask", mask}, {"unmasked_pairs", pairs}});
  };
  const CsvTable cases =
      scheme_table({masked("full", 4.0, "1048576"), masked(window, 0.25, "16384")});
  const Rows rows = all_rows(cases);
  const ShownValue value = value_named("over_ideal", {}, rows);
  EXPECT_DOUBLE_EQ(value.value(rows[1]).y, 4.0) << "0.25 s for 1/64 of 4 s";
  EXPECT_TRUE(std::isnan(value.value(rows[0]).y));
}

TEST(Value, UnknownNamesGetTheNearest) {
  const CsvTable cases = scheme_table({scheme_case("ring", 4, 1024, 2.0)});
  try {
    (void)value_named("device_sentt", {}, all_rows(cases));
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'device_sent'"));
  }
}

}  // namespace
}  // namespace qb
