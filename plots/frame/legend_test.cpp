// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "plots/frame/figure.h"

namespace qb {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> legend_of(const std::vector<std::string>& names) {
  Figure figure;
  figure.panels.emplace_back();
  for (const std::string& name : names)
    figure.panels[0].series.push_back(
        {.name = name,
         .points = {{.x = 1.0, .y = static_cast<double>(figure.panels[0].series.size())}}});
  return legend_order(figure);
}

TEST(Legend, AlgorithmsStandInTheOrderOfTheirRegistryWhateverTheFiguresOwn) {
  EXPECT_THAT(legend_of({"zigzag", "all_gather_kv", "cqs", "ring", "dense"}),
              ElementsAre("dense", "cqs", "ring", "zigzag", "all_gather_kv"));
  EXPECT_THAT(legend_of({"ulysses, model", "ring, 1 GB/s", "ring, model"}),
              ElementsAre("ring, 1 GB/s", "ring, model", "ulysses, model"));
}

TEST(Legend, WorkerCountsAscendWithinAnAlgorithm) {
  EXPECT_THAT(legend_of({"W = 31", "W = 4", "W = 7, flash"}),
              ElementsAre("W = 4", "W = 7, flash", "W = 31"));
  EXPECT_THAT(legend_of({"ring, W = 8", "ring, W = 4", "cqs, W = 16"}),
              ElementsAre("cqs, W = 16", "ring, W = 4", "ring, W = 8"));
}

TEST(Legend, OtherEntriesKeepTheirOrderBehindThem) {
  EXPECT_THAT(legend_of({"threads", "zigzag", "compute", "ring"}),
              ElementsAre("ring", "zigzag", "threads", "compute"));
  EXPECT_THAT(legend_of({"bound", "W = 8", "W = 4"}), ElementsAre("W = 4", "W = 8", "bound"));
}

TEST(Legend, CrossesAndSharedPublishedLinesHaveNoEntryAndLimitsAreLast) {
  Figure figure{.published_legend = "published"};
  figure.panels.emplace_back();
  figure.panels[0].series = {{.name = "budget", .draw = Draw::limit, .points = {{.y = 1.0}}},
                             {.name = "theirs", .published = true, .points = {{1.0, 1.0}}},
                             {.name = "W = 4", .points = {{1.0, 1.0}}},
                             {.name = "W = 7", .draw = Draw::out_of_memory, .points = {{2.0}}},
                             {.name = "hidden", .in_legend = false, .points = {{1.0, 1.0}}}};
  EXPECT_THAT(legend_order(figure), ElementsAre("W = 4", "budget"));
}

}  // namespace
}  // namespace qb
