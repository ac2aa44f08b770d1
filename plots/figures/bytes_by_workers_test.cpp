// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 1 MiB of Q a device at W = 4: 1,024 tokens of 8 heads of 32 floats.
Values sends(const char* scheme, int workers, double bytes, const Values& more = {}) {
  Values values = {{"device_sent_bytes", to_text(bytes)},
                   {"batch", "1"},
                   {"q_heads", "8"},
                   {"kv_heads", "8"},
                   {"head_dim", "32"},
                   {"dtype", "f32"}};
  values.insert(more.begin(), more.end());
  return scheme_case(scheme, workers, 4096, 0.1, values);
}

TEST(BytesByWorkers, LinesAreWhatPlansCount) {
  const Figure figure = bytes_by_workers_figure(
      scheme_table({sends("ring", 2, 8388608.0), sends("ring", 4, 6291456.0),
                    sends("cqs_sharded", 4, 5e6), sends("cqs_sharded", 2, 9e6)}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_EQ(panel.title, "forward");
  const Series& ring = series_named(panel, "ring");
  ASSERT_EQ(ring.points.size(), 2u) << "W = 2 and 4";
  EXPECT_DOUBLE_EQ(ring.points[0].y, 8.0) << "MiB";
  EXPECT_DOUBLE_EQ(ring.points[1].y, 6.0);
  EXPECT_EQ(figure.title, "Sharded CQS sends less than a ring from W = 4 on");
}

TEST(BytesByWorkers, ARootHasALineOfItsOwnAndABackwardPassAPanel) {
  const Figure figure = bytes_by_workers_figure(
      scheme_table({sends("ring", 4, 1e6), sends("cqs", 4, 1e6, {{"root_sent_bytes", "12582912"}}),
                    sends("ring", 4, 3e6, {{"pass", "backward"}}),
                    sends("cqs", 4, 1e6, {{"pass", "backward"}})}));
  EXPECT_THAT(titles(figure), ElementsAre("forward", "backward pass"));
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "cqs, its root").points.at(0).y, 12.0);
}

TEST(BytesByWorkers, CasesOfBothPassesAloneAreASentence) {
  EXPECT_THAT(bytes_by_workers_figure(scheme_table({sends("ring", 4, 1e6, {{"pass", "both"}}),
                                                    sends("cqs", 4, 1e6, {{"pass", "both"}})}))
                  .empty_reason,
              HasSubstr("both passes"));
}

TEST(BytesByWorkers, OneSchemeIsASentence) {
  EXPECT_THAT(bytes_by_workers_figure(scheme_table({sends("ring", 4, 1e6)})).empty_reason,
              HasSubstr("no two schemes"));
}

TEST(BytesByWorkers, TheTitleHasTheWFromWhichOnShardedCqsSendsLessInEachPass) {
  std::vector<Values> rows;
  const auto add = [&](int workers, double ring, double cqs, const Values& more = {}) {
    rows.push_back(sends("ring", workers, ring, more));
    rows.push_back(sends("cqs_sharded", workers, cqs, more));
  };
  add(4, 2e6, 1e6);  // and no more at W = 7
  add(7, 2e6, 3e6);
  add(13, 2e6, 1e6);
  add(21, 2e6, 1e6);
  const auto title = [&] { return bytes_by_workers_figure(scheme_table(rows)).title; };
  EXPECT_EQ(title(), "Sharded CQS sends less than a ring from W = 13 on");
  add(21, 2e6, 1e6, {{"pass", "backward"}});
  EXPECT_EQ(title(),
            "Sharded CQS sends less than a ring from W = 13 on (forward) and W = 21 on (backward "
            "pass)");
  rows.push_back(sends("cqs", 21, 1e6, {{"root_sent_bytes", "12582912"}}));
  EXPECT_THAT(title(), ::testing::EndsWith("; CQS moves the bytes to a root"));
}

// The committed figure: a root sends more than a ring, and its workers less, where the title says
// that sharded CQS does.
TEST(BytesByWorkers, CommittedLinesAgreeWithTheTitle) {
  const CommittedFigure figure("scaling_model", "bytes_by_workers");
  const auto from = [&](const char* panel) {
    double least = 0.0;
    auto lines = figure.lines(panel);
    for (const auto& [workers, bytes] : lines["cqs_sharded"]) {
      const double ring = lines["ring"].contains(workers) ? lines["ring"].at(workers) : kNaN;
      if (std::isnan(ring)) continue;
      least = bytes >= ring ? 0.0 : least > 0.0 ? least : workers;
      EXPECT_GT(lines["cqs, its root"].at(workers), ring) << workers;
    }
    return least;
  };
  EXPECT_EQ(figure.title(),
            fmt::format("Sharded CQS sends less than a ring from W = {} on (forward) and W = {} on "
                        "(backward pass); CQS moves the bytes to a root",
                        from("1"), from("2")));
}

// Grids send less than their members, and what the title says of a ring.
TEST(BytesByWorkers, CommittedGridsSendLeastAsTheTitleSays) {
  const CommittedFigure figure("grids_model", "bytes_by_workers");
  for (const std::string panel : {"1", "2"}) {
    auto lines = figure.lines(panel);
    for (const auto& [workers, bytes] : lines["grid"]) {
      for (const char* member : {"usp", "mesh", "zigzag"})
        EXPECT_TRUE(panel == "2" || bytes <= 1.000001 * lines[member].at(workers))
            << member << workers;
      EXPECT_LT(bytes, lines["cqs_sharded"].at(workers)) << workers;
    }
  }
  const auto forward = figure.lines("1");
  EXPECT_EQ(
      figure.title(),
      fmt::format(
          "At W = 4096 a device sends least in grid, {:.3g} times less than in zigzag (forward)",
          forward.at("zigzag").at(4096.0) / forward.at("grid").at(4096.0)));
}

}  // namespace
}  // namespace qb
