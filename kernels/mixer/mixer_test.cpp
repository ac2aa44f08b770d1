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

TEST_P(MixerKernels, AgreeWithTheirFormulasInFloat64) {
  const bool slow = GetParam() == InstructionSet::scalar || testing_support::kSanitized;
  for (const Mixer kind : testing_support::kMixers)
    for (std::uint64_t seed = 1; seed <= (slow ? 6u : 30u); ++seed) {
      const MixerCase c = testing_support::random_case(kind, seed);
      SCOPED_TRACE(testing_support::text(c));
      const MixerCall call(c);
      const std::vector<double> exact = call.reference();
      const std::vector<double> naive = mix_naive(call.options, call.a, call.rows(), 2);
      testing_support::expect_near(call.run(static_cast<int>(1 + seed % 4)), exact, naive);
    }
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST_P(MixerKernels, AxialWithAPairBiasAgreesWithItsFormulaInFloat64) {
  const bool slow = GetParam() == InstructionSet::scalar || testing_support::kSanitized;
  const std::int64_t columns[] = {1, 3, 16, 33, 64, 67, 131};
  for (std::uint64_t seed = 1; seed <= (slow ? 12u : 60u); ++seed) {
    MixerCase c = testing_support::random_case(Mixer::axial, seed);
    c.biased = true;
    if (seed % 2 == 0) c.options.rows = 1 + c.options.rows % 3;
    c.shape.n_tokens = c.options.rows * columns[seed % 7];
    SCOPED_TRACE(testing_support::text(c));
    const MixerCall call(c);
    const std::vector<double> exact = call.reference();
    const double norm = distance(exact, std::vector<double>(exact.size()));
    const double naive = distance(mix_naive(call.options, call.a, call.rows(), 2), exact);
    const double error = distance(call.run(static_cast<int>(1 + seed % 3)), exact);
    EXPECT_TRUE(error <= 1.5 * naive + 4.0 * unit_roundoff(DType::f32) * norm) << error;
  }
}

// Their keys are transposed whole, and the last chunk ends amid a vector of them.
TEST_P(MixerKernels, MoreFeaturesThanAHeadHasElements) {
  for (const bool causal : {false, true}) {
    MixerCase c = testing_support::random_case(Mixer::performer, 3);
    c.options.causal = causal;
    c.options.rank = 600;
    c.shape.n_tokens = 67;
    SCOPED_TRACE(testing_support::text(c));
    const MixerCall call(c);
    const std::vector<double> naive = mix_naive(call.options, call.a, call.rows(), 2);
    testing_support::expect_near(call.run(1), call.reference(), naive);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MixerKernels, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb
