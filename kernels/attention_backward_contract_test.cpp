// SPDX-License-Identifier: Apache-2.0
// Tests what attention_backward() promises besides its numbers: sums, views, workspace, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "base/status.h"
#include "kernels/attention_backward.h"
#include "kernels/testing/backward_support.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing_support::BackwardCall;
using testing_support::Gradients;
using testing_support::random_tensor;

BackwardCall causal_call(Kernel kernel, DType dtype, std::int64_t n = 99) {
  const Mask mask = Mask::causal(n, n);
  BackwardCall call(random_tensor(dtype, {1, 2, n, 16}, 1), random_tensor(dtype, {1, 2, n, 16}, 2),
                    random_tensor(dtype, {1, 2, n, 16}, 3), random_tensor(dtype, {1, 2, n, 16}, 4),
                    testing_support::dense_schedule(kernel, mask, n, n));
  testing_support::set_forward(call, mask);
  return call;
}

TEST(AttentionBackward, AddsToWhatTheSumsHold) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    const BackwardCall call = causal_call(kernel, DType::f32);
    const Gradients once = call.run(kernel);
    for (const Tensor* const sum : {&call.d_q, &call.d_k, &call.d_v})
      testing_support::fill(sum->view(), 5.0);
    attention_backward(kernel, call.arguments(), {heap_allocator(), 1, 0});
    Gradients raised = call.gradients();
    for (std::vector<double>* const of : {&raised.d_q, &raised.d_k, &raised.d_v})
      for (double& value : *of) value -= 5.0;
    EXPECT_LE(testing_support::max_difference(raised.d_q, once.d_q), 4e-6);
    EXPECT_LE(testing_support::max_difference(raised.d_k, once.d_k), 4e-6);
    EXPECT_LE(testing_support::max_difference(raised.d_v, once.d_v), 4e-6);
  }
}

// Returns every third of 300 tokens, which lie as [b, token, head, d].
TensorView every_third(const Tensor& whole) {
  TensorView view = whole.view();
  view.extent = {1, 2, 300, 16};
  view.head_stride = 16;
  view.token_stride = 32;
  return view.tokens(1, 99, 3);
}

TEST(AttentionBackward, StridedViewsGiveTheSameAsCopies) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    const BackwardCall call = causal_call(kernel, DType::f32);
    const Gradients expected = call.run(kernel);
    std::vector<Tensor> whole;
    for (int i = 0; i < 7; ++i) whole.emplace_back(random_tensor(DType::f32, {1, 1, 300, 32}, 10));
    BackwardArguments arguments = call.arguments();
    std::size_t next = 0;
    for (TensorView* const view : {&arguments.q, &arguments.k, &arguments.v, &arguments.d_out,
                                   &arguments.d_q, &arguments.d_k, &arguments.d_v}) {
      const TensorView contiguous = *view;
      *view = every_third(whole[next++]);
      for (std::int64_t h = 0; h < 2; ++h)
        for (std::int64_t t = 0; t < 99; ++t)
          std::copy_n(contiguous.row_as<float>(0, h, t), 16, view->row_as<float>(0, h, t));
    }
    for (const TensorView& sum : {arguments.d_q, arguments.d_k, arguments.d_v})
      testing_support::fill(sum, 0.0);
    attention_backward(kernel, arguments, {heap_allocator(), 1, 0});
    EXPECT_LE(testing_support::max_difference(testing_support::values(arguments.d_q), expected.d_q),
              1e-5);
    EXPECT_LE(testing_support::max_difference(testing_support::values(arguments.d_k), expected.d_k),
              1e-5);
    EXPECT_LE(testing_support::max_difference(testing_support::values(arguments.d_v), expected.d_v),
              1e-5);
    // Tokens between the strides are not changed.
    const Tensor before = random_tensor(DType::f32, {1, 1, 300, 32}, 10);
    for (const Tensor& tensor : whole) {
      const std::vector<double> now = testing_support::values(tensor.view());
      const std::vector<double> then = testing_support::values(before.view());
      for (std::size_t token = 0; token < 300; token += 3)
        EXPECT_EQ(now[token * 32 + 5], then[token * 32 + 5]) << token;
    }
  }
}

TEST(AttentionBackward, WorkspaceIsWhatWasPredictedAndIsGivenBack) {
  for (const Kernel kernel : testing_support::kKernels)
    for (const DType dtype : {DType::f32, DType::f16})
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(std::string(word(kernel)) + " " + std::string(word(dtype)));
        const Extent q{2, 4, 33, 40};
        const Extent k{2, 2, 57, 40};
        BackwardCall call(random_tensor(dtype, q, 1), random_tensor(dtype, k, 2),
                          random_tensor(dtype, {2, 2, 57, 24}, 3),
                          random_tensor(dtype, {2, 4, 33, 24}, 4),
                          testing_support::dense_schedule(kernel, Mask::full(), 33, 57));
        testing_support::set_forward(call, Mask::full());
        testing_support::CountingAllocator workspace;
        (void)call.run(kernel, threads, workspace);
        EXPECT_EQ(static_cast<std::int64_t>(workspace.peak()),
                  backward_workspace_bytes(kernel, q, k, dtype, threads, 24));
        EXPECT_EQ(workspace.active(), 0u);
      }
}

