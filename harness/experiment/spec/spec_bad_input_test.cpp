// SPDX-License-Identifier: Apache-2.0
// A message about a bad spec names its place, the nearest valid key and the remedy, and nothing
// runs. The tests compare exact messages, because people read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/files.h"
#include "base/source_root.h"
#include "harness/experiment/spec/spec.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& yaml, const Spec::Options& options = {}) {
  try {
    const Spec spec = parse_spec(yaml, "spec.yaml", options);
    return "no error: " + std::to_string(spec.cases.size()) + " cases";
  } catch (const UsageError& error) {
    return error.what();
  }
}

struct BadSpec {
  std::string body;  // it follows the line `experiment: e`, so it begins at line 2
  std::string message;
};

void expect_errors(const std::vector<BadSpec>& table) {
  for (const BadSpec& bad : table)
    EXPECT_EQ(error_of("experiment: e\n" + bad.body), "spec.yaml:" + bad.message) << bad.body;
}

TEST(SpecBadInput, Keys) {
  expect_errors({
      {"n_tokens: 8\nworker: 2\n", "3:1: unknown key 'worker'; did you mean 'workers'?"},
      {"n_tokens: 8\nrepeats: 2\n", "3:1: unknown key 'repeats'; it belongs under 'measure:'"},
      {"seq_len: 8\n", "2:1: unknown key 'seq_len'; qb calls this n_tokens"},
      {"n_tokens: 8\nheads: 4\n", "3:1: unknown key 'heads'; qb calls this q_heads"},
      {"n_tokens: 8\ncausal: true\n", "3:1: unknown key 'causal'; qb calls this mask: causal"},
      {"n_tokens: 8\nsweep: {world_size: [1, 2]}\n",
       "3:9: unknown key 'world_size'; qb calls this workers"},
      {"n_tokens: 8\nmeasure: {iterations: 2}\n",
       "3:11: unknown key 'iterations'; qb calls this repeats"},
      {"n_tokens: 8\niterations: 2\n",
       "3:1: unknown key 'iterations'; qb calls this repeats, which belongs under 'measure:'"},
      {"n_tokens: 8\nbaseline: cqs\n", "3:11: 'baseline:' takes dense, or ~ for none"},
      {"n_tokens: 8\nmeasure:\n  repeat: 2\n",
       "4:3: unknown key 'repeat'; did you mean 'repeats'?"},
      {"n_tokens: 8\nsweep: {wokers: [1, 2]}\n",
       "3:9: unknown key 'wokers'; did you mean 'workers'?"},
      {"n_tokens: 8\nzip: {kernels: [flash]}\n",
       "3:7: unknown key 'kernels'; did you mean 'kernel'?"},
      {"n_tokens: 8\nexclude:\n  - {n_token: 8}\n",
       "4:6: unknown key 'n_token'; did you mean 'n_tokens'?"},
      {"cases:\n  - {ntokens: 8}\n", "3:6: unknown key 'ntokens'; did you mean 'n_tokens'?"},
      {"sweep:\n  n_tokens: {from: 1, till: 8, factor: 2}\n",
       "3:23: unknown key 'till'; known: from, to, factor, step"},
      {"n_tokens: 8\nn_tokens: 9\n",
       "3:1: the key 'n_tokens' is given twice; the first is on line 2"},
      {"n_tokens: 8\nmeasure: {warmups: 1, repeats: 2, warmups: 3}\n",
       "3:35: the key 'warmups' is given twice; the first is on line 3"},
      {"sweep:\n  n_tokens: [1]\n  n_tokens: [2]\n",
       "4:3: the key 'n_tokens' is given twice; the first is on line 3"},
      {"n_tokens: 8\nexclude:\n  - n_tokens: 8\n    n_tokens: 8\n",
       "5:5: the key 'n_tokens' is given twice; the first is on line 4"},
      {"kernel: flash\n", "1:1: n_tokens is missing"},
  });
  EXPECT_EQ(error_of("n_tokens: 8\n"),
            "spec.yaml:1:1: 'experiment:' is missing; it names the experiment and its results "
            "folder");
  EXPECT_EQ(
      error_of("experiment: a/b\nn_tokens: 8\n"),
      "spec.yaml:1:13: an experiment's name has only letters, digits, '_' and '-', got 'a/b'");
  EXPECT_EQ(error_of("experiment: [a]\nn_tokens: 8\n"),
            "spec.yaml:1:13: an experiment's name has only letters, digits, '_' and '-', got ''");
}

