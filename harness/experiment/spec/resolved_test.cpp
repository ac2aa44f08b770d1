// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/spec.h"

#include "harness/experiment/schema/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> as_json(const Spec& spec) {
  std::vector<std::string> out;
  for (const Case& c : spec.cases) out.push_back(case_to_json(c));
  return out;
}

void expect_same_when_read_again(const std::string& yaml) {
  const Spec spec = parse_spec(yaml, "spec.yaml", {});
  SCOPED_TRACE(yaml + "\nresolved:\n" + spec.resolved_yaml);
  const Spec again = parse_spec(spec.resolved_yaml, "resolved.yaml", {});
  EXPECT_EQ(as_json(again), as_json(spec));
  EXPECT_EQ(again.name, spec.name);
  EXPECT_EQ(again.description, spec.description);
  EXPECT_EQ(again.figures, spec.figures);
  EXPECT_EQ(again.resolved_yaml, spec.resolved_yaml);
}

TEST(Resolved, GoldenOfATwoCaseSpec) {
  const Spec spec = parse_spec(
      "experiment: e\n"
      "description: Says \"why\".\n"
      "algorithm: cqs\n"
      "interest_set: [0, 1, 3]\n"
      "workers: 7\n"
      "memory_budget: 1GiB\n"
      "sweep: {n_tokens: [64, 128]}\n"
      "figures: [wall_clock]\n",
      "spec.yaml", {});
  EXPECT_EQ(spec.resolved_yaml,
            "# Written by qb: every parameter of every case, defaults included. Reading it again "
            "gives\n"
            "# the same cases.\n"
            "experiment: \"e\"\n"
            "description: \"Says \\\"why\\\".\"\n"
            "algorithm: cqs\n"
            "kernel: flash\n"
            "device: auto\n"
            "ranks: serial\n"
            "workers: 7\n"
            "threads: 0\n"
            "batch: 1\n"
            "q_heads: 1\n"
            "kv_heads: 1\n"
            "head_dim: 64\n"
            "dtype: f32\n"
            "mask: full\n"
            "seed: 1\n"
            "interest_set: \"0,1,3\"\n"
            "scale: ~\n"
            "memory_budget: 1073741824\n"
            "cpu.isa: auto\n"
            "sequences: ~\n"
            "new_key_owner: round_robin\n"
            "link.bandwidth: ~\n"
            "link.latency: ~\n"
            "link.mode: overlap\n"
            "model.device: ~\n"
            "model.cores: 0\n"
            "distillation: published\n"
            "workload: attention\n"
            "layer.feed_forward_dim: 0\n"
            "layer.block_tokens: ~\n"
            "allocator: auto\n"
            "launch: alone\n"
            "clock: synchronized\n"
            "l2_cache: auto\n"
            "cuda.path: auto\n"
            "pass: forward\n"
            "gradient_dtype: f32\n"
            "lse: one\n"
            "partial_dtype: f32\n"
            "resident_tokens: 0\n"
            "inputs: random\n"
            "sinks: \"false\"\n"
            "grid.heads: 0\n"
            "grid.rows: 0\n"
            "grid.layout: zigzag\n"
            "helix.exchange: all_to_all\n"
            "cluster: \"none\"\n"
            "cluster.inside: ~\n"
            "cluster.between: ~\n"
            "cluster.nics: 0\n"
            "cluster.order: hrc\n"
            "mixer.operator: softmax\n"
            "mixer.rank: 0\n"
            "mixer.depth: 8\n"
            "mixer.rows: 0\n"
            "mixer.pair_bias: none\n"
            "mixer.gate: head\n"
            "mixer.chunk: 64\n"
            "mixer.layout: contiguous\n"
            "mixer.scan: chain\n"
            "mixer.blocks: 0\n"
            "pipeline.schedule: one_f_one_b\n"
            "pipeline.stages: 0\n"
            "pipeline.layers: 0\n"
            "pipeline.microbatches: 0\n"
            "pipeline.virtual_stages: 1\n"
            "pipeline.chunks: 1\n"
            "pipeline.cut: times\n"
            "relayout.from: zigzag\n"
            "relayout.to: interleaved\n"
            "relayout.block: 1\n"
            "relayout.tensors: kv\n"
            "stack.layers: \"none\"\n"
            "stack.layout: contiguous_home\n"
            "prefill.chunk: 0\n"
            "prefill.pass: fewer_bytes\n"
            "measure:\n"
            "  warmups: 1\n"
            "  min_repeats: 5\n"
            "  max_repeats: 5\n"
            "  relative_interval: 0.02\n"
            "  max_time: 600.0\n"
            "  timeout: 1800.0\n"
            "  verify_rows: 256\n"
            "  memory_timeline: false\n"
            "  device_memory: false\n"
            "  retakes: 5\n"
            "figures: [wall_clock]\n"
            "cases:\n"
            "  - {n_tokens: 64, kv_len: 64}\n"
            "  - {n_tokens: 128, kv_len: 128}\n");
}

TEST(Resolved, ClustersAreReadAgain) {
  expect_same_when_read_again(
      "experiment: e\nn_tokens: 64\nalgorithm: ring\nranks: model\ncluster.between: ndr\n"
      "sweep: {cluster: [2x4, dgx_h100:2], cluster.inside: [nvlink, \"2e9,5us\"]}\n");
}

TEST(Resolved, OneCaseNeedsNoList) {
  const Spec spec = parse_spec("experiment: e\nn_tokens: 8\n", "spec.yaml", {});
  EXPECT_THAT(spec.resolved_yaml, Not(HasSubstr("cases:")));
  expect_same_when_read_again("experiment: e\nn_tokens: 8\n");
}

