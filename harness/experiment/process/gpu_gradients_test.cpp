// SPDX-License-Identifier: Apache-2.0
// Tests the rows of cases of device: cuda with a backward pass, on a host that imitates a GPU.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "harness/experiment/testing/gpu_cases.h"

namespace qb {
namespace {

using testing::HasSubstr;

void expect_right_gpu_gradients(const CaseResult& result) {
  ASSERT_EQ(result.status, Status::ok) << result.message;
  for (const std::string_view gradient : kGradientColumns) {
    const auto number = [&](const char* column) {
      return parse_real(result.values.at(fmt::format("{}_{}", gradient, column))).value();
    };
    EXPECT_GT(number("max_error"), 0.0) << gradient;
    EXPECT_LE(number("max_error"), number("tolerance")) << gradient;
  }
}

TEST(GpuGradients, GradientsAreVerifiedAndTheirMemoryIsPredictedToTheByte) {
  for (const Passes pass : {Passes::backward, Passes::both})
    for (const auto& [algorithm, workers] : {std::pair{"dense", 1}, std::pair{"ring", 4},
                                             std::pair{"cqs", 7}, std::pair{"all_gather_kv", 3}}) {
      SCOPED_TRACE(fmt::format("{} {}", word(pass), algorithm));
      Case c = tiny(Kernel::flash, algorithm, workers);
      c.mask = MaskKind::causal;
      c.pass = pass;
      const CaseResult result = run_with(c);
      expect_right_gpu_gradients(result);
      if (result.status != Status::ok) continue;
      EXPECT_EQ(result.values.at("predicted_active_peak_bytes"),
                result.values.at("active_memory_peak_bytes"));
      EXPECT_EQ(result.values.at("predicted_device_peak_bytes"),
                result.values.at("device_peak_bytes"));
      EXPECT_GE(parse_integer(result.values.at("executed_pairs")).value(),
                parse_integer(result.values.at("unmasked_pairs")).value());
      EXPECT_GT(parse_real(result.values.at("device_time_median_s")).value(), 0.0);
      EXPECT_EQ(result.values.has("backward_time_median_s"), pass == Passes::both);
    }
}

// What a pass takes and keeps is free when the other begins, so that each is prepared anew.
TEST(GpuGradients, BothPassesTakeTurnsOnTheDevice) {
  Case c = tiny(Kernel::flash, "dense", 1);
  c.pass = Passes::both;
  int kept = 0;
  int launched = 0;
  const CaseResult result = run_with(c, [&](DeviceProbe& device) {
    device.on_request = [&](std::string_view name) {
      kept += name == "keep_backward_schedule";
      launched += name == "attention_backward";
    };
  });
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(launched, 1 + 5) << "the run that is verified, and the timed ones";
  EXPECT_EQ(kept, launched);
}

TEST(GpuGradients, AKernelWithoutABackwardPassOnAGpuNamesThoseThatHaveOne) {
  for (const Passes pass : {Passes::backward, Passes::both}) {
    Case c = tiny(Kernel::materialized, "dense", 1);
    c.pass = pass;
    const CaseResult result = run_with(c);
    EXPECT_EQ(result.status, Status::unsupported);
    EXPECT_EQ(result.message,
              "kernel materialized has no backward pass on a GPU; these kernels have: flash");
  }
  Case together = tiny(Kernel::flash, "cqs", 7);
  together.pass = Passes::both;
  together.launch = Launch::together;
  EXPECT_THAT(run_with(together).message, HasSubstr("launch: together is for the forward pass"));
}

TEST(GpuGradients, OneRankOverNcclHasGradientsOfEitherPass) {
  for (const Passes pass : {Passes::backward, Passes::both})
    for (const char* algorithm : {"dense", "ring", "burst"}) {
      SCOPED_TRACE(fmt::format("{} {}", word(pass), algorithm));
      Case c = over_nccl(algorithm, 1);
      c.pass = pass;
      const CaseResult result = run_over_link(c);
      expect_right_gpu_gradients(result);
      if (result.status != Status::ok) continue;
      EXPECT_GT(parse_integer(result.values.at("device_peak_bytes")).value(), 0);
      EXPECT_EQ(result.steps.size(), pass == Passes::both ? 2u : 1u);
    }
}

}  // namespace
}  // namespace qb