TEST(SpecBadInput, Types) {
  expect_errors({
      {"n_tokens: many\n",
       "2:11: n_tokens must be a whole number such as 4, 4e3 or 4Ki (1024 each), got 'many'"},
      {"n_tokens: 8.5\n",
       "2:11: n_tokens must be a whole number such as 8, 8e3 or 8Ki (1024 each), got '8.5'"},
      {"n_tokens: \"8\"\n", "2:11: n_tokens must be a whole number, got the text \"8\""},
      {"n_tokens:\n", "2:1: n_tokens must be a whole number, got nothing"},
      {"n_tokens: [8, 9]\n",
       "2:11: n_tokens takes one value here; a list or range belongs under 'sweep:'"},
      {"n_tokens: {from: 1, to: 8, factor: 2}\n",
       "2:11: n_tokens takes one value here; a list or range belongs under 'sweep:'"},
      {"n_tokens: 8\nkernel: [flash]\n",
       "3:9: kernel takes one value here; a list or range belongs under 'sweep:'"},
      {"n_tokens: 8\nsweep: {kernel: [[flash]]}\n",
       "3:18: kernel must be one of reference, materialized, flash, staged, got a list"},
      {"n_tokens: 8\nkernel: flahs\n", "3:9: unknown kernel 'flahs'; did you mean 'flash'?"},
      {"n_tokens: 8\nalgorithm: cqz\n", "3:12: unknown algorithm 'cqz'; did you mean 'cqs'?"},
      {"n_tokens: 8\ndevice: gpu_of_mine\n",
       "3:9: unknown device 'gpu_of_mine'; known: auto, cpu, cuda"},
      {"n_tokens: 8\ndtype: ~\n", "3:1: dtype must be one of f16, bf16, f32, f64, got nothing"},
      {"n_tokens: 8\nscale: big\n", "3:8: scale must be a number, got 'big'"},
      {"n_tokens: 8\nscale: 2h\n", "3:8: scale must be a number, got '2h'"},
      {"n_tokens: 8\nscale: nan\n", "3:8: scale must be a number, got 'nan'"},
      {"n_tokens: 8\nmemory_budget: 8 GiB\n",
       "3:16: memory_budget must be a whole number such as 8, 8e3 or 8GiB, got '8 GiB'"},
      {"n_tokens: 8\ninterest_set: {a: 1}\n",
       "3:15: interest_set must be a list such as [0, 1, 3] or \"0,1,3\", got a map"},
      {"n_tokens: 8\nmeasure: {memory_timeline: yes}\n",
       "3:28: memory_timeline must be true or false, got 'yes'"},
      {"n_tokens: 8\nmeasure: {timeout: soon}\n",
       "3:20: timeout must be a time such as 90s, 15min or 2h, got 'soon'"},
      {"n_tokens: 8\nmeasure: {timeout: 2M}\n",
       "3:20: timeout must be a time such as 90s, 15min or 2h, got '2M'"},
      {"n_tokens: 8\nmeasure: 5\n", "3:10: 'measure:' takes a map of keys to values"},
      {"n_tokens: 8\ndescription: [a]\n", "3:14: description must be a text"},
      {"n_tokens: 8\nsweep: [1, 2]\n",
       "3:8: 'sweep:' takes a map of parameters to lists or ranges"},
      {"sweep:\n  n_tokens: 8\n",
       "3:13: n_tokens needs a list or a range {from, to, factor} or {from, to, step}"},
      {"n_tokens: 8\nexclude: {n_tokens: 8}\n",
       "3:10: 'exclude:' takes a list of maps of parameters to values"},
      {"n_tokens: 8\nexclude: [8]\n",
       "3:11: a rule of 'exclude:' is a map of parameters to values"},
      {"cases: 8\n", "2:8: 'cases:' takes a list of maps of parameters"},
      {"cases: [8]\n", "2:9: a case is a map of parameters"},
      {"cases: []\n", "2:8: 'cases:' needs at least one case"},
      {"n_tokens: 8\nfigures: wall_clock\n",
       "3:10: 'figures:' takes a list of figure names, and of maps such as {y: time}"},
      {"n_tokens: 8\nfigures: [wall_clok]\n",
       "3:11: unknown figure 'wall_clok'; did you mean 'wall_clock'?"},
      {"n_tokens: 8\nfigures: [wall_clock, wall_clock]\n",
       "3:23: figure 'wall_clock' is named twice; leave one out, or give a map another 'name:'"},
  });
}

