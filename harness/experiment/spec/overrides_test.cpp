// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qb {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kOverriddenSpec =
    "experiment: e\n"
    "head_dim: 32\n"
    "zip:\n"
    "  algorithm: [dense, cqs]\n"
    "  workers: [1, 7]\n"
    "sweep:\n"
    "  kernel: [flash]\n"
    "  n_tokens: [64, 128]\n"
    "exclude:\n"
    "  - {algorithm: cqs, n_tokens: 64}\n"
    "measure:\n"
    "  repeats: 3\n";

Spec with(const std::vector<std::string>& set) {
  return parse_spec(kOverriddenSpec, "spec.yaml", {.set = set, .filter = {}});
}

// algorithm/workers/n_tokens of every case.
std::vector<std::string> overridden_cases(const std::vector<std::string>& set) {
  std::vector<std::string> out;
  for (const Case& c : with(set).cases)
    out.push_back(c.algorithm + "/" + std::to_string(c.workers) + "/" +
                  std::to_string(c.shape.q_len));
  return out;
}

TEST(Overrides, NoneLeavesTheSpecAsItIs) {
  EXPECT_THAT(overridden_cases({}), ElementsAre("dense/1/64", "dense/1/128", "cqs/7/128"));
}

TEST(Overrides, AFixedValueIsReplaced) {
  EXPECT_EQ(with({"head_dim=1_6"}).cases.front().shape.head_dim, 16);
  EXPECT_EQ(with({"head_dim=16", "head_dim=8"}).cases.front().shape.head_dim, 8);
}

TEST(Overrides, AMissingValueIsAdded) {
  EXPECT_EQ(with({"dtype=f16"}).cases.front().dtype, DType::f16);
  EXPECT_EQ(with({"measure.warmups=0"}).cases.front().measure.warmups, 0);
  EXPECT_EQ(with({"description='a: b'"}).description, "a: b");
}

TEST(Overrides, AParameterWithADotInItsNameIsOne) {
  EXPECT_FALSE(with({}).cases.front().cpu_isa);
  EXPECT_EQ(with({"cpu.isa=avx2"}).cases.front().cpu_isa, InstructionSet::avx2);
  EXPECT_FALSE(with({"cpu.isa=auto"}).cases.front().cpu_isa);
  EXPECT_EQ(with({"cpu.isa=[scalar, auto]"}).cases.size(), 6u);
  EXPECT_EQ(with({"sweep.cpu.isa=[scalar, auto]"}).cases.size(), 6u);
}

TEST(Overrides, MeasureKeysAreReplaced) {
  EXPECT_EQ(with({"measure.repeats=9"}).cases.front().measure.max_repeats, 9);
  EXPECT_EQ(with({"measure={}"}).cases.front().measure.max_repeats, 5);
}

TEST(Overrides, RepeatsAndItsTwoBoundsGiveWay) {
  const auto bounds = [](const std::vector<std::string>& set) {
    const Measure m = with(set).cases.front().measure;
    return std::pair(m.min_repeats, m.max_repeats);
  };
  EXPECT_EQ(bounds({"measure.max_repeats=9"}), std::pair(3, 9));
  EXPECT_EQ(bounds({"measure.min_repeats=2"}), std::pair(2, 3));
  EXPECT_EQ(bounds({"measure.min_repeats=2", "measure.max_repeats=9"}), std::pair(2, 9));
  EXPECT_EQ(bounds({"measure.min_repeats=2", "measure.repeats=4"}), std::pair(4, 4));
}

// The exclude rule over n_tokens no longer matches anything, which is not a typo here.
TEST(Overrides, AScalarTakesAParameterOutOfTheSweep) {
  EXPECT_THAT(overridden_cases({"n_tokens=32"}), ElementsAre("dense/1/32", "cqs/7/32"));
}

TEST(Overrides, AScalarTakesAParameterOutOfTheZip) {
  EXPECT_THAT(overridden_cases({"workers=4"}),
              ElementsAre("dense/4/64", "dense/4/128", "cqs/4/128"));
  EXPECT_THAT(overridden_cases({"workers=4", "algorithm=cqs"}), ElementsAre("cqs/4/128"));
}

TEST(Overrides, AListReplacesTheValuesWhereTheyAre) {
  EXPECT_THAT(overridden_cases({"n_tokens=[8, 9]"}),
              ElementsAre("dense/1/8", "dense/1/9", "cqs/7/8", "cqs/7/9"));
  EXPECT_THAT(overridden_cases({"workers=[1, 31]"}),
              ElementsAre("dense/1/64", "dense/1/128", "cqs/31/128"));
  EXPECT_THAT(overridden_cases({"sweep.n_tokens={from: 64, to: 256, factor: 4}"}),
              ElementsAre("dense/1/64", "dense/1/256", "cqs/7/256"));
}

TEST(Overrides, AListOfAFixedParameterBecomesTheFastestSweep) {
  std::vector<std::int64_t> dims;
  for (const Case& c : with({"head_dim=[8, 16]"}).cases) dims.push_back(c.shape.head_dim);
  EXPECT_THAT(dims, ElementsAre(8, 16, 8, 16, 8, 16));
}

TEST(Overrides, AnInterestSetIsOneValue) {
  const Spec spec = with({"interest_set=[0, 1, 3]", "algorithm=cqs", "workers=7"});
  EXPECT_EQ(spec.cases.front().interest_set, (std::vector{0, 1, 3}));
  EXPECT_EQ(
      with({"algorithm=cqs", "workers=7", "interest_set=[[0, 1, 3], [0, 2, 3, 1]]"}).cases.size(),
      2u);
}

// An exclude rule that matches nothing is a typo, unless the command line removed what it matched.
TEST(Overrides, OnlyTheRulesOverWhatWasSetMayMatchNothing) {
  EXPECT_THAT(overridden_cases({"algorithm=dense", "workers=1"}),
              ElementsAre("dense/1/64", "dense/1/128"));
  EXPECT_THROW((void)parse_spec("experiment: e\nn_tokens: 5\nexclude: [{n_tokens: 6}]\n", "f",
                                {.set = {"head_dim=8"}, .filter = {}}),
               UsageError);
}

}  // namespace
}  // namespace qb
