// SPDX-License-Identifier: Apache-2.0
// Tests the rows of real cases in this process for each way that a case can end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/statistics.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/workload/prediction.h"
#include "harness/workload/testing/tiny_case.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// All columns except those that the parent writes.
std::vector<std::string> columns_of_the_child() {
  std::vector<std::string> columns;
  bool after = false;
  for (const std::string& column : case_table().columns) {
    if (after && column != "started_at" && column != "duration_s" && column != "node")
      columns.push_back(column);
    after = after || column == "message";
  }
  return columns;
}

bool is_time(const std::string& column) {
  return column.ends_with("_s") || column == "n_samples" || column == "interval_coverage" ||
         column == "achieved_flop_per_s";
}

void expect_no_times(const CaseResult& result) {
  EXPECT_TRUE(result.samples.empty());
  EXPECT_TRUE(result.steps.empty());
  for (const auto& [field, value] : result.values)
    EXPECT_FALSE(is_time(std::string(field->column))) << field->column;
}

// The first step of a ring receives nothing, and its last sends nothing.
void expect_filled(const std::vector<RowValues>& steps, Ranks ranks) {
  const auto last = steps.back().number("step");
  for (const RowValues& step : steps)
    for (const Field& field : kStepFields) {
      const bool of_ranks = field.empty_when.find("ranks") != std::string_view::npos;
      const bool of_message = (field.column.starts_with("receive") && step.number("step") == 0.0) ||
                              (field.column.starts_with("send") && step.number("step") == last);
      if (field.column == "case_id") continue;  // the store adds it
      EXPECT_EQ(step.at(field.column).empty(), of_ranks && (ranks == Ranks::serial || of_message))
          << field.column;
    }
}

double case_number(const CaseResult& result, const std::string& column) {
  return parse_real(result.values.at(column)).value();
}

// Columns that a forward pass of attention may lack with serial ranks on the CPU, a fused kernel
// and no model, undisturbed and where Linux counts no instructions.
bool may_be_empty(std::string_view column) {
  for (const std::string_view name : {"communication_median_s",
                                      "exposed_communication_median_s",
                                      "exposed_communication_low95_s",
                                      "exposed_communication_high95_s",
                                      "idle_median_s",
                                      "modelled_wall_time_s",
                                      "model_residual_ratio",
                                      "gpu",
                                      "device_time_median_s",
                                      "sm_clock_median_hz",
                                      "throttled_samples",
                                      "gpu_memory_peak_bytes",
                                      "disturbed_by",
                                      "cycles_median",
                                      "verified_keys",
                                      "backward_sent_bytes",
                                      "between_hosts_bytes",
                                      "root_sent_bytes",
                                      "root_peak_bytes",
                                      "predicted_root_peak_bytes",
                                      "state_bytes",
                                      "sent_states",
                                      "scan_rounds",
                                      "predicted_scan_s",
                                      "between_stages_bytes",
                                      "predicted_bubble_ratio",
                                      "plan_bubble_ratio",
                                      "kept_microbatches",
                                      "predicted_pipeline_s",
                                      "bubble_ratio",
                                      "distance_to_exact"})
    if (column == name) return true;
  for (const std::string_view start : {"stage_", "instructions_", "forward_time_", "backward_time_",
                                       "d_q_", "d_k_", "d_v_", "d_x_", "d_weights_"})
    if (column.starts_with(start)) return true;
  return false;
}

// The peak of idle cores would make the case look slower than it is.
TEST(RunCase, ThePeakIsMeasuredOnTheCoresOfTheCaseOnly) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has not computed before
  const auto threads = [] {
    const auto all = std::filesystem::directory_iterator("/proc/self/task");
    return static_cast<int>(std::distance(begin(all), end(all)));
  };
  EXPECT_EXIT(
      {
        const int before = threads();
        const CaseResult result = run_open_case(tiny("dense", 1), "");
        // Threads that help to compute stay.
        std::_Exit(result.status == Status::ok ? threads() - before : 100);
      },
      testing::ExitedWithCode(0), "");
}

