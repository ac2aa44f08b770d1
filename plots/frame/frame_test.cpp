// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/frame.h"

#include <gmock/gmock.h>

#include "plots/frame/lines.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CaseLines, OutOfMemoryIsAMarkOnTheLimit) {
  const CsvTable cases = case_study_2(10);
  const Groups lines = group(all_rows(cases), Columns{"workers"});
  const auto marks = out_of_memory_series(lines[0], 24.0, number_in("n_tokens"));
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].draw, Draw::out_of_memory);
  ASSERT_EQ(marks[0].points.size(), 1u);
  EXPECT_EQ(marks[0].points[0].x, 4500.0);
  EXPECT_EQ(marks[0].points[0].y, 24.0);
  EXPECT_EQ(marks[1].draw, Draw::not_tried) << "a shorter one had run out";
  EXPECT_THAT(marks[1].points, ::testing::SizeIs(4));
  EXPECT_THAT(out_of_memory_series(lines[0], 24.0, number_in("workers")), ::testing::SizeIs(1));
  EXPECT_THAT(out_of_memory_series(lines[1], 24.0, number_in("n_tokens")), ::testing::IsEmpty());
}

TEST(CaseLines, NotesSayWhatTheBarsCover) {
  EXPECT_EQ(case_notes(case_study_2(10))[0], "Bars: 93.8 % intervals, 5 repeats.");
}

TEST(CaseLines, BarsOfDifferentRepeatsAreNamedFromTheWorstToTheBest) {
  std::vector<Values> rows;
  const auto add_repeated = [&](std::int64_t n, const char* samples, const char* coverage) {
    rows.push_back(ok_case(4, n, 0.5));
    rows.back()["n_samples"] = samples;
    rows.back()["interval_coverage"] = coverage;
  };
  add_repeated(1000, "1", "0");
  EXPECT_EQ(case_notes(cases_of(rows))[0], "Single repeats, without bars.");
  add_repeated(3000, "9", "0.9609375");
  EXPECT_EQ(case_notes(cases_of(rows))[0],
            "Bars: 96.1 % intervals, 9 repeats; none at single repeats.");
  add_repeated(7000, "3", "0.75");
  EXPECT_THAT(case_notes(cases_of(rows))[0], HasSubstr("75 to 96.1 % intervals, 3 to 9 repeats"));
}

TEST(CaseLines, LinksAreNamedInUnits) {
  EXPECT_EQ(named_value("link_bandwidth_byte_per_s", "12500000000"), "12.5 GB/s");
  EXPECT_EQ(named_value("link_latency_s", "2e-06"), "2.00 us latency");
  EXPECT_EQ(named_value("link_bandwidth_byte_per_s", ""), "");
}

TEST(CaseLines, SharedParametersLeaveOutWhatVaries) {
  CsvTable cases = case_study_2(10);
  EXPECT_EQ(shared_parameters(all_rows(cases)),
            "B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks "
            "(messages cost nothing), 2 threads");
  Values flash = ok_case(4, 77, 1.0);
  flash["kernel"] = "flash";
  add_case(cases, flash);
  EXPECT_THAT(shared_parameters(all_rows(cases)), ::testing::Not(HasSubstr("kernel")));
}

TEST(CaseLines, ThePassIsNamedWhereItIsNotForward) {
  const auto of_pass = [](const char* pass) {
    Values values = ok_case(4, 8192, 0.5);
    values["pass"] = pass;
    values["case_id"] += pass;
    return values;
  };
  EXPECT_THAT(shared_parameters(all_rows(cases_of({of_pass("forward")}))),
              HasSubstr("full mask, material"));
  EXPECT_THAT(shared_parameters(all_rows(cases_of({of_pass("backward")}))),
              HasSubstr("full mask, backward pass, materialized kernel"));
  EXPECT_THAT(shared_parameters(all_rows(cases_of({of_pass("both")}))),
              HasSubstr("full mask, both passes"));
}

