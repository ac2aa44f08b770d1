// SPDX-License-Identifier: Apache-2.0
// Tests every operator in every instruction set against its float64 formula, on random and
// adversarial inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/sanitized.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/mixer/testing/mixer_support.h"

namespace qb {
namespace {

using testing_support::MixerCall;
using testing_support::MixerCase;

class MixerKernels : public ::testing::TestWithParam<InstructionSet> {
 protected:
  MixerKernels() { use_instruction_set(GetParam()); }
  ~MixerKernels() override { use_instruction_set(available_instruction_sets().front()); }
};

MixerCase random_case(Mixer kind, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto below = [&engine](std::int64_t limit) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(limit));
  };
  const std::int64_t dims[] = {1, 5, 16, 24, 64, 80};
  const DType dtypes[] = {DType::f32, DType::bf16, DType::f16};
  MixerCase c;
  c.seed = seed;
  c.dtype = dtypes[below(3)];
  c.options.kind = kind;
  c.options.causal =
      kind == Mixer::ssd || kind == Mixer::selective_scan || (has_state(kind) && below(2) == 0);
  c.options.chunk = below(3) == 0 ? 64 : 1 + below(40);
  c.shape = {1 + below(2),  1, 1, below(4) == 0 ? 1 : 1 + below(200), dims[below(6)],
             dims[below(6)]};
  c.shape.kv_heads = 1 + below(2);
  c.shape.q_heads = c.shape.kv_heads * (kind == Mixer::selective_scan ? 1 : 1 + below(3));
  c.options.rank =
      1 + below(kind == Mixer::nystrom ? std::min<std::int64_t>(c.shape.n_tokens, 40) : 70);
  c.outlier_every = below(3) == 0 ? 50 : 0;
  c.strange = below(3) == 0;
  return c;
}

TEST_P(MixerKernels, AgreeWithTheirFormulasInFloat64) {
  const bool slow = GetParam() == InstructionSet::scalar || testing_support::kSanitized;
  for (const Mixer kind : testing_support::kMixers)
    for (std::uint64_t seed = 1; seed <= (slow ? 6u : 30u); ++seed) {
      const MixerCase c = random_case(kind, seed);
      SCOPED_TRACE(testing_support::text(c));
      const MixerCall call(c);
      const std::vector<double> exact = call.reference();
      const std::vector<double> naive = mix_naive(call.options, call.a, call.rows(), 2);
      testing_support::expect_near(call.run(static_cast<int>(1 + seed % 4)), exact, naive);
    }
}

INSTANTIATE_TEST_SUITE_P(All, MixerKernels, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb
