#include "plots/frame/scheme_cases.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

TEST(SchemeCases, NamesALinkByItsLimitsAndSaysWhereThereAreNone) {
  const CsvTable cases = scheme_table(
      {scheme_case("ring", 4, 1024, 1.0,
                   {{"link_bandwidth_byte_per_s", "1.25e10"}, {"link_latency_s", "5e-06"}}),
       scheme_case("ring", 8, 2048, 1.0)});
  const Columns columns = joined({"workers", "n_tokens"}, place_columns());
  EXPECT_EQ(named_values(cases, 0, columns), "W = 4, N = 1,024, threads, 12.5 GB/s, 5 µs");
  EXPECT_EQ(named_values(cases, 1, columns), "W = 8, N = 2,048, threads, no link limit");
}

TEST(SchemeCases, AModelIsNamedWithItsDevice) {
  const CsvTable cases = scheme_table(
      {scheme_case("ring", 4, 1024, 1.0, {{"ranks", "model"}, {"model_device", "h100"}})});
  EXPECT_EQ(named_values(cases, 0, {"ranks", "model_device"}), "model of h100");
}

TEST(SchemeCases, GroupsStandByNumberAndNoLinkLimitIsTheLast) {
  std::vector<Values> rows;
  for (const char* bandwidth : {"", "1e10", "2.5e9"})
    rows.push_back(scheme_case("ring", 4, 1024, 1.0, {{"link_bandwidth_byte_per_s", bandwidth}}));
  const CsvTable cases = scheme_table(rows);
  std::vector<std::string> order;
  for (const auto& [key, members] : group_cases(cases, {0, 1, 2}, {"link_bandwidth_byte_per_s"}))
    order.push_back(key.at(0));
  EXPECT_THAT(order, ElementsAre("2.5e9", "1e10", ""));
}

TEST(SchemeCases, SerialCasesCountTheirCriticalPath) {
  const CsvTable cases = scheme_table({scheme_case(
      "ring", 4, 1024, 4.0, {{"ranks", "serial"}, {"critical_path_median_s", "1.5"}})});
  EXPECT_EQ(case_seconds(cases, 0, "median"), 1.5);
}

TEST(SchemeCases, ARatioHasTheWidestBarThatTheIntervalsAllow) {
  const CsvTable cases =
      scheme_table({scheme_case("pass_q", 4, 1024, 3.0), scheme_case("pass_kv", 4, 1024, 2.0)});
  const Point ratio = time_ratio(cases, 0, 1, 7.0);
  EXPECT_EQ(ratio.x, 7.0);
  EXPECT_DOUBLE_EQ(ratio.y, 1.5);
  EXPECT_DOUBLE_EQ(ratio.low, 1.5 * 0.9 / 1.1);
  EXPECT_DOUBLE_EQ(ratio.high, 1.5 * 1.1 / 0.9);
}

TEST(SchemeCases, WorkerTicsArePowersOfTwoAndElseTheCountsThemselves) {
  const auto labels = [](const Axis& axis) {
    std::vector<std::string> out;
    for (const Tic& tic : axis.tics) out.push_back(tic.label);
    return out;
  };
  EXPECT_THAT(labels(workers_axis({2, 7, 8, 13, 31})), ElementsAre("2", "4", "8", "16"));
  EXPECT_THAT(labels(workers_axis({7, 13, 7})), ElementsAre("7", "13"));
  EXPECT_THAT(labels(workers_axis({5, 6, 7})), ElementsAre("5", "6", "7"));
  EXPECT_THAT(labels(workers_axis({4, 1024})), ElementsAre("4", "16", "64", "256", "1024"))
      << "nine would run into each other";
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(labels(workers_axis({4, none, 4, none, 4})), ElementsAre("4"));
}

}  // namespace
}  // namespace qb
