// SPDX-License-Identifier: Apache-2.0
// Gradients of operators as cases run them: after a forward pass that is not timed, and after one
// that is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/workload/mixer/testing/mixer_runs.h"

namespace qb {
namespace {

using namespace testing_support;
using testing::HasSubstr;

Case with_pass(Case c, Passes pass) {
  c.pass = pass;
  return c;
}

struct Form {
  Mixer kind;
  bool causal;
};
constexpr Form kForms[] = {{Mixer::linear, true},      {Mixer::linear, false},
                           {Mixer::axial, false},      {Mixer::ssd, true},
                           {Mixer::gated_delta, true}, {Mixer::short_convolution, true}};

std::size_t columns_of(Mixer kind) { return kind == Mixer::short_convolution ? 1U : 3U; }

TEST(MixerGradientsOfCases, AreRight) {
  constexpr unsigned kSeed = 20261130;
  std::mt19937 random(kSeed);
  for (const auto& [kind, causal] : kForms)
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
      for (const InputKind inputs : {InputKind::random, InputKind::peaked, InputKind::tied})
        for (const Passes pass : {Passes::backward, Passes::both}) {
          Case c = with_pass(tiny_mixer(kind, causal), pass);
          c.shape.q_len = c.shape.kv_len = 1 + static_cast<std::int64_t>(random() % 150);
          c.shape.batch = 1 + static_cast<std::int64_t>(random() % 2);
          c.threads = 1 + static_cast<int>(random() % 2);
          c.ranks = random() % 2 == 0 ? Ranks::serial : Ranks::threads;
          c.dtype = dtype;
          c.inputs = inputs;
          if (kind == Mixer::gated_delta && random() % 2 == 0) c.mixer.gate = DecayGate::channel;
          SCOPED_TRACE(testing::Message()
                       << word(kind) << ' ' << causal << ' ' << word(dtype) << ' ' << word(inputs)
                       << ' ' << word(pass) << " N=" << c.shape.q_len << " B=" << c.shape.batch
                       << " seed " << kSeed);
          const MixerRun result = run(c);
          EXPECT_TRUE(result.verification.correct) << result.verification.message;
          EXPECT_EQ(result.verification.gradients.size(), columns_of(kind));
          EXPECT_EQ(result.verification.keys, c.shape.q_len);
          EXPECT_EQ(result.peaks.device_bytes.value(), result.active_peak_bytes);
          EXPECT_EQ(std::isnan(result.sample.forward_s), pass == Passes::backward);
          if (pass == Passes::backward) continue;
          EXPECT_DOUBLE_EQ(result.sample.wall_s,
                           result.sample.forward_s + result.sample.backward_s);
        }
}

// Rows and columns that the workers do not divide, in both ways to run them. A backward pass sends
// dO, Y and its gradient, where a forward pass sends Y and the output.
TEST(MixerGradientsOfCases, OfAxialOverManyWorkersAreRight) {
  constexpr unsigned kSeed = 20261201;
  std::mt19937 random(kSeed);
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    for (const Ranks ranks : {Ranks::serial, Ranks::threads})
      for (const int workers : {2, 3, 8})
        for (const Passes pass : {Passes::backward, Passes::both}) {
          Case c = with_pass(tiny_mixer(Mixer::axial, false), pass);
          const auto lines = [&] { return workers + static_cast<std::int64_t>(random() % 9); };
          c.mixer.rows = lines();
          c.shape.q_len = c.shape.kv_len = c.mixer.rows * lines();
          c.shape.batch = 1 + static_cast<std::int64_t>(random() % 2);
          c.workers = workers;
          c.ranks = ranks;
          c.dtype = dtype;
          c.threads = 1 + static_cast<int>(random() % 12);
          c.inputs = random() % 2 == 0 ? InputKind::random : InputKind::peaked;
          SCOPED_TRACE(testing::Message() << word(dtype) << ' ' << word(ranks) << " W=" << workers
                                          << " R=" << c.mixer.rows << " N=" << c.shape.q_len << ' '
                                          << word(pass) << " seed " << kSeed);
          const MixerRun result = run(c);
          EXPECT_TRUE(result.verification.correct) << result.verification.message;
          EXPECT_EQ(result.verification.gradients.size(), 3U);
          EXPECT_EQ(result.verification.keys, c.shape.q_len);
          const bool both = pass == Passes::both;
          const double back = result.predicted.number("backward_sent_bytes");
          EXPECT_GT(back, 0.0);
          EXPECT_EQ(result.predicted.number("scan_rounds"), both ? 5.0 : 3.0);
          EXPECT_LE(result.sample.worker_sum_s, workers * result.sample.wall_s * (1.0 + 1e-9));
          if (both) {
            EXPECT_DOUBLE_EQ(result.sample.wall_s,
                             result.sample.forward_s + result.sample.backward_s);
          }
          if (c.mixer.rows % workers == 0 && c.shape.q_len / c.mixer.rows % workers == 0) {
            EXPECT_EQ(result.predicted.number("device_sent_bytes"),
                      both ? back + 2.0 / 3.0 * back : back);
          }
        }
}

// Beside the inputs and the output a pass holds dO and the gradients, also of decays and betas.
TEST(MixerGradientsOfCases, AreCountedInMemory) {
  for (const auto& [kind, causal] : kForms) {
    const Case c = tiny_mixer(kind, causal);
    const std::int64_t more = run(with_pass(c, Passes::both)).active_peak_bytes -
                              run(with_pass(c, Passes::forward)).active_peak_bytes;
    const std::int64_t others = kind == Mixer::ssd ? 1 : kind == Mixer::gated_delta ? 2 : 0;
    const std::int64_t keys =
        kind == Mixer::short_convolution ? 0 : c.shape.q().elements() + c.shape.k().elements();
    EXPECT_GE(more,
              size_of(DType::f32) * (c.shape.out().elements() + keys + c.shape.v().elements() +
                                     others * c.shape.lse().elements()))
        << word(kind);
  }
}

// One element of a gradient is off by a little, or was not written.
class InaccurateGradients final : public CpuDevice {
 public:
  InaccurateGradients(TensorView MixerGradients::*which, float factor)
      : CpuDevice(1), which_(which), factor_(factor) {}
  void mix_backward(const MixerOptions& options, const MixerArguments& arguments,
                    const MixerGradients& gradients, const KernelContext& context,
                    const MixerState* before, const MixerState* later) override {
    CpuDevice::mix_backward(options, arguments, gradients, context, before, later);
    spoil(gradients);
  }
  void attend_lines_backward(const MixerArguments& arguments, const TensorView& lse,
                             const MixerGradients& gradients, std::int64_t length,
                             const KernelContext& context) override {
    CpuDevice::attend_lines_backward(arguments, lse, gradients, length, context);
    spoil(gradients);
  }