TEST(SpecBadInput, DeclaredFigures) {
  expect_errors({
      {"n_tokens: 8\nfigures: [[wall_clock]]\n",
       "3:11: a figure is a name, or a map such as {y: time}"},
      {"n_tokens: 8\nfigures: [{y: tim}]\n", "3:12: y: unknown value 'tim'; did you mean 'time'?"},
      {"n_tokens: 8\nfigures:\n  - wall_clock\n  - y: time\n    lines: [mask, algoritm]\n",
       "6:5: lines: unknown parameter 'algoritm'; did you mean 'algorithm'?"},
      {"n_tokens: 8\nfigures: [{y: time, only: workers}]\n",
       "3:21: only: 'workers' is no condition; write KEY=VALUE (also !=, <, <=, >, >=)"},
      {"n_tokens: 8\nfigures: [{y: time, base: {algoritm: ring}}]\n",
       "3:21: base: unknown parameter 'algoritm'; did you mean 'algorithm'?"},
      {"n_tokens: 8\nfigures: [{y: time, bound: peek}]\n",
       "3:21: bound: unknown bound 'peek'; did you mean 'peak'?"},
      {"n_tokens: 8\nfigures: [{y: time, line: mask}]\n",
       "3:21: unknown key of a figure 'line'; did you mean 'lines'?"},
      {"n_tokens: 8\nfigures: [{y: time, x: ~}]\n", "3:21: x: it takes a text"},
      {"n_tokens: 8\nfigures: [{x: workers}]\n",
       "3:11: a declared figure needs y, a value such as time or device_peak"},
      {"n_tokens: 8\nfigures: [{y: []}]\n",
       "3:12: a declared figure needs y, a value such as time or device_peak"},
      {"n_tokens: 8\nfigures: [speed_up, {name: speed_up, y: time}]\n",
       "3:21: figure 'speed_up' is named twice; leave one out, or give a map another 'name:'"},
      {"n_tokens: 8\nfigures: [{y: time}, {y: time, lines: mask}]\n",
       "3:22: figure 'time_by_n_tokens' is named twice; leave one out, or give a map another "
       "'name:'"},
  });
}

