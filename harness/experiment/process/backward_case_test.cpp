// SPDX-License-Identifier: Apache-2.0
// Tests the rows of real cases with a backward pass: of every strategy, kernel, type and kind of
// ranks that has one, and the ends of those that have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/workload/testing/tiny_case.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

double number(const CaseResult& result, const std::string& column) {
  return parse_real(result.values.at(column)).value();
}

// Two workers where the strategy divides heads, three where it needs a quorum or a ring.
Case tiny_backward(const std::string& algorithm, Passes pass) {
  Case c = tiny(algorithm, algorithm == "dense" ? 1 : algorithm == "ulysses" ? 2 : 3);
  c.shape.q_heads = 4;
  c.shape.kv_heads = 2;
  c.device = Device::cpu;
  c.mask = MaskKind::causal;
  c.pass = pass;
  return c;
}

void expect_right_gradients(const CaseResult& result) {
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("verified_rows"), "32");
  EXPECT_EQ(result.values.at("verified_keys"), "32");
  for (const std::string_view gradient : kGradientColumns) {
    const std::string name(gradient);
    EXPECT_GT(number(result, name + "_max_error"), 0.0) << name;
    EXPECT_LE(number(result, name + "_max_error"), number(result, name + "_tolerance")) << name;
    EXPECT_GT(number(result, name + "_naive_error"), 0.0) << name;
    EXPECT_GT(number(result, name + "_relative_l2_error"), 0.0) << name;
  }
  EXPECT_NO_THROW((void)case_table().fields_of(result.values));
}

constexpr const char* kTraining[] = {"dense",  "cqs",   "cqs_sharded", "ring",    "striped",
                                     "zigzag", "burst", "pass_kv",     "ulysses", "all_gather_kv"};

// The sinks of all heads are merged into each row once, whatever splits the keys.
TEST(BackwardCase, SinksAreVerifiedInBothPassesOfEveryStrategy) {
  for (const char* algorithm : kTraining)
    for (const Ranks ranks : {Ranks::threads, Ranks::serial}) {
      SCOPED_TRACE(testing::Message() << algorithm << " " << word(ranks));
      Case c = tiny_backward(algorithm, Passes::both);
      c.ranks = ranks;
      c.sinks = SinkKind::random;
      const CaseResult result = run_open_case(c, "");
      expect_right_gradients(result);
      EXPECT_EQ(result.values.at("device_peak_bytes"),
                result.values.at("predicted_device_peak_bytes"));
    }
  Case layer = tiny_backward("dense", Passes::forward);
  layer.sinks = SinkKind::random;
  layer.workload = WorkloadKind::transformer_layer;
  const CaseResult refused = run_open_case(layer, "");
  EXPECT_EQ(refused.status, Status::unsupported);
  EXPECT_THAT(refused.message, HasSubstr("sinks: true needs workload: attention"));
}

TEST(BackwardCase, EveryStrategyIsVerifiedUnderThreadsAndSerialRanks) {
  for (const char* algorithm : kTraining)
    for (const Ranks ranks : {Ranks::threads, Ranks::serial}) {
      SCOPED_TRACE(std::string(algorithm) + ' ' + std::string(word(ranks)));
      Case c = tiny_backward(algorithm, Passes::backward);
      c.ranks = ranks;
      const CaseResult result = run_open_case(c, "");
      expect_right_gradients(result);
      if (result.status != Status::ok) continue;
      EXPECT_EQ(result.values.at("backward_sent_bytes"), result.values.at("device_sent_bytes"));
      if (ranks == Ranks::threads) {
        EXPECT_LE(number(result, "device_peak_bytes"),
                  number(result, "predicted_device_peak_bytes"));
      }
      EXPECT_FALSE(result.values.has("backward_time_median_s")) << "it is the wall clock";
      EXPECT_FALSE(result.steps.empty());
    }
}

TEST(BackwardCase, ARingOnThreadsHoldsThePredictedMemory) {
  for (const Passes pass : {Passes::backward, Passes::both}) {
    Case c = tiny_backward("ring", pass);
    c.ranks = Ranks::threads;
    const CaseResult result = run_open_case(c, "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.at("device_peak_bytes"),
              result.values.at("predicted_device_peak_bytes"))
        << word(pass);
  }
}

TEST(BackwardCase, BothPassesOfEveryStrategyAddUp) {
  for (const char* algorithm : kTraining) {
    SCOPED_TRACE(algorithm);
    Case c = tiny_backward(algorithm, Passes::both);
    c.ranks = Ranks::threads;
    const CaseResult both = run_open_case(c, "");
    expect_right_gradients(both);
    if (both.status != Status::ok) continue;
    for (const Sample& sample : both.samples) {
      EXPECT_GT(sample.forward_s, 0.0);
      EXPECT_GT(sample.backward_s, 0.0);
      EXPECT_DOUBLE_EQ(sample.forward_s + sample.backward_s, sample.wall_s);
    }
    EXPECT_LT(number(both, "backward_time_median_s"), number(both, "wall_time_median_s"));
    c.pass = Passes::forward;
    const RowValues forward = predicted_open_values(c);
    c.pass = Passes::backward;
    const RowValues backward = predicted_open_values(c);
    EXPECT_EQ(number(both, "unmasked_flop"), parse_real(forward.at("unmasked_flop")).value() +
                                                 parse_real(backward.at("unmasked_flop")).value());
    EXPECT_EQ(parse_integer(both.values.at("moved_bytes")).value(),
              parse_integer(forward.at("moved_bytes")).value() +
                  parse_integer(backward.at("moved_bytes")).value());
    EXPECT_EQ(both.values.at("backward_sent_bytes"), backward.at("device_sent_bytes"));
    EXPECT_FALSE(forward.has("backward_sent_bytes"));
  }
}