TEST(RunCase, AGoodCaseFillsEveryColumn) {
  for (const Case& c : {tiny("dense", 1), tiny("cqs", 7)}) {
    SCOPED_TRACE(c.algorithm);
    const CaseResult result = run_open_case(c, "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    for (const std::string& column : columns_of_the_child()) {
      if (may_be_empty(column)) continue;
      EXPECT_FALSE(result.values.at(column).empty()) << column;
    }
    EXPECT_NO_THROW((void)case_table().fields_of(result.values));
    EXPECT_EQ(result.samples.size(), 4u);
    EXPECT_EQ(result.values.at("n_samples"), "3");
    EXPECT_EQ(result.values.at("verified_rows"), "32");
    EXPECT_TRUE(result.timeline.empty());
    EXPECT_EQ(result.steps.size(), static_cast<std::size_t>(c.workers));
    expect_filled(result.steps, Ranks::serial);
  }
}

TEST(RunCase, MediansAreThoseOfTheSamples) {
  const CaseResult result = run_open_case(tiny("cqs", 7), "");
  for (const Sample& sample : result.samples)
    EXPECT_GE(sample.worker_sum_s, sample.critical_path_s);
  std::vector<double> wall_s;
  std::vector<double> compute_s;
  for (const std::size_t i : counted_samples(result.samples, tiny("cqs", 7).measure.min_repeats)) {
    wall_s.push_back(result.samples[i].wall_s);
    compute_s.push_back(result.samples[i].compute_s);
  }
  EXPECT_EQ(result.values.at("wall_time_median_s"), to_text(median(wall_s)));
  EXPECT_EQ(result.values.at("compute_median_s"), to_text(median(compute_s)));
  EXPECT_DOUBLE_EQ(case_number(result, "achieved_flop_per_s"),
                   case_number(result, "unmasked_flop") / median(wall_s));
}

TEST(RunCase, TheStagedKernelHasTheTimeOfEachStage) {
  Case c = tiny("dense", 1);
  c.kernel = Kernel::staged;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.message, "");
  double sum_s = 0.0;
  for (const auto& [column, stage] :
       {std::pair{"stage_scores_median_s", &Sample::stage_scores_s},
        std::pair{"stage_softmax_median_s", &Sample::stage_softmax_s},
        std::pair{"stage_product_median_s", &Sample::stage_product_s}}) {
    std::vector<double> times_s;
    for (const Sample& sample : result.samples)
      if (!sample.warmup) times_s.push_back(sample.*stage);
    EXPECT_GT(median(times_s), 0.0) << column;
    EXPECT_EQ(result.values.at(column), to_text(median(times_s)));
    sum_s += result.samples.back().*stage;
  }
  EXPECT_LE(sum_s, result.samples.back().wall_s);
  c.kernel = Kernel::flash;
  EXPECT_FALSE(run_open_case(c, "").values.has("stage_scores_median_s"));
}

TEST(RunCase, TheInstructionSetIsTheOneThatTheCaseNames) {
  const InstructionSet best = available_instruction_sets().front();
  for (const InstructionSet set : available_instruction_sets()) {
    Case c = tiny("cqs", 7);
    c.cpu_isa = set;
    const CaseResult result = run_open_case(c, "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.at("isa"), word(set));
    EXPECT_GT(case_number(result, "peak_flop_per_s"), 0.0);
  }
  use_instruction_set(best);
}

TEST(RunCase, AnInstructionSetThatTheCpuLacksIsUnsupported) {
  Case c = tiny("dense", 1);
  const auto& sets = available_instruction_sets();
  c.cpu_isa = std::find(sets.begin(), sets.end(), InstructionSet::neon) == sets.end()
                  ? InstructionSet::neon
                  : InstructionSet::avx2;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_THAT(result.message, HasSubstr("no instruction set"));
}

TEST(RunCase, ThreadsReportTheWallClockAsCriticalPath) {
  Case c = tiny("cqs", 3);
  c.ranks = Ranks::threads;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("wall_time_median_s"), result.values.at("critical_path_median_s"));
}