TEST(Frame, TheErrorOfAGradientCountsWhereItIsNearerToItsTolerance) {
  Values values = ok_case(1, 1000, 1.0);  // 0.0002 of 0.001
  const CsvTable forward = cases_of({values});
  EXPECT_DOUBLE_EQ(error_over_tolerance(Row{&forward, 0}), 0.2);
  values["d_k_max_error"] = "0.0003";
  values["d_k_tolerance"] = "0.0006";
  const CsvTable backward = cases_of({values});
  EXPECT_DOUBLE_EQ(error_over_tolerance(Row{&backward, 0}), 0.5);
  values["d_weights_max_error"] = "0.003";
  values["d_weights_tolerance"] = "0.004";
  const CsvTable layer = cases_of({values});
  EXPECT_DOUBLE_EQ(error_over_tolerance(Row{&layer, 0}), 0.75);
}

TEST(CaseLines, SharedParametersNameKeyHeadsWorkersAndLengthWhereTheyAreFixed) {
  const auto grouped_query = [](int workers, const char* kv_heads) {
    Values values = ok_case(workers, 8192, 0.5);
    values["kv_heads"] = kv_heads;
    values["link_bandwidth_byte_per_s"] = "1e9";
    return values;
  };
  EXPECT_THAT(shared_parameters(all_rows(cases_of({grouped_query(4, "2")}))),
              HasSubstr("N = 8,192, W = 4, B = 1, H = 8, G = 2, d = 64"));
  EXPECT_THAT(shared_parameters(all_rows(cases_of({grouped_query(4, "2")}))),
              HasSubstr("materialized kernel, 1 GB/s"));
  EXPECT_THAT(shared_parameters(all_rows(cases_of({grouped_query(4, "8")}))),
              ::testing::Not(HasSubstr("G = ")));
  EXPECT_THAT(shared_parameters(all_rows(cases_of({grouped_query(1, "8")}))),
              ::testing::Not(HasSubstr("W = ")));
}

TEST(Frame, MoreWorkersThanCoresAreSaidAndRepeatsCounted) {
  const CsvTable cases =
      scheme_table({scheme_case("ring", 2, 1024, 1.0),
                    scheme_case("ring", 4, 1024, 1.0, {{"disturbed_by", "oversubscribed"}}),
                    scheme_case("ring", 8, 1024, 1.0, {{"n_samples", "3"}}),
                    scheme_case("ring", 16, 1024, 1.0, {{"ranks", "model"}, {"n_samples", "1"}})});
  EXPECT_EQ(oversubscription(cases, 2), "W = 4 on 2 cores");
  EXPECT_EQ(oversubscription(case_study_2(10), 2), "");
  EXPECT_EQ(repeats(cases), "3 to 5 repeats");
  EXPECT_EQ(repeats(case_study_2(10)), "5 repeats");
  EXPECT_EQ(repeats(no_cases()), "");
}

TEST(Frame, NamesALinkByItsLimitsAndSaysWhereThereAreNone) {
  const CsvTable cases = scheme_table(
      {scheme_case("ring", 4, 1024, 1.0,
                   {{"link_bandwidth_byte_per_s", "1.25e10"}, {"link_latency_s", "5e-06"}}),
       scheme_case("ring", 8, 2048, 1.0)});
  const Columns columns = joined({"workers", "n_tokens", "ranks"}, kLinkColumns);
  EXPECT_EQ(named_values({&cases, 0}, columns), "W = 4, N = 1,024, threads, 12.5 GB/s, 5 µs");
  EXPECT_EQ(named_values({&cases, 1}, columns), "W = 8, N = 2,048, threads, no link limit");
}