 private:
  void spoil(const MixerGradients& gradients) const {
    const TensorView& found = gradients.*which_;
    float& worst =
        *std::ranges::max_element(std::span(static_cast<float*>(found.data),
                                            static_cast<std::size_t>(found.extent.elements())),
                                  {}, [](float x) { return std::abs(x); });
    worst *= factor_;
  }

  TensorView MixerGradients::*which_;
  float factor_;
};

TEST(MixerGradientsOfCases, AreFoundWhereTheyAreOff) {
  for (const auto& [kind, causal] : kForms)
    for (const auto& [name, which] :
         {std::pair{"dQ", &MixerGradients::d_q}, std::pair{"dK", &MixerGradients::d_k},
          std::pair{"dV", &MixerGradients::d_v}, std::pair{"ddecay", &MixerGradients::d_decay},
          std::pair{"dbeta", &MixerGradients::d_beta},
          std::pair{"dW", &MixerGradients::d_projection}})
      for (const float factor : {1.005f, std::numeric_limits<float>::quiet_NaN()}) {
        const bool convolves = kind == Mixer::short_convolution;
        if (which == &MixerGradients::d_decay && (!is_only_causal(kind) || convolves)) continue;
        if (which == &MixerGradients::d_beta && kind != Mixer::gated_delta) continue;
        if (which == &MixerGradients::d_projection && !convolves) continue;
        if ((which == &MixerGradients::d_q || which == &MixerGradients::d_k) && convolves) continue;
        InaccurateGradients device(which, factor);
        const MixerRun result =
            run_on(device, with_pass(tiny_mixer(kind, causal), Passes::backward));
        EXPECT_FALSE(result.verification.correct) << word(kind) << ' ' << name << ' ' << factor;
        EXPECT_THAT(result.verification.message, HasSubstr(std::string(name) + " at batch 0"));
        if (kind != Mixer::axial) continue;
        Case shared = with_pass(tiny_mixer(kind, causal), Passes::backward);
        shared.workers = 3;
        shared.shape.q_len = shared.shape.kv_len = 42;
        shared.ranks = Ranks::threads;
        EXPECT_FALSE(run_on(device, shared).verification.correct) << name << ' ' << factor;
      }
}

TEST(MixerGradientsOfCases, OfAttentionAreThoseOfItsKernels) {
  Case c = with_pass(tiny_mixer(Mixer::linear, false), Passes::both);
  c.mixer.kind.reset();
  c.workers = 2;
  c.algorithm = "ring";
  const MixerRun result = run(c);
  EXPECT_TRUE(result.verification.correct) << result.verification.message;
  EXPECT_EQ(result.verification.gradients.size(), 3U);
  EXPECT_GT(result.sample.backward_s, 0.0);
}

TEST(MixerGradientsOfCases, AreRefusedWhereNothingComputesThem) {
  EXPECT_EQ(message_of(with_pass(tiny_mixer(Mixer::performer, false), Passes::both)),
            "pass: both needs mixer.operator: softmax, linear, axial, ssd, gated_delta or "
            "short_convolution, and this case has mixer.operator: performer; the nearest of the "
            "others is mixer.operator: linear");
  Case c = with_pass(tiny_mixer(Mixer::linear, false), Passes::backward);
  c.workers = 2;
  c.mixer.scan = ScanKind::all_gather;
  EXPECT_EQ(message_of(c),
            "workers share a backward pass under mask: causal only; the nearest is workers: 1");
}

}  // namespace
}  // namespace qb
