// SPDX-License-Identifier: Apache-2.0
// Bad input and faults through the real binary: each gives one clear sentence and the documented
// exit code, and loses no data.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/source_root.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing_support::run_qb;
using testing_support::Said;

constexpr const char* kTinySpec =
    "experiment: tiny\n"
    "head_dim: 16\n"
    "q_heads: 2\n"
    "measure: {repeats: 2, warmups: 0}\n"
    "zip: {algorithm: [dense, cqs], workers: [1, 7]}\n"
    "sweep: {n_tokens: [64, 96]}\n";

class BadInput : public testing::Test {
 protected:
  // Runs a spec that must be refused: exit 2 before anything ran.
  Said refused(const std::string& yaml, const std::string& more = "") {
    const std::string spec = scratch_.file("spec.yaml", yaml);
    const Said said = run_qb("run " + spec + " --out " + scratch_.path("results") + " " + more);
    EXPECT_EQ(said.exit_code, 2) << said.err;
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("results")));
    return said;
  }
  Said run_tiny(const std::string& more, const std::string& before = "") {
    const std::string spec = scratch_.file("tiny.yaml", kTinySpec);
    return run_qb("run " + spec + " --quiet " + more, before);
  }
  ScratchFolder scratch_;
};

TEST_F(BadInput, MisspeltKeyNamesThePlaceAndTheNearest) {
  const Said said = refused("experiment: x\nn_tokens: 64\nwrokers: 3\n");
  EXPECT_THAT(said.err, AllOf(HasSubstr("spec.yaml:3:1:"), HasSubstr("'workers'")));
}

