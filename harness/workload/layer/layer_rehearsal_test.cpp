// SPDX-License-Identifier: Apache-2.0
// Compares predicted memory with that of a host that imitates a GPU, byte for byte.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "base/status.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/workload/layer/layer_backward.h"
#include "harness/workload/layer/testing/layer_fakes.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb {
namespace {

using testing_support::random_mask;

struct Layer {
  LayerShape shape;
  DType dtype = DType::f16;
  LayerOptions options;

  [[nodiscard]] Rehearsal told(const cuda::KernelCosts& costs) const {
    return rehearse_layer(shape, dtype, options, costs);
  }
};

struct LayerPeaks {
  std::int64_t active = 0;
  std::int64_t worker = 0;
};

// Runs the layer `runs` times: the peaks are the same from the first run on.
LayerPeaks measured(const Layer& layer, const MemoryLedger::Options& options = {}, int runs = 1) {
  DeviceProbe device;
  MemoryLedger ledger(options);
  const LayerWeights weights(layer.shape, ledger, layer.dtype);
  const Tensor x(ledger, layer.dtype, layer.shape.states(), "hidden_states");
  const Tensor y(ledger, layer.dtype, layer.shape.states(), "output");
  for (const TensorView& view : {weights.view(), x.view()})
    device.fill(view.data, 0, static_cast<std::size_t>(view.bytes()));
  ledger.reset_peaks();
  DeviceLayer on_device(device, layer.shape, layer.dtype, layer.options, ClockKind::synchronized,
                        ledger);
  for (int run = 0; run < runs; ++run) (void)on_device.run(weights, x.view(), y.view());
  return {static_cast<std::int64_t>(ledger.active_peak_bytes()),
          static_cast<std::int64_t>(ledger.worker_peak_bytes(0))};
}

TEST(LayerRehearsal, TellsTheMemoryOfEveryTypeKernelMaskAndBlockToTheByte) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> values) {
    return values[random() % values.size()];
  };
  for (int i = 0; i < 120; ++i) {
    Layer layer;
    // The peak of a narrow feed-forward is in the attention, that of a wide one after it.
    layer.shape = {one_of({1, 1, 2}), one_of({1, 2, 17, 64, 131, 257}), one_of({1, 3, 4}),
                   one_of({8, 16, 33}), one_of({1, 64, 999})};
    layer.dtype = std::vector{DType::f16, DType::bf16, DType::f32}[random() % 3];
    const MaskSpec mask = random_mask(layer.shape.n_tokens, random);
    layer.options.mask = mask.mask(layer.shape.n_tokens, layer.shape.n_tokens);
    layer.options.kernel = random() % 2 == 0 ? Kernel::flash : Kernel::materialized;
    layer.options.block_tokens = one_of({0, 1, 16, 64, 100, 1000});
    SCOPED_TRACE(fmt::format("{} {} N {} heads {} d {} F {} block {} {}", word(layer.dtype),
                             word(layer.options.kernel), layer.shape.n_tokens, layer.shape.heads,
                             layer.shape.head_dim, layer.shape.feed_forward_dim,
                             layer.options.block_tokens, mask.text()));
    const Rehearsal told = layer.told(ProbeCosts());
    const LayerPeaks peaks = measured(layer, {}, 1 + i % 2);
    EXPECT_EQ(told.active_peak_bytes, peaks.active);
    EXPECT_EQ(told.worker_peak_bytes, peaks.worker);
  }
}

TEST(LayerRehearsal, IsTheBudgetInWhichTheLayerJustRuns) {
  for (const std::int64_t block : {0, 20}) {
    Layer layer{{1, 90, 2, 16, 500}, DType::bf16, {}};
    layer.options.block_tokens = block;
    MemoryLedger::Options options;
    options.budget_bytes =
        static_cast<std::uint64_t>(layer.told(ProbeCosts()).active_peak_bytes.value());
    EXPECT_EQ(static_cast<std::uint64_t>(measured(layer, options).active), options.budget_bytes);
    options.budget_bytes -= 1;
    EXPECT_THROW((void)measured(layer, options), OutOfMemory);
  }
}

