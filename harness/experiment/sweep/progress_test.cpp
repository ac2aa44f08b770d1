#include "harness/experiment/sweep/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace qb {
namespace {

CaseResult good() {
  CaseResult result;
  result.status = Status::ok;
  result.values = {{"wall_time_median_s", "0.0123"},
                   {"wall_time_low95_s", "0.0121"},
                   {"wall_time_high95_s", "0.0129"},
                   {"active_memory_peak_bytes", "1288490188"}};
  return result;
}

CaseResult crashed() {
  CaseResult result;
  result.status = Status::crashed;
  result.message = "died of SIGSEGV";
  return result;
}

std::string play(Progress::Style style) {
  std::string out;
  Progress progress(style, [&](std::string_view text) { out += text; });
  progress.started(1, 2, "cqs W=7");
  progress.finished(good(), 180.0);
  progress.started(2, 2, "cqs W=8");
  progress.finished(crashed(), 0.0);
  progress.note("done");
  return out;
}

TEST(Progress, PlainLinesWhereNobodyWatches) {
  EXPECT_EQ(play({}),
            "[1/2] cqs W=7 … ok 12.3 ms [12.1, 12.9] peak 1.20 GiB ETA 3 min\n"
            "[2/2] cqs W=8 … crashed: died of SIGSEGV\n"
            "done\n");
}

TEST(Progress, OneLiveLineOnATerminalAndFailuresStay) {
  EXPECT_EQ(play({.terminal = true}),
            "[1/2] cqs W=7 … "
            "\r\x1b[K[1/2] cqs W=7 … ok 12.3 ms [12.1, 12.9] peak 1.20 GiB ETA 3 min"
            "\r\x1b[K[2/2] cqs W=8 … "
            "\r\x1b[K[2/2] cqs W=8 … crashed: died of SIGSEGV\n"
            "done\n");
}

TEST(Progress, QuietKeepsFailures) {
  EXPECT_EQ(play({.quiet = true}), "[2/2] cqs W=8 … crashed: died of SIGSEGV\ndone\n");
}

TEST(Progress, ColourOnlyWhereAsked) {
  EXPECT_NE(play({.terminal = true, .colour = true}).find("\x1b[31mcrashed"), std::string::npos);
  EXPECT_EQ(play({.terminal = true}).find("\x1b[31m"), std::string::npos);
}

TEST(Progress, IntervalsStandInTheUnitOfTheMedian) {
  EXPECT_EQ(format_interval(2.0, 1.5, 2.25), "2.00 s [1.50, 2.25]");
  EXPECT_EQ(format_interval(0.0009, 0.0008, 0.0011), "900 us [800, 1100]");
  EXPECT_EQ(format_interval(NAN, NAN, NAN), "-");
}

TEST(RemainingTime, ScalesWithTheWorkLeft) {
  RemainingTime time;
  for (double weight : {1.0, 3.0, 4.0}) time.add(weight);
  EXPECT_TRUE(std::isnan(time.seconds()));
  time.done(1.0, 10.0);
  EXPECT_DOUBLE_EQ(time.seconds(), 70.0);
  time.dropped(4.0);
  EXPECT_DOUBLE_EQ(time.seconds(), 30.0);
}

}  // namespace
}  // namespace qb