TEST_F(BadInput, ATextThatIsNotUtf8SaysSoAndAByteOrderMarkIsNone) {
  const std::string spec = "experiment: x\nn_tokens: 8\n";
  EXPECT_THAT(refused("\xFF\xFE" + spec).err,
              HasSubstr("spec.yaml: it is UTF-16; save it as UTF-8"));
  EXPECT_THAT(refused(spec + "description: caf\xE9\n").err,
              HasSubstr("spec.yaml:3: the byte 0xE9 is not UTF-8"));
  ASSERT_EQ(run_tiny("--out " + scratch_.path("r") + " --run-id a").exit_code, 0);
  const std::string folder = scratch_.path("r/tiny/a");
  write_file_atomically(folder + "/cases.csv", "\xEF\xBB\xBF" + read_file(folder + "/cases.csv"));
  const Said said = run_qb("verify " + folder);
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

TEST_F(BadInput, ANameThatIsTooLongForAFolderIsRefusedInADryRunToo) {
  const Said said =
      refused("experiment: " + std::string(300, 'x') + "\nn_tokens: 8\n", "--dry-run");
  EXPECT_THAT(said.err, HasSubstr("an experiment's name has at most"));
}

TEST_F(BadInput, ZeroWorkersIsOutOfRange) {
  const Said said = refused("experiment: x\nn_tokens: 64\nsweep: {workers: [0]}\n");
  EXPECT_THAT(said.err, AllOf(HasSubstr("spec.yaml:3:19:"), HasSubstr("workers")));
}

TEST_F(BadInput, AnInterestSetThatDoesNotCoverNamesTheDifference) {
  const Said said =
      refused("experiment: x\nalgorithm: cqs\nn_tokens: 64\nworkers: 7\ninterest_set: [0, 1, 2]\n");
  EXPECT_THAT(said.err, AllOf(HasSubstr("spec.yaml:5:"), HasSubstr("3")));
}

TEST_F(BadInput, AGroupOfKeysNamesThem) {
  const std::string layer = "experiment: x\nworkload: transformer_layer\nn_tokens: 8\n";
  EXPECT_THAT(refused(layer + "layer: {block_tokens: 4}\n").err,
              HasSubstr("spec.yaml:4:1: unknown key 'layer'; write its keys with a dot: "
                        "layer.feed_forward_dim, layer.block_tokens"));
}

TEST_F(BadInput, ADeviceFileThatIsNotThereIsRefusedBeforeAnythingRuns) {
  const std::string spec =
      "experiment: x\nranks: model\nn_tokens: 8\nmodel.device: /nowhere/a1.csv\n";
  for (const char* more : {"", "--dry-run"})
    EXPECT_THAT(
        refused(spec, more).err,
        HasSubstr("qb: model.device: /nowhere/a1.csv: no device and no file has this name"));
}

TEST_F(BadInput, AMaskThatDoesNotFitTheTokensNamesItsOption) {
  const Said said = run_qb("plan --n-tokens 64 --mask '{global: {tokens: 64}}'");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_EQ(said.err,
            "qb: --mask: mask global: 64 global tokens of the 64 there are; name fewer, or use "
            "mask: full\n");
  EXPECT_THAT(run_qb("plan --n-tokens 10 --mask '{slidingwindow: {left: 1, right: 1}}'").err,
              HasSubstr("did you mean 'sliding_window'"));
}

TEST_F(BadInput, WordsOnTheCommandLineThatDoNotExistNameTheNearest) {
  const auto said_of = [](const std::string& words) {
    const Said said = run_qb(words);
    EXPECT_EQ(said.exit_code, 2) << words;
    EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
    return said.err;
  };
  EXPECT_EQ(said_of("runn x.yaml"),
            "qb: unknown verb 'runn'; did you mean 'run'? (see qb --help)\n");
  EXPECT_THAT(said_of("frobnicate"), HasSubstr("unknown verb 'frobnicate'; known: run, plan, "));
  EXPECT_EQ(said_of(""), "qb: a verb is missing (see qb --help)\n");
  EXPECT_EQ(said_of("sets"), "qb: a verb is missing (see qb sets --help)\n");
  EXPECT_THAT(said_of("sets serch"), HasSubstr("did you mean 'search'? (see qb sets --help)"));
  EXPECT_EQ(said_of("plan --wrokers=3 --n-tokens 10"),
            "qb: unknown option '--wrokers'; did you mean '--workers'? (see qb plan --help)\n");
  EXPECT_EQ(said_of("env extra"), "qb: unexpected argument 'extra' (see qb env --help)\n");
  EXPECT_EQ(said_of("run"), "qb: SPEC is required (see qb run --help)\n");
}

TEST_F(BadInput, APictureOfAnotherFormatIsRefusedBeforeThePlanIsShown) {
  const Said said = run_qb("plan --n-tokens 10 --workers 7 --picture x.jpg");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "qb: x.jpg: a picture ends in .svg, .pdf or .png\n");
}

TEST_F(BadInput, AMillionCasesShowTheirCountAndAskForYes) {
  const Said said = refused(
      "experiment: x\nsweep:\n  n_tokens: {from: 1, to: 1000, step: 1}\n"
      "  seed: {from: 1, to: 1000, step: 1}\n");
  EXPECT_THAT(said.err, AllOf(HasSubstr("1,000,000"), HasSubstr("--yes")));
}

TEST_F(BadInput, CqsOnTooFewWorkersOrTokensIsARowThatSaysWhy) {
  const std::string spec = scratch_.file("few.yaml",
                                         "experiment: few\nalgorithm: cqs\nn_tokens: 10\nhead_dim: "
                                         "8\nsweep: {workers: [1, 2, 11, 7]}\n"
                                         "measure: {repeats: 2}\n");
  const Said said = run_qb("run " + spec + " --out " + scratch_.path("r"));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("cqs needs at least 3 workers"));
  EXPECT_THAT(said.err, HasSubstr("cqs with 11 workers needs at least as many tokens"));
  const Said plan = run_qb("plan --n-tokens 10 --workers 2");
  EXPECT_EQ(plan.exit_code, 2);
  EXPECT_THAT(plan.err, HasSubstr("cqs needs at least 3 workers"));
}

