// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/published_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/execute/model/cluster.h"

namespace qb {
namespace {

SchemeQuestion question_of(std::int64_t q_heads, std::int64_t kv_heads, const char* cluster) {
  Cluster asked = read_cluster(cluster);
  asked.inside = LinkLimit{450e9, 2e-6};
  asked.between = LinkLimit{50e9, 5e-6};
  const Network network = network_of(asked, asked.workers());
  return {.problem = make_problem({1, q_heads, kv_heads, 16'384, 16'384, 128, 128},
                                  MaskKind::causal, DType::bf16, 0),
          .workers = asked.workers(),
          .device = load_device_model("h100"),
          .link = network.limit,
          .hosts = network.hosts,
          .passes = Passes::both};
}

std::vector<std::string> picks(const SchemeQuestion& question) {
  std::vector<std::string> schemes;
  for (const RuleForecast& rule : forecast_rules(question)) schemes.push_back(rule.scheme);
  return schemes;
}

TEST(PublishedRules, PickWhatTheirPapersSay) {
  // sqrt(16 · 8/32) = 2 rows; Ulysses to the 8 key-value heads.
  EXPECT_THAT(picks(question_of(32, 8, "2x8")),
              ::testing::ElementsAre("zigzag", "all_gather_kv", "usp 8x1x2", "mesh 1x2x8",
                                     "usp 8x1x2", "usp 8x1x2"));
  // sqrt(64 · 1) = 8 rows; 64 workers need no more than 32 head groups, of which a host has 16.
  EXPECT_THAT(picks(question_of(32, 32, "4x16")),
              ::testing::ElementsAre("zigzag", "all_gather_kv", "usp 32x1x2", "mesh 1x8x8",
                                     "usp 32x1x2", "usp 16x1x4"));
  // One key-value head: no head groups; inside of a host its workers share it.
  EXPECT_EQ(picks(question_of(16, 1, "2x4"))[2], "usp 1x1x8");
  EXPECT_EQ(picks(question_of(16, 1, "2x4"))[5], "usp 4x1x2");
}

TEST(PublishedRules, NoneIsFasterThanTheBestSchemeAndGrid) {
  for (const char* cluster : {"2x2", "2x8"})
    for (const auto& [q_heads, kv_heads] : {std::pair{8, 8}, {64, 8}, {3, 3}}) {
      const SchemeQuestion question = question_of(q_heads, kv_heads, cluster);
      const auto forecasts = PlannedSchemes(question).forecast();
      const double best_s = fastest(forecasts)->wall_s;
      for (const RuleForecast& rule : forecast_rules(question)) {
        if (!rule.unsupported.empty()) continue;
        EXPECT_GE(rule.wall_s, best_s * (1.0 - 1e-9)) << rule.rule << " " << cluster;
        const auto same = std::ranges::find(forecasts, rule.scheme, &SchemeForecast::scheme);
        if (same != forecasts.end()) {
          EXPECT_NEAR(rule.wall_s, same->wall_s, 1e-9 * rule.wall_s);
        }
      }
    }
}

}  // namespace
}  // namespace qb
