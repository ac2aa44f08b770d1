// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/source_root.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Spec parse(const std::string& yaml) { return parse_spec(yaml, "spec.yaml", {}); }

TEST(Spec, TwoKeysAreAnExperiment) {
  const Spec spec = parse("experiment: tiny\nn_tokens: 1Ki\n");
  EXPECT_EQ(spec.name, "tiny");
  EXPECT_EQ(spec.description, "");
  EXPECT_THAT(spec.figures, IsEmpty());
  ASSERT_EQ(spec.cases.size(), 1u);
  const Case& c = spec.cases.front();
  EXPECT_EQ(c.experiment, "tiny");
  EXPECT_EQ(c.algorithm, "dense");
  EXPECT_EQ(c.kernel, Kernel::flash);
  EXPECT_EQ(c.device, Device::automatic);
  EXPECT_EQ(c.shape, (Shape{1, 1, 1, 1024, 1024, 64, 64}));
  EXPECT_TRUE(c.interest_set.empty());
  EXPECT_EQ(c.scale, std::nullopt);
  EXPECT_EQ(c.memory_budget_bytes, 0);
  EXPECT_EQ(c.measure.max_repeats, 5);
}

TEST(Spec, AFigureIsANameOrADeclaration) {
  const Spec spec = parse(
      "experiment: tiny\nn_tokens: 8\nfigures:\n  - speed_up\n"
      "  - {x: N, y: device_peak_bytes, lines: algorithm, panels: [dtype, mask], log: xy}\n"
      "  - {name: mine, y: [speed_up, mfu], base: {workers: 1}, only: workers>1, bound: one}\n");
  EXPECT_THAT(
      spec.figures,
      ElementsAre("speed_up",
                  R"({"name":"device_peak_by_n_tokens","y":["device_peak_bytes"],"x":"n_tokens",)"
                  R"("lines":["algorithm"],"panels":["dtype","mask"],"log":"xy"})",
                  R"({"name":"mine","y":["speed_up","mfu"],"x":"n_tokens","base":{"workers":"1"},)"
                  R"("bound":"one","only":["workers>1"]})"));
  EXPECT_THAT(parse_spec("experiment: tiny\nn_tokens: 8\n", "spec.yaml",
                         {.set = {"figures=[{y: time, x: workers}]"}})
                  .figures,
              ElementsAre(R"({"name":"time_by_workers","y":["time"],"x":"workers"})"));
}

TEST(Spec, EveryParameterAndMeasureReachesItsCase) {
  const Spec spec = parse(
      "experiment: all\ndescription: >\n  One\n  line.\nalgorithm: cqs\nkernel: materialized\n"
      "device: cpu\nranks: threads\nworkers: 7\nthreads: 3\nn_tokens: 1_024\nkv_len: 2k\nbatch: "
      "2\n"
      "q_heads: 8\nkv_heads: 4\nhead_dim: 32\ndtype: bf16\nmask: causal\nseed: 99\n"
      "interest_set: [0, 1, 3]\nscale: 0.5\nmemory_budget: 80GiB\n"
      "measure: {warmups: 2, min_repeats: 3, max_repeats: 30, relative_interval: 0.01,\n"
      "  max_time: 5min, timeout: 1h, verify_rows: 0, memory_timeline: true,\n"
      "  device_memory: true}\n"
      "figures: [speed_up, wall_clock]\n");
  EXPECT_EQ(spec.description, "One line.");
  EXPECT_THAT(spec.figures, ElementsAre("speed_up", "wall_clock"));
  ASSERT_EQ(spec.cases.size(), 1u);
  const Case& c = spec.cases.front();
  EXPECT_EQ(c.algorithm, "cqs");
  EXPECT_EQ(c.kernel, Kernel::materialized);
  EXPECT_EQ(c.device, Device::cpu);
  EXPECT_EQ(c.ranks, Ranks::threads);
  EXPECT_EQ(c.workers, 7);
  EXPECT_EQ(c.threads, 3);
  EXPECT_EQ(c.shape, (Shape{2, 8, 4, 1024, 2000, 32, 32}));
  EXPECT_EQ(c.dtype, DType::bf16);
  EXPECT_EQ(c.mask, MaskKind::causal);
  EXPECT_EQ(c.seed, 99u);
  EXPECT_EQ(c.interest_set, (std::vector{0, 1, 3}));
  EXPECT_EQ(c.scale, 0.5);
  EXPECT_EQ(c.memory_budget_bytes, 85899345920);
  EXPECT_EQ(c.measure.warmups, 2);
  EXPECT_EQ(c.measure.min_repeats, 3);
  EXPECT_EQ(c.measure.max_repeats, 30);
  EXPECT_EQ(c.measure.relative_interval, 0.01);
  EXPECT_EQ(c.measure.max_time_s, 300.0);
  EXPECT_EQ(c.measure.timeout_s, 3600.0);
  EXPECT_EQ(c.measure.verify_rows, 0);
  EXPECT_TRUE(c.measure.memory_timeline);
  EXPECT_TRUE(c.measure.device_memory);
}

