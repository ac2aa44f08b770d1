// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

// Makes a case whose worker needs `gib`.
Values holds(const std::string& algorithm, std::int64_t n_tokens, double gib) {
  return scheme_case(algorithm, 4, n_tokens, 1.0, {{"device_peak_bytes", to_text(gib * kGiB)}});
}

// Makes one that ran out of memory; its peak is predicted.
Values predicted(const std::string& algorithm, std::int64_t n_tokens, double gib) {
  Values values = holds(algorithm, n_tokens, gib);
  values["predicted_device_peak_bytes"] = values["device_peak_bytes"];
  values["device_peak_bytes"].clear();
  values["active_memory_peak_bytes"].clear();
  values["status"] = "oom";
  return values;
}

TEST(LongestContext, ABudgetCarriesTheLengthBetweenTwoCases) {
  const Figure figure =
      longest_context_figure(scheme_table({holds("ring", 1000, 1.0), holds("ring", 4000, 4.0),
                                           holds("cqs", 1000, 1.0), holds("cqs", 2000, 4.0)}));
  const Panel& panel = figure.panels.at(0);
  const auto& ring = series_named(panel, "ring, W = 4").points;
  ASSERT_EQ(ring.size(), 3u) << "1, 2 and 4 GiB";
  EXPECT_DOUBLE_EQ(ring[1].x, 2.0);
  EXPECT_DOUBLE_EQ(ring[1].y, 2000.0);
  EXPECT_DOUBLE_EQ(ring[2].y, 4000.0);
  const auto& cqs = series_named(panel, "cqs, W = 4").points;
  EXPECT_DOUBLE_EQ(cqs.at(1).y, 1414.0) << "its memory grows with N squared";
  EXPECT_EQ(panel.x.label, "memory budget of a device (GiB)");
}

TEST(LongestContext, WhatRestsOnACaseThatDidNotRunIsPredicted) {
  const Figure figure = longest_context_figure(scheme_table(
      {holds("ring", 1000, 1.0), holds("ring", 2000, 2.0), predicted("ring", 4000, 4.0)}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_EQ(series_named(panel, "ring, W = 4").points.size(), 2u);
  const Series& beyond = series_named(panel, "ring, W = 4, predicted");
  EXPECT_TRUE(beyond.thin);
  EXPECT_EQ(beyond.style.dash, 1);
  ASSERT_EQ(beyond.points.size(), 5u) << "4 GiB, and 8 times as much: 8, 16 and 32";
  EXPECT_DOUBLE_EQ(beyond.points[0].x, 2.0) << "it begins where the measured line ends";
  EXPECT_DOUBLE_EQ(beyond.points[1].y, 4000.0);
  EXPECT_DOUBLE_EQ(beyond.points[4].x, 32.0);
  EXPECT_DOUBLE_EQ(beyond.points[4].y, 32000.0);
}

TEST(LongestContext, OneLengthIsASentence) {
  EXPECT_THAT(longest_context_figure(scheme_table({holds("ring", 1000, 1.0)})).empty_reason,
              HasSubstr("two lengths"));
}

// The committed figure: a larger budget carries more, and the title compares the longest and the
// shortest measured length at the largest budget that two lines were measured at, of a device and
// of all.
TEST(LongestContext, CommittedTitleComparesTheMeasuredLinesAtTheirLargestSharedBudget) {
  const CommittedFigure figure("case_study_2", "longest_context");
  std::map<double, std::map<double, std::string>> carried;  // by budget and length
  for (const auto& [name, line] : figure.lines("1")) {
    for (auto at = std::next(line.begin()); at != line.end(); ++at)
      EXPECT_GT(at->second, std::prev(at)->second) << name;
    if (!name.ends_with(", predicted"))
      for (const auto& [budget, tokens] : line) carried[budget][tokens] = name;
  }
  std::erase_if(carried, [](const auto& one) { return one.second.size() < 2; });
  const auto& [budget, lengths] = *carried.rbegin();
  const auto& [least, shortest] = *lengths.begin();
  const auto& [most, longest] = *lengths.rbegin();
  const auto in_all = [&, budget = budget](const std::string& name) {
    return budget * std::stod(name.substr(name.find("W = ") + 4));
  };
  EXPECT_EQ(figure.title(),
            fmt::format("With {:g} GiB a device {} ({:g} GiB in all) reaches N = {}, {:.3g} times "
                        "that of {} ({:g} GiB in all)",
                        budget, longest, in_all(longest), grouped(most), most / least, shortest,
                        in_all(shortest)));
}

}  // namespace
}  // namespace qb