TEST(RunCase, ACacheIsFlushedBeforeARepeatOnACpuToo) {
  Case c = tiny("dense", 1);
  c.l2_cache = L2Cache::flushed;
  c.measure.warmups = 0;
  c.measure.min_repeats = c.measure.max_repeats = 1;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::ok) << result.message;
  c.memory_budget_bytes = parse_integer(result.values.at("active_memory_peak_bytes")).value();
  const CaseResult over = run_open_case(c, "");
  EXPECT_EQ(over.status, Status::oom) << "the memory that is written over the cache is in it, too";
  EXPECT_THAT(over.message, HasSubstr("l2_flush"));
  c.l2_cache = L2Cache::automatic;
  EXPECT_EQ(run_open_case(c, "").status, Status::ok);
}

TEST(RunCase, WhatHasNoPlanIsUnsupportedWithTheReason) {
  const CaseResult result = run_open_case(tiny("cqs", 2), "");
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_THAT(result.message, HasSubstr("3"));
  expect_no_times(result);
}

TEST(RunCase, WorkThatCannotEndInTimeIsNotTried) {
  Case c = tiny("dense", 1);
  c.shape.q_len = c.shape.kv_len = 1'000'000'000;
  c.measure.timeout_s = 10.0;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::infeasible);
  EXPECT_THAT(result.message, HasSubstr("longer than the timeout of 10.00 s"));
  expect_no_times(result);
}

TEST(RunCase, AnUnknownAlgorithmIsAnErrorAndNotACrash) {
  const CaseResult result = run_open_case(tiny("dens", 1), "");
  EXPECT_EQ(result.status, Status::error);
  EXPECT_THAT(result.message, HasSubstr("did you mean 'dense'"));
}

TEST(Prediction, TellsParametersAndWorkWithoutRunning) {
  Case c = tiny("cqs", 7);
  c.shape.q_len = c.shape.kv_len = 10;
  c.interest_set = {0, 1, 3};
  const auto values = predicted_open_values(c);
  EXPECT_EQ(values.at("longest_subsequence_tokens"), "5");
  EXPECT_EQ(values.at("shortest_subsequence_tokens"), "3");
  EXPECT_EQ(values.at("unmasked_pairs"), "100");
  EXPECT_EQ(values.at("unmasked_flop"), "12800.0");  // 4 x 100 pairs x 2 heads x 16
  EXPECT_EQ(values.at("n_tokens"), "10");
  EXPECT_FALSE(values.has("wall_time_median_s"));
}

TEST(Prediction, ThreadsHoldAllWorkersAtOnce) {
  Case c = tiny("cqs", 7);
  const auto serial = parse_integer(predicted_open_values(c).at("predicted_active_peak_bytes"));
  c.ranks = Ranks::threads;
  EXPECT_GT(parse_integer(predicted_open_values(c).at("predicted_active_peak_bytes")), serial);
}

Case ring_case(Ranks ranks) {
  Case c = tiny("ring", 3);
  c.ranks = ranks;
  c.mask = MaskKind::causal;
  return c;
}

TEST(RunCase, ARingOnThreadsFillsItsStepsAndHoldsThePredictedMemory) {
  const CaseResult result = run_open_case(ring_case(Ranks::threads), "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("provenance"), "measured");
  EXPECT_EQ(result.values.at("device_peak_bytes"), result.values.at("predicted_device_peak_bytes"));
  EXPECT_EQ(result.steps.size(), 9u);
  expect_filled(result.steps, Ranks::threads);
  EXPECT_GT(case_number(result, "communication_median_s"), 0.0);
}

TEST(RunCase, MoreThreadsThanCoresAreAMark) {
  Case c = tiny("ring", available_cores() + 1);
  c.ranks = Ranks::threads;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("disturbed_samples"), result.values.at("n_samples"));
  EXPECT_EQ(result.values.at("disturbed_by"), "oversubscribed");
  for (const Sample& sample : result.samples)
    EXPECT_EQ(sample.disturbed_by, Disturbance::oversubscribed);
}

TEST(RunCase, BusyThreadsAreThoseOfAllWorkersThatRunAtOnce) {
  Case c = tiny("ring", 7);
  EXPECT_EQ(busy_threads(c, 2), 2);
  c.ranks = Ranks::threads;
  EXPECT_EQ(busy_threads(c, 2), 7);
  EXPECT_EQ(busy_threads(c, 14), 14);
}