TEST(SpecBadInput, Ranges) {
  expect_errors({
      {"n_tokens: 8\nsweep:\n  workers: [0]\n", "4:13: workers must be from 1 to 1,000,000, got 0"},
      {"n_tokens: 8\nworkers: -7\n", "3:10: workers must be from 1 to 1,000,000, got -7"},
      {"n_tokens: 0\n", "2:11: n_tokens must be from 1 to 3,000,000,000, got 0"},
      {"n_tokens: 4G\n", "2:11: n_tokens must be from 1 to 3,000,000,000, got 4G"},
      {"n_tokens: 1e30\n",
       "2:11: n_tokens must be a whole number such as 1, 1e3 or 1Ki (1024 each), got '1e30'"},
      {"n_tokens: 8\nhead_dim: 257\n", "3:11: head_dim must be from 1 to 256, got 257"},
      {"n_tokens: 8\nseed: -1\n", "3:7: seed must be a whole number from 0 to 2^64 - 1, got '-1'"},
      {"n_tokens: 8\nscale: 0\n", "3:8: scale must be above 0, got 0"},
      {"n_tokens: 8\nmemory_budget: 0\n", "3:16: memory_budget must be at least 1, got 0"},
      {"n_tokens: 8\nmeasure: {repeats: 0}\n", "3:20: repeats must be from 1 to 1,000,000, got 0"},
      {"n_tokens: 8\nmeasure: {warmups: -1}\n",
       "3:20: warmups must be from 0 to 1,000,000, got -1"},
      {"n_tokens: 8\nmeasure: {timeout: 0s}\n", "3:20: timeout must be above 0, got 0s"},
      {"n_tokens: 8\nmeasure: {relative_interval: 2}\n",
       "3:30: relative_interval must be from 0 to 1, got 2"},
      {"sweep:\n  n_tokens: {from: 0, to: 8, step: 1}\n",
       "3:20: n_tokens must be from 1 to 3,000,000,000, got 0"},
      {"sweep:\n  n_tokens: {from: 9, to: 8, step: 1}\n",
       "3:13: the range of n_tokens is empty: from 9 is above to 8"},
      {"sweep:\n  n_tokens: {from: 1, to: 8, factor: 1}\n", "3:38: factor must be above 1, got 1"},
      {"sweep:\n  n_tokens: {from: 1, to: 8, step: 0}\n", "3:36: step must be at least 1, got 0"},
      {"sweep:\n  n_tokens: {from: 1, to: 8}\n",
       "3:13: the range of n_tokens needs one of 'factor' and 'step'"},
      {"sweep:\n  n_tokens: {from: 1, to: 8, factor: 2, step: 2}\n",
       "3:13: the range of n_tokens needs one of 'factor' and 'step'"},
      {"sweep:\n  n_tokens: {from: 1, factor: 2}\n", "3:13: the range of n_tokens has no 'to'"},
      {"sweep:\n  n_tokens: {from: 1, to: 100, factor: 1.1}\n",
       "3:40: factor 1.1 is too near 1: 1 is there twice after rounding"},
      {"sweep:\n  n_tokens: {from: 1, to: 3e9, step: 1}\n",
       "3:13: the range of n_tokens has more than 1,000,000 values"},
      {"n_tokens: 8\nsweep:\n  kernel: {from: 1, to: 2, step: 1}\n",
       "4:11: kernel is not a number: give its values as a list"},
      {"n_tokens: 8\nsweep:\n  threads: {from: 0, to: 2, factor: 2}\n",
       "4:12: a range with a factor must start above 0"},
      {"sweep:\n  n_tokens: []\n", "3:13: n_tokens needs at least one value"},
  });
}

