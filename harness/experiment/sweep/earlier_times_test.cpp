// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/earlier_times.h"

#include <gtest/gtest.h>

#include "base/testing/scratch_folder.h"
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

}  // namespace
}  // namespace qb
