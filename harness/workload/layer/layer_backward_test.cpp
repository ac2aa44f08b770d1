// SPDX-License-Identifier: Apache-2.0
// Compares the backward pass of a layer with float64, and ways to compute it with each other.
#include "harness/workload/layer/layer_backward.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/failing_allocator.h"
#include "harness/workload/layer/testing/backward_fakes.h"
#include "kernels/testing/backward_support.h"

namespace qb {
namespace {

using testing_support::LayerStep;
using testing_support::random_mask;

void expect_correct(const LayerStep& step, const std::string& mask = {}) {
  const LayerShape& shape = step.layer.shape;
  const LayerOptions& options = step.layer.options;
  SCOPED_TRACE(fmt::format("{} {} batch {} N {} heads {} of {} d {} F {} block {} threads {} {}",
                           word(step.dtype), word(options.kernel), shape.batch, shape.n_tokens,
                           shape.heads, shape.key_heads(), shape.head_dim, shape.feed_forward_dim,
                           options.block_tokens, options.threads, mask));
  const Verification verification = step.verify(step.run());
  EXPECT_TRUE(verification.correct) << verification.message;
}

// Returns the largest difference between gradients, in parts of the largest gradient of the tensor.
double distance(const LayerStep::Result& a, const LayerStep::Result& b) {
  const auto apart = [](const std::vector<double>& x, const std::vector<double>& y) {
    return testing_support::max_difference(x, y) / testing_support::largest_magnitude(y);
  };
  const auto states = [](const LayerStep::Result& of) {
    return std::vector<double>(of.d_x.begin(), of.d_x.end());
  };
  return std::max(apart(states(a), states(b)), apart(testing_support::values_of(a.d_weights),
                                                     testing_support::values_of(b.d_weights)));
}

void expect_same_bits(const LayerStep::Result& a, const LayerStep::Result& b) {
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.d_x, b.d_x);
  EXPECT_EQ(testing_support::values_of(a.d_weights), testing_support::values_of(b.d_weights));
}

TEST(LayerBackward, IsThatOfFloat64ForAnyTypeShapeMaskKernelAndBlock) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> values) {
    return values[random() % values.size()];
  };
  for (int i = 0; i < 40; ++i) {
    const DType dtype = std::vector{DType::f32, DType::f32, DType::f16, DType::bf16}[random() % 4];
    const std::int64_t kv_heads = one_of({1, 1, 2, 3});
    // With one hidden unit the error would be one number, and so would the naive error that the
    // tolerance comes from, which may be 0 by chance.
    const LayerShape shape{.batch = one_of({1, 1, 2}),
                           .n_tokens = one_of({1, 2, 17, 64, 131}),
                           .heads = kv_heads * one_of({1, 1, 2, 3}),
                           .head_dim = one_of({8, 9, 16, 33}),
                           .feed_forward_dim = one_of({5, 20, 257}),
                           .kv_heads = kv_heads};
    const MaskSpec mask = random_mask(shape.n_tokens, random);
    LayerStep step(shape, mask, dtype, random());
    LayerOptions& options = step.layer.options;
    options.kernel =
        std::vector{Kernel::flash, Kernel::materialized, Kernel::reference}[random() % 3];
    options.block_tokens = one_of({0, 1, 7, 64, 1000});
    options.threads = static_cast<int>(one_of({1, 2, 3}));
    expect_correct(step, mask.text());
  }
}

TEST(LayerBackward, OfOneTokenIsThatOfFloat64) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    expect_correct(LayerStep({1, 1, 12, 64, 3072}, MaskKind::full, dtype, 5));
}

TEST(LayerBackward, OfBertBaseIsThatOfFloat64) {
  for (const std::int64_t block : {0, 24}) {
    LayerStep step({1, 60, 12, 64, 3072}, MaskKind::full, DType::f32, 6);
    step.layer.options.block_tokens = block;
    step.layer.options.threads = 2;
    expect_correct(step);
  }
}

TEST(LayerBackward, TakesOutliersInTheHiddenStates) {
  for (const float outlier : {100.0f, -3000.0f}) {
    LayerStep step({1, 77, 4, 16, 256, 2}, MaskKind::causal, DType::f32, 7);
    step.layer.add_outlier_channel(outlier);
    step.layer.options.block_tokens = 20;
    expect_correct(step);
  }
}

TEST(LayerBackward, BlocksChangeNoMoreThanRoundings) {
  LayerStep step({2, 97, 4, 16, 64, 2}, MaskKind::causal, DType::f32, 8);
  const LayerStep::Result plain = step.run();
  for (const std::int64_t block : {1, 13, 96}) {
    step.layer.options.block_tokens = block;
    EXPECT_LT(distance(step.run(), plain), 2e-5) << block;
  }
  for (const std::int64_t block : {97, 98}) {
    step.layer.options.block_tokens = block;
    expect_same_bits(step.run(), plain);
  }
}

