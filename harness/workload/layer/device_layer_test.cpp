// SPDX-License-Identifier: Apache-2.0
// The layer's host logic over a host that imitates a GPU, against float64.
#include "harness/workload/layer/transformer_layer.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "harness/run/device/compute_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/failing_allocator.h"
#include "harness/workload/layer/layer_backward.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/testing/layer_fakes.h"

namespace qb {
namespace {

using testing_support::random_mask;
using testing_support::RandomLayer;

std::vector<std::int64_t> all_rows(const LayerShape& shape) {
  return layer_rows_to_verify(shape.n_tokens, 0, shape.n_tokens, 1);
}

// A layer whose weights and states are values of a type, run on a device.
struct LayerTrial {
  RandomLayer layer;
  DType dtype;
  int runs = 1;  // runs of one DeviceLayer, each over a poisoned output

  LayerTrial(const LayerShape& shape, const MaskSpec& mask, DType type, std::uint64_t seed)
      : layer(shape, mask, seed), dtype(type) {
    const Tensor weights(heap_allocator(), dtype, layer.weights.view().extent, "weights");
    copy(layer.weights.view(), weights.view());
    copy(weights.view(), layer.weights.view());
    const Tensor x(heap_allocator(), dtype, shape.states(), "x");
    copy(states(), x.view());
    copy(x.view(), states());
  }

  static void copy(const TensorView& from, const TensorView& to) {
    convert(from.data, from.dtype, to.data, to.dtype, from.extent.elements());
  }
  void put(ComputeDevice& device, const TensorView& from, const TensorView& to) const {
    const Tensor rounded(heap_allocator(), dtype, from.extent, "rounded");
    copy(from, rounded.view());
    device.upload(rounded.view(), to);
    device.wait();
  }
  [[nodiscard]] TensorView states() {
    return contiguous_view(layer.x.data(), DType::f32, layer.shape.states());
  }

  DeviceLayer::Run run(ComputeDevice& device, Allocator& memory, std::vector<float>& out) {
    const LayerWeights weights(layer.shape, memory, dtype);
    put(device, layer.weights.view(), weights.view());
    const Tensor x(memory, dtype, layer.shape.states(), "hidden_states");
    put(device, states(), x.view());
    const Tensor y(memory, dtype, layer.shape.states(), "output");
    const Tensor host(heap_allocator(), dtype, layer.shape.states(), "host_output");
    poison(host.view(), TensorView{});
    DeviceLayer on_device(device, layer.shape, dtype, layer.options, ClockKind::synchronized,
                          memory);
    DeviceLayer::Run run;
    for (int i = 0; i < runs; ++i) {
      device.upload(host.view(), y.view());
      run = on_device.run(weights, x.view(), y.view());
    }
    device.download(y.view(), host.view());
    out.resize(layer.x.size());
    copy(host.view(), contiguous_view(out.data(), DType::f32, layer.shape.states()));
    return run;
  }