TEST(SpecBadInput, Combinations) {
  expect_errors({
      {"n_tokens: 8\nsweep: {n_tokens: [8]}\n",
       "3:9: n_tokens is fixed already, at spec.yaml:2:11"},
      {"sweep: {n_tokens: [8]}\nzip: {n_tokens: [8]}\n",
       "3:7: n_tokens is given under both 'sweep:' and 'zip:'"},
      {"n_tokens: 8\ncases: [{n_tokens: 9}]\n",
       "3:10: n_tokens is fixed already, at spec.yaml:2:11"},
      {"cases: [{n_tokens: 9}]\nsweep: {workers: [1]}\n",
       "2:1: 'cases:' lists every case; 'sweep:' cannot be given beside it"},
      {"cases: [{n_tokens: 9}, {workers: 2}]\n", "2:24: n_tokens is missing"},
      {"zip:\n  n_tokens: [8, 9, 10]\n  workers: [1, 2]\n",
       "4:3: zipped lists must be of equal length: n_tokens has 3 values, workers has 2"},
      {"sweep: {n_tokens: [8, 9, 8]}\n", "2:26: values of n_tokens: 1 and 3 are the same"},
      {"zip:\n  n_tokens: [8, 9, 8]\n  workers: [1, 1, 1]\n",
       "3:20: zip entries 1 and 3 are the same"},
      {"cases: [{n_tokens: 9}, {n_tokens: 9, kv_len: 9}]\n", "2:35: cases 1 and 2 are the same"},
      {"sweep: {n_tokens: [8, 9]}\nexclude:\n  - {n_tokens: 10}\n",
       "4:5: this rule of 'exclude:' matches no case"},
      {"sweep: {n_tokens: [8, 9]}\nexclude:\n  - {n_tokens: 8, kernel: reference}\n",
       "4:5: this rule of 'exclude:' matches no case"},
      {"sweep: {n_tokens: [8]}\nexclude: [{n_tokens: 8}]\n", "2:1: 'exclude:' leaves no case"},
      {"n_tokens: 8\nlayer.block_tokens: 4\n",
       "3:21: layer.block_tokens: 4 needs workload: transformer_layer, and this case has workload: "
       "attention"},
      {"n_tokens: 8\nworkload: transformer\n",
       "3:11: unknown workload 'transformer'; known: attention, transformer_layer, "
       "sequence_mixer, pipeline, relayout, stack, chunked_prefill"},
      {"n_tokens: 8\nworker_speeds: 0.5\n",
       "3:1: key 'worker_speeds' was removed in schema 1; the workers of a case are equally fast"},
      {"n_tokens: 8\npass: backwards\n", "3:7: unknown pass 'backwards'; did you mean 'backward'?"},
      {"n_tokens: 8\nbackward: true\n",
       "3:1: unknown key 'backward'; qb calls this pass: backward"},
      {"n_tokens: 8\nworkers: 2\nsweep: {link.bandwidth: [1e3, 1e12]}\n",
       "4:26: link.bandwidth: 1000.0 needs ranks: threads, mpi or model, and this case has ranks: "
       "serial; serial workers send nothing, and nccl has the links of the machine"},
      {"n_tokens: 8\nworkers: 2\ncluster: 2x1\ncluster.between: 1e9\n",
       "4:10: cluster: 2x1 needs ranks: threads, mpi or model, and this case has ranks: serial; "
       "serial workers send nothing, and nccl has the links of the machine"},
      {"n_tokens: 8\nranks: model\ncluster: 2x8\ncluster.between: ndr\n",
       "4:10: a cluster needs the link inside of its hosts, inside, such as nvlink4"},
      {"n_tokens: 8\nranks: model\nworkers: 4\ncluster: 3x1\ncluster.between: ndr\n",
       "5:10: 4 workers do not fit on 3 hosts of 1"},
      {"n_tokens: 8\nranks: model\ncluster: dgx_h10:2\n",
       "4:10: cluster dgx_h10:2: write HOSTSxWORKERS such as 2x8, or NAME:HOSTS such as dgx_h100:2 "
       "with a file or one of dgx_a100, dgx_h100, gb200_nvl72, hgx_h200, tpu_v4, two_laptops"},
      {"n_tokens: 8\nranks: model\nworkers: 2\ncluster.between: etherne\n",
       "5:18: cluster.between: unknown link 'etherne'; did you mean 'ethernet'?; else it is a "
       "bandwidth "
       "above 0 in bytes/s and a latency of 0 or more: 50e9,5us or 400Gb/s,5us"},
      {"n_tokens: 8\nranks: model\nworkers: 2\ncluster.between: \"1e9,-1\"\n",
       "5:18: cluster.between 1e9,-1: it must be a bandwidth above 0 in bytes/s and a latency of 0 "
       "or more: 50e9,5us or 400Gb/s,5us"},
      {"n_tokens: 8\nranks: model\nworkers: 2\ncluster.nics: 1\n",
       "5:15: cluster.nics: 1 needs cluster"},
      {"n_tokens: 8\nranks: model\ncluster: dgx_h100\nlink.latency: 1\n",
       "5:15: link.latency: 1.0 needs cluster: none, and this case has cluster: dgx_h100; a "
       "cluster "
       "has links of its own, cluster.inside and cluster.between"},
      {"n_tokens: 8\nranks: model\nalgorithm: ring\ncluster: dgx_h100\ncluster.order: chr\n",
       "6:16: cluster.order: chr needs algorithm: grid, usp or mesh, and this case has algorithm: "
       "ring"},
      {"n_tokens: 8\ngradient_dtype: bf16\n",
       "3:17: gradient_dtype: bf16 needs pass: backward or both, and this case has pass: forward"},
      {"n_tokens: 8\nranks: threads\nmodel.cores: 2\n", "4:14: model.cores: 2 needs model.device"},
      {"n_tokens: 8\nworkload: transformer_layer\nlayer.block_tokens: 0\n",
       "4:21: layer.block_tokens must be from 1 to 3,000,000,000, got 0"},
      {"n_tokens: 8\nq_heads: 8\nkv_heads: 3\n", "4:11: q_heads 8 is not a multiple of kv_heads 3"},
      {"n_tokens: 8\nkv_heads: 2\nsweep: {q_heads: [4, 5]}\n",
       "3:11: q_heads 5 is not a multiple of kv_heads 2"},
      {"n_tokens: 8\nmeasure: {repeats: 3, max_repeats: 9}\n",
       "3:11: 'repeats' sets min_repeats and max_repeats both; 'max_repeats' cannot be given "
       "beside it"},
      {"n_tokens: 8\nmeasure: {min_repeats: 9}\n",
       "3:24: min_repeats 9 is above max_repeats 5 (a default)"},
      {"n_tokens: 8\nmeasure: {min_repeats: 9, max_repeats: 8}\n",
       "3:24: min_repeats 9 is above max_repeats 8"},
      {"n_tokens: 8\ninterest_set: [0, 1, 3]\n",
       "3:15: interest_set: 0,1,3 needs algorithm: cqs or cqs_sharded, and this case has "
       "algorithm: dense"},
      {"n_tokens: 8\ndistillation: balanced\n",
       "3:15: distillation: balanced needs algorithm: cqs or cqs_sharded, and this case has "
       "algorithm: dense"},
      {"n_tokens: 8\nalgorithm: cqs\ndistillation: even\n",
       "4:15: unknown distillation 'even'; known: published, balanced"},
      {"n_tokens: 8\nalgorithm: cqs\nworkers: 7\ninterest_set: [0, 1, 2]\n",
       "5:15: interest set 0,1,2 is invalid for W = 7: no two residues differ by 3"},
      {"n_tokens: 8\nalgorithm: cqs\ninterest_set: \"0,1,3\"\nsweep: {workers: [7, 8]}\n",
       "4:15: interest set 0,1,3 is invalid for W = 8: no two residues differ by 4"},
      {"n_tokens: 8\nalgorithm: cqs\nworkers: 3\ninterest_set: [0, 1, 3]\n",
       "5:15: interest set 0,1,3 is invalid for W = 3: residue 3 is outside 0..2"},
  });
}

