// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "plots/frame/figure_layout.h"

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
  std::vector<std::string> out;
  for (const Series& entry : legend_entries(figure)) out.push_back(entry.name);
  return out;
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

TEST(Legend, NotTriedIsAnotherEntryThanOutOfMemory) {
  Figure figure;
  figure.panels.emplace_back();
  figure.panels[0].series = {{.name = "W = 1", .points = {{.x = 1.0, .y = 1.0}}},
                             {.name = "W = 1", .draw = Draw::out_of_memory, .points = {{.x = 2.0}}},
                             {.name = "W = 1", .draw = Draw::not_tried, .points = {{.x = 3.0}}}};
  std::vector<std::string> names;
  for (const Series& entry : legend_entries(figure)) names.push_back(entry.name);
  EXPECT_THAT(names, ElementsAre("W = 1", "out of memory", "not tried, longer"));
  EXPECT_NE(kind_word(figure.panels[0].series[1]), kind_word(figure.panels[0].series[2]));
}

}  // namespace
}  // namespace qb
