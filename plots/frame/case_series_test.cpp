#include "plots/frame/case_series.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const CsvTable& cases) {
  std::vector<std::string> out;
  for (const CaseSeries& series : case_series(cases)) out.push_back(series.name);
  return out;
}

TEST(CaseSeries, OneForEachWorkerCountAscending) {
  EXPECT_THAT(names(case_study_2(10)), ElementsAre("W = 1", "W = 4", "W = 7", "W = 8", "W = 31"));
}

TEST(CaseSeries, ASecondKernelSplitsAndNames) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(7, 1000, 0.43));
  Values flash = ok_case(7, 1000, 0.43);
  flash["kernel"] = "flash";
  flash["case_id"] = "another";
  add_case(cases, flash);
  EXPECT_THAT(names(cases), ElementsAre("W = 7, flash", "W = 7, materialized"));
}

TEST(CaseSeries, OneWorkerCountAndSeveralAlgorithmsTakeTheAlgorithmsColours) {
  CsvTable cases = no_cases();
  for (const std::string algorithm : {"cqs", "ring"}) {
    Values values = ok_case(8, 1000, 0.5);
    values["algorithm"] = algorithm;
    values["case_id"] = algorithm;
    add_case(cases, values);
  }
  const auto series = case_series(cases);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].style, algorithm_style("cqs"));
  EXPECT_EQ(series[1].style, algorithm_style("ring"));
}

TEST(CaseSeries, RowsAscendInNAndTheLastOfRepeatedCasesStands) {
  CsvTable cases = no_cases();
  add_case(cases, failed_case(7, 2000, "timeout", "too slow"));
  add_case(cases, ok_case(7, 1000, 0.43));
  add_case(cases, ok_case(7, 2000, 0.43));
  const auto series = case_series(cases);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_THAT(series[0].rows, ElementsAre(1u, 2u));
}

TEST(CaseSeries, TimesAreMillisecondsWithTheirIntervals) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  const Series series = time_series(cases, case_series(cases)[0], "longest_subsequence");
  ASSERT_EQ(series.points.size(), 1u);
  EXPECT_DOUBLE_EQ(series.points[0].y, 20.0);
  EXPECT_DOUBLE_EQ(series.points[0].low, 18.6);
  EXPECT_DOUBLE_EQ(series.points[0].high, 22.4);
}

TEST(CaseSeries, ACaseThatDidNotRunBreaksTheLineAndIsNeverZero) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, failed_case(1, 2000, "timeout", "too slow"));
  const Series series = time_series(cases, case_series(cases)[0], "critical_path");
  ASSERT_EQ(series.points.size(), 2u);
  EXPECT_TRUE(std::isnan(series.points[1].y));
  EXPECT_THAT(case_notes(cases).back(), HasSubstr("1 of 2 cases (1 timeout)"));
}

TEST(CaseSeries, OutOfMemoryIsAMarkOnTheLimit) {
  const CsvTable cases = case_study_2(10);
  const Series marks = out_of_memory_series(cases, case_series(cases)[0], 24.0);
  EXPECT_EQ(marks.draw, Draw::out_of_memory);
  ASSERT_EQ(marks.points.size(), 5u);
  EXPECT_EQ(marks.points[0].x, 4500.0);
  EXPECT_EQ(marks.points[0].y, 24.0);
  EXPECT_THAT(time_series(cases, case_series(cases)[0], "critical_path").points,
              ::testing::SizeIs(4));
}

TEST(CaseSeries, NotesSayWhatTheBarsCover) {
  CsvTable cases = case_study_2(10);
  EXPECT_THAT(case_notes(cases)[0], HasSubstr("93.8 %"));
}

TEST(CaseSeries, LinksAreNamedInUnits) {
  EXPECT_EQ(named_value("link_bandwidth_byte_per_s", "12500000000"), "12.5 GB/s");
  EXPECT_EQ(named_value("link_latency_s", "2e-06"), "2.00 us latency");
  EXPECT_EQ(named_value("link_bandwidth_byte_per_s", ""), "");
}

TEST(CaseSeries, SharedParametersLeaveOutWhatVaries) {
  CsvTable cases = case_study_2(10);
  EXPECT_EQ(shared_parameters(cases),
            "B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks, "
            "2 threads");
  Values flash = ok_case(4, 77, 1.0);
  flash["kernel"] = "flash";
  add_case(cases, flash);
  EXPECT_THAT(shared_parameters(cases), ::testing::Not(HasSubstr("kernel")));
}

}  // namespace
}  // namespace qb
