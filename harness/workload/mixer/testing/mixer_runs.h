// SPDX-License-Identifier: Apache-2.0
// The tests of operators share this: small cases, and their run.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/integers.h"
#include "harness/run/device/cpu_device.h"
#include "harness/workload/mixer/mixer_tensors.h"
#include "harness/workload/needs.h"
#include "harness/workload/testing/tiny_case.h"
#include "harness/workload/workload.h"

namespace qb::testing_support {

inline const std::vector<Mixer> kMixers = [] {
  std::vector<Mixer> all;
  for (const auto& row : kWords<Mixer>.rows) all.push_back(row.first);
  return all;
}();

inline Case tiny_mixer(Mixer kind, bool causal) {
  Case c = tiny("dense", 1);
  c.device = Device::cpu;
  c.workload = WorkloadKind::sequence_mixer;
  c.mixer.kind = kind;
  const bool convolves = kind == Mixer::short_convolution;
  c.shape.kv_heads = kind == Mixer::selective_scan || convolves ? 2 : 1;
  c.mask = causal ? MaskKind::causal : MaskKind::full;
  if (standard_rank(kind, 16) > 0) c.mixer.rank = convolves ? 4 : 12;
  if (causal && !is_only_causal(kind)) c.mixer.chunk = 24;
  c.measure.verify_rows = 1000;
  return c;
}

struct MixerRun {
  RowValues predicted{};
  Sample sample{};
  Verification verification{};
  Workload::Peaks peaks{};
  std::int64_t active_peak_bytes = 0;
  double distance = 0.0;
};

// Computes twice on the device: what the first run leaves must not change the second. The memory is
// what was predicted.
inline MixerRun run_on(ComputeDevice& device, const Case& given) {
  const Case c = resolve_case(given);
  require_needs(c);
  const std::unique_ptr<Workload> workload = plan_workload(c);
  workload->require(device);
  EXPECT_EQ(workload->flaw(), std::nullopt);
  MixerRun result;
  result.predicted = workload->predict(nullptr);
  workload->open(&device, MemoryLedger::Options());
  workload->prepare();
  (void)workload->run(true);
  CaseResult row;
  row.samples = {result.sample = workload->run(false)};
  result.peaks = workload->peaks();
  result.active_peak_bytes = static_cast<std::int64_t>(workload->ledger().active_peak_bytes());
  EXPECT_EQ(result.predicted.number("predicted_device_peak_bytes"),
            result.peaks.device_bytes.value());
  if (c.ranks == Ranks::serial && c.mixer.kind) {
    EXPECT_EQ(result.predicted.number("predicted_active_peak_bytes"), result.active_peak_bytes);
  }
  result.verification = workload->verify();
  workload->report(row);
  result.distance = row.values.number("distance_to_exact");
  return result;
}
inline MixerRun run(const Case& c) {
  CpuDevice device(c.threads);
  return run_on(device, c);
}

inline std::string message_of(const Case& c) {
  try {
    (void)run(c);
  } catch (const CaseError& error) {
    return error.what();
  }
  return "nothing was refused";
}

// An output is right, and in the L2 norm no more than 1.5 times as far off as a naive computation
// in the same precision, besides a few roundings of float32. Workers of axial, or by heads, round
// their outputs once more, to the type of the inputs, in which they travel.
inline double rounding_of_travel(const Case& c) {
  const bool travels =
      c.workers > 1 && (c.mixer.kind == Mixer::axial || c.mixer.scan == ScanKind::all_to_all);
  return travels ? unit_roundoff(c.dtype) : 0.0;
}
// Relative L2 errors of an output or of a gradient, and of a naive computation of it.
struct L2Errors {
  double found = 0.0;
  double naive = 0.0;
};

inline L2Errors output_errors(const Case& given, const Verification& found) {
  const Case c = resolve_case(given);
  const MixerProblem problem = mixer_problem_of(c);
  MixerTensors tensors(problem, {0, c.shape.q_len}, heap_allocator(), 0);
  tensors.fill(1);
  const std::vector<std::int64_t> rows = integers_below(c.shape.q_len);
  EXPECT_EQ(found.rows, c.shape.q_len);
  const std::vector<double> exact = mix_reference(problem.options, tensors.arguments(), rows);
  const std::vector<double> naive = mix_naive(problem.options, tensors.arguments(), rows);
  RelativeL2 of_naive;
  for (std::size_t i = 0; i < exact.size(); ++i) of_naive.add(naive[i], exact[i]);
  return {found.relative_l2_error, of_naive.error()};
}

// Returns the errors of the gradients of Q, K and V that the operator has. It leaves out gradients
// of 0 but for rounding, as dQ is of equal keys.
inline std::vector<L2Errors> gradient_errors(const Case& given, const Verification& found) {
  const Case c = resolve_case(given);
  const MixerProblem problem = mixer_problem_of(c);
  MixerTensors tensors(problem, {0, c.shape.q_len}, heap_allocator(), 0, true);
  tensors.fill(1);
  const MixerArguments& a = tensors.arguments();
  const TensorView& d_out = tensors.gradients().d_out;
  const MixerGradientValues exact = mix_backward_reference(problem.options, a, d_out);
  const MixerGradientValues naive = mix_backward_naive(problem.options, a, d_out);
  std::vector<std::vector<double> MixerGradientValues::*> expected = {&MixerGradientValues::d_v};
  if (c.mixer.kind != Mixer::short_convolution)
    expected = {&MixerGradientValues::d_q, &MixerGradientValues::d_k, &MixerGradientValues::d_v};
  EXPECT_EQ(found.gradients.size(), expected.size());
  std::vector<L2Errors> errors;
  for (std::size_t g = 0; g < found.gradients.size(); ++g) {
    const auto values = expected[g];
    RelativeL2 of_naive;
    for (std::size_t i = 0; i < (exact.*values).size(); ++i)
      of_naive.add((naive.*values)[i], (exact.*values)[i]);
    if (of_naive.error() <= 0.1)
      errors.push_back({found.gradients[g].relative_l2_error, of_naive.error()});
  }
  return errors;
}

inline void expect_near_naive(const Case& c, const Verification& found) {
  EXPECT_TRUE(found.correct) << found.message;
  const L2Errors errors = output_errors(c, found);
  EXPECT_LE(errors.found,
            1.5 * errors.naive + 4.0 * unit_roundoff(DType::f32) + rounding_of_travel(c));
}

}  // namespace qb::testing_support