TEST(AttentionBackward, TemporariesAreLabelled) {
  const auto labels_of = [](Kernel kernel, DType dtype) {
    const BackwardCall call = causal_call(kernel, dtype, 9);
    testing_support::CountingAllocator workspace;
    attention_backward(kernel, call.arguments(), {workspace, 1, 5});
    EXPECT_THAT(workspace.workers(), ::testing::Each(5));
    return workspace.labels();
  };
  EXPECT_THAT(
      labels_of(Kernel::materialized, DType::f16),
      ::testing::ElementsAre("q_f32", "k_f32", "v_f32", "d_out_f32", "scores", "score_gradients"));
  EXPECT_THAT(labels_of(Kernel::materialized, DType::f32),
              ::testing::ElementsAre("scores", "score_gradients"));
  EXPECT_THAT(labels_of(Kernel::flash, DType::f16), ::testing::ElementsAre("backward_tiles"));
}

TEST(AttentionBackward, ManyCallersAtOnceGetTheSameAsOne) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    std::vector<BackwardCall> calls;
    for (int caller = 0; caller < 3; ++caller)
      calls.push_back(causal_call(kernel, DType::f32, 130));
    const Gradients alone = calls[0].run(kernel);
    std::vector<Gradients> found(calls.size());
    {
      std::vector<std::jthread> callers;
      for (std::size_t i = 0; i < calls.size(); ++i)
        callers.emplace_back([&, i] { found[i] = calls[i].run(kernel, 2); });
    }
    for (const Gradients& each : found) {
      EXPECT_LE(testing_support::max_difference(each.d_q, alone.d_q), 1e-5);
      EXPECT_LE(testing_support::max_difference(each.d_k, alone.d_k), 1e-5);
    }
  }
}

TEST(AttentionBackward, ShapesThatDoNotFitAreRefusedByName) {
  const BackwardCall call = causal_call(Kernel::flash, DType::f32, 8);
  const auto refusal = [&](auto change) {
    BackwardArguments wrong = call.arguments();
    change(wrong);
    try {
      attention_backward(Kernel::flash, wrong, {heap_allocator(), 1, 0});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("it was accepted");
  };
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.d_out.extent.length = 7; }),
              HasSubstr("attention_backward: d_out is [1, 2, 7, 16]"));
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.d_k.extent.heads = 1; }),
              HasSubstr("d_k is [1, 1, 8, 16] and should be [1, 2, 8, 16]"));
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.delta.extent.head_dim = 16; }),
              HasSubstr("delta is [1, 2, 8, 16]"));
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.d_out.dtype = DType::f16; }),
              HasSubstr("d_out and q have different types: f16, f32"));
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.d_v.dtype = DType::f16; }),
              HasSubstr("must be f32"));
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.schedule = nullptr; }),
              HasSubstr("there is no tile schedule"));
  const BackwardArguments right = call.arguments();
  EXPECT_THAT(
      [&] {
        attention_backward(Kernel::flash, right, {heap_allocator(), 0, 0});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("0 threads")));
}

TEST(AttentionBackward, KernelsWithoutItAreNamed) {
  EXPECT_THAT([] { require_backward_kernel(Kernel::staged, DType::f32); },
              ThrowsMessage<Unsupported>(HasSubstr("kernel staged has no backward pass on the CPU; "
                                                   "these kernels have: reference, materialized, "
                                                   "flash")));
  EXPECT_THAT([] { require_backward_kernel(Kernel::flash, DType::f64); },
              ThrowsMessage<Unsupported>(HasSubstr("these kernels take f64 there: reference")));
  EXPECT_NO_THROW(require_backward_kernel(Kernel::reference, DType::f64));
  const BackwardCall wide(
      random_tensor(DType::f32, {1, 1, 2, 257}, 1), random_tensor(DType::f32, {1, 1, 2, 257}, 2),
      random_tensor(DType::f32, {1, 1, 2, 257}, 3), random_tensor(DType::f32, {1, 1, 2, 257}, 4),
      testing_support::dense_schedule(Kernel::flash, Mask::full(), 2, 2));
  EXPECT_THROW((void)wide.run(Kernel::flash), Unsupported);
}

TEST(Delta, IsTheSumOfARowOfDOTimesO) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t e : {1, 7, 64, 300}) {
      const Tensor out = random_tensor(DType::f32, {2, 3, 50, e}, 1);
      const Tensor d_out = random_tensor(dtype, {2, 3, 50, e}, 2);
      const Tensor delta(heap_allocator(), DType::f32, {2, 3, 50, 1}, "delta");
      compute_delta(out.view(), d_out.view(), delta.view(), 2);
      const std::vector<double> a = testing_support::values(out.view());
      const std::vector<double> b = testing_support::values(d_out.view());
      const std::vector<double> found = testing_support::values(delta.view());
      for (std::size_t row = 0; row < found.size(); ++row) {
        double sum = 0.0;
        double size = 0.0;
        for (std::size_t x = row * static_cast<std::size_t>(e);
             x < (row + 1) * static_cast<std::size_t>(e); ++x) {
          sum += a[x] * b[x];
          size += std::abs(a[x] * b[x]);
        }
        ASSERT_NEAR(found[row], sum, unit_roundoff(DType::f32) * size);
      }
    }
}

TEST(Delta, RefusesShapesThatDoNotFit) {
  const Tensor out = random_tensor(DType::f32, {1, 1, 5, 8}, 1);
  const Tensor wide = random_tensor(DType::f32, {1, 1, 5, 9}, 1);
  const Tensor delta(heap_allocator(), DType::f32, {1, 1, 5, 1}, "delta");
  EXPECT_THAT([&] { compute_delta(out.view(), wide.view(), delta.view()); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("d_out is [1, 1, 5, 9]")));
  EXPECT_THAT([&] { compute_delta(out.view(), out.view(), out.view()); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("delta is [1, 1, 5, 8]")));
}

}  // namespace
}  // namespace qb
