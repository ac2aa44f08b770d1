// SPDX-License-Identifier: Apache-2.0
// Tests what attention() promises besides its numbers: views, workspace, threads, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "base/status.h"
#include "kernels/attention.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Attention, StridedViewsGiveTheSameAsCopies) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    // It views every third of 300 tokens, which lie as [b, token, head, d].
    const auto strided = [](const Tensor& whole) {
      TensorView view = whole.view();
      view.extent = {1, 2, 300, 16};
      view.head_stride = 16;
      view.token_stride = 32;
      return view.tokens(1, 99, 3);
    };
    const Tensor whole[] = {testing_support::random_tensor(DType::f32, {1, 1, 300, 32}, 1),
                            testing_support::random_tensor(DType::f32, {1, 1, 300, 32}, 2),
                            testing_support::random_tensor(DType::f32, {1, 1, 300, 32}, 3)};
    std::vector<Tensor> copies;
    for (const Tensor& tensor : whole) {
      const TensorView view = strided(tensor);
      copies.emplace_back(heap_allocator(), DType::f32, view.extent, "copy");
      for (std::int64_t h = 0; h < 2; ++h)
        for (std::int64_t t = 0; t < 99; ++t)
          std::copy_n(view.row_as<float>(0, h, t), 16, copies.back().view().row_as<float>(0, h, t));
    }
    testing_support::Call call(
        std::move(copies[0]), std::move(copies[1]), std::move(copies[2]),
        testing_support::dense_schedule(kernel, Mask::causal(99, 99), 99, 99));
    const testing_support::Attended expected = call.run(kernel);

    const Tensor out = testing_support::random_tensor(DType::f32, {1, 1, 300, 32}, 4);
    AttentionArguments arguments = call.arguments();
    arguments.q = strided(whole[0]);
    arguments.k = strided(whole[1]);
    arguments.v = strided(whole[2]);
    arguments.out = strided(out);
    attention(kernel, arguments, {heap_allocator(), 1, 0});
    EXPECT_LE(testing_support::max_difference(testing_support::values(arguments.out), expected.out),
              1e-6);
    // Tokens between the strides are not changed.
    EXPECT_EQ(testing_support::values(out.view())[0],
              testing_support::values(
                  testing_support::random_tensor(DType::f32, {1, 1, 300, 32}, 4).view())[0]);
  }
}

TEST(Attention, WorkspaceIsWhatWasPredictedAndIsGivenBack) {
  for (const Kernel kernel : testing_support::kKernels)
    for (const DType dtype : {DType::f32, DType::f16})
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(std::string(word(kernel)) + " " + std::string(word(dtype)));
        const Extent q{2, 4, 33, 40};
        const Extent k{2, 2, 57, 40};
        testing_support::Call call(testing_support::random_tensor(dtype, q, 1),
                                   testing_support::random_tensor(dtype, k, 2),
                                   testing_support::random_tensor(dtype, {2, 2, 57, 24}, 3),
                                   testing_support::dense_schedule(kernel, Mask::full(), 33, 57));
        testing_support::CountingAllocator workspace;
        (void)call.run(kernel, threads, workspace);
        EXPECT_EQ(static_cast<std::int64_t>(workspace.peak()),
                  kernel_workspace_bytes(kernel, q, k, dtype, threads, 24));
        EXPECT_EQ(workspace.active(), 0u);
      }
}

TEST(Attention, TemporariesOfMaterializedAreLabelled) {
  testing_support::Call call(
      testing_support::random_tensor(DType::f16, {1, 1, 9, 8}, 1),
      testing_support::random_tensor(DType::f16, {1, 1, 9, 8}, 2),
      testing_support::random_tensor(DType::f16, {1, 1, 9, 8}, 3),
      testing_support::dense_schedule(Kernel::materialized, Mask::full(), 9, 9));
  testing_support::CountingAllocator workspace;
  attention(Kernel::materialized, call.arguments(), {workspace, 1, 5});
  EXPECT_THAT(workspace.labels(), ::testing::ElementsAre("q_f32", "k_f32", "v_f32", "scores"));
  EXPECT_THAT(workspace.workers(), ::testing::Each(5));
}

TEST(Attention, ManyCallersAtOnceGetTheSameAsOne) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    std::vector<testing_support::Call> calls;
    for (int caller = 0; caller < 3; ++caller)
      calls.emplace_back(testing_support::random_tensor(DType::f32, {1, 2, 130, 32}, 1),
                         testing_support::random_tensor(DType::f32, {1, 2, 130, 32}, 2),
                         testing_support::random_tensor(DType::f32, {1, 2, 130, 32}, 3),
                         testing_support::dense_schedule(kernel, Mask::causal(130, 130), 130, 130));
    const testing_support::Attended alone = calls[0].run(kernel);
    std::vector<testing_support::Attended> found(calls.size());
    {
      std::vector<std::jthread> callers;
      for (std::size_t i = 0; i < calls.size(); ++i)
        callers.emplace_back([&, i] { found[i] = calls[i].run(kernel, 2); });
    }
    for (const testing_support::Attended& each : found)
      EXPECT_LE(testing_support::max_difference(each.out, alone.out), 1e-6);
  }
}