// A repeat lies within what the host counts of it, which is CPU time by the same clock.
TEST(RunCase, TheCpuClockGivesTheCpuTimeOfOneThread) {
  Case c = tiny("cqs", 7);
  c.threads = 0;
  c.clock = ClockKind::cpu;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(resolve_case(c).threads, 1);
  EXPECT_EQ(clock_source.load(), steady_clock_s) << "it is the clock of that case only";
  for (const Sample& sample : result.samples) {
    EXPECT_GT(sample.wall_s, 0.0);
    EXPECT_LE(sample.wall_s, sample.host.cpu_s);
    EXPECT_TRUE(!sample.disturbed_by || sample.disturbed_by == Disturbance::stolen);
  }
  c.threads = 2;
  EXPECT_EQ(run_open_case(c, "").message,
            "clock: cpu needs threads: 0 or 1, and this case has threads: 2");
}

TEST(RunCase, AModelledCaseHasTimesWithoutAnOutput) {
  Case c = ring_case(Ranks::model);
  c.threads = 0;
  c.link_bandwidth_byte_per_s = 1e6;
  const CaseResult slow = run_open_case(c, "");
  ASSERT_EQ(slow.status, Status::ok) << slow.message;
  EXPECT_EQ(slow.values.at("provenance"), "model");
  EXPECT_EQ(slow.samples.size(), 1u);
  EXPECT_FALSE(slow.values.has("max_error"));
  EXPECT_FALSE(slow.values.has("active_memory_peak_bytes"));
  // There are two hops over a slow link, and such small blocks hide none of their time.
  const double hop_s = case_number(slow, "device_sent_bytes") / 2 / 1e6;
  EXPECT_GT(case_number(slow, "wall_time_median_s"), 2 * hop_s);
  c.link_mode = LinkMode::nocomm;
  const CaseResult none = run_open_case(c, "");
  EXPECT_LT(case_number(none, "wall_time_median_s"), hop_s);
}

TEST(RunCase, ADeviceBesideAMeasuredCaseGivesTheResidual) {
  Case c = ring_case(Ranks::threads);
  c.model_device = "here";
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_NEAR(
      case_number(result, "model_residual_ratio"),
      case_number(result, "wall_time_median_s") / case_number(result, "modelled_wall_time_s") - 1.0,
      1e-9);
  c.model_device = "no/such/file.csv";
  EXPECT_EQ(run_open_case(c, "").status, Status::error);
}

TEST(RunCase, PackedSequencesAreVerifiedAndTheirSumsChecked) {
  Case c = tiny("pass_q", 3);
  c.mask = MaskKind::causal;
  c.sequences = {{20, 3}, {0, 5}, {7, 1}};
  c.shape.q_len = c.shape.kv_len = 9;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("verified_rows"), "9");
  c.shape.q_len = 8;
  EXPECT_THAT(run_open_case(c, "").message,
              testing::HasSubstr("sequences hold 9 new tokens and n_tokens is 8"));
}

TEST(RunCase, PackedSequencesAreTheSameProblemForEveryAlgorithm) {
  for (const char* algorithm : {"dense", "ring", "striped", "zigzag", "all_gather_kv", "cqs"}) {
    Case c = tiny(algorithm, algorithm == std::string("dense") ? 1 : 3);
    c.mask = MaskKind::causal;
    c.sequences = {{20, 3}, {0, 5}, {7, 1}};
    c.shape.q_len = c.shape.kv_len = 9;
    const CaseResult result = run_open_case(c, "");
    ASSERT_EQ(result.status, Status::ok) << algorithm << ": " << result.message;
    EXPECT_EQ(result.values.at("unmasked_pairs"), "89") << algorithm;  // 21 + 22 + 23, 15 and 8
    EXPECT_EQ(result.values.at("verified_rows"), "9") << algorithm;
  }
}

TEST(RunCase, ABatchIsDecodedAsPackedSequences) {
  Case c = tiny("decode", 3);
  c.mask = MaskKind::causal;
  c.shape.batch = 4;
  c.shape.q_len = 3;
  c.shape.kv_len = 33;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("verified_rows"), "12");
}

TEST(RunCase, MpiWithoutALauncherSaysHowToStartIt) {
  const CaseResult result = run_open_case(ring_case(Ranks::mpi), "");
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_THAT(result.message, testing::HasSubstr("mpirun -n 3 qb run"));
}

}  // namespace
}  // namespace qb