// f16, N = 4096, H = 768, F = 3072, on a GPU of 132 multiprocessors.
Layer rehearsed_bert(std::int64_t block_tokens) {
  Layer layer{{1, 4096, 12, 64, 3072}, DType::f16, {}};
  layer.options.block_tokens = block_tokens;
  return layer;
}
constexpr std::int64_t kStates = std::int64_t{4096} * 768 * 2;  // bytes

TEST(LayerRehearsal, CountsWhatAGpusProductsAndAttentionTake) {
  const cuda::GpuKernelCosts costs(cuda::FlashPath::sm90, 132);
  const Layer layer = rehearsed_bert(0);
  const Rehearsal told = layer.told(costs);
  // The test allocates states and output. During the feed-forward's first product a, its activation
  // and 32 MiB of cuBLAS are allocated; the lists of attention, 22 tiles of 32 full blocks and each
  // of them for every head, are some KiB.
  const std::int64_t during_product = kStates + 4 * kStates + (32 << 20);
  EXPECT_GT(told.worker_peak_bytes, during_product);
  EXPECT_LT(told.worker_peak_bytes, during_product + 8192);
  EXPECT_EQ(told.active_peak_bytes.value() - told.worker_peak_bytes.value(),
            2 * kStates + LayerWeights(layer.shape, heap_allocator(), DType::f16).view().bytes());
  // In blocks the activation is small, and the peak is keys, values and their product's workspace.
  const Rehearsal blocks = rehearsed_bert(256).told(costs);
  EXPECT_LT(blocks.worker_peak_bytes.value(), 2 * kStates + (32 << 20) + kStates);
}

TEST(LayerRehearsal, CountsThePairsOfTheGpusTiles) {
  const cuda::GpuKernelCosts costs(cuda::FlashPath::sm90, 132);
  EXPECT_EQ(rehearsed_bert(0).told(costs).executed_pairs, std::int64_t{4096} * 4096);
  EXPECT_EQ(rehearsed_bert(256).told(costs).executed_pairs, std::int64_t{4096} * 4096);
  Layer window = rehearsed_bert(1024);
  window.options.mask = MaskSpec(mask_fixtures::sliding_window(128, 127)).mask(4096, 4096);
  window.shape.batch = 2;  // pairs are those of one sequence
  const std::int64_t pairs = window.told(costs).executed_pairs.value();
  EXPECT_GT(pairs, std::int64_t{4096} * 256 - 128 * 128 - 127 * 128);
  EXPECT_LT(pairs, std::int64_t{4096} * 4096 / 5);
}

TEST(LayerRehearsal, LeavesTheMemoryOfUncountedMultiprocessorsEmpty) {
  const Rehearsal told = rehearsed_bert(0).told(cuda::GpuKernelCosts(cuda::FlashPath::sm80, 0));
  EXPECT_EQ(told.active_peak_bytes, std::nullopt);
  EXPECT_EQ(told.worker_peak_bytes, std::nullopt);
  EXPECT_EQ(told.executed_pairs, std::int64_t{4096} * 4096);
  // A kernel that splits no tiles takes the same memory on every GPU.
  Layer layer = rehearsed_bert(0);
  layer.options.kernel = Kernel::materialized;
  EXPECT_EQ(layer.told(cuda::GpuKernelCosts(cuda::FlashPath::sm80, 0)).active_peak_bytes,
            layer.told(cuda::GpuKernelCosts(cuda::FlashPath::sm80, 108)).active_peak_bytes);
}

TEST(LayerRehearsal, TakesNoMemoryOfItsOwn) {
  Layer layer = rehearsed_bert(0);
  layer.shape.n_tokens = std::int64_t{1} << 20;
  layer.options.kernel = Kernel::materialized;  // terabytes of scores
  EXPECT_GT(layer.told(cuda::GpuKernelCosts(cuda::FlashPath::sm80, 108)).active_peak_bytes,
            std::int64_t{1} << 42);
}

}  // namespace
}  // namespace qb
