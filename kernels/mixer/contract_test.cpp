// SPDX-License-Identifier: Apache-2.0
// Tests what mix() promises besides its numbers: views, workspace, threads, rows of a reference,
// refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/status.h"
#include "kernels/merge.h"
#include "kernels/mixer/testing/mixer_support.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing_support::MixerCall;
using testing_support::MixerCase;
using testing_support::values;

MixerCase plain_case(Mixer kind) {
  MixerCase c;
  c.options = {kind, is_only_causal(kind), 20, 16, 2, 11};
  c.shape = {1, 2, 2, 99, 16, kind == Mixer::perceiver ? 16 : 24};
  return c;
}

// Rows of tokens lie `pitch` elements apart and begin at an odd address; what is between them is
// NaN.
TensorView spread(const TensorView& from, Tensor& memory) {
  const Extent& e = from.extent;
  const std::int64_t pitch = e.head_dim + 5;
  memory = Tensor(heap_allocator(), from.dtype, {1, 1, 1, e.batch * e.heads * e.length * pitch + 1},
                  "spread");
  testing_support::fill(memory.view(), std::nan(""));
  TensorView view = from;
  view.data = static_cast<std::byte*>(memory.view().data) + size_of(from.dtype);
  view.token_stride = e.heads * pitch;  // [b, token, head, width]
  view.head_stride = pitch;
  view.batch_stride = e.length * e.heads * pitch;
  for (std::int64_t b = 0; b < e.batch; ++b)
    for (std::int64_t h = 0; h < e.heads; ++h)
      for (std::int64_t t = 0; t < e.length; ++t)
        convert(from.row(b, h, t), from.dtype, view.row(b, h, t), from.dtype, e.head_dim);
  return view;
}

TEST(Mix, StridedViewsGiveTheSameAsCopies) {
  for (const Mixer kind : testing_support::kMixers)
    for (const DType dtype : {DType::f32, DType::bf16}) {
      SCOPED_TRACE(word(kind));
      MixerCase c = plain_case(kind);
      c.dtype = dtype;
      c.biased = kind == Mixer::axial && dtype == DType::f32;
      c.of_channels = kind == Mixer::gated_delta && dtype == DType::f32;
      const MixerCall call(c);
      const std::vector<double> expected = call.run(1);
      MixerArguments a = call.a;
      std::vector<Tensor> memory(8);
      std::size_t next = 0;
      for (TensorView* const view :
           {&a.q, &a.k, &a.v, &a.decay, &a.delta, &a.out, &a.pair_bias, &a.beta}) {
        if (view->data != nullptr) *view = spread(*view, memory[next]);
        ++next;
      }
      testing_support::fill(a.out, 7.0);
      mix(call.options, a, {testing_support::poisoned_allocator(), 1, 0});
      EXPECT_LE(testing_support::max_difference(values(a.out), expected), 2e-5);
      // Memory between the rows is not changed.
      std::int64_t others = 0;
      for (const double x : values(memory[5].view())) others += std::isnan(x) ? 1 : 0;
      EXPECT_EQ(others, 1 + 2 * 99 * 5);
    }
}

TEST(Mix, AnyNumberOfThreadsAgreesAndGivesItsWorkspaceBack) {
  for (const Mixer kind : testing_support::kMixers)
    for (const std::int64_t heads : {1, 2}) {
      SCOPED_TRACE(word(kind));
      MixerCase c = plain_case(kind);
      c.shape.q_heads = c.shape.kv_heads = heads;
      c.shape.n_tokens = 396;
      const MixerCall call(c);
      const std::vector<double> exact = call.reference();
      const std::vector<double> naive = mix_naive(call.options, call.a, call.rows(), 2);
      for (const int threads : {1, 2, 5}) {
        testing_support::CountingAllocator workspace;
        testing_support::fill(call.a.out, std::nan(""));
        mix(call.options, call.a, {workspace, threads, 3});
        testing_support::expect_near(values(call.a.out), exact, naive);
        EXPECT_EQ(workspace.active(), 0u);
        EXPECT_GT(workspace.peak(), 0u);
        EXPECT_THAT(workspace.workers(), ::testing::Each(3));
      }
    }
}