TEST(SpecBadInput, Yaml) {
  EXPECT_EQ(error_of(""),
            "spec.yaml:1:1: the file is empty; an experiment needs 'experiment:' and 'n_tokens:'");
  EXPECT_EQ(error_of("# only a comment\n"),
            "spec.yaml:1:1: the file is empty; an experiment needs 'experiment:' and 'n_tokens:'");
  EXPECT_EQ(error_of("- a\n- b\n"),
            "spec.yaml:1:1: an experiment is a map of keys to values, such as 'n_tokens: 1024'");
  expect_errors({
      {"---\nexperiment: f\n",
       "2:1: a second YAML document begins here, or this line is indented less than the first; a "
       "file may have one experiment only"},
      {"<<: {n_tokens: 8}\n", "2:1: merge keys ('<<') are not supported; write the keys out"},
      {"sweep:\n\tn_tokens: [8]\n", "3:1: a tab in the indentation; use spaces"},
      {"n_tokens: !!int 8\n",
       "2:11: the tag 'tag:yaml.org,2002:int' has no meaning here; leave it out"},
      {"n_tokens: *where\n",
       "2:11: YAML: no anchor before this alias has its name; quote a text that begins with "
       "'*'"},
      {"n_tokens: 8: 9\n",
       "2:12: YAML: a ':' is not allowed here; indent a key as much as the one above it, and quote "
       "a text that contains one"},
      {"description: \"open\nn_tokens: 8\n",
       "2:14: YAML: the quote that opens here is never closed"},
      {"sweep: {n_tokens: [8\n", "2:19: YAML: the '[' that opens here is not closed"},
      {"sweep: {n_tokens: [8]\n", "2:8: YAML: the '{' that opens here is not closed"},
      {"? [a]\n: 3\n", "2:3: a key must be one word"},
  });
}