TEST(Frame, AModelIsNamedWithItsDevice) {
  const CsvTable cases = scheme_table(
      {scheme_case("ring", 4, 1024, 1.0, {{"ranks", "model"}, {"model_device", "h100"}})});
  EXPECT_EQ(named_values({&cases, 0}, {"ranks", "model_device"}), "modelled H100");
  EXPECT_THAT(shared_parameters(all_rows(cases)), HasSubstr("modelled H100"));
  const CsvTable file = scheme_table({scheme_case(
      "ring", 1024, 4096, 1.0, {{"ranks", "model"}, {"model_device", "data/devices/a100.csv"}})});
  EXPECT_EQ(named_values({&file, 0}, {"ranks", "model_device"}), "modelled A100")
      << "a file is named without its folder";
  EXPECT_EQ(named_values({&file, 0}, {"ranks"}), "model");
  EXPECT_EQ(named_values({&file, 0}, {"workers", "n_tokens"}), "W = 1,024, N = 4,096")
      << "one style of number";
}

TEST(Frame, GroupsStandByNumberAndNoLinkLimitIsTheLast) {
  std::vector<Values> rows;
  for (const char* bandwidth : {"", "1e10", "2.5e9"})
    rows.push_back(scheme_case("ring", 4, 1024, 1.0, {{"link_bandwidth_byte_per_s", bandwidth}}));
  const CsvTable cases = scheme_table(rows);
  std::vector<std::string> order;
  for (const Group& one : group(all_rows(cases), Columns{"link_bandwidth_byte_per_s"}))
    order.push_back(one.key.at(0));
  EXPECT_THAT(order, ElementsAre("2.5e9", "1e10", ""));
}

TEST(Frame, PanelsMayBeToldApartByMoreThanNamesThem) {
  const CsvTable table = CsvTable::parse("workers,n_tokens,time_s\n2,64,1\n2,128,3\n", "cases.csv");
  const Groups panels = panels_by(all_rows(table), {"workers", "n_tokens"}, Columns{"workers"});
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[1].name, "W = 2");
  EXPECT_EQ(panels_by(all_rows(table), {"n_tokens"}).at(1).name, "N = 128");
  EXPECT_EQ(numbers_of(all_rows(table), number_in("time_s")), (std::vector{1.0, 3.0}));
}

TEST(Frame, SerialCasesCountTheirCriticalPath) {
  const CsvTable cases = scheme_table({scheme_case(
      "ring", 4, 1024, 4.0, {{"ranks", "serial"}, {"critical_path_median_s", "1.5"}})});
  const Row row{&cases, 0};
  EXPECT_EQ(timed(row, clock_of(row), 1.0).y, 1.5);
}

TEST(Frame, ARatioHasTheWidestBarThatTheIntervalsAllow) {
  const CsvTable cases =
      scheme_table({scheme_case("pass_q", 4, 1024, 3.0), scheme_case("pass_kv", 4, 1024, 2.0)});
  const Point ratio = time_ratio({&cases, 0}, {&cases, 1}, "wall_time");
  EXPECT_DOUBLE_EQ(ratio.y, 1.5);
  EXPECT_DOUBLE_EQ(ratio.low, 1.5 * 0.9 / 1.1);
  EXPECT_DOUBLE_EQ(ratio.high, 1.5 * 1.1 / 0.9);
}

TEST(Frame, WorkerTicsArePowersOfTwoOnlyWhereTheCountsAre) {
  EXPECT_TRUE(workers_axis({2, 4, 8, 16}).powers_of_two);
  EXPECT_TRUE(workers_axis({4, 7, 13, 21, 57}).powers_of_two) << "or where they spread";
  EXPECT_FALSE(workers_axis({4, 7, 13}).powers_of_two);
  const auto labels = [](const std::vector<double>& workers) {
    std::vector<std::string> out;
    for (const Axis::Tic& tic : workers_axis(workers).tics) out.push_back(tic.label);
    return out;
  };
  EXPECT_THAT(labels({7, 13, 7}), ElementsAre("7", "13")) << "no round number is between them";
  EXPECT_THAT(labels({5, 6, 7}), ElementsAre("5", "6", "7"));
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(labels({4, none, 4, none, 4}), ElementsAre("4"));
}

}  // namespace
}  // namespace qb
