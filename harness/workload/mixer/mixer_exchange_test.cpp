// SPDX-License-Identifier: Apache-2.0
// Every exchange of states, forwards and backwards, over random problems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "harness/workload/mixer/testing/mixer_runs.h"

namespace qb {
namespace {

using namespace testing_support;
using testing::HasSubstr;

constexpr Mixer kShared[] = {Mixer::gated_delta, Mixer::gated_delta, Mixer::ssd, Mixer::linear,
                             Mixer::short_convolution};
constexpr ScanKind kExchanges[] = {ScanKind::chain, ScanKind::all_gather, ScanKind::tree,
                                   ScanKind::all_scan, ScanKind::all_to_all};

template <class T, std::size_t N>
T any_of(std::mt19937& random, const T (&list)[N]) {
  return list[random() % N];
}

std::vector<Sequence> documents(std::mt19937& random, std::int64_t n) {
  std::vector<Sequence> all;
  while (n > 0) {
    const std::int64_t length = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
    all.push_back({0, length});
    n -= length;
  }
  return all;
}

Case random_case(std::mt19937& random) {
  Case c = tiny_mixer(any_of(random, kShared), true);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  c.workers = any_of(random, {1, 2, 3, 4, 7, 8});
  c.shape.q_len = c.shape.kv_len = 2 * c.workers + below(90);
  c.shape.head_dim = c.shape.value_dim = any_of<std::int64_t>(random, {3, 8, 16, 20});
  c.shape.kv_heads = 1 + below(2);
  const bool convolves = c.mixer.kind == Mixer::short_convolution;
  c.shape.q_heads = c.shape.kv_heads * (convolves ? 1 : 1 + below(2));
  if (!convolves) c.mixer.chunk = any_of<std::int64_t>(random, {7, 16, 64});
  c.dtype = any_of(random, {DType::f32, DType::bf16, DType::f16});
  c.inputs = any_of(random, {InputKind::random, InputKind::peaked, InputKind::tied});
  c.ranks = any_of(random, {Ranks::serial, Ranks::threads});
  c.threads = 1 + static_cast<int>(below(4));
  c.pass = any_of(random, {Passes::forward, Passes::backward, Passes::both});
  c.seed = random();
  if (*c.mixer.kind == Mixer::gated_delta && below(2) == 0) c.mixer.gate = DecayGate::channel;
  if (*c.mixer.kind != Mixer::linear && below(2) == 0)
    c.sequences = documents(random, c.shape.q_len);
  else
    c.shape.batch = 1 + below(2);
  if (c.workers == 1) return c;
  if (!convolves) c.mixer.scan = any_of(random, kExchanges);
  if (convolves) {
    c.mixer.rank = 2 + below(4);
    c.shape.q_len = c.shape.kv_len = c.shape.q_len + 2 * c.workers * (c.mixer.rank - 2);
    if (!c.sequences.empty()) c.sequences = documents(random, c.shape.q_len);
  }
  c.mixer.layout = any_of(random, {TokenLayout::contiguous, TokenLayout::zigzag});
  if (c.mixer.scan == ScanKind::all_to_all) {
    const std::int64_t group = c.shape.q_heads / c.shape.kv_heads;
    c.shape.kv_heads = c.workers * (1 + below(2));
    c.shape.q_heads = c.shape.kv_heads * group;
  }
  return c;
}

// Errors of many cases. A naive computation of few numbers may be right by luck, so that each case
// alone has three times its error, and all together 1.5 times.
class ErrorsOfAll {
 public:
  void add(const L2Errors& errors, double roundings) {
    EXPECT_LE(errors.found, 3.0 * errors.naive + 4.0 * roundings);
    found_ += errors.found * errors.found;
    allowed_ += 1.5 * errors.naive * 1.5 * errors.naive + roundings * roundings;
  }
  ~ErrorsOfAll() { EXPECT_LE(std::sqrt(found_), std::sqrt(allowed_)); }