TEST(Resolved, DescriptionsOfAnyLettersComeBack) {
  expect_same_when_read_again(
      "experiment: e\nn_tokens: 8\ndescription: \"q \\\" b \\\\ tab \\t bell \\a \xc3\xa9 # : "
      "{\"\n");
  expect_same_when_read_again("experiment: e\nn_tokens: 8\ndescription: |\n  one\n\n  two # no\n");
}

// PyYAML reads `2e-06` as a text, and neither control characters nor all line ends.
TEST(Resolved, IsTheSameToReadersOfYaml11) {
  const std::string yaml =
      "experiment: e\nn_tokens: 8\nscale: 2\nlink.latency: 2e-6\nranks: model\nworkers: 2\n"
      "algorithm: ring\nmask: {random: {fraction: 1e-5, block: 4}}\n"
      "description: \"\\x85 \\u2028 \\xe9\"\n";
  const std::string resolved = parse_spec(yaml, "spec.yaml", {}).resolved_yaml;
  for (const char* line :
       {"\nscale: 2.0\n", "\nlink.latency: 2.0e-06\n", "\nmask: {random: {fraction: 1.0e-05, ",
        "\ndescription: \"\\u0085 \\u2028 \xc3\xa9\"\n"})
    EXPECT_THAT(resolved, HasSubstr(line));
  expect_same_when_read_again(yaml);
}

TEST(Resolved, OverridesAndFiltersAreInIt) {
  const Spec spec = parse_spec("experiment: e\nsweep: {n_tokens: [8, 9, 10]}\n", "spec.yaml",
                               {.set = {"head_dim=16"}, .filter = {"n_tokens!=9"}});
  const Spec again = parse_spec(spec.resolved_yaml, "resolved.yaml", {});
  EXPECT_EQ(as_json(again), as_json(spec));
  EXPECT_EQ(again.cases.size(), 2u);
}

// A random spec: every parameter is left out, fixed, swept or zipped.
std::string random_spec(std::mt19937_64& random) {
  struct Choice {
    const char* key;
    std::vector<const char*> values;
  };
  const std::vector<Choice> choices = {
      {"algorithm", {"dense", "cqs"}},
      {"kernel", {"materialized", "flash"}},
      {"device", {"auto", "cpu"}},
      {"ranks", {"serial", "threads"}},
      {"workers", {"1", "2", "7", "1_000"}},
      {"threads", {"0", "2"}},
      {"n_tokens", {"1Ki", "17", "1e6"}},
      {"kv_len", {"5", "2Mi"}},
      {"batch", {"1", "3"}},
      {"q_heads", {"4", "8"}},
      {"kv_heads", {"1", "2", "4"}},
      {"head_dim", {"64", "256"}},
      {"dtype", {"f16", "bf16", "f32"}},
      {"mask", {"full", "causal"}},
      {"seed", {"0", "18446744073709551615"}},
      {"scale", {"~", "0.1", "1e-7", "3"}},
      {"memory_budget", {"~", "80GiB", "123"}},
      {"cpu.isa", {"auto", "avx2", "scalar"}},
      {"pass", {"forward", "backward", "both"}},
  };
  std::string fixed = "experiment: random-1\n";
  std::string sweep;
  std::string zip;
  const bool with_sets = random() % 4 == 0;
  if (with_sets) {
    fixed += "algorithm: cqs\nworkers: 7\n";
    sweep += "  interest_set: [~, [0, 1, 3], \"0 2 3 1\"]\n";
  }
  for (const Choice& choice : choices) {
    const std::string_view key = choice.key;
    if (with_sets && (key == "algorithm" || key == "workers")) continue;
    // 0: fixed, 1: swept, 2: zipped; otherwise left out, except those without a fitting default.
    const std::uint64_t place = random() % 7;
    const bool needed = key == "n_tokens" || key == "q_heads";
    const std::size_t first = random() % 2;
    const std::string a = choice.values[first];
    const std::string b = choice.values[first + 1 < choice.values.size() ? first + 1 : 0];
    if (place == 1)
      sweep += std::string("  ") + choice.key + ": [" + a + ", " + b + "]\n";
    else if (place == 2)
      zip += std::string("  ") + choice.key + ": [" + a + ", " + b + "]\n";
    else if (place == 0 || needed)
      fixed += std::string(choice.key) + ": " + a + "\n";
  }
  if (random() % 2 == 0)
    fixed +=
        "measure: {warmups: 0, max_repeats: 9, relative_interval: 0.1, max_time: 2min, "
        "memory_timeline: true}\nfigures: [wall_clock, speed_up]\n";
  return fixed + (sweep.empty() ? "" : "sweep:\n" + sweep) + (zip.empty() ? "" : "zip:\n" + zip);
}

TEST(Resolved, DeclaredFiguresAreReadAgain) {
  expect_same_when_read_again(
      "experiment: e\nn_tokens: 8\nfigures:\n  - speed_up\n"
      "  - {y: [time, mfu], lines: algorithm, only: [\"mask={block_local: {block: 4}}|causal\", "
      "'n_tokens<=1Ki'], base: {algorithm: \"a \\\"q\\\", [é]: #\\n\\\\\"}}\n");
}

TEST(Resolved, ReadingItAgainGivesTheSameCases) {
  constexpr std::uint64_t kSeed = 4;
  std::mt19937_64 random(kSeed);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
    expect_same_when_read_again(random_spec(random));
  }
}

}  // namespace
}  // namespace qb