TEST(MixReference, RowsAreThoseOfTheWhole) {
  for (const Mixer kind : testing_support::kMixers) {
    SCOPED_TRACE(word(kind));
    const MixerCall call(plain_case(kind));
    const std::vector<double> all = call.reference();
    const std::vector<std::int64_t> rows = {0, 41, 98};
    const std::vector<double> some = mix_reference(call.options, call.a, rows);
    const auto width = static_cast<std::size_t>(call.shape.value_dim);
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t at = 0; at < 3; ++at)
        for (std::size_t x = 0; x < width; ++x)
          EXPECT_EQ(some[(h * 3 + at) * width + x],
                    all[(h * 99 + static_cast<std::size_t>(rows[at])) * width + x]);
  }
}

// The products of random features estimate those of softmax.
TEST(MixReference, PerformerOfManyFeaturesIsNearSoftmax) {
  MixerCase c = plain_case(Mixer::performer);
  c.options.rank = 16384;
  c.shape = {1, 1, 1, 12, 8, 4};
  const MixerCall call(c);
  for (const TensorView& view : {call.a.q, call.a.k})
    testing_support::change_elements(view, [](double x) { return 0.5 * x; });
  const testing_support::Attended exact = testing_support::brute_force<double>(
      call.a.q, call.a.k, call.a.v, call.a.scale, [](std::int64_t, std::int64_t) { return true; });
  EXPECT_LE(testing_support::max_difference(call.reference(), exact.out), 0.02);
}

TEST(MixReference, FullRanksAreExactAttention) {
  // With a landmark for each token and a well-conditioned matrix Z is its inverse, and with E = I
  // there is no projection.
  for (const Mixer kind : {Mixer::nystrom, Mixer::linformer}) {
    MixerCase c = plain_case(kind);
    c.shape = {1, 1, 1, 6, 16, 4};
    c.options.rank = 6;
    c.seed = 2;
    MixerCall call(c);
    call.a.scale = 4.0;
    if (kind == Mixer::linformer)
      for (std::int64_t r = 0; r < 6; ++r)
        for (std::int64_t x = 0; x < 6; ++x)
          call.a.projection.row_as<float>(0, 0, r)[x] = r == x ? 1.0f : 0.0f;
    if (kind == Mixer::nystrom) call.a.k = call.a.q;
    const testing_support::Attended exact =
        testing_support::brute_force<double>(call.a.q, call.a.k, call.a.v, call.a.scale,
                                             [](std::int64_t, std::int64_t) { return true; });
    EXPECT_LE(testing_support::max_difference(call.reference(), exact.out), 1e-6) << word(kind);
  }
}

// The column of a token is then the token alone.
TEST(MixReference, AxialOfOneRowIsExactAttention) {
  MixerCase c = plain_case(Mixer::axial);
  c.options.rows = 1;
  const MixerCall call(c);
  const testing_support::Attended exact = testing_support::brute_force<double>(
      call.a.q, call.a.k, call.a.v, call.a.scale, [](std::int64_t, std::int64_t) { return true; });
  EXPECT_LE(testing_support::max_difference(call.reference(), exact.out), 1e-12);
}

// What workers do that hold some rows, and then some columns one after another.
void expect_lines_and_transpose(const MixerCall& call) {
  const std::vector<double> expected = call.run(2);
  const KernelContext context{heap_allocator(), 2, 0};
  const std::int64_t rows = call.options.rows;
  const std::int64_t columns = call.shape.n_tokens / rows;
  attend_lines(call.a, columns, context);
  const auto like_out = [&] {
    return Tensor(heap_allocator(), DType::f32, call.a.out.extent, "transpose");
  };
  const Tensor transpose = like_out();
  const Tensor mixed = like_out();
  const auto for_each_column = [&](const auto& visit) {
    for (std::int64_t c = 0; c < columns; ++c) visit(call.a.out.tokens(c, rows, columns), c * rows);
  };
  for_each_column([&](const TensorView& column, std::int64_t first) {
    copy_rows(column, transpose.view().tokens(first, rows));
  });
  attend_lines({.q = transpose.view(),
                .k = transpose.view(),
                .v = transpose.view(),
                .scale = call.a.scale,
                .out = mixed.view()},
               rows, context);
  for_each_column([&](const TensorView& column, std::int64_t first) {
    copy_rows(mixed.view().tokens(first, rows), column);
  });
  EXPECT_LE(testing_support::max_difference(values(call.a.out), expected), 1e-6);
  EXPECT_THAT(
      [&] { attend_lines(call.a, 10, context); },
      ThrowsMessage<std::invalid_argument>("attend_lines: 99 tokens do not make lines of 10"));
}

TEST(Mix, AxialIsAttentionInLinesAndInLinesOfItsTranspose) {
  MixerCase c = plain_case(Mixer::axial);
  expect_lines_and_transpose(MixerCall(c));
  c.biased = true;
  expect_lines_and_transpose(MixerCall(c));
}