TEST_F(BadInput, AFolderThatCannotBeWrittenIsAnEnvironmentError) {
  // /proc accepts no folders from anyone.
  const Said said = run_tiny("--out /proc/qb");
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err, AllOf(HasSubstr("/proc/qb"), HasSubstr("--out")));
}

TEST_F(BadInput, AFullDiskKeepsTheRowsThatFit) {
  // A limit on file size replaces a full disk: writes fail beyond 3 KiB.
  const std::string run = "--out " + scratch_.path("r") + " --run-id full";
  const Said said = run_tiny(run, "trap '' XFSZ; ulimit -f 3;");
  EXPECT_EQ(said.exit_code, 3) << said.err;
  EXPECT_THAT(said.err, MatchesRegex("(.|\n)*cannot (append to|write)(.|\n)*"));
  const Said again = run_tiny(run);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(run_qb("verify " + scratch_.path("r/tiny/full")).exit_code, 0);
}

TEST_F(BadInput, WithoutMatplotlibItSaysWhatToInstall) {
  ASSERT_EQ(run_tiny("--out " + scratch_.path("r") + " --run-id a").exit_code, 0);
  const Said said = run_qb("plot " + scratch_.path("r/tiny/a") + " --figure wall_clock",
                           "QB_PYTHON=/nonexistent");
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err, HasSubstr("install python3-matplotlib"));
}

TEST_F(BadInput, ATornLastLineIsMendedAndTheRunGoesOn) {
  const std::string run = "--out " + scratch_.path("r") + " --run-id a";
  ASSERT_EQ(run_tiny(run).exit_code, 0);
  const std::string folder = scratch_.path("r/tiny/a");
  const std::string whole = read_file(folder + "/cases.csv");
  write_file_atomically(folder + "/cases.csv", whole.substr(0, whole.size() - 20));
  EXPECT_EQ(run_qb("status " + folder).exit_code, 0);
  const std::string spec = scratch_.path("tiny.yaml");
  const Said again = run_qb("run " + spec + " " + run);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("3 of 4 cases are done"));
  const std::string mended = read_file(folder + "/cases.csv");
  EXPECT_EQ(std::count(mended.begin(), mended.end(), '\n'), 5);  // the header and four cases
  EXPECT_EQ(run_qb("verify " + folder).exit_code, 0);
}

TEST_F(BadInput, ABudgetSmallerThanTheInputsIsAnOutOfMemoryRow) {
  const Said said =
      run_tiny("--out " + scratch_.path("r") + " --run-id a --set memory_budget=1KiB");
  EXPECT_EQ(said.exit_code, 1);  // no case at all is ok
  const std::string cases = read_file(scratch_.path("r/tiny/a/cases.csv"));
  EXPECT_THAT(cases, HasSubstr(",oom,"));
  EXPECT_THAT(cases, HasSubstr("over the budget of 1.00 KiB"));
}

TEST_F(BadInput, WordsOfTheCommandLineFindTheirNearest) {
  EXPECT_EQ(run_qb("").exit_code, 2);
  EXPECT_EQ(run_qb("plam").exit_code, 2);
  const Said mask = run_qb("plan --n-tokens 10 --workers 7 --mask casual");
  EXPECT_EQ(mask.exit_code, 2);
  EXPECT_THAT(mask.err, HasSubstr("did you mean 'causal'?"));
  const Said number = run_qb("plan --n-tokens ten --workers 7");
  EXPECT_EQ(number.exit_code, 2);
  EXPECT_THAT(number.err, HasSubstr("--n-tokens ten"));
  EXPECT_EQ(run_qb("run /nowhere/spec.yaml").exit_code, 2);
}

TEST_F(BadInput, DeviceCudaWithoutOneIsAnEnvironmentError) {
  const Said probe = run_qb("env");
  if (probe.out.find("no GPU") == std::string::npos &&
      probe.out.find("without CUDA") == std::string::npos)
    GTEST_SKIP() << "this machine has a GPU";
  const Said said = run_tiny("--out " + scratch_.path("r") + " --set device=cuda");
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err, HasSubstr("cuda"));
}

