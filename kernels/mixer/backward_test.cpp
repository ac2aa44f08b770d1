// SPDX-License-Identifier: Apache-2.0
// Tests the backward pass of operators: the float64 reference against
// finite differences, and the kernels in every instruction set against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/sanitized.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/merge.h"
#include "kernels/mixer/testing/mixer_support.h"

namespace qb {
namespace {

using testing_support::MixerCall;
using testing_support::MixerCase;
using testing_support::TestState;

constexpr Mixer kDifferentiable[] = {Mixer::axial, Mixer::linear, Mixer::ssd, Mixer::gated_delta,
                                     Mixer::short_convolution};

// Returns the sum of out times d_out, of which the gradients are those of `call`.
double loss(const MixerCall& call, const TensorView& d_out) {
  const std::vector<double> out = call.reference();
  const std::vector<double> weights = testing_support::values(d_out);
  double sum = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * weights[i];
  return sum;
}

TEST(MixerGradients, ReferenceIsWhatFiniteDifferencesGive) {
  for (const Mixer kind : kDifferentiable)
    for (const bool causal : {true, false}) {
      for (const bool of_channels : {true, false}) {
        if (causal ? kind == Mixer::axial : is_only_causal(kind)) continue;
        if (of_channels && kind != Mixer::gated_delta) continue;
        SCOPED_TRACE(std::string(word(kind)) + (causal ? " causal" : ""));
        MixerCase c;
        c.options = {kind, causal, 3, 4, 0, 2};
        c.shape = {1, 2, 1, 6, 3, 2};
        if (kind == Mixer::short_convolution) c.shape = {1, 2, 2, 6, 2, 2};
        c.strange = kind == Mixer::short_convolution;  // with documents
        c.dtype = DType::f64;
        c.of_channels = of_channels;
        const MixerCall call(c);
        const Tensor d_out = testing_support::random_tensor(DType::f64, call.a.out.extent, 77);
        const MixerGradientValues found =
            mix_backward_reference(call.options, call.a, d_out.view());
        const auto expect = [&](const TensorView& of, const std::vector<double>& gradient) {
          for (std::int64_t i = 0; i < of.extent.elements(); ++i) {
            void* const at = static_cast<std::byte*>(of.data) + i * size_of(of.dtype);
            const double x = load_element(at, of.dtype);
            const double step = of.dtype == DType::f64 ? 1e-5 : 0x1p-8;
            store_element(at, of.dtype, x + step);
            const double up = loss(call, d_out.view());
            store_element(at, of.dtype, x - step);
            const double down = loss(call, d_out.view());
            store_element(at, of.dtype, x);
            EXPECT_NEAR(gradient[static_cast<std::size_t>(i)], (up - down) / (2.0 * step),
                        of.dtype == DType::f64 ? 1e-7 : 1e-3)
                << i;
          }
        };
        if (call.a.q.data != nullptr) expect(call.a.q, found.d_q);
        if (call.a.k.data != nullptr) expect(call.a.k, found.d_k);
        expect(call.a.v, found.d_v);
        if (call.a.decay.data != nullptr) expect(call.a.decay, found.d_decay);
        if (call.a.beta.data != nullptr) expect(call.a.beta, found.d_beta);
        if (kind == Mixer::short_convolution) expect(call.a.projection, found.d_projection);
      }
    }
}

Tensor zero_like(const TensorView& view) {
  Tensor zeros(heap_allocator(), DType::f32, view.extent, "sum");
  clear_rows(zeros.view());
  return zeros;
}

// The backward pass of parts of the tokens, as workers that hold one each compute it.
void differentiate_in_parts(const MixerCall& call, const MixerGradients& gradients,
                            const KernelContext& context, std::int64_t parts) {
  const std::int64_t n = call.shape.n_tokens;
  struct PartOfCall {
    MixerArguments a;
    MixerGradients g;
    TestState own;
    std::vector<std::int64_t> begins{};
  };
  std::vector<PartOfCall> all;
  for (std::int64_t p = 0; p < parts; ++p) {
    PartOfCall& part =
        all.emplace_back(PartOfCall{call.a, gradients, TestState(call.options, call.shape)});
    const std::int64_t first = p * n / parts;
    const std::int64_t end = (p + 1) * n / parts;
    for (const std::int64_t token : call.begins)
      if (first <= token && token < end) part.begins.push_back(token - first);
    part.a.begins = part.begins;
    for (TensorView* const view :
         {&part.a.q, &part.a.k, &part.a.v, &part.a.decay, &part.a.beta, &part.a.out, &part.g.d_out,
          &part.g.d_q, &part.g.d_k, &part.g.d_v, &part.g.d_decay, &part.g.d_beta})
      if (view->data != nullptr) *view = view->tokens(first, end - first);
    mix_state(call.options, part.a, context, part.own.view());
  }
  const Tensor sum = zero_like(gradients.d_projection);
  TestState later(call.options, call.shape);
  for (std::size_t p = all.size(); p-- > 0;) {
    TestState before(call.options, call.shape);
    clear_state(call.options, before.view());
    for (std::size_t earlier = 0; earlier < p; ++earlier)
      append_state(call.options, before.view(), all[earlier].own.view());
    const MixerState given = before.view();
    const MixerState after = later.view();
    mix_backward(call.options, all[p].a, all[p].g, context, p > 0 ? &given : nullptr,
                 p + 1 < all.size() ? &after : nullptr);
    add_rows(sum.view(), gradients.d_projection);
    TestState own(call.options, call.shape);
    mix_state_backward(call.options, all[p].a, all[p].g.d_out, context, p > 0 ? &given : nullptr,
                       all[p].own.view(), own.view());
    if (p + 1 < all.size())
      append_state(call.options, later.view(), own.view());
    else
      later = std::move(own);
  }
  copy_rows(sum.view(), gradients.d_projection);
}

class MixBackward : public ::testing::TestWithParam<InstructionSet> {
 protected:
  MixBackward() { use_instruction_set(GetParam()); }
  ~MixBackward() override { use_instruction_set(available_instruction_sets().front()); }
};

TEST_P(MixBackward, AgreesWithTheFormulasInFloat64) {
  const bool slow = GetParam() == InstructionSet::scalar || testing_support::kSanitized;
  for (const Mixer kind : kDifferentiable)
    for (std::uint64_t seed = 1; seed <= (slow ? 6u : 40u); ++seed) {
      const MixerCase c = testing_support::random_case(kind, seed);
      SCOPED_TRACE(testing_support::text(c));
      const MixerCall call(c);
      const Tensor d_out = testing_support::random_tensor(seed % 2 == 0 ? DType::f32 : c.dtype,
                                                          call.a.out.extent, 1000 * seed);
      std::vector<Tensor> sums;
      const auto poisoned = [&](const Extent& extent) {
        sums.emplace_back(heap_allocator(), DType::f32, extent, "gradient");
        testing_support::fill(sums.back().view(), std::nan(""));
        return sums.back().view();
      };
      MixerGradients gradients{d_out.view(), poisoned(call.a.q.extent), poisoned(call.a.k.extent),
                               poisoned(call.a.v.extent)};
      if (call.a.decay.data != nullptr) gradients.d_decay = poisoned(call.a.decay.extent);
      if (call.a.beta.data != nullptr) gradients.d_beta = poisoned(call.a.beta.extent);
      Extent taps = call.a.projection.extent;
      taps.batch = c.shape.batch;
      gradients.d_projection = poisoned(taps);
      const KernelContext context{testing_support::poisoned_allocator(),
                                  static_cast<int>(1 + seed % 3), 0};
      const std::int64_t least = kind == Mixer::short_convolution ? c.options.rank - 1 : 1;
      const auto parts =
          std::min<std::int64_t>(static_cast<std::int64_t>(seed % 4), c.shape.n_tokens / least);
      if (c.options.causal && parts > 1)
        differentiate_in_parts(call, gradients, context, parts);
      else
        mix_backward(call.options, call.a, gradients, context);
      const MixerGradientValues exact =
          mix_backward_reference(call.options, call.a, d_out.view(), 2);
      const MixerGradientValues naive = mix_backward_naive(call.options, call.a, d_out.view(), 2);
      // Products of d_out and values cancel where a token sees few others, and weights are divided
      // by sums of others' products.
      const auto most = [](const TensorView& of) {
        return testing_support::largest_magnitude(testing_support::values(of));
      };
      const double product =
          std::sqrt(static_cast<double>(c.shape.value_dim)) * most(call.a.v) * most(d_out.view());
      const double of_values = 2.0 * testing_support::largest_magnitude(exact.d_v);
      const auto term_of_axial = [&](const std::vector<double> MixerGradientValues::*of) {
        // Y and its gradient are rounded to the inputs' type. Scores of columns are those of
        // values.
        const double rounding = unit_roundoff(c.dtype) / (16.0 * unit_roundoff(DType::f32)) *
                                testing_support::largest_magnitude(exact.*of);
        if (of == &MixerGradientValues::d_v)
          return rounding + call.a.scale * product * most(call.a.v);
        return rounding + call.a.scale * product * of_values / most(d_out.view()) *
                              std::max(most(call.a.q), most(call.a.k));
      };
      const auto expect = [&](const char* what, const TensorView& found,
                              std::vector<double> MixerGradientValues::*of) {
        // A decay of gated_delta gets sums of pairs of later rows less those of earlier keys.
        const bool cancels = kind == Mixer::gated_delta && of == &MixerGradientValues::d_decay;
        const double term = cancels                           ? call.a.scale * product
                            : is_only_causal(kind)            ? 0.0
                            : kind == Mixer::axial            ? term_of_axial(of)
                            : of == &MixerGradientValues::d_v ? of_values
                                                              : product;
        testing_support::expect_near(testing_support::values(found), exact.*of, naive.*of, what,
                                     term);
      };
      expect("d_q", gradients.d_q, &MixerGradientValues::d_q);
      expect("d_k", gradients.d_k, &MixerGradientValues::d_k);
      expect("d_v", gradients.d_v, &MixerGradientValues::d_v);
      if (call.a.decay.data != nullptr)
        expect("d_decay", gradients.d_decay, &MixerGradientValues::d_decay);
      if (call.a.beta.data != nullptr)
        expect("d_beta", gradients.d_beta, &MixerGradientValues::d_beta);
      if (kind == Mixer::short_convolution)
        expect("d_projection", gradients.d_projection, &MixerGradientValues::d_projection);
    }
}

INSTANTIATE_TEST_SUITE_P(All, MixBackward, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb
