// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/split/skew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "interest_sets/testing/worker_loads.h"

namespace qb {
namespace {

std::vector<std::int64_t> equal(std::int64_t n_tokens, int groups) {
  std::vector<std::int64_t> sizes;
  for (int group = 0; group < groups; ++group)
    sizes.push_back(group_tokens(n_tokens, groups, group));
  return sizes;
}

TEST(Skew, LoadsOfEqualGroupsAreTheResponsibilities) {
  for (int workers : {4, 7, 12, 31})
    for (Distillation distillation : {Distillation::published, Distillation::balanced}) {
      const InterestSet set = default_interest_set(workers);
      const std::int64_t n_tokens = 20 * workers + 3;
      const auto loads = testing_support::worker_loads(set, equal(n_tokens, workers), distillation);
      const auto expected = responsibilities(set, n_tokens, distillation);
      for (std::size_t worker = 0; worker < loads.size(); ++worker)
        EXPECT_EQ(loads[worker], static_cast<double>(expected[worker]));
    }
}

TEST(Skew, ASlowWorkerCostsLessWithGroupsOfItsOwnSize) {
  for (int workers : {4, 7, 8, 13, 32})
    for (double speed : {0.5, 0.8}) {
      const InterestSet set = default_interest_set(workers);
      const std::int64_t n_tokens = 1000 * workers;
      std::vector<double> speeds(static_cast<std::size_t>(workers), 1.0);
      speeds[1] = speed;
      const auto sizes = skewed_group_sizes(set, n_tokens, speeds, Distillation::balanced);
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), n_tokens);
      EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 1);
      const double before = testing_support::slowest_time(set, equal(n_tokens, workers), speeds,
                                                          Distillation::balanced);
      const double after =
          testing_support::slowest_time(set, sizes, speeds, Distillation::balanced);
      EXPECT_LT(after, 0.9 * before) << workers << " " << speed;
      // No split is better than one that keeps all workers busy to the end.
      const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
      const double n = static_cast<double>(n_tokens);
      EXPECT_GE(after, n * n / total - 1.0);
    }
}

TEST(Skew, EqualSpeedsNeedNoSkew) {
  const std::vector<double> speeds(7, 2.0);
  EXPECT_EQ(skewed_group_sizes({7, {0, 1, 3}}, 70, speeds, Distillation::published), equal(70, 7));
}

TEST(Skew, FewTokensStayWhole) {
  const std::vector<double> speeds = {1.0, 0.01, 1.0, 1.0, 1.0, 1.0, 1.0};
  for (std::int64_t n_tokens : {7, 8, 15}) {
    const auto sizes =
        skewed_group_sizes({7, {0, 1, 3}}, n_tokens, speeds, Distillation::published);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), n_tokens);
    EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 1);
  }
}

TEST(Skew, RefusesWhatDoesNotFit) {
  const InterestSet set{7, {0, 1, 3}};
  const auto refuses = [&](std::int64_t n_tokens, const std::vector<double>& speeds) {
    EXPECT_THROW((void)skewed_group_sizes(set, n_tokens, speeds, Distillation::published),
                 UsageError);
  };
  refuses(70, {1.0, 1.0});
  refuses(6, std::vector<double>(7, 1.0));
  refuses(70, {1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0});
  refuses(70, {1.0, 1.0, std::nan(""), 1.0, 1.0, 1.0, 1.0});
}

}  // namespace
}  // namespace qb
