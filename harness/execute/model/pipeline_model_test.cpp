// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/pipeline_model.h"

#include <gtest/gtest.h>

#include <random>

namespace qb {
namespace {

constexpr unsigned kSeed = 20261128;

PipelineCosts costs(const PipelinePlan& plan, double forward_s, double backward_s,
                    std::int64_t bytes) {
  return {[&plan, forward_s, backward_s](const PipelineStep& step) {
            return plan.order[static_cast<std::size_t>(step.stage)][step.index].backward
                       ? backward_s
                       : forward_s;
          },
          [bytes](const PipelineUnit&, int) { return bytes; }};
}

TEST(PipelineModel, WithoutLinksHasTheBubbleOfThePlan) {
  std::mt19937 random(kSeed);
  const auto upto = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int i = 0; i < 200; ++i)
    for (const auto& [schedule, name] : kWords<PipelineSchedule>.rows) {
      const bool interleaved = schedule == PipelineSchedule::interleaved;
      const int stages = upto(8);
      const PipelinePlan plan =
          plan_pipeline(schedule, stages, interleaved ? stages * upto(3) : upto(10),
                        interleaved ? 1 : upto(4), interleaved ? upto(3) : 1);
      SCOPED_TRACE(testing::Message() << "seed " << kSeed << ' ' << name << " S=" << stages
                                      << " m=" << plan.microbatches << " c=" << plan.chunks
                                      << " v=" << plan.virtual_stages);
      const double wall_s = pipeline_times(plan, {}, costs(plan, 1.0, 2.0, 100)).wall_s;
      EXPECT_NEAR(1.0 - 3.0 * plan.forward_units() / wall_s, bubble_ratio(plan), 1e-12);
    }
}

// Where only the links take time, m messages of each pass go through S - 1 links behind each other,
// each a latency apart.
TEST(PipelineModel, OfLinksAloneHasItsClosedForm) {
  constexpr std::int64_t kBytes = 6'000'000;
  constexpr double kMessage_s = 3e-3;
  for (int stages = 2; stages <= 8; ++stages)
    for (int microbatches = 1; microbatches <= 9; ++microbatches) {
      SCOPED_TRACE(testing::Message() << "S=" << stages << " m=" << microbatches);
      const PipelinePlan plan = plan_pipeline(PipelineSchedule::gpipe, stages, microbatches, 1, 1);
      const double wall_s =
          pipeline_times(plan, {{2e9, 0.0}, {}}, costs(plan, 0.0, 0.0, kBytes)).wall_s;
      EXPECT_NEAR(wall_s, 2.0 * (microbatches + stages - 2) * kMessage_s, 1e-9);
      const double late_s = pipeline_times(plan_pipeline(PipelineSchedule::gpipe, stages, 1, 1, 1),
                                           {{2e9, 0.5}, {}}, costs(plan, 0.0, 0.0, kBytes))
                                .wall_s;
      EXPECT_NEAR(late_s, 2.0 * (stages - 1) * (kMessage_s + 0.5), 1e-9);
    }
}

}  // namespace
}  // namespace qb
