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

TEST(BytesByWorkers, ARingsFormulaIsWMinusOneHopsOfKAndV) {
  const Figure figure = bytes_by_workers_figure(
      scheme_table({sends("ring", 2, 8388608.0), sends("ring", 4, 6291456.0),
                    sends("cqs_sharded", 4, 5e6), sends("cqs_sharded", 3, 9e6)}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_EQ(panel.title, "forward");
  const Series& ring = series_named(panel, "ring");
  ASSERT_EQ(ring.points.size(), 3u) << "W = 2, 3 and 4";
  EXPECT_DOUBLE_EQ(ring.points[0].y, 4.0) << "MiB: one hop of 4";
  EXPECT_DOUBLE_EQ(ring.points[2].y, 6.0) << "MiB: three hops of 2";
  EXPECT_DOUBLE_EQ(series_named(panel, "ring, counted").points.at(1).y, 6.0);
  EXPECT_EQ(figure.title,
            "At W = 4 a device sends least in cqs_sharded, 1.26 times less than in ring");
}

TEST(BytesByWorkers, ARootHasALineOfItsOwnAndABackwardPassAPanel) {
  const Figure figure = bytes_by_workers_figure(
      scheme_table({sends("ring", 4, 1e6), sends("cqs", 4, 1e6, {{"root_sent_bytes", "12582912"}}),
                    sends("ring", 4, 3e6, {{"pass", "backward"}}),
                    sends("cqs", 4, 1e6, {{"pass", "backward"}})}));
  EXPECT_THAT(titles(figure), ElementsAre("forward", "backward pass"));
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "cqs, its root, counted").points.at(0).y, 12.0);
}

TEST(BytesByWorkers, OneSchemeIsASentence) {
  EXPECT_THAT(bytes_by_workers_figure(scheme_table({sends("ring", 4, 1e6)})).empty_reason,
              HasSubstr("no two schemes"));
}

// The committed figure: counts of rings are the formula's, no count lies below its formula with the
// least set by more than a group, and the formulas cross where the title says.
TEST(BytesByWorkers, CommittedCountsFollowTheFormulasWhichCrossAtTheTitlesW) {
  const CommittedFigure figure("scaling_model", "bytes_by_workers");
  for (const std::string panel : {"1", "2"}) {
    auto lines = figure.lines(panel);
    for (const std::string scheme : {"ring", "zigzag", "ulysses", "all_gather_kv"})
      for (const auto& [workers, bytes] : lines[scheme + ", counted"])
        EXPECT_NEAR(bytes / lines[scheme].at(workers), 1.0, 0.01) << scheme << " W = " << workers;
    for (const std::string scheme : {"cqs", "cqs_sharded", "cqs, its root"})
      for (const auto& [workers, bytes] : lines[scheme + ", counted"])
        if (workers > 4.0) {
          EXPECT_NEAR(bytes / lines[scheme].at(workers), 1.08, 0.13)
              << scheme << " W = " << workers;
        }
    const auto& ring = lines["ring, counted"];
    for (const auto& [workers, bytes] : lines["cqs_sharded, counted"])
      EXPECT_TRUE(workers < 9.0 || bytes < ring.at(workers)) << workers;
    for (const auto& [workers, bytes] : lines["cqs, its root, counted"]) {
      EXPECT_GT(bytes, ring.at(workers)) << workers;
      EXPECT_TRUE(workers < 9.0 || lines["cqs, counted"].at(workers) < ring.at(workers));
    }
  }
  const auto from = [&](const char* panel) {
    double last_above = 0.0;
    const auto lines = figure.lines(panel);
    for (const auto& [workers, bytes] : lines.at("cqs_sharded"))
      if (bytes >= lines.at("ring").at(workers)) last_above = workers;
    return std::fmax(3.0, last_above + 1.0);
  };
  EXPECT_EQ(figure.title(),
            fmt::format("Sharded CQS sends less than a ring from W = {} on (forward) and W = {} on "
                        "(backward pass); CQS moves the bytes to a root",
                        from("1"), from("2")));
}

// Grids send what their formula says at every count, less than their members, and what the title
// says of a ring.
TEST(BytesByWorkers, CommittedGridsSendLeastAsTheTitleSays) {
  const CommittedFigure figure("grids_model", "bytes_by_workers");
  for (const std::string panel : {"1", "2"}) {
    auto lines = figure.lines(panel);
    for (const std::string scheme : {"zigzag", "ulysses", "grid", "usp", "mesh"})
      for (const auto& [workers, bytes] : lines[scheme + ", counted"])
        EXPECT_NEAR(bytes / lines[scheme].at(workers), 1.0, 1e-6) << scheme << " W = " << workers;
    for (const auto& [workers, bytes] : lines["grid, counted"]) {
      for (const char* member : {"usp, counted", "mesh, counted", "zigzag, counted"})
        EXPECT_TRUE(panel == "2" || bytes <= 1.000001 * lines[member].at(workers))
            << member << workers;
      EXPECT_LT(bytes, lines["cqs_sharded, counted"].at(workers)) << workers;
    }
  }
  const auto forward = figure.lines("1");
  EXPECT_EQ(
      figure.title(),
      fmt::format(
          "At W = 4096 a device sends least in grid, {:.3g} times less than in zigzag (forward)",
          forward.at("zigzag, counted").at(4096.0) / forward.at("grid, counted").at(4096.0)));
}

}  // namespace
}  // namespace qb