  [[nodiscard]] Verification verify(const std::vector<float>& out) const {
    LayerQuestion question = layer.question();
    question.dtype = dtype;
    question.eager = layer.options.kernel == Kernel::materialized;
    return verify_layer(question, out.data(), all_rows(layer.shape), 1);
  }
};

std::int64_t predicted_peak(const LayerTrial& trial, const ComputeDevice& device) {
  return rehearse_layer(trial.layer.shape, trial.dtype, trial.layer.options, device.costs())
      .active_peak_bytes.value();
}

TEST(DeviceLayer, IsThatOfFloat64ForAnyTypeShapeMaskKernelAndBlock) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> values) {
    return values[random() % values.size()];
  };
  for (int i = 0; i < 40; ++i) {
    const DType dtype = std::vector{DType::f16, DType::bf16, DType::f32}[random() % 3];
    const LayerShape shape{one_of({1, 1, 2}), one_of({1, 2, 17, 64, 131}), one_of({1, 3, 4}),
                           one_of({8, 16, 33}), one_of({1, 20, 257})};
    const MaskSpec mask = random_mask(shape.n_tokens, random);
    LayerTrial trial(shape, mask, dtype, random());
    trial.runs = 1 + i % 2;
    LayerOptions& options = trial.layer.options;
    options.kernel = random() % 2 == 0 ? Kernel::flash : Kernel::materialized;
    options.block_tokens = one_of({0, 1, 7, 64, 1000});
    SCOPED_TRACE(fmt::format("{} {} {} N {} heads {} d {} F {} block {}", word(dtype),
                             word(options.kernel), mask.text(), trial.layer.shape.n_tokens,
                             trial.layer.shape.heads, trial.layer.shape.head_dim,
                             trial.layer.shape.feed_forward_dim, options.block_tokens));
    DeviceProbe device;
    MemoryLedger ledger;
    std::vector<float> y;
    (void)trial.run(device, ledger, y);
    const Verification verification = trial.verify(y);
    EXPECT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(ledger.active_bytes(), 0u);
  }
}

TEST(DeviceLayer, InFloat32IsTheCpusToTheBit) {
  for (const std::int64_t block : {0, 10}) {
    LayerTrial trial({2, 33, 2, 16, 64}, MaskKind::causal, DType::f32, 3);
    trial.layer.options.block_tokens = block;
    DeviceProbe device;
    std::vector<float> y;
    (void)trial.run(device, heap_allocator(), y);
    EXPECT_EQ(y, trial.layer.run());
  }
}

TEST(DeviceLayer, MakesItsTileListsOnceForAllItsRunsAndSequences) {
  LayerTrial trial({2, 40, 2, 16, 64}, MaskKind::causal, DType::f16, 9);
  trial.layer.options.block_tokens = 16;
  std::vector<float> once;
  DeviceProbe first;
  (void)trial.run(first, heap_allocator(), once);
  trial.runs = 3;
  std::vector<float> again;
  DeviceProbe device;
  (void)trial.run(device, heap_allocator(), again);
  EXPECT_EQ(device.counts["keep_schedule"], 3);  // blocks
  EXPECT_EQ(device.counts["attention"], 3 * 2 * 3);
  EXPECT_EQ(again, once);
  // No lists are kept for a kernel that reads none.
  trial.layer.options.kernel = Kernel::materialized;
  DeviceProbe other;
  (void)trial.run(other, heap_allocator(), again);
  EXPECT_EQ(other.counts["keep_schedule"], 0);
}

TEST(DeviceLayer, IsHeldAgainstItsOwnTypesPrecisionAndNoCoarserOne) {
  LayerTrial trial({1, 64, 4, 16, 256}, MaskKind::full, DType::f16, 4);
  DeviceProbe device;
  std::vector<float> y;
  (void)trial.run(device, heap_allocator(), y);
  EXPECT_TRUE(trial.verify(y).correct) << trial.verify(y).message;
  EXPECT_LT(trial.verify(y).tolerance, 0.05);
  std::vector<float> wrong = y;
  wrong[wrong.size() / 2] += 0.1f;
  EXPECT_FALSE(trial.verify(wrong).correct);
  trial.dtype = DType::f32;
  EXPECT_FALSE(trial.verify(y).correct) << "16 bits are not a float32";
}