TEST(BackwardCase, EveryKernelAndTypeIsVerified) {
  struct Choice {
    Kernel kernel;
    DType dtype;
  };
  for (const Choice& choice :
       {Choice{Kernel::flash, DType::f16}, Choice{Kernel::flash, DType::bf16},
        Choice{Kernel::flash, DType::f32}, Choice{Kernel::materialized, DType::f16},
        Choice{Kernel::materialized, DType::bf16}, Choice{Kernel::materialized, DType::f32},
        Choice{Kernel::reference, DType::bf16}, Choice{Kernel::reference, DType::f32}})
    for (const char* algorithm : {"dense", "ring", "cqs", "ulysses"}) {
      SCOPED_TRACE(std::string(algorithm) + ' ' + std::string(word(choice.kernel)) + ' ' +
                   std::string(word(choice.dtype)));
      Case c = tiny_backward(algorithm, Passes::both);
      c.kernel = choice.kernel;
      c.dtype = choice.dtype;
      expect_right_gradients(run_open_case(c, ""));
    }
}

TEST(BackwardCase, SparseMasksAndPackedSequencesAndCachesHaveGradientsToo) {
  Case c = tiny_backward("ring", Passes::backward);
  c.mask = MaskSpec(mask_fixtures::block_local(16));
  expect_right_gradients(run_open_case(c, ""));
  c = tiny_backward("zigzag", Passes::backward);
  c.sequences = {{0, 40}, {10, 60}};
  expect_right_gradients(run_open_case(c, ""));
  c = tiny_backward("burst", Passes::backward);
  c.shape.kv_len = 150;
  expect_right_gradients(run_open_case(c, ""));
}

TEST(BackwardCase, ThePredictedPeakOfOneDeviceIsTheMeasuredOne) {
  for (const Passes pass : {Passes::backward, Passes::both})
    for (const Kernel kernel : {Kernel::materialized, Kernel::flash})
      for (const char* algorithm : {"dense", "cqs"}) {
        Case c = tiny_backward(algorithm, pass);
        c.kernel = kernel;
        const CaseResult result = run_open_case(c, "");
        ASSERT_EQ(result.status, Status::ok) << result.message;
        EXPECT_EQ(result.values.at("active_memory_peak_bytes"),
                  result.values.at("predicted_active_peak_bytes"))
            << algorithm << ' ' << word(kernel) << ' ' << word(pass);
      }
}

TEST(BackwardCase, ABudgetOfExactlyThePredictedPeakIsEnough) {
  Case c = tiny_backward("dense", Passes::both);
  c.kernel = Kernel::materialized;
  c.memory_budget_bytes =
      parse_integer(predicted_open_values(c).at("predicted_active_peak_bytes")).value();
  EXPECT_EQ(run_open_case(c, "").status, Status::ok);
  c.memory_budget_bytes -= 1;
  EXPECT_EQ(run_open_case(c, "").status, Status::oom);
}

// What is kept between the passes is labelled; what only the backward pass needs comes after it.
TEST(BackwardCase, TheTimelineShowsWhatIsSavedForTheBackwardPass) {
  Case c = tiny_backward("cqs", Passes::both);
  c.measure.memory_timeline = true;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  std::vector<std::string> allocated;
  std::vector<std::string> freed;
  for (const RowValues& event : result.timeline) {
    if (event.text("action") == "alloc") allocated.push_back(event.text("label"));
    if (event.text("action") == "free") freed.push_back(event.text("label"));
  }
  for (const char* saved : {"saved_q", "saved_k", "saved_v", "saved_output", "saved_lse"}) {
    EXPECT_EQ(std::ranges::count(allocated, saved), 1) << saved;
    EXPECT_EQ(std::ranges::count(freed, saved), 0) << saved << " is kept";
  }
  const auto place = [&](const char* label) {
    return std::ranges::find(allocated, label) - allocated.begin();
  };
  EXPECT_LT(place("saved_lse") + 1, place("d_out")) << "the forward pass is between them";
  for (const char* gradient : {"d_q", "d_k", "d_v"}) EXPECT_GT(place(gradient), place("d_out"));
  c.pass = Passes::forward;
  const CaseResult forward = run_open_case(c, "");
  for (const RowValues& event : forward.timeline)
    EXPECT_THAT(event.text("label"), Not(HasSubstr("saved")));
}

TEST(BackwardCase, ATimelineLeavesTheTimedRunsAsTheyAre) {
  for (const Passes pass : {Passes::backward, Passes::both}) {
    const ScratchFolder folder;
    Case c = tiny_backward("ring", pass);
    c.ranks = Ranks::threads;
    c.measure.memory_timeline = true;
    const CaseResult result = run_open_case(c, folder.path());
    expect_right_gradients(result);
    EXPECT_EQ(result.samples.size(), 4u);
  }
}

TEST(BackwardCase, WhatHasNoBackwardPassIsUnsupportedWithTheReason) {
  const auto message_of = [](const char* algorithm, const auto& change) {
    Case c = tiny_backward(algorithm, Passes::backward);
    change(c);
    const CaseResult result = run_open_case(c, "");
    EXPECT_EQ(result.status, Status::unsupported);
    return result.message;
  };
  EXPECT_THAT(message_of("pass_q", [](Case&) {}), HasSubstr("has no backward pass"));
  EXPECT_THAT(message_of("dense", [](Case& c) { c.kernel = Kernel::staged; }),
              HasSubstr("kernel staged has no backward pass on the CPU"));
}

}  // namespace
}  // namespace qb
