// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/earlier_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "base/source_root.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/sweep/progress.h"
#include "harness/experiment/testing/fake_sweep.h"

namespace qb {
namespace {

TEST(EarlierTimes, ACaseTakesWhatItTookBefore) {
  EarlierTimes times;
  times.add(small_case(1000), 3.0);
  times.add(small_case(1000), 7.0);  // of an older run
  EXPECT_EQ(times.seconds(small_case(1000)), 3.0);
  EXPECT_EQ(times.size(), 1u);
}

TEST(EarlierTimes, AnotherCaseOfTheKindTakesTimeByItsWork) {
  EarlierTimes times;
  times.add(small_case(1000), 3.0);
  times.add(small_case(2000), 5.0);
  const double weight = case_weight(small_case(1000)) + case_weight(small_case(2000));
  EXPECT_DOUBLE_EQ(times.seconds(small_case(4000)).value(),
                   case_weight(small_case(4000)) * 8.0 / weight);
}

TEST(EarlierTimes, AnotherKernelOrTypeOrKindOfRanksOrPassIsNotKnown) {
  EarlierTimes times;
  times.add(small_case(1000), 3.0);
  Case other = small_case(1000);
  other.kernel = Kernel::reference;
  EXPECT_EQ(times.seconds(other), std::nullopt);
  other = small_case(1000);
  other.dtype = DType::bf16;
  EXPECT_EQ(times.seconds(other), std::nullopt);
  other = small_case(1000);
  other.ranks = Ranks::threads;
  EXPECT_EQ(times.seconds(other), std::nullopt);
  other = small_case(1000);
  other.pass = Passes::backward;
  EXPECT_EQ(times.seconds(other), std::nullopt);
  EXPECT_EQ(EarlierTimes().seconds(small_case(1000)), std::nullopt);
}

// A run of resolved cases, as `qb run` leaves it, of which one case fails.
class EarlierRun : public testing::Test {
 protected:
  EarlierRun() {
    const Spec spec = parse_spec(
        "experiment: study\ndevice: cpu\nhead_dim: 16\nsweep: {n_tokens: [64, 96, 128]}\n", "f",
        {});
    sweep_.launcher.answer = [](const Case& c) {
      return c.shape.q_len == 96 ? bad_result(Status::timeout, "no answer") : good_result();
    };
    RunOptions options;
    options.out = folder_.path();
    cases_ = sweep_.run(spec, options).cases_in_order;
  }
  FakeSweep sweep_;
  ScratchFolder folder_;
  std::vector<Case> cases_;
};

TEST_F(EarlierRun, IsReadWhereItsMachineIsThisOne) {
  const EarlierTimes times = EarlierTimes::read(folder_.path(), "this machine");
  EXPECT_EQ(times.size(), 2u) << "the case that timed out says nothing";
  ASSERT_EQ(cases_.size(), 3u);
  EXPECT_GT(times.seconds(cases_.front()).value_or(0.0), 0.0);
  EXPECT_EQ(EarlierTimes::read(folder_.path(), "another machine").size(), 0u);
  EXPECT_EQ(EarlierTimes::read(folder_ / "nothing", "this machine").size(), 0u);
}

// How many times as long as by the peak the measured cases of data/measured took, sorted.
std::vector<double> ratios_of_committed_runs() {
  std::vector<double> ratios;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_path("data/measured"))) {
    const std::string spec = entry.path().string() + "/spec.resolved.yaml";
    if (!std::filesystem::exists(spec)) continue;
    const RunFolder run = read_run_folder(entry.path().string());
    std::map<std::string, Row> rows;
    for (const Row& row : all_rows(run.cases))
      if (row.is("status", "ok")) rows[row.text("case_id")] = row;
    for (const Case& c : resolved_cases(load_spec(spec, {.max_cases = SIZE_MAX}).cases)) {
      const auto found = rows.find(case_id(c));
      if (found == rows.end() || !goes_by_peak(c)) continue;
      const Row& row = found->second;
      if (const auto seconds =
              seconds_by_peak(c, row.number("unmasked_flop"), row.number("peak_flop_per_s")))
        ratios.push_back(row.number("duration_s") / *seconds);
    }
  }
  std::ranges::sort(ratios);
  return ratios;
}

TEST(SecondsByPeak, MostCommittedCasesTookThatToAFactorOfThree) {
  const std::vector<double> ratios = ratios_of_committed_runs();
  ASSERT_GT(ratios.size(), 1000u);
  const auto within =
      std::ranges::count_if(ratios, [](double ratio) { return ratio > 1.0 / 3.0 && ratio < 3.0; });
  EXPECT_GE(within, std::ssize(ratios) * 85 / 100) << "of " << ratios.size();
  EXPECT_GT(ratios[ratios.size() / 2], 1.0 / 1.5);
  EXPECT_LT(ratios[ratios.size() / 2], 1.5);
}

TEST(SecondsByPeak, IsNotKnownWithoutAPeakNorWhereALinkOrAModelDecides) {
  Case c = small_case(1000);
  EXPECT_EQ(seconds_by_peak(c, 1e9, 0.0), std::nullopt);
  c.device = Device::cpu;
  EXPECT_TRUE(goes_by_peak(c));
  Case limited = c;
  limited.link_latency_s = 1e-3;
  EXPECT_FALSE(goes_by_peak(limited));
  Case mixer = c;
  mixer.workload = WorkloadKind::sequence_mixer;
  EXPECT_FALSE(goes_by_peak(mixer));
  c.ranks = Ranks::model;
  EXPECT_FALSE(goes_by_peak(c));
}

}  // namespace
}  // namespace qb
