#include "plots/frame/frame.h"

#include <gmock/gmock.h>

#include "plots/frame/lines.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const CsvTable& cases) {
  std::vector<std::string> out;
  for (const Group& series : case_lines(cases)) out.push_back(series.name);
  return out;
}

Series times_of(const Group& line, const std::string& prefix) {
  const auto value = [&](const Row& row) {
    return timed(row, prefix, kMilli, row.number("n_tokens"));
  };
  return line_series(line, value, true);
}

TEST(CaseLines, OneForEachWorkerCountAscending) {
  EXPECT_THAT(names(case_study_2(10)), ElementsAre("W = 1", "W = 4", "W = 7", "W = 8", "W = 31"));
}

TEST(CaseLines, ASecondKernelSplitsAndNames) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(7, 1000, 0.43));
  Values flash = ok_case(7, 1000, 0.43);
  flash["kernel"] = "flash";
  flash["case_id"] = "another";
  add_case(cases, flash);
  EXPECT_THAT(names(cases), ElementsAre("W = 7, flash", "W = 7, materialized"));
}

TEST(CaseLines, OneWorkerCountAndSeveralAlgorithmsTakeTheAlgorithmsColours) {
  CsvTable cases = no_cases();
  for (const std::string algorithm : {"cqs", "ring"}) {
    Values values = ok_case(8, 1000, 0.5);
    values["algorithm"] = algorithm;
    values["case_id"] = algorithm;
    add_case(cases, values);
  }
  const auto series = case_lines(cases);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].style, algorithm_style("cqs"));
  EXPECT_EQ(series[1].style, algorithm_style("ring"));
}

TEST(CaseLines, RowsAscendInNAndTheLastOfRepeatedCasesStands) {
  CsvTable cases = no_cases();
  add_case(cases, failed_case(7, 2000, "timeout", "too slow"));
  add_case(cases, ok_case(7, 1000, 0.43));
  add_case(cases, ok_case(7, 2000, 0.43));
  const auto series = case_lines(cases);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_THAT(series[0].rows, ElementsAre(Row{&cases, 1}, Row{&cases, 2}));
}

TEST(CaseLines, TimesAreMillisecondsWithTheirIntervals) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  const Series series = times_of(case_lines(cases)[0], "longest_subsequence");
  ASSERT_EQ(series.points.size(), 1u);
  EXPECT_DOUBLE_EQ(series.points[0].y, 20.0);
  EXPECT_DOUBLE_EQ(series.points[0].low, 18.6);
  EXPECT_DOUBLE_EQ(series.points[0].high, 22.4);
}

TEST(CaseLines, ACaseThatDidNotRunBreaksTheLineAndIsNeverZero) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, failed_case(1, 2000, "timeout", "too slow"));
  const Series series = times_of(case_lines(cases)[0], "critical_path");
  ASSERT_EQ(series.points.size(), 2u);
  EXPECT_TRUE(std::isnan(series.points[1].y));
  EXPECT_THAT(case_notes(cases).back(), HasSubstr("1 of 2 cases (1 timeout)"));
}

TEST(CaseLines, OutOfMemoryIsAMarkOnTheLimit) {
  const CsvTable cases = case_study_2(10);
  const Series marks = out_of_memory_series(case_lines(cases)[0], 24.0, number_in("n_tokens"));
  EXPECT_EQ(marks.draw, Draw::out_of_memory);
  ASSERT_EQ(marks.points.size(), 5u);
  EXPECT_EQ(marks.points[0].x, 4500.0);
  EXPECT_EQ(marks.points[0].y, 24.0);
  EXPECT_THAT(out_of_memory_series(case_lines(cases)[0], 24.0, number_in("workers")).points,
              ::testing::SizeIs(1));
  EXPECT_THAT(times_of(case_lines(cases)[0], "critical_path").points, ::testing::SizeIs(4));
}

TEST(CaseLines, NotesSayWhatTheBarsCover) {
  CsvTable cases = case_study_2(10);
  EXPECT_THAT(case_notes(cases)[0], HasSubstr("93.8 %"));
}

TEST(CaseLines, LinksAreNamedInUnits) {
  EXPECT_EQ(named_value("link_bandwidth_byte_per_s", "12500000000"), "12.5 GB/s");
  EXPECT_EQ(named_value("link_latency_s", "2e-06"), "2.00 us latency");
  EXPECT_EQ(named_value("link_bandwidth_byte_per_s", ""), "");
}

TEST(CaseLines, SharedParametersLeaveOutWhatVaries) {
  CsvTable cases = case_study_2(10);
  EXPECT_EQ(shared_parameters(cases),
            "B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks, "
            "2 threads");
  Values flash = ok_case(4, 77, 1.0);
  flash["kernel"] = "flash";
  add_case(cases, flash);
  EXPECT_THAT(shared_parameters(cases), ::testing::Not(HasSubstr("kernel")));
}

TEST(Frame, NamesALinkByItsLimitsAndSaysWhereThereAreNone) {
  const CsvTable cases = scheme_table(
      {scheme_case("ring", 4, 1024, 1.0,
                   {{"link_bandwidth_byte_per_s", "1.25e10"}, {"link_latency_s", "5e-06"}}),
       scheme_case("ring", 8, 2048, 1.0)});
  const Columns columns = joined({"workers", "n_tokens"}, kPlaceColumns);
  EXPECT_EQ(named_values({&cases, 0}, columns), "W = 4, N = 1,024, threads, 12.5 GB/s, 5 µs");
  EXPECT_EQ(named_values({&cases, 1}, columns), "W = 8, N = 2,048, threads, no link limit");
}

TEST(Frame, AModelIsNamedWithItsDevice) {
  const CsvTable cases = scheme_table(
      {scheme_case("ring", 4, 1024, 1.0, {{"ranks", "model"}, {"model_device", "h100"}})});
  EXPECT_EQ(named_values({&cases, 0}, {"ranks", "model_device"}), "model of h100");
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
  const Groups panels = panels_by(all_rows(table), {"workers", "n_tokens"}, {"workers"});
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

TEST(Frame, WorkerTicsArePowersOfTwoAndElseTheCountsThemselves) {
  const auto labels = [](const Axis& axis) {
    std::vector<std::string> out;
    for (const Axis::Tic& tic : axis.tics) out.push_back(tic.label);
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