TEST(Mix, APairBiasOfZerosIsNoneAndOneOfMinusInfinityHidesAllKeys) {
  MixerCase c = plain_case(Mixer::axial);
  c.biased = true;
  MixerCall call(c);
  testing_support::fill(call.a.pair_bias, -HUGE_VAL);
  EXPECT_EQ(call.run(2), std::vector<double>(2 * 99 * 24));
  EXPECT_EQ(call.reference(), call.run(1));
  testing_support::fill(call.a.pair_bias, 0.0);
  const std::vector<double> zeros = call.run(2);
  call.a.pair_bias = {};
  EXPECT_LE(testing_support::max_difference(call.run(2), zeros), 1e-6);
}

TEST(Mix, LinesWithAPairBiasTakeTheSameMemoryWithoutComputing) {
  MixerCase c = plain_case(Mixer::axial);
  c.biased = true;
  const MixerCall call(c);
  for (const int threads : {1, 2, 3}) {
    testing_support::CountingAllocator computing;
    testing_support::CountingAllocator counting;
    attend_lines(call.a, 9, {computing, threads, 0});
    testing_support::fill(call.a.out, 7.0);
    attend_lines(call.a, 9, {counting, threads, 0, nullptr, false});
    EXPECT_THAT(values(call.a.out), ::testing::Each(7.0));
    EXPECT_EQ(computing.peak(), counting.peak());
    EXPECT_THAT(computing.labels(), ::testing::Each("axial"));
  }
}

