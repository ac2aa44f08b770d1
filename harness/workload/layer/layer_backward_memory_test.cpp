// SPDX-License-Identifier: Apache-2.0
// Compares predicted with measured memory of both passes of a training step, byte for byte.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "base/status.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/workload/layer/layer_backward.h"
#include "harness/workload/layer/testing/backward_fakes.h"

namespace qb {
namespace {

using testing_support::LayerStep;

struct TrainedLayer {
  LayerShape shape;
  DType dtype = DType::f32;
  LayerOptions options{};

  [[nodiscard]] Rehearsal told(Passes pass) const {
    return rehearse_layer(shape, dtype, options, CpuDevice::Costs(options.threads), pass, true);
  }
  [[nodiscard]] std::int64_t worker_bytes(Passes pass) const {
    return told(pass).worker_peak_bytes.value();
  }
};

struct Peaks {
  std::int64_t active = 0;
  std::int64_t worker = 0;
};
struct PassPeaks {
  Peaks forward;
  Peaks backward;
};

Peaks peaks_of(const MemoryLedger& ledger) {
  return {static_cast<std::int64_t>(ledger.active_peak_bytes()),
          static_cast<std::int64_t>(ledger.worker_peak_bytes(0))};
}

PassPeaks measured(const TrainedLayer& layer) {
  CpuDevice device(layer.options.threads);
  MemoryLedger ledger;
  const auto clear = [](const TensorView& view) {
    std::memset(view.data, 0, static_cast<std::size_t>(view.bytes()));
  };
  const LayerTensors tensors(layer.shape, layer.dtype, ledger);
  for (const TensorView& view : {tensors.weights.view(), tensors.x.view()}) clear(view);
  ledger.reset_peaks();
  const LayerKept kept(layer.shape, layer.dtype, layer.options, ledger);
  const std::int64_t kept_bytes = peaks_of(ledger).worker;
  PassPeaks peaks;
  DeviceLayer forward(device, layer.shape, layer.dtype, layer.options, ClockKind::synchronized,
                      ledger);
  (void)forward.run(tensors.weights, tensors.x.view(), tensors.y.view(), &kept);
  peaks.forward = peaks_of(ledger);
  const LayerGradientTensors gradients(layer.shape, layer.dtype, ledger);
  for (const TensorView& view : {gradients.d_weights.view(), gradients.d_y.view()}) clear(view);
  ledger.reset_peaks();  // from now on the worker's peak is what it has beside what is kept
  (void)run_layer_backward(device, layer.shape, layer.dtype, layer.options, ClockKind::synchronized,
                           ledger,
                           {tensors.weights, tensors.x.view(), kept, gradients.d_y.view(),
                            gradients.d_x.view(), gradients.d_weights});
  peaks.backward = peaks_of(ledger);
  peaks.backward.worker += kept_bytes;
  return peaks;
}

TEST(LayerBackwardMemory, IsPredictedExactly) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> values) {
    return values[random() % values.size()];
  };
  for (int i = 0; i < 16; ++i) {
    TrainedLayer layer;
    const std::int64_t kv_heads = one_of({1, 2, 3});
    // The peak of a narrow feed-forward is in the attention, that of a wide one beside it.
    layer.shape = {.batch = one_of({1, 2}),
                   .n_tokens = one_of({1, 5, 64, 200, 400}),
                   .heads = kv_heads * one_of({1, 2}),
                   .head_dim = one_of({8, 33, 64}),
                   .feed_forward_dim = one_of({1, 64, 999}),
                   .kv_heads = kv_heads};
    layer.dtype = std::vector{DType::f16, DType::bf16, DType::f32}[random() % 3];
    layer.options.kernel =
        std::vector{Kernel::flash, Kernel::materialized, Kernel::reference}[random() % 3];
    if (layer.options.kernel == Kernel::reference)
      layer.shape.n_tokens = std::min<std::int64_t>(layer.shape.n_tokens, 64);
    layer.options.block_tokens = one_of({0, 1, 16, 64, 199, 1000});
    layer.options.threads = static_cast<int>(one_of({1, 3}));
    SCOPED_TRACE(fmt::format("{} {} N {} heads {} of {} d {} F {} block {}", word(layer.dtype),
                             word(layer.options.kernel), layer.shape.n_tokens, layer.shape.heads,
                             kv_heads, layer.shape.head_dim, layer.shape.feed_forward_dim,
                             layer.options.block_tokens));
    const PassPeaks peaks = measured(layer);
    EXPECT_EQ(layer.told(Passes::forward).active_peak_bytes, peaks.forward.active);
    EXPECT_EQ(layer.told(Passes::forward).worker_peak_bytes, peaks.forward.worker);
    EXPECT_EQ(layer.told(Passes::backward).active_peak_bytes, peaks.backward.active);
    EXPECT_EQ(layer.told(Passes::backward).worker_peak_bytes, peaks.backward.worker);
  }
}

// An encoder layer of BERT-base over a million tokens, in float32.
TrainedLayer bert(std::int64_t block_tokens) {
  TrainedLayer layer{{1, 1 << 20, 12, 64, 3072}};
  layer.options.block_tokens = block_tokens;
  return layer;
}

TEST(LayerBackwardMemory, BlocksNeverHoldTheWholeActivationInEitherPass) {
  const double states = 768.0 * 4 * (1 << 20);
  const auto in_states = [&](const TrainedLayer& layer, Passes pass) {
    return static_cast<double>(layer.worker_bytes(pass)) / states;
  };
  // Kept are Q, K, V, O, both products before the norms and the pre-activation, 10 H a token, and
  // some padding. Forward comes a and its activation, 5 H, backward also the gradients of K and V.
  EXPECT_NEAR(in_states(bert(0), Passes::forward), 15.1, 0.1);
  EXPECT_NEAR(in_states(bert(0), Passes::backward), 17.1, 0.1);
  // In blocks Q, K, V and O are kept.
  EXPECT_NEAR(in_states(bert(1024), Passes::forward), 4.1, 0.1);
  EXPECT_NEAR(in_states(bert(1024), Passes::backward), 6.1, 0.1);
}

TEST(LayerBackwardMemory, ABudgetThatOnlyTheBlocksFitRefusesThePlainLayer) {
  LayerStep step({1, 512, 4, 16, 256}, MaskKind::full, DType::f32, 3);
  step.layer.options.block_tokens = 32;
  const auto bytes_of = [&](Passes pass) {
    return rehearse_layer(step.layer.shape, step.dtype, step.layer.options, CpuDevice::Costs(1),
                          pass, true)
        .active_peak_bytes.value();
  };
  const auto run_within = [&](std::int64_t bytes) {
    MemoryLedger::Options options;
    options.budget_bytes = static_cast<std::uint64_t>(bytes);
    MemoryLedger ledger(options);
    (void)step.run(ledger);
    EXPECT_EQ(static_cast<std::int64_t>(ledger.active_peak_bytes()), bytes);
  };
  const std::int64_t bytes = std::max(bytes_of(Passes::forward), bytes_of(Passes::backward));
  EXPECT_NO_THROW(run_within(bytes));
  EXPECT_THROW(run_within(bytes - 1), OutOfMemory);
  step.layer.options.block_tokens = 0;
  EXPECT_THROW(run_within(bytes), OutOfMemory);
}

}  // namespace
}  // namespace qb
