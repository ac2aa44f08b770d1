// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "base/status.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/workload/layer/layer_backward.h"
#include "harness/workload/layer/testing/layer_fakes.h"

namespace qb {
namespace {

using testing_support::RandomLayer;

// The memory of a layer beside its weights, states and output.
std::int64_t workspace_bytes(const LayerShape& shape, const LayerOptions& options) {
  const CpuDevice::Costs costs(options.threads);
  return rehearse_layer(shape, DType::f32, options, costs).worker_peak_bytes.value();
}

TEST(LayerMemory, IsPredictedExactly) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> values) {
    return values[random() % values.size()];
  };
  for (int i = 0; i < 40; ++i) {
    // The peak of a narrow feed-forward is in the attention, that of a wide one after it.
    RandomLayer layer({one_of({1, 2}), one_of({1, 5, 64, 200, 333}), one_of({1, 4}),
                       one_of({8, 64}), one_of({1, 64, 2000})},
                      MaskKind::full, random());
    layer.options.kernel =
        std::vector{Kernel::flash, Kernel::materialized, Kernel::reference}[random() % 3];
    layer.options.block_tokens = one_of({0, 1, 16, 64, 199, 500});
    layer.options.threads = static_cast<int>(one_of({1, 3}));
    MemoryLedger ledger;
    (void)layer.run(ledger);
    EXPECT_EQ(static_cast<std::int64_t>(ledger.active_peak_bytes()),
              workspace_bytes(layer.shape, layer.options))
        << "N " << layer.shape.n_tokens << " block " << layer.options.block_tokens << " F "
        << layer.shape.feed_forward_dim;
    EXPECT_EQ(ledger.active_bytes(), 0u);
  }
}

TEST(LayerMemory, BlocksNeverHoldTheWholeActivation) {
  LayerShape shape{1, 1 << 20, 12, 64, 3072};
  LayerOptions plain;
  LayerOptions blockwise;
  blockwise.block_tokens = 1024;
  const double a_row = 768.0 * 4 * (1 << 20);
  // Attention output and activation [N, 4 H]; keys and values [N, 2 H].
  EXPECT_NEAR(static_cast<double>(workspace_bytes(shape, plain)) / a_row, 5.0, 0.1);
  EXPECT_NEAR(static_cast<double>(workspace_bytes(shape, blockwise)) / a_row, 2.0, 0.1);
}

TEST(LayerMemory, ABudgetThatOnlyTheBlocksFitRefusesThePlainLayer) {
  RandomLayer layer({1, 512, 4, 16, 256}, MaskKind::full, 3);
  layer.options.block_tokens = 32;
  MemoryLedger::Options options;
  options.budget_bytes = static_cast<std::uint64_t>(workspace_bytes(layer.shape, layer.options));
  MemoryLedger ledger(options);
  EXPECT_NO_THROW((void)layer.run(ledger));
  layer.options.block_tokens = 0;
  EXPECT_THROW((void)layer.run(ledger), OutOfMemory);
  EXPECT_EQ(ledger.active_bytes(), 0u);
}

}  // namespace
}  // namespace qb
