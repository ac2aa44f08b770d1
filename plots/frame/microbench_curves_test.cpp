#include "plots/frame/microbench_curves.h"

#include <gmock/gmock.h>

#include "base/status.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

std::vector<DrawnCurve> drawn(const CsvTable& microbench, const NamedParts& parts) {
  std::vector<DrawnCurve> out;
  for (const BenchmarkCurve& curve : benchmark_curves(microbench, "flash", "peak_fraction"))
    out.push_back({curve, {.name = curve_name(curve, parts)}});
  return out;
}

TEST(MicrobenchCurves, MedianAndIntervalOverTheRepeatsWithoutWarmUps) {
  CsvTable microbench = no_microbench();
  add_repeat(microbench, {{"peak_fraction", "0.1"}, {"warmup", "1"}});
  for (const char* value : {"0.7", "0.5", "0.6", "0.9", "0.4", "0.8", "0.3"})
    add_repeat(microbench, {{"peak_fraction", value}});
  add_repeat(microbench, {{"peak_fraction", "0.2"}, {"benchmark", "decode"}});
  const auto curves = benchmark_curves(microbench, "flash", "peak_fraction");
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].points.size(), 1u);
  EXPECT_EQ(curves[0].points[0].x, 1024.0);
  EXPECT_EQ(curves[0].points[0].y, 0.6);
  EXPECT_EQ(curves[0].points[0].low, 0.3);
  EXPECT_EQ(curves[0].points[0].high, 0.9);
  EXPECT_THAT(curves_note(drawn(microbench, {})), HasSubstr("95 % order-statistic"));
}

TEST(MicrobenchCurves, FewRepeatsAreSaid) {
  CsvTable microbench = no_microbench();
  for (const char* value : {"0.7", "0.5", "0.6"})
    add_repeat(microbench, {{"peak_fraction", value}});
  EXPECT_THAT(curves_note(drawn(microbench, {})), HasSubstr("at least 3, which holds"));
}

TEST(MicrobenchCurves, LengthsAscendAndRowsWithoutAValueAreNoPoints) {
  CsvTable microbench = no_microbench();
  add_repeat(microbench, {{"peak_fraction", "0.7"}, {"n_tokens", "4096"}});
  add_repeat(microbench, {{"peak_fraction", "0.5"}});
  add_repeat(microbench, {{"n_tokens", "8192"}});
  const auto curves = benchmark_curves(microbench, "flash", "peak_fraction");
  ASSERT_EQ(curves.at(0).points.size(), 2u);
  EXPECT_EQ(curves[0].points[0].x, 1024.0);
}

TEST(MicrobenchCurves, OfSeveralHeadCountsTheLargestProblemStands) {
  CsvTable microbench = no_microbench();
  add_repeat(microbench, {{"peak_fraction", "0.2"}, {"flop", "1e9"}, {"case_id", "h:2"}});
  add_repeat(microbench, {{"peak_fraction", "0.7"}, {"flop", "4e9"}, {"case_id", "h:8"}});
  add_repeat(microbench, {{"peak_fraction", "0.8"}, {"flop", "4e9"}, {"case_id", "sweep/h:8"}});
  add_repeat(microbench, {{"peak_fraction", "0.1"}, {"flop", "1e9"}, {"case_id", "sweep/h:2"}});
  const auto curves = benchmark_curves(microbench, "flash", "peak_fraction");
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].points.size(), 1u);
  EXPECT_DOUBLE_EQ(curves[0].points[0].y, 0.75);
}

TEST(MicrobenchCurves, WithoutAPlanThereAreNoWorkers) {
  CsvTable microbench = no_microbench();
  add_repeat(microbench, {{"peak_fraction", "0.5"}, {"workers", ""}});
  EXPECT_EQ(benchmark_curves(microbench, "flash", "peak_fraction").at(0).workers, 0);
}

TEST(MicrobenchCurves, ShapesArePanels) {
  CsvTable microbench = no_microbench();
  for (const char* head_dim : {"128", "64"})
    for (const char* mask : {"full", "causal"})
      add_repeat(microbench, {{"peak_fraction", "0.5"}, {"head_dim", head_dim}, {"mask", mask}});
  const auto panels = curve_panels(drawn(microbench, {.dtype = true}));
  ASSERT_EQ(panels.size(), 4u);
  EXPECT_EQ(panels[0].title, "d = 64, causal mask");
  EXPECT_EQ(panels[3].title, "d = 128, full mask");
}

TEST(MicrobenchCurves, InstructionSetsAreNamedWhereALineHasSeveralInAnyPanel) {
  CsvTable microbench = no_microbench();
  add_repeat(microbench, {{"peak_fraction", "0.8"}});
  add_repeat(microbench, {{"peak_fraction", "0.8"}, {"n_tokens", "2048"}});
  add_repeat(microbench, {{"peak_fraction", "0.6"}, {"isa", "avx2"}});
  add_repeat(microbench, {{"peak_fraction", "0.7"}, {"head_dim", "128"}});
  add_repeat(microbench, {{"peak_fraction", "0.5"}, {"dtype", "f32"}});
  const auto panels = curve_panels(drawn(microbench, {.dtype = true}));
  ASSERT_EQ(panels.size(), 2u);
  ASSERT_EQ(panels[0].series.size(), 3u);
  EXPECT_EQ(panels[0].series[0].name, "bf16, avx2");
  EXPECT_EQ(panels[0].series[1].name, "bf16, avx512");
  EXPECT_EQ(panels[0].series[2].name, "f32");
  EXPECT_EQ(panels[0].series[0].style.colour, lightened(panels[0].series[1].style.colour));
  EXPECT_EQ(panels[1].series[0].name, "bf16, avx512");
}

TEST(MicrobenchCurves, AMissingColumnIsNamed) {
  CsvTable table({"case_id", "benchmark"});
  table.append({"x", "flash"});
  EXPECT_THROW((void)benchmark_curves(table, "flash", "peak_fraction"), UsageError);
}

}  // namespace
}  // namespace qb