TEST(DeviceLayer, TheDevicesTimeIsThatOfItsParts) {
  LayerTrial trial({1, 40, 2, 16, 64}, MaskKind::full, DType::f16, 5);
  for (const std::int64_t block : {0, 16}) {
    trial.layer.options.block_tokens = block;
    DeviceProbe device;
    std::vector<float> y;
    const DeviceLayer::Run run = trial.run(device, heap_allocator(), y);
    // The clock counts operations: four products, two of them of the keys and queries, two norms,
    // GELU, attention and the rounding of its output.
    const double blocks = block == 0 ? 1.0 : 3.0;
    EXPECT_EQ(run.times[static_cast<std::size_t>(LayerPart::qkv)], 1.0 + blocks);
    EXPECT_EQ(run.times[static_cast<std::size_t>(LayerPart::attention)], 2.0 * blocks);
    for (const LayerPart part :
         {LayerPart::attention_output, LayerPart::attention_norm, LayerPart::feed_forward_in,
          LayerPart::gelu, LayerPart::feed_forward_out, LayerPart::output_norm})
      EXPECT_EQ(run.times[static_cast<std::size_t>(part)], blocks);
    EXPECT_EQ(run.device_s, 1.0 + 9.0 * blocks);
    EXPECT_GT(run.wall_s, 0.0);
  }
}

TEST(DeviceLayer, GivesEverythingBackWhereverMemoryRunsOutOrTheDeviceIsLost) {
  LayerTrial trial({1, 40, 2, 16, 64}, MaskKind::causal, DType::f16, 6);
  trial.layer.options.block_tokens = 16;
  std::vector<float> y;
  MemoryLedger scarce;
  const int failures = run_out_at_each_request(scarce, [&](Allocator& memory) {
    DeviceProbe device;
    (void)trial.run(device, memory, y);
  });
  EXPECT_GT(failures, 10);
  DeviceProbe whole;
  (void)trial.run(whole, heap_allocator(), y);
  for (int operation = 1; operation <= whole.operations; ++operation) {
    DeviceProbe device;
    device.lost_at = operation;
    MemoryLedger ledger;
    EXPECT_THROW((void)trial.run(device, ledger, y), CaseError) << operation;
    EXPECT_EQ(ledger.active_bytes(), 0u);
  }
}

TEST(DeviceLayer, RefusesWhatTheDeviceHasNoKernelFor) {
  LayerTrial trial({1, 4, 1, 257, 8}, MaskKind::full, DType::f16, 7);
  DeviceProbe device;
  std::vector<float> y;
  EXPECT_THROW((void)trial.run(device, heap_allocator(), y), Unsupported);
}

// This test needs a GPU and is small enough for a memory checker. Odd widths go element by element.
TEST(LayerOnGpu, IsThatOfFloat64) {
  std::unique_ptr<ComputeDevice> device;
  try {
    device = open_cuda_device();
  } catch (const Unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32})
    for (const LayerShape& shape : {LayerShape{1, 150, 12, 64, 3072}, LayerShape{2, 33, 3, 16, 100},
                                    LayerShape{1, 64, 3, 33, 257}, LayerShape{1, 1, 1, 8, 1}})
      for (const Kernel kernel : {Kernel::flash, Kernel::materialized})
        for (const std::int64_t block : {0, 40}) {
          if (dtype == DType::f32 && kernel == Kernel::flash) continue;
          SCOPED_TRACE(fmt::format("{} {} N {} heads {} d {} block {}", word(dtype), word(kernel),
                                   shape.n_tokens, shape.heads, shape.head_dim, block));
          LayerTrial trial(shape, MaskKind::causal, dtype, 8);
          trial.layer.options.kernel = kernel;
          trial.layer.options.block_tokens = block;
          MemoryLedger::Options options;
          options.allocator = AllocatorKind::pool;
          options.source = device->memory(options.allocator);
          MemoryLedger ledger(options);
          std::vector<float> y;
          const DeviceLayer::Run run = trial.run(*device, ledger, y);
          const Verification verification = trial.verify(y);
          EXPECT_TRUE(verification.correct) << verification.message;
          EXPECT_GT(run.device_s, 0.0);
          EXPECT_EQ(predicted_peak(trial, *device),
                    static_cast<std::int64_t>(ledger.active_peak_bytes()));
          EXPECT_EQ(ledger.active_bytes(), 0u);
        }
}

}  // namespace
}  // namespace qb
