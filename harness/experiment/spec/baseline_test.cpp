// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"

namespace qb {
namespace {

using ::testing::ElementsAre;

constexpr const char* kSpec =
    "experiment: e\n"
    "baseline: dense\n"
    "q_heads: 4\n"
    "zip: {algorithm: [cqs, ring], workers: [7, 4], distillation: [balanced, published]}\n"
    "sweep: {n_tokens: [64, 128]}\n";

// `dense/1/64` of each case of the spec, in order.
std::vector<std::string> cases(const std::string& yaml, const Spec::Options& options = {}) {
  std::vector<std::string> names;
  for (const Case& c : parse_spec(yaml, "spec.yaml", options).cases)
    names.push_back(fmt::format("{}/{}/{}", c.algorithm, c.workers, c.shape.q_len));
  return names;
}

TEST(Baseline, AddsTheBaseCaseOfEachCaseOnce) {
  EXPECT_THAT(cases(kSpec), ElementsAre("dense/1/64", "dense/1/128", "cqs/7/64", "cqs/7/128",
                                        "ring/4/64", "ring/4/128"));
}

TEST(Baseline, HasAllElseEqualAndNothingOfTheSplit) {
  const Spec spec = parse_spec(kSpec, "spec.yaml", {});
  const Case& base = spec.cases.front();
  EXPECT_EQ(base.distillation, Distillation::published);
  EXPECT_TRUE(base.interest_set.empty());
  EXPECT_EQ(base.shape, spec.cases[2].shape);
}

TEST(Baseline, HasThePassOfItsCases) {
  const Spec spec = parse_spec(
      "experiment: e\nbaseline: dense\nn_tokens: 64\nalgorithm: ring\nworkers: 4\n"
      "sweep: {pass: [backward, both]}\n",
      "spec.yaml", {});
  ASSERT_EQ(spec.cases.size(), 4u);
  EXPECT_EQ(spec.cases[0].algorithm, "dense");
  EXPECT_EQ(spec.cases[0].pass, Passes::backward);
  EXPECT_EQ(spec.cases[1].pass, Passes::both);
}

TEST(Baseline, StaysWhateverTheFilterKeeps) {
  EXPECT_THAT(cases(kSpec, {.set = {}, .filter = {"algorithm=ring", "n_tokens=128"}}),
              ElementsAre("dense/1/128", "ring/4/128"));
}

TEST(Baseline, IsNeverThereTwice) {
  const std::string yaml =
      "experiment: e\nbaseline: dense\nn_tokens: 64\n"
      "zip: {algorithm: [cqs, dense], workers: [7, 1]}\n";
  EXPECT_THAT(cases(yaml), ElementsAre("cqs/7/64", "dense/1/64"));
}

TEST(Baseline, CanBeTakenAwayOnTheCommandLine) {
  EXPECT_THAT(cases(kSpec, {.set = {"baseline=~"}, .filter = {"algorithm=ring"}}),
              ElementsAre("ring/4/64", "ring/4/128"));
}

TEST(Baseline, CountsAmongTheCasesThatAskForYes) {
  EXPECT_EQ(cases(kSpec, {.set = {}, .filter = {}, .max_cases = 6}).size(), 6u);
  EXPECT_THROW((void)cases(kSpec, {.set = {}, .filter = {}, .max_cases = 5}), UsageError);
}

// The case ids of rows that were measured before a spec used the key stay what they were.
TEST(Baseline, GivesTheCasesThatTheSpecWouldHaveSpelledOut) {
  const std::string rest = "kernel: flash\nq_heads: 4\nsweep: {n_tokens: [64, 128]}\n";
  const Spec added =
      parse_spec("experiment: e\nbaseline: dense\nalgorithm: cqs\nworkers: 7\n" + rest, "f", {});
  const Spec spelled = parse_spec(
      "experiment: e\nzip: {algorithm: [dense, cqs], workers: [1, 7]}\n" + rest, "f", {});
  EXPECT_EQ(added.resolved_yaml, spelled.resolved_yaml);
}

TEST(CasesKept, ChooseAmongTheBaseCasesToo) {
  const std::vector<Case> all = parse_spec(kSpec, "spec.yaml", {}).cases;
  const std::vector<Case> kept = cases_kept(all, {"algorithm=dense", "n_tokens>64"}, "--only");
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(case_id(kept.front()), case_id(all[1]));
  EXPECT_EQ(cases_kept(all, {}, "--only").size(), all.size());
  EXPECT_THAT([&] { (void)cases_kept(all, {"workers=9"}, "--only"); },
              testing::ThrowsMessage<UsageError>(testing::StartsWith("--only workers=9: no case")));
}

}  // namespace
}  // namespace qb