TEST(Mix, WhatDoesNotFitIsRefusedByName) {
  const auto refusal = [](Mixer kind, auto change) {
    MixerCall call(plain_case(kind));
    change(call);
    try {
      mix(call.options, call.a, {heap_allocator(), 1, 0});
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("it was accepted");
  };
  EXPECT_EQ(refusal(Mixer::ssd, [](MixerCall& c) { c.options.causal = false; }),
            "mix: ssd must be causal");
  EXPECT_EQ(refusal(Mixer::nystrom, [](MixerCall& c) { c.options.causal = true; }),
            "mix: nystrom has no causal form");
  EXPECT_EQ(refusal(Mixer::gated_delta, [](MixerCall& c) { c.a.decay.extent.head_dim = 2; }),
            "mix: decay is [1, 2, 99, 2] and should be [1, 2, 99, 16]");
  EXPECT_EQ(refusal(Mixer::gated_delta, [](MixerCall& c) { c.a.beta = {}; }),
            "mix: there is no beta");
  EXPECT_EQ(refusal(Mixer::gated_delta, [](MixerCall& c) { c.a.k.extent.heads = 1; }),
            "mix: v is [1, 2, 99, 24] and should be [1, 1, 99, 24]");
  EXPECT_EQ(refusal(Mixer::nystrom, [](MixerCall& c) { c.options.rank = 100; }),
            "mix: 99 tokens do not make 100 landmarks; take a rank of at most 99");
  EXPECT_EQ(refusal(Mixer::linformer, [](MixerCall& c) { c.options.rank = 0; }),
            "mix: linformer needs a rank of at least 1");
  EXPECT_EQ(refusal(Mixer::perceiver, [](MixerCall& c) { c.a.v.extent.head_dim = 15; }),
            "mix: perceiver needs values as wide as keys, 16 columns and not 15");
  EXPECT_EQ(refusal(Mixer::perceiver, [](MixerCall& c) { c.a.projection.extent.length = 9; }),
            "mix: L is [1, 1, 9, 16] and should be [1, 1, 20, 16]");
  EXPECT_EQ(refusal(Mixer::axial, [](MixerCall& c) { c.options.rows = 10; }),
            "mix: 99 tokens do not make 10 equal rows; take a number that divides them");
  EXPECT_EQ(refusal(Mixer::axial, [](MixerCall& c) { c.a.pair_bias = c.a.v; }),
            "mix: pair_bias is [1, 2, 99, 24] and should be [1, 2, 9, 9]");
  EXPECT_EQ(
      refusal(Mixer::axial, [](MixerCall& c) { (c.a.pair_bias = c.a.v).dtype = DType::bf16; }),
      "mix: pair_bias must be f32, not bf16");
  EXPECT_EQ(refusal(Mixer::selective_scan, [](MixerCall& c) { c.a.pair_bias = c.a.v; }),
            "mix: selective_scan takes no pair bias");
  EXPECT_EQ(refusal(Mixer::linear, [](MixerCall& c) { c.options.chunk = 0; }),
            "mix: a chunk of 0 tokens is not possible");
  EXPECT_EQ(refusal(Mixer::performer, [](MixerCall& c) { c.a.scale = -1.0; }),
            "mix: the features of performer need a scale of at least 0, not -1");
  EXPECT_EQ(refusal(Mixer::performer, [](MixerCall& c) { c.a.projection.extent.length = 9; }),
            "mix: omega is [1, 1, 9, 16] and should be [1, 1, 20, 16]");
  EXPECT_EQ(refusal(Mixer::ssd, [](MixerCall& c) { c.a.decay = {}; }), "mix: there is no decay");
  EXPECT_EQ(refusal(Mixer::linear, [](MixerCall& c) { c.a.q.extent.length = 98; }),
            "mix: q has 98 tokens and k has 99");
  EXPECT_EQ(refusal(Mixer::linear, [](MixerCall& c) { c.a.out.dtype = DType::bf16; }),
            "mix: out must be f32, not bf16");
  EXPECT_EQ(refusal(Mixer::selective_scan, [](MixerCall& c) { c.a.delta.extent.length = 1; }),
            "mix: delta is [1, 2, 1, 24] and should be [1, 2, 99, 24]");
  EXPECT_THAT(refusal(Mixer::linear, [](MixerCall& c) { c.a.k.dtype = DType::f16; }),
              HasSubstr("different types"));
}

TEST(Mix, StatesAndGradientsThatThereAreNotAreRefused) {
  const MixerCall call(plain_case(Mixer::nystrom));
  const MixerState state{call.a.q, call.a.k};
  const KernelContext context{heap_allocator(), 1, 0};
  EXPECT_THAT([&] { mix(call.options, call.a, context, &state); },
              ThrowsMessage<std::invalid_argument>(
                  "mix: without a mask there are no earlier tokens; attend_state() takes the state "
                  "of all"));
  const Tensor landmarks(heap_allocator(), DType::f32, {1, 2, 20, 16}, "landmarks");
  const Tensor values(heap_allocator(), DType::f32, {1, 2, 20, 24}, "values");
  const Tensor lse(heap_allocator(), DType::f32, {1, 2, 20, 1}, "lse");
  EXPECT_THAT(
      [&] {
        attend_state(call.options, call.a, context, {landmarks.view(), landmarks.view()});
      },
      ThrowsMessage<std::invalid_argument>(
          "attend_state: it needs an operator without a mask, and its last exchange"));
  MixerOptions second = call.options;
  second.exchange = 1;
  EXPECT_THAT(
      [&] {
        mix_state(second, call.a, context, {values.view(), lse.view()});
      },
      ThrowsMessage<std::invalid_argument>("mix_state: there is no q_landmarks"));
  second.kind = Mixer::linformer;
  EXPECT_THAT([&] { mix_state(second, MixerCall(plain_case(Mixer::linformer)).a, context, state); },
              ThrowsMessage<std::invalid_argument>("mix_state: linformer has no exchange 1"));
  second.kind = Mixer::axial;
  EXPECT_THAT([&] { mix_state(second, MixerCall(plain_case(Mixer::axial)).a, context, state); },
              ThrowsMessage<Unsupported>(HasSubstr("axial has no state")));
  MixerArguments outside = call.a;
  outside.first_token = 1;
  outside.all_tokens = 99;
  EXPECT_THAT([&] { mix_state(call.options, outside, context, state); },
              ThrowsMessage<std::invalid_argument>(
                  "mix_state: 99 tokens from token 1 on are not some of 99"));
  EXPECT_THAT([&] { mix_backward(call.options, call.a, {}, context); },
              ThrowsMessage<Unsupported>(
                  "mix_backward: nystrom has no backward pass; axial, linear, ssd, gated_delta and "
                  "short_convolution have one"));
  MixerCase biased = plain_case(Mixer::axial);
  biased.biased = true;
  EXPECT_THAT(
      [&] { mix_backward(biased.options, MixerCall(biased).a, {}, context); },
      ThrowsMessage<Unsupported>("mix_backward: axial with a pair bias has no backward pass"));
  const MixerCall linear(plain_case(Mixer::linear));
  EXPECT_THAT([&] { mix_state(linear.options, linear.a, context, state); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("the matrix of a state is [")));
  EXPECT_THAT([&] { mix_backward(linear.options, linear.a, {}, context); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("mix_backward: d_out is [")));
}

}  // namespace
}  // namespace qb
