// SPDX-License-Identifier: Apache-2.0
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
                   {"device_peak_bytes", "1288490188"}};
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
            "[1/2] cqs W=7 … ok, median wall clock 12.3 ms [12.1, 12.9], peak 1.20 GiB, ETA 3 min\n"
            "[2/2] cqs W=8 … crashed: died of SIGSEGV\n"
            "done\n");
}

TEST(Progress, OneLiveLineOnATerminalAndFailuresStay) {
  EXPECT_EQ(
      play({.terminal = true}),
      "[1/2] cqs W=7 … "
      "\r\x1b[K[1/2] cqs W=7 … ok, median wall clock 12.3 ms [12.1, 12.9], peak 1.20 GiB, ETA 3 min"
      "\r\x1b[K[2/2] cqs W=8 … "
      "\r\x1b[K[2/2] cqs W=8 … crashed: died of SIGSEGV\n"
      "done\n");
}

TEST(Progress, QuietKeepsFailures) {
  EXPECT_EQ(play({.quiet = true}), "[2/2] cqs W=8 … crashed: died of SIGSEGV\ndone\n");
}

TEST(Progress, AQuietTerminalShowsFailuresOnly) {
  EXPECT_EQ(play({.quiet = true, .terminal = true}),
            "[2/2] cqs W=8 … crashed: died of SIGSEGV\ndone\n");
}

TEST(Progress, SaysOnceWhyAStrategyCannotRun) {
  std::string out;
  Progress progress({}, [&](std::string_view text) { out += text; });
  CaseResult result;
  result.status = Status::unsupported;
  result.message = "cqs needs at least 3 workers";
  for (const char* label : {"cqs W=2 N=64", "cqs W=2 N=96"}) {
    progress.started(1, 2, label);
    progress.finished(result, NAN);
  }
  progress.finished(crashed(), NAN);
  progress.finished(crashed(), NAN);
  EXPECT_EQ(out,
            "[1/2] cqs W=2 N=64 … unsupported: cqs needs at least 3 workers\n"
            "[1/2] cqs W=2 N=96 … crashed: died of SIGSEGV\n"
            "[1/2] cqs W=2 N=96 … crashed: died of SIGSEGV\n");
}

TEST(Progress, AnUnfinishedLineEndsBeforeANote) {
  std::string out;
  Progress progress({.terminal = true}, [&](std::string_view text) { out += text; });
  progress.started(1, 1, "cqs");
  progress.note("stopped");
  progress.end_line();  // it has ended
  EXPECT_EQ(out, "[1/1] cqs … \nstopped\n");
}

TEST(Progress, TellsWhatDisturbedACaseAndWhatItLacks) {
  CaseResult result = good();
  result.values.erase("device_peak_bytes");
  result.values.merge(
      {{"disturbed_by", "neighbours"}, {"disturbed_samples", "2"}, {"n_samples", "7"}});
  EXPECT_EQ(
      describe_result(result),
      "ok, median wall clock 12.3 ms [12.1, 12.9], disturbed by other programs (2 of 7 repeats)");
  result.values = {};
  EXPECT_EQ(describe_result(result), "ok");
}

// The sum over workers does not fall when W grows, so that it would say that splitting does not
// help.
TEST(Progress, OfWorkersInTurnItSaysTheCriticalPath) {
  CaseResult result = good();
  result.values.merge({{"critical_path_median_s", "0.002"},
                       {"critical_path_low95_s", "0.0019"},
                       {"critical_path_high95_s", "0.0021"}});
  Case c;
  c.workers = 7;
  EXPECT_THAT(describe_result(result, c),
              HasSubstr("median critical path 2.00 ms [1.90, 2.10] (all workers in turn: 12.3"));
  c.ranks = Ranks::threads;
  EXPECT_THAT(describe_result(result, c), HasSubstr("median wall clock 12.3 ms"));
}

TEST(Progress, AModelledCaseSaysOnWhichDeviceAndWhatItsMessagesTake) {
  CaseResult result = good();
  result.values.set_text("provenance", "model");
  Case c;
  c.model_device = "data/devices/a100.csv";
  EXPECT_EQ(describe_result(result, c), "modelled on a100: 12.3 ms");
  c.workers = 8;
  EXPECT_EQ(describe_result(result, c),
            "modelled on a100: 12.3 ms (no link limit: messages are free)");
  c.cluster = "dgx_a100:1";
  EXPECT_EQ(describe_result(result, c), "modelled on a100: 12.3 ms");
  c.cluster = kNoCluster;
  c.link_bandwidth_byte_per_s = 25e9;
  c.model_device = "here";
  EXPECT_EQ(describe_result(result, c), "modelled on this machine: 12.3 ms");
}