TEST(LayerBackward, ThreadsChangeNoMoreThanRoundings) {
  for (const std::int64_t block : {0, 40}) {
    LayerStep step({1, 90, 4, 16, 64}, MaskKind::full, DType::f32, 9);
    step.layer.options.block_tokens = block;
    const LayerStep::Result one = step.run();
    step.layer.options.threads = 3;
    EXPECT_LT(distance(step.run(), one), 2e-5) << block;
  }
}

TEST(LayerBackward, AddsToTheGradientsOfWeightsAndLeavesWhatWasKept) {
  for (const std::int64_t block : {0, 10}) {
    LayerStep step({1, 33, 2, 16, 50}, MaskKind::causal, DType::f32, 10);
    step.layer.options.block_tokens = block;
    const LayerStep::Result once = step.run();
    LayerStep::Result twice = step.run(heap_allocator(), 2);
    EXPECT_EQ(twice.d_x, once.d_x);
    const TensorView& sums = twice.d_weights.view();
    for (std::int64_t i = 0; i < sums.extent.elements(); ++i)
      static_cast<float*>(sums.data)[i] /= 2.0f;
    EXPECT_LT(distance(twice, once), 1e-5);
  }
}

TEST(LayerBackward, ReadsNothingThatWasNotWritten) {
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const Kernel kernel : {Kernel::flash, Kernel::materialized})
      for (const std::int64_t block : {0, 10}) {
        LayerStep step({2, 33, 4, 9, 50, 2}, MaskKind::causal, dtype, 11);
        step.layer.options.kernel = kernel;
        step.layer.options.block_tokens = block;
        const LayerStep::Result poisoned = step.run(testing_support::poisoned_allocator());
        EXPECT_LT(distance(poisoned, step.run()), 64.0 * unit_roundoff(dtype));
      }
}

TEST(LayerBackward, KeepingChangesNoBitOfTheForwardPass) {
  for (const std::int64_t block : {0, 10}) {
    LayerStep step({2, 33, 4, 16, 50, 2}, MaskKind::causal, DType::f32, 12);
    step.layer.options.block_tokens = block;
    EXPECT_EQ(step.run().y, step.layer.run());
  }
}

TEST(LayerBackward, GivesEverythingBackWhereverMemoryRunsOut) {
  for (const std::int64_t block : {0, 16}) {
    LayerStep step({1, 40, 2, 16, 64}, MaskKind::causal, DType::f16, 13);
    step.layer.options.block_tokens = block;
    MemoryLedger ledger;
    const int failures =
        run_out_at_each_request(ledger, [&](Allocator& memory) { (void)step.run(memory); });
    EXPECT_GT(failures, 40);
  }
}

TEST(LayerBackward, TimesEveryPart) {
  for (const std::int64_t block : {0, 16}) {
    LayerStep step({1, 64, 2, 16, 64}, MaskKind::full, DType::f32, 14);
    step.layer.options.block_tokens = block;
    const DeviceLayer::Run run = step.run().run;
    for (const double seconds : run.times) EXPECT_GT(seconds, 0.0);
    const double all = std::accumulate(run.times.begin(), run.times.end(), 0.0);
    EXPECT_LE(all, run.wall_s);
  }
}

TEST(LayerBackward, IsRefusedWhereThereIsNone) {
  LayerStep step({1, 4, 2, 8, 8}, MaskKind::full, DType::f32, 15);
  EXPECT_NO_THROW((void)step.run());
  step.layer.options.kernel = Kernel::staged;
  EXPECT_THROW((void)step.run(), Unsupported);
  step.layer.options.kernel = Kernel::flash;
  step.layer.options.workers = 2;
  EXPECT_THROW((void)step.run(), Unsupported);
  step.layer.options.workers = 1;
  DeviceProbe gpu;  // has no backward pass of a layer
  EXPECT_THROW((void)step.run_on(gpu, heap_allocator()), Unsupported);
  EXPECT_THROW(
      (void)rehearse_layer(step.layer.shape, DType::f16, step.layer.options,
                           cuda::GpuKernelCosts(cuda::FlashPath::sm90, 132), Passes::backward),
      Unsupported);
}

TEST(LayerBackward, CountsTheFlopOfTheGradients) {
  const LayerShape shape{2, 10, 12, 64, 3072};
  EXPECT_EQ(layer_part_backward_flop(shape, LayerPart::qkv, 0), 4.0 * 20 * 768 * 3 * 768);
  EXPECT_EQ(layer_part_backward_flop(shape, LayerPart::attention, 55), 10.0 * 2 * 55 * 12 * 64);
  EXPECT_EQ(layer_part_backward_flop(shape, LayerPart::feed_forward_in, 0), 4.0 * 20 * 768 * 3072);
  EXPECT_EQ(layer_part_backward_flop(shape, LayerPart::gelu, 0), 0.0);
}

}  // namespace
}  // namespace qb