TEST(Spec, RepeatsIsBothBounds) {
  const Measure m = parse("experiment: e\nn_tokens: 8\nmeasure: {repeats: 7}\n").cases[0].measure;
  EXPECT_EQ(m.min_repeats, 7);
  EXPECT_EQ(m.max_repeats, 7);
}

TEST(Spec, AnchorsAndAliasesWork) {
  const Spec spec = parse("experiment: e\nsweep:\n  n_tokens: &sizes [8, 16]\n  kv_len: *sizes\n");
  EXPECT_EQ(spec.cases.size(), 4u);
  EXPECT_EQ(spec.cases[1].shape.kv_len, 16);
}

// Such cases become rows with status `unsupported`, so that a sweep may contain them.
TEST(Spec, WhatOnlyThePlanCanRefuseIsNoError) {
  EXPECT_EQ(parse("experiment: e\nn_tokens: 4\nalgorithm: cqs\nworkers: 7\n").cases.size(), 1u);
  EXPECT_EQ(parse("experiment: e\nn_tokens: 4\nalgorithm: cqs\nsweep: {workers: [1, 2, 3]}\n")
                .cases.size(),
            3u);
  EXPECT_EQ(parse("experiment: e\nn_tokens: 8\nalgorithm: cqs\ninterest_set: [0, 1, 3]\n"
                  "sweep: {workers: [1, 2, 7]}\n")
                .cases.size(),
            3u);
}

TEST(Spec, InterestSetsZipWithWorkers) {
  const Spec spec = parse(
      "experiment: e\nn_tokens: 64\nzip:\n  algorithm: [dense, cqs, cqs]\n  workers: [1, 7, 8]\n"
      "  interest_set: [~, \"0,1,3\", [0, 1, 2, 4]]\n");
  ASSERT_EQ(spec.cases.size(), 3u);
  EXPECT_TRUE(spec.cases[0].interest_set.empty());
  EXPECT_EQ(spec.cases[1].interest_set, (std::vector{0, 1, 3}));
  EXPECT_EQ(spec.cases[2].interest_set, (std::vector{0, 1, 2, 4}));
}

TEST(Spec, AClusterSaysHowManyWorkersThereAre) {
  const std::string model = "experiment: e\nn_tokens: 64\nalgorithm: ring\nranks: model\n";
  EXPECT_EQ(parse(model + "cluster: dgx_h100:2\n").cases.front().workers, 16);
  EXPECT_EQ(parse(model + "cluster: dgx_h100:2\nworkers: 12\n").cases.front().workers, 12);
  const std::string swept = model + "sweep: {cluster: [dgx_h100:1, dgx_h100:2], batch: [1, 2]}\n";
  std::vector<int> workers;
  for (const Case& c : parse(swept).cases) workers.push_back(c.workers);
  EXPECT_THAT(workers, ElementsAre(8, 8, 16, 16));
  const Spec kept = parse_spec(swept, "spec.yaml", {.filter = {"workers=16"}});
  EXPECT_EQ(kept.cases.size(), 2u);
}

TEST(Spec, AResolvedCaseHasTheLinksOfItsCluster) {
  const Spec spec = parse(
      "experiment: e\nn_tokens: 64\nalgorithm: ring\nranks: model\nmodel.device: h100\n"
      "cluster: dgx_h100:2\ncluster.between: \"25e9,5us\"\n");
  const Case c = resolve_case(spec.cases.front());
  EXPECT_EQ(c.cluster_inside, "4.5e+11,2e-06");
  EXPECT_EQ(c.cluster_between, "2.5e+10,5e-06");
  EXPECT_EQ(c.cluster_nics, 8);
  EXPECT_EQ(case_id(resolve_case(c)), case_id(c));
}

TEST(Spec, AsManyCasesAsAllowedAreExpanded) {
  const std::string yaml = "experiment: e\nsweep: {n_tokens: {from: 1, to: 20, step: 1}}\n";
  EXPECT_EQ(parse_spec(yaml, "f", {.set = {}, .filter = {}, .max_cases = 20}).cases.size(), 20u);
  EXPECT_THROW((void)parse_spec(yaml, "f", {.set = {}, .filter = {}, .max_cases = 19}), UsageError);
}

TEST(Spec, EveryCaseHasItsOwnId) {
  const Spec spec = load_spec(source_path("experiments/case_study_2.yaml"), {});
  std::set<std::string> ids;
  for (const Case& c : spec.cases) ids.insert(case_id(c));
  EXPECT_EQ(ids.size(), spec.cases.size());
}

TEST(Spec, AMissingFileIsNamed) {
  EXPECT_THROW((void)load_spec("/nonexistent/spec.yaml", {}), UsageError);
}