TEST(Progress, TheTimeLeftIsRoundedUp) {
  const auto eta = [](double remaining_s) {
    std::string out;
    Progress progress({}, [&](std::string_view text) { out += text; });
    progress.finished(crashed(), remaining_s);
    return out;
  };
  EXPECT_EQ(eta(59.9), "crashed: died of SIGSEGV, ETA 60 s\n");
  EXPECT_EQ(eta(0.1), "crashed: died of SIGSEGV, ETA 1 s\n");
  EXPECT_EQ(eta(60.0), "crashed: died of SIGSEGV, ETA 1 min\n");
  EXPECT_EQ(eta(61.0), "crashed: died of SIGSEGV, ETA 2 min\n");
  EXPECT_EQ(eta(5399.0), "crashed: died of SIGSEGV, ETA 90 min\n");
  EXPECT_EQ(eta(5400.0), "crashed: died of SIGSEGV, ETA 1.5 h\n");
  EXPECT_EQ(eta(NAN), "crashed: died of SIGSEGV\n");
}

TEST(Progress, ColoursTellGoodFromAllowedFromFailed) {
  const auto colour = [](Status status) {
    std::string out;
    Progress progress({.terminal = true, .colour = true},
                      [&](std::string_view text) { out += text; });
    CaseResult result = good();
    result.status = status;
    progress.finished(result, NAN);
    return out.substr(0, out.find('m') + 1);
  };
  EXPECT_EQ(colour(Status::ok), "\x1b[32m");
  for (const Status failed : {Status::incorrect, Status::crashed, Status::error, Status::timeout})
    EXPECT_EQ(colour(failed), "\x1b[31m") << word(failed);
  for (const Status allowed : {Status::oom, Status::oom_skipped, Status::infeasible,
                               Status::unsupported, Status::interrupted})
    EXPECT_EQ(colour(allowed), "\x1b[33m") << word(allowed);
}

TEST(Progress, ColourOnlyWhereAsked) {
  EXPECT_NE(play({.terminal = true, .colour = true}).find("\x1b[31mcrashed"), std::string::npos);
  EXPECT_EQ(play({.terminal = true}).find("\x1b[31m"), std::string::npos);
}

TEST(Progress, IntervalsStandInTheUnitOfTheMedian) {
  EXPECT_EQ(format_interval(2.0, 1.5, 2.25), "2.00 s [1.50, 2.25]");
  EXPECT_EQ(format_interval(1.0, 0.5, 99.5), "1.00 s [0.50, 99.5]");
  EXPECT_EQ(format_interval(0.1, 0.01, 1.0), "100 ms [10.0, 1000]");
  EXPECT_EQ(format_interval(1e-6, 1e-9, 2e-6), "1.00 us [0.00, 2.00]");
  EXPECT_EQ(format_interval(5e-10, 4e-10, 2e-9), "0.50 ns [0.40, 2.00]");
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
  time.add(5.0);
  time.done(3.0, 2.0);
  EXPECT_DOUBLE_EQ(time.seconds(), 5.0 * (10.0 + 2.0) / (1.0 + 3.0));
  time.dropped(6.0);
  EXPECT_EQ(time.seconds(), 0.0);
}

TEST(RemainingTime, WeighsACaseByItsProductsAndItsStart) {
  Case c;
  c.shape = {.batch = 2,
             .q_heads = 3,
             .kv_heads = 3,
             .q_len = 1000,
             .kv_len = 5000,
             .head_dim = 64,
             .value_dim = 32};
  c.mask = MaskKind::full;
  c.measure.warmups = 1;
  c.measure.min_repeats = 4;
  // Seven runs: those asked for, one to verify, and one for the memory.
  const double full = 7.0 * 2.0 * 3.0 * 1000.0 * 5000.0 * (64.0 + 32.0);
  EXPECT_DOUBLE_EQ(case_weight(c), 2e9 + full);
  c.mask = MaskKind::causal;
  EXPECT_DOUBLE_EQ(case_weight(c), 2e9 + full / 2.0);
  c.pass = Passes::backward;
  EXPECT_DOUBLE_EQ(case_weight(c), 2e9 + 2.5 * full / 2.0);
  c.pass = Passes::both;
  EXPECT_DOUBLE_EQ(case_weight(c), 2e9 + 3.5 * full / 2.0);
}

}  // namespace
}  // namespace qb
