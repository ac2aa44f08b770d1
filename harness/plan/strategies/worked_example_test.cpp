// The worked example of CONTRIBUTING.md, "Add an algorithm", compiled and checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/source_root.h"
#include "harness/plan/check/check.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/random_plans.h"

namespace qb {

// [example]
// Keys and values go round both ways at once, in half the rounds of `zigzag`.
Plan plan_two_way_zigzag(const Problem& problem, const StrategyOptions& options) {
  const int w = options.workers;
  RotationBuilder builder(problem, "two_way_zigzag", w, deal_zigzag);
  for (int i = 0; i <= w / 2; ++i) {
    builder.add_task(i, 0, -i);                           // with the keys of i places back
    if (i != 0 && 2 * i != w) builder.add_task(i, 0, i);  // and with those of i places on
    for (const TensorRole what : {TensorRole::k, TensorRole::v}) {
      if (i < w / 2) builder.send(i, 1, TransferKind::p2p, what, -i);
      if (i < (w - 1) / 2) builder.send(i, -1, TransferKind::p2p, what, i);
    }
  }
  return builder.finish();
}
// [end]

namespace {

TEST(WorkedExample, IsAnExactPlanOfHalfTheRounds) {
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
    for (const std::int64_t n : {1, 7, 64, 101})
      for (const int workers : {1, 2, 3, 4, 7, 8}) {
        const Problem problem = testing_support::square_problem(n, mask);
        const Plan plan = plan_two_way_zigzag(problem, {workers, {}});
        EXPECT_EQ(check(plan), std::nullopt) << n << " tokens, W = " << workers;
        EXPECT_TRUE(testing_support::covers_exactly_once(plan));
        EXPECT_EQ(plan.workers[0].steps.size(), static_cast<std::size_t>(workers / 2 + 1));
      }
}

TEST(WorkedExample, StandsInTheGuide) {
  const std::string source =
      read_file(source_path("harness/plan/strategies/worked_example_test.cpp"));
  const std::string begin = "// [example]\n";
  const std::size_t from = source.find(begin) + begin.size();
  const std::string example = source.substr(from, source.find("// [end]\n", from) - from);
  EXPECT_THAT(read_file(source_path("CONTRIBUTING.md")), testing::HasSubstr(example));
}

}  // namespace
}  // namespace qb