TEST(Experiments, EveryCommittedSpecParsesAndIsNamedAsItsFile) {
  int specs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("experiments"))) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().string());
    const Spec spec = load_spec(entry.path().string(), {});
    EXPECT_EQ(spec.name, entry.path().stem().string());
    EXPECT_FALSE(spec.description.empty());
    const Spec again = parse_spec(spec.resolved_yaml, "resolved.yaml", {});
    ASSERT_EQ(again.cases.size(), spec.cases.size());
    for (std::size_t i = 0; i < spec.cases.size(); ++i)
      EXPECT_EQ(case_to_json(again.cases[i]), case_to_json(spec.cases[i]));
    ++specs;
  }
  EXPECT_GE(specs, 6);
}

TEST(Experiments, TheReadmesExampleIsWhatItSays) {
  const std::string readme = read_file(source_path("experiments/README.md"));
  const std::size_t begin = readme.find("experiment: example");
  const std::string example = readme.substr(begin, readme.find("```", begin) - begin);
  EXPECT_EQ(parse_spec(example, "README.md", {}).cases.size(), 38u);
  EXPECT_THAT(readme, HasSubstr("3 × 2 × 7 = 42 cases, less the 4 that"));
}

TEST(Experiments, ThePagesNameEveryKeyAndWord) {
  const std::string readme = read_file(source_path("experiments/keys.md")) +
                             read_file(source_path("experiments/README.md"));
  const auto names = [&](std::string_view word) {
    EXPECT_THAT(readme, HasSubstr("`" + std::string(word) + "`"));
  };
  for (std::string_view key : spec_keys()) names(key);
  for (std::string_view key : measure_keys()) names(key);
  for (const Parameter& parameter : parameters())
    if (parameter.words != nullptr)
      for (std::string_view word : parameter.words()) names(word);
}

TEST(Experiments, CaseStudy2IsThePapers) {
  const Spec spec = load_spec(source_path("experiments/case_study_2.yaml"), {});
  const Spec tenth = load_spec(source_path("experiments/case_study_2_tenth.yaml"), {});
  EXPECT_EQ(spec.cases.size(), 45u);
  ASSERT_EQ(tenth.cases.size(), spec.cases.size());
  for (std::size_t i = 0; i < spec.cases.size(); ++i) {
    const Case& c = spec.cases[i];
    EXPECT_EQ(c.algorithm, c.workers == 1 ? "dense" : "cqs");
    EXPECT_EQ(c.kernel, Kernel::materialized);
    EXPECT_EQ(c.dtype, DType::f16);
    EXPECT_EQ(c.shape, (Shape{1, 8, 8, c.shape.q_len, c.shape.q_len, 64, 64}));
    EXPECT_EQ(tenth.cases[i].shape.q_len * 10, c.shape.q_len);
    EXPECT_EQ(tenth.cases[i].workers, c.workers);
  }
  EXPECT_EQ(spec.cases.front().shape.q_len, 10'000);
  EXPECT_EQ(spec.cases.back().shape.q_len, 49'000);
}

TEST(Spec, MeasuresTakeTheEndsOfTheirRanges) {
  const auto measure = [](const std::string& settings) {
    return parse_spec("experiment: e\nn_tokens: 8\nmeasure: {" + settings + "}\n", "e.yaml", {})
        .cases.front()
        .measure;
  };
  const Measure least =
      measure("warmups: 0, repeats: 1, relative_interval: 0, verify_rows: 0, retakes: 0");
  EXPECT_EQ(least.warmups, 0);
  EXPECT_EQ(least.min_repeats, 1);
  EXPECT_EQ(least.max_repeats, 1);
  EXPECT_EQ(least.relative_interval, 0.0);
  EXPECT_EQ(least.verify_rows, 0);
  EXPECT_EQ(least.retakes, 0);
  const Measure most = measure(
      "warmups: 1e6, min_repeats: 1e6, max_repeats: 1e6, relative_interval: 1, verify_rows: 3e9, "
      "retakes: 1e6");
  EXPECT_EQ(most.warmups, 1'000'000);
  EXPECT_EQ(most.min_repeats, 1'000'000);
  EXPECT_EQ(most.max_repeats, 1'000'000);
  EXPECT_EQ(most.relative_interval, 1.0);
  EXPECT_EQ(most.verify_rows, 3'000'000'000);
  EXPECT_EQ(most.retakes, 1'000'000);
  for (const char* refused :
       {"warmups: -1", "warmups: 1000001", "min_repeats: 0", "max_repeats: 1000001",
        "relative_interval: -0.1", "relative_interval: 1.1", "verify_rows: -1",
        "verify_rows: 3000000001", "retakes: -1", "retakes: 1000001", "max_time: 0s"})
    EXPECT_THROW((void)measure(refused), UsageError) << refused;
}

}  // namespace
}  // namespace qb