TEST_F(BadInput, AnUnknownDeviceListsTheDevicesThatThereAre) {
  const Said said = run_qb("advise --n-tokens 1Ki --workers 4 --device h101");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(
      said.err,
      AllOf(HasSubstr("qb: h101: no device and no file has this name; known: here (this "),
            HasSubstr("machine), a100, a100_tf32, "), HasSubstr("qb calibrate --out FILE")));
  EXPECT_THAT(refused("experiment: x\nn_tokens: 8\nranks: model\nmodel.device: h101\n").err,
              HasSubstr("model.device: h101: no device and no file has this name; known: here"));
}

TEST_F(BadInput, ADeviceHasItsNameInAnyFolder) {
  const std::string spec = scratch_.file("h100.yaml",
                                         "experiment: x\nn_tokens: 64\nhead_dim: 128\ndtype: bf16\n"
                                         "ranks: model\nmodel.device: h100\n");
  const Said said = run_qb("run " + spec + " --dry-run", "cd " + scratch_.path("") + " &&");
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

TEST_F(BadInput, OptionsOfOtherProgramsFindOurs) {
  EXPECT_EQ(run_qb("plan --n-tokens 10 --num-heads 8").err,
            "qb: unknown option '--num-heads'; qb calls this --q-heads (see qb plan --help)\n");
  EXPECT_EQ(run_qb("plan --seq-len=10").err,
            "qb: unknown option '--seq-len'; qb calls this --n-tokens (see qb plan --help)\n");
  EXPECT_EQ(run_qb("plan --n-tokens 10 --causal").err,
            "qb: unknown option '--causal'; qb calls this --mask causal (see qb plan --help)\n");
}

// The mistakes that newcomers made: each message names the place and the remedy.
TEST_F(BadInput, MistakesOfNewcomersFindTheirRemedy) {
  const std::pair<const char*, const char*> specs[] = {
      {"n_tokens: 2KB", "2:11: n_tokens is not in bytes, got '2KB'; write 2K (1000 each) or 2Ki"},
      {"n_tokens: 64B", "2:11: n_tokens is not in bytes, got '64B'; write 64"},
      {"n_tokens: 2 Ki", "2:11: n_tokens must be a whole number such as 2, 2e3 or 2Ki"},
      {"n_tokens: 256tokens", "2:11: n_tokens must be a whole number such as 256, 256e3"},
      {"n_tokens: 8\ndevice: gpu", "3:9: unknown device 'gpu'; qb calls this cuda"},
      {"n_tokens: 8\ndevice: H100", "3:9: unknown device 'H100'; qb calls this cuda (a model of"},
      {"n_tokens: 8\ndtype: float16", "3:8: unknown dtype 'float16'; qb calls this f16"},
      {"n_tokens: 8\ncausal: True", "3:1: unknown key 'causal'; qb calls this mask: causal"},
      {"n_tokens: 8\n mask: full", "indent a key as much as the one above it"},
      {"n_tokens: 8\nlink.bandwidth: fast", "such as 50e9, 50GB/s or 400Gb/s, got 'fast'"},
      {"n_tokens: 8\nbatchs: 4", "3:1: unknown key 'batchs'; did you mean 'batch'?"},
      {"n_tokens: 8\nworkers: -4", "3:10: workers must be from 1 to 1,000,000, got -4"},
      {"n_tokens: 8\nq_heads: 8\nkv_heads: 3", "kv_heads"},
      {"n_tokens: 8\n\tmask: full", "3:1: a tab in the indentation; use spaces"},
      {"n_tokens: [8, 16]", "a list or range belongs under 'sweep:'"},
      {"seq_len: 8", "2:1: unknown key 'seq_len'; qb calls this n_tokens"},
      {"n_tokens: 8\nbaseline: ring", "baseline"}};
  for (const auto& [yaml, message] : specs)
    EXPECT_THAT(refused(fmt::format("experiment: x\n{}\n", yaml)).err, HasSubstr(message)) << yaml;
  const std::string run = "run " + scratch_.file("tiny.yaml", kTinySpec);
  const std::pair<std::string, const char*> words[] = {
      {run + " --workers 4", "keys of the spec are set by --set workers=…"},
      {run + " --causal=True", "keys of the spec are set by --set mask=causal"},
      {"advise --n-tokens 8 --gpus 8", "unknown option '--gpus'; qb calls this --workers"},
      {"advise --n-tokens 8 --workers 2 --device H100", "did you mean 'h100'?"},
      {"advise --n-tokens 8 --workers 2 --link 400Gbs", "50e9,5us or 400Gb/s,5us"},
      {"table data/measured/h200/gpu_cqs --value throughput", "qb calls this achieved_flop_per_s"},
      {"table data/measured/h200/gpu_cqs --value xyzzyq",
       "and the numbers that `qb columns` lists"},
      {"version", "unknown verb 'version'; qb calls this --version"},
      {"benchmark", "unknown verb 'benchmark'; qb calls this run"},
      {"rum x.yaml", "unknown verb 'rum'; did you mean 'run'?"},
      {"layer", "verb 'layer' was removed in schema 1; workload: transformer_layer of a spec"},
      {"bounds bytes", "verb 'bytes' was removed in schema 1; `qb bounds schemes` counts"},
      {"run nothere.yaml", "cannot read nothere.yaml: No such file"},
      {"papers usp --model", "--contradictions, --model and --needs are of all papers; name none"},
      {"papers --claim xyzzyq", "unknown claim 'xyzzyq'; known: "},
      {"attend --q q.npy --k k.npy --v v.npy --out ./k.npy", "--out would write over the input"}};
  for (const auto& [line, message] : words) {
    const Said said = run_qb(line, fmt::format("cd {} &&", source_path("")));
    EXPECT_EQ(said.exit_code, 2) << line;
    EXPECT_THAT(said.err, HasSubstr(message)) << line;
    EXPECT_LT(said.err.size(), 900u) << line;
  }
}

TEST_F(BadInput, WhatIsAllowedAndHardlyMeantGetsAWarning) {
  const auto said = [&](const std::string& yaml) {
    const std::string spec = scratch_.file("spec.yaml", "experiment: x\n" + yaml);
    return run_qb("run " + spec + " --dry-run").err;
  };
  EXPECT_THAT(said("n_tokens: 2\nalgorithm: ring\nsweep: {workers: [2, 4, 8]}\n"),
              HasSubstr("ring W=4: 4 workers share 2 tokens, so that some have none (and 1 more"));
  EXPECT_THAT(said("n_tokens: 8\nq_heads: 512\n"), HasSubstr("are heads and tokens swapped?"));
  EXPECT_THAT(said("n_tokens: 64\nalgorithm: ring\nworkers: 2\nranks: threads\n"
                   "link.bandwidth: 400Gb/s\n"),
              HasSubstr("a link has a bandwidth and no latency"));
  EXPECT_THAT(said("n_tokens: 64\nalgorithm: ring\nworkers: 2\nranks: threads\n"
                   "link.bandwidth: 50\nlink.latency: 5us\n"),
              HasSubstr("a link of 50 bytes/s and 5.00 us: is a unit missing, as in 50GB/s,5us?"));
  EXPECT_THAT(said("n_tokens: 2K\n"), HasSubstr("n_tokens 2K is 2,000; 2Ki is 2,048"));
  EXPECT_EQ(said("n_tokens: 2Ki\nalgorithm: ring\nworkers: 2\nranks: threads\n"
                 "link.bandwidth: 50GB/s\nlink.latency: 5us\n"),
            "");
}

}  // namespace
}  // namespace qb
