// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/flash_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/run/testing/device_probe.h"

namespace qb {
namespace {

using ::testing::ContainerEq;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// Keeps the gradients of a launch from being right.
class WrongGradients final : public DeviceProbe {
 public:
  void compute_delta(const View& out, const View& d_out, const View& delta) override {
    DeviceProbe::compute_delta(out, d_out, delta);
    *static_cast<float*>(to_host(delta.data)) += 10.0F;
  }
};

struct FlashTurns : ::testing::Test {
  std::vector<bool> opened;

  template <class Device = DeviceProbe>
  std::vector<std::string> answers(const std::string& requests) {
    std::istringstream in(requests);
    std::ostringstream out;
    answer_flash_turns(in, out, [this](bool sm_80) {
      opened.push_back(sm_80);
      return std::make_unique<Device>();
    });
    std::vector<std::string> lines;
    std::istringstream text(out.str());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(FlashTurns, AnswerWithTheSecondsOfEachRepeat) {
  const auto lines = answers(
      "flash forward bf16 32 causal 150 2 1 3\n"
      "flash_sm80 forward bf16 32 causal 150 2 1 2\n"
      "flash forward bf16 32 causal 150 2 0 1\n"
      "flash backward f16 32 full 150 2 1 2\n");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], MatchesRegex("ok [0-9.e-]+ [0-9.e-]+ [0-9.e-]+"));
  EXPECT_THAT(lines[1], MatchesRegex("ok [0-9.e-]+ [0-9.e-]+"));
  EXPECT_THAT(lines[2], MatchesRegex("ok [0-9.e-]+"));
  EXPECT_THAT(lines[3], MatchesRegex("ok [0-9.e-]+ [0-9.e-]+"));
  EXPECT_THAT(opened, ContainerEq(std::vector<bool>{false, true})) << "each device once";
}

TEST_F(FlashTurns, AWrongGradientHasNoTime) {
  const auto lines = answers<WrongGradients>(
      "flash backward bf16 32 causal 50 2 0 1\n"
      "flash forward bf16 32 causal 50 2 0 1\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], StartsWith("incorrect "));
  EXPECT_THAT(lines[0], HasSubstr("dQ"));
  EXPECT_THAT(lines[1], StartsWith("ok "));
}

TEST_F(FlashTurns, WhatTheDeviceLacksIsUnsupported) {
  const auto lines = answers(
      "flash forward f64 32 full 16 1 0 1\n"
      "flash forward bf16 32 full 16 1 0 1\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "unsupported kernel flash takes no f64 inputs; the nearest is f32");
  EXPECT_THAT(lines[1], StartsWith("ok "));
}

TEST_F(FlashTurns, AnythingElseIsRefused) {
  for (const char* line :
       {"", "flash", "flahs forward bf16 128 full 16384 16 2 5", "flash bf16 128 full 16384 16 2 5",
        "flash both bf16 128 full 16384 16 2 5", "flash forward bf17 128 full 16384 16 2 5",
        "flash forward bf16 128 ful 16384 16 2 5", "flash forward bf16 0 full 16384 16 2 5",
        "flash forward bf16 128 full 16384 16 2 0", "flash forward bf16 128 full 16384 16 -1 5",
        "flash forward bf16 128 full 16384 16 2", "flash forward bf16 128 full 16384 16 2 5 6"})
    EXPECT_THROW((void)answers(std::string(line) + "\n"), UsageError) << line;
}

}  // namespace
}  // namespace qb