TEST(Attention, ShapesThatDoNotFitAreRefusedByName) {
  testing_support::Call call(testing_support::random_tensor(DType::f32, {1, 4, 8, 16}, 1),
                             testing_support::random_tensor(DType::f32, {1, 2, 9, 16}, 2),
                             testing_support::random_tensor(DType::f32, {1, 2, 9, 16}, 3),
                             testing_support::dense_schedule(Kernel::flash, Mask::full(), 8, 9));
  const auto attend = [](const AttentionArguments& a) {
    attention(Kernel::flash, a, {heap_allocator(), 1, 0});
  };
  AttentionArguments wrong = call.arguments();
  wrong.v.extent.length = 8;
  EXPECT_THAT([&] { attend(wrong); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("v is [1, 2, 8, 16]")));
  wrong = call.arguments();
  wrong.k.extent.heads = 3;
  EXPECT_THAT([&] { attend(wrong); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("not a multiple of 3")));
  wrong = call.arguments();
  wrong.k.dtype = DType::f16;
  EXPECT_THAT([&] { attend(wrong); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("different types")));
  const TileSchedule other = testing_support::dense_schedule(Kernel::flash, Mask::full(), 8, 10);
  wrong = call.arguments();
  wrong.schedule = &other;
  EXPECT_THAT([&] { attend(wrong); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("tile schedule has 8 queries")));
}

TEST(Attention, KernelThatTakesAnotherTypeOrDeviceIsNamed) {
  testing_support::Call call(testing_support::random_tensor(DType::bf16, {1, 1, 2, 8}, 1),
                             testing_support::random_tensor(DType::bf16, {1, 1, 2, 8}, 2),
                             testing_support::random_tensor(DType::bf16, {1, 1, 2, 8}, 3),
                             testing_support::dense_schedule(Kernel::staged, Mask::full(), 2, 2));
  EXPECT_THAT([&] { (void)call.run(Kernel::staged); },
              ThrowsMessage<Unsupported>(
                  HasSubstr("kernel staged takes inputs of type f32 on the CPU, not bf16; these "
                            "kernels take bf16 there: reference, materialized, flash")));
  EXPECT_THAT([] { require_gpu_kernel(Kernel::flash, DType::f32); },
              ThrowsMessage<Unsupported>(HasSubstr("there: materialized, staged")));
  EXPECT_THAT([] { require_gpu_kernel(Kernel::materialized, DType::f64); },
              ThrowsMessage<Unsupported>(HasSubstr("no kernel takes f64 there")));
  EXPECT_NO_THROW(require_gpu_kernel(Kernel::flash, DType::bf16));
}

TEST(Attention, OnlyFlashTakesResidueClasses) {
  for (const Kernel kernel : testing_support::kKernels) {
    testing_support::Call call(testing_support::random_tensor(DType::f32, {1, 1, 8, 16}, 1),
                               testing_support::random_tensor(DType::f32, {1, 1, 8, 16}, 2),
                               testing_support::random_tensor(DType::f32, {1, 1, 8, 16}, 3),
                               testing_support::dense_schedule(kernel, Mask::full(), 4, 4));
    TileSchedule whole{8, 8, {}, {}, {}, {{0, 0, 2, 0}, {1, 1, 2, 0}}, {call.schedule}};
    call.schedule = whole;
    EXPECT_EQ(kernel_tiles(kernel, 16).residue_classes, kernel == Kernel::flash);
    if (kernel == Kernel::flash)
      EXPECT_TRUE(std::isfinite(call.run(kernel).lse[7]));
    else
      EXPECT_THROW((void)call.run(kernel), std::invalid_argument);
  }
}

TEST(Attention, HeadDimAbove256AndFloat64AreUnsupported) {
  for (const Kernel kernel : {Kernel::materialized, Kernel::flash}) {
    testing_support::Call wide(testing_support::random_tensor(DType::f32, {1, 1, 2, 257}, 1),
                               testing_support::random_tensor(DType::f32, {1, 1, 2, 257}, 2),
                               testing_support::random_tensor(DType::f32, {1, 1, 2, 257}, 3),
                               testing_support::dense_schedule(kernel, Mask::full(), 2, 2));
    EXPECT_THROW((void)wide.run(kernel), Unsupported);
    testing_support::Call f64(testing_support::random_tensor(DType::f64, {1, 1, 2, 8}, 1),
                              testing_support::random_tensor(DType::f64, {1, 1, 2, 8}, 2),
                              testing_support::random_tensor(DType::f64, {1, 1, 2, 8}, 3),
                              testing_support::dense_schedule(kernel, Mask::full(), 2, 2));
    EXPECT_THROW((void)f64.run(kernel), Unsupported);
    EXPECT_TRUE(std::isfinite(f64.run(Kernel::reference).lse[0]));
  }
}

TEST(Attention, NamesItsInstructionSet) {
  EXPECT_FALSE(kernel_isa(Kernel::flash).empty());
  EXPECT_FALSE(kernel_isa(Kernel::materialized).empty());
}

}  // namespace
}  // namespace qb