TEST(SpecBadInput, Set) {
  const std::string yaml =
      "experiment: e\nzip:\n  algorithm: [dense, cqs]\n  workers: [1, 7]\nsweep:\n  n_tokens: [64, "
      "128]\n";
  const auto error_of_set = [&](const std::string& set) {
    return error_of(yaml, {.set = {set}, .filter = {}});
  };
  EXPECT_EQ(error_of_set("measure.repeat=3"),
            "--set measure.repeat: unknown key; did you mean 'repeats'?");
  EXPECT_EQ(error_of_set("mesure.repeats=3"),
            "--set mesure.repeats: unknown key; did you mean 'measure'?");
  EXPECT_EQ(error_of_set("n_token=3"), "--set n_token: unknown key; did you mean 'n_tokens'?");
  EXPECT_EQ(error_of_set("sweep.worker=[3]"),
            "--set sweep.worker: unknown key; did you mean 'workers'?");
  EXPECT_EQ(error_of_set("exclude.workers=[3]"),
            "--set exclude.workers: only sweep, zip and measure have keys inside");
  EXPECT_EQ(error_of_set("workers"), "--set workers: expected KEY=VALUE, as in measure.repeats=3");
  EXPECT_EQ(error_of_set("workers=0"),
            "--set workers=0: workers must be from 1 to 1,000,000, got 0");
  EXPECT_EQ(error_of_set("n_tokens="),
            "--set n_tokens=: n_tokens must be a whole number, got nothing");
  EXPECT_EQ(error_of_set("workers=[4"),
            "--set workers=[4: YAML: the '[' that opens here is not closed");
  EXPECT_EQ(
      error_of_set("workers=[3, 4, 5]"),
      "--set workers=[3, 4, 5]: zipped lists must be of equal length: algorithm has 2 values, "
      "workers has 3");
  EXPECT_EQ(error_of_set("measure={repeats: 1, repeats: 2}"),
            "--set measure={repeats: 1, repeats: 2}: the key 'repeats' is given twice");
}