 private:
  double found_ = 0.0;
  double allowed_ = 0.0;
};

TEST(MixerExchanges, OfRandomProblemsAreRight) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  std::map<std::tuple<Mixer, DType, std::size_t>, ErrorsOfAll> errors;
  for (int i = 0; i < 2000; ++i) {
    const Case c = random_case(random);
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << " case " << i << ": " << word(*c.mixer.kind) << ' '
                 << word(c.mixer.gate) << ' ' << word(c.mixer.scan) << ' ' << word(c.mixer.layout)
                 << " W=" << c.workers << " N=" << c.shape.q_len << " B=" << c.shape.batch << " H="
                 << c.shape.q_heads << " G=" << c.shape.kv_heads << " d=" << c.shape.head_dim
                 << " chunk=" << c.mixer.chunk << ' ' << word(c.dtype) << ' ' << word(c.inputs)
                 << ' ' << word(c.ranks) << ' ' << word(c.pass) << ' ' << to_string(c.sequences));
    const MixerRun result = run(c);
    EXPECT_TRUE(result.verification.correct) << result.verification.message;
    const double rounding = unit_roundoff(DType::f32);
    const double travel = rounding_of_travel(c);
    errors[{*c.mixer.kind, c.dtype, 0}].add(output_errors(c, result.verification),
                                            4.0 * rounding + travel);
    if (c.pass == Passes::forward) continue;
    EXPECT_EQ(result.verification.keys, c.shape.q_len);
    for (std::size_t next = 0; const L2Errors& of : gradient_errors(c, result.verification))
      errors[{*c.mixer.kind, c.dtype, ++next}].add(of, 8.0 * rounding + travel);
  }
}

// A message of a gradient that is off makes gradients of earlier workers wrong.
class InaccurateStates final : public CpuDevice {
 public:
  InaccurateStates() : CpuDevice(1) {}
  void mix_state_backward(const MixerOptions& options, const MixerArguments& arguments,
                          const TensorView& d_out, const KernelContext& context,
                          const MixerState* before, const MixerState& own,
                          const MixerState& state) override {
    CpuDevice::mix_state_backward(options, arguments, d_out, context, before, own, state);
    *state.matrix.row_as<float>(0, 0, 0) += 1.0f;
  }
};

TEST(MixerExchanges, ThatAreOffAreFound) {
  for (const Mixer kind : {Mixer::gated_delta, Mixer::ssd, Mixer::linear, Mixer::short_convolution})
    for (const TokenLayout layout : {TokenLayout::contiguous, TokenLayout::zigzag}) {
      Case c = tiny_mixer(kind, true);
      c.workers = 3;
      c.pass = Passes::both;
      c.mixer.layout = layout;
      InaccurateStates device;
      EXPECT_FALSE(run_on(device, c).verification.correct) << word(kind) << ' ' << word(layout);
      EXPECT_TRUE(run(c).verification.correct) << word(kind) << ' ' << word(layout);
    }
}

TEST(MixerExchanges, AreRefusedWhereTheyCannotBe) {
  Case c = tiny_mixer(Mixer::gated_delta, true);
  c.workers = 2;
  c.mixer.scan = ScanKind::all_to_all;
  EXPECT_EQ(message_of(c),
            "1 kv_heads are not the same number for each of 2 workers; the nearest is "
            "mixer.scan: tree");
  c.mixer.scan = ScanKind::tree;
  c.mixer.layout = TokenLayout::interleaved;
  EXPECT_EQ(message_of(c),
            "no operator goes over interleaved tokens; the nearest is mixer.layout: zigzag");
  c.mixer.layout = TokenLayout::zigzag;
  c.workers = 51;
  EXPECT_EQ(message_of(c),
            "100 tokens are too few for 102 parts of 51 workers; the nearest is workers: 50");
  c = tiny_mixer(Mixer::linear, true);
  c.sequences = {{0, 50}, {0, 50}};
  EXPECT_THAT(message_of(c), HasSubstr("no other operator has a state that can begin again"));
}

}  // namespace
}  // namespace qb