TEST(SpecBadInput, Filter) {
  const auto error_of_filter = [&](const std::string& filter) {
    return error_of("experiment: e\nn_tokens: 64\n", {.set = {}, .filter = {filter}});
  };
  EXPECT_EQ(error_of_filter("n_token=3"),
            "--filter n_token=3: unknown key; did you mean 'n_tokens'?");
  EXPECT_EQ(error_of_filter("memory_budget_byte=3"),
            "--filter memory_budget_byte=3: unknown key; did you mean 'memory_budget_bytes'?");
  EXPECT_EQ(error_of_filter("workers"),
            "--filter workers: expected a column, one of = != < <= > >=, and a value, as in "
            "workers=7");
  EXPECT_EQ(error_of_filter("=3"),
            "--filter =3: expected a column, one of = != < <= > >=, and a value, as in workers=7");
  EXPECT_EQ(error_of_filter("kernel<flash"),
            "--filter kernel<flash: kernel is not a number: compare it with = or !=");
  EXPECT_EQ(error_of_filter("kernel=flahs"),
            "--filter kernel=flahs: unknown kernel 'flahs'; did you mean 'flash'?");
  EXPECT_EQ(error_of_filter("workers==7"),
            "--filter workers==7: workers must be a whole number such as 4, 4e3 or 4Ki (1024 "
            "each), got '=7'");
  EXPECT_EQ(error_of_filter("n_tokens>64"), "spec.yaml:1:1: no case is left after --filter");
}

TEST(SpecBadInput, AMillionCasesAreCountedAndAskForYes) {
  const std::string yaml =
      "experiment: e\nsweep:\n  n_tokens: {from: 1, to: 1000, step: 1}\n"
      "  seed: {from: 1, to: 1000, step: 1}\n";
  EXPECT_EQ(error_of(yaml),
            "spec.yaml:2:1: this spec has 1,000,000 cases, more than 10,000; narrow it with "
            "--filter, or pass --yes to run them all");
  EXPECT_THAT(error_of(yaml + "exclude: [{seed: 3, n_tokens: 4}, {seed: 5}]\n"),
              HasSubstr(" 998,999 cases,"));
  EXPECT_THAT(error_of(yaml, {.set = {}, .filter = {"seed>900"}}), HasSubstr(" 100,000 cases,"));
  EXPECT_EQ(error_of(yaml, {.set = {}, .filter = {"seed=900"}}), "no error: 1000 cases");
}

TEST(SpecBadInput, CountsBeyondAnyMemory) {
  std::string yaml = "experiment: e\nsweep:\n";
  for (const char* key : {"n_tokens", "kv_len", "seed", "workers", "batch", "q_heads"})
    yaml += std::string("  ") + key + ": {from: 1, to: 1000, step: 1}\n";
  EXPECT_THAT(error_of(yaml), HasSubstr(" has 1,000,000,000,000,000,000 cases,"));
  EXPECT_THAT(error_of(yaml + "  kv_heads: {from: 1, to: 1000, step: 1}\n"),
              HasSubstr(" has more than 10^19 cases,"));
}

// Any file gives a spec or a sentence with a place.
TEST(SpecBadInput, DamagedFilesGiveASentence) {
  const std::string whole = read_file(source_path("experiments/smoke.yaml"));
  constexpr std::uint64_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  const std::string letters = "[]{}:,#&*!|>'\"%@`-?<=~ \n\t\r0\\z\xff" + std::string(1, '\0');
  for (int trial = 0; trial < 800; ++trial) {
    std::string text = whole;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % text.size();
      const std::size_t length = std::min(random() % 30, text.size() - at);
      switch (random() % 4) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.insert(at, 1, letters[random() % letters.size()]);
          break;
        case 2:
          text.erase(at, length);
          break;
        default:
          text.insert(random() % text.size(), text.substr(at, length));
      }
    }
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial) + "\n" +
                 text);
    const std::string answer = error_of(text);  // any other exception fails the test
    EXPECT_THAT(answer, ::testing::AnyOf(::testing::StartsWith("no error"),
                                         ::testing::ContainsRegex("^spec.yaml:[0-9]+:[0-9]+: ")));
  }
}

TEST(SpecBadInput, AliasesThatMultiplyAreRefused) {
  std::string yaml = "experiment: e\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) yaml += before + ", ";
    yaml += before + "]\n";
  }
  EXPECT_THAT(error_of(yaml), HasSubstr("the aliases of this file expand to too many values"));
}

}  // namespace
}  // namespace qb
