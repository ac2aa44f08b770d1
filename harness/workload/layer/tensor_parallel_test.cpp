// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/tensor_parallel.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "base/status.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/failing_allocator.h"
#include "harness/workload/layer/layer_backward.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/testing/layer_fakes.h"

namespace qb {
namespace {

using testing_support::random_mask;
using testing_support::RandomLayer;

std::vector<std::int64_t> all_shared_rows(const LayerShape& shape) {
  return layer_rows_to_verify(shape.n_tokens, 0, shape.n_tokens, 1);
}

// A random layer on several workers.
struct Split {
  RandomLayer layer;
  int n_workers;
  LinkLimit link{};
  std::vector<float> y;

  Split(const LayerShape& shape, const MaskSpec& mask, int workers, std::uint64_t seed)
      : layer(shape, mask, seed),
        n_workers(workers),
        y(layer.x.size(), std::numeric_limits<float>::quiet_NaN()) {}

  [[nodiscard]] TensorParallelLayer on(Allocator& memory) const {
    return {layer.shape, layer.weights, layer.options, n_workers, memory};
  }
  [[nodiscard]] TensorView view(std::vector<float>& values) const {
    return contiguous_view(values.data(), DType::f32, layer.shape.states());
  }
  TensorParallelLayer::Run run(TensorParallelLayer& split) {
    return split.run(view(layer.x), view(y), link);
  }
  TensorParallelLayer::Run run(Allocator& memory = heap_allocator()) {
    TensorParallelLayer split = on(memory);
    return run(split);
  }
  [[nodiscard]] Verification verify() const {
    return verify_layer(layer.question(), y.data(), all_shared_rows(layer.shape), 2);
  }
};

TEST(TensorParallelLayer, IsThatOfFloat64ForAnyShapeWorkersMaskKernelAndBlock) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> values) {
    return values[random() % values.size()];
  };
  for (int i = 0; i < 30; ++i) {
    const auto workers = static_cast<int>(one_of({1, 2, 3, 4}));
    const std::int64_t kv_heads = one_of({1, workers, 2 * workers});
    const LayerShape shape{.batch = one_of({1, 1, 2}),
                           .n_tokens = one_of({1, 2, 17, 64, 131}),
                           .heads = std::max<std::int64_t>(kv_heads, workers) * one_of({1, 2}),
                           .head_dim = one_of({8, 9, 16}),
                           .feed_forward_dim = workers * one_of({1, 20, 77}),
                           .kv_heads = kv_heads};
    const MaskSpec mask = random_mask(shape.n_tokens, random);
    Split split(shape, mask, workers, random());
    split.layer.options.kernel = random() % 2 == 0 ? Kernel::flash : Kernel::materialized;
    split.layer.options.block_tokens = one_of({0, 1, 7, 64, 1000});
    split.layer.options.threads = static_cast<int>(one_of({1, 3, 8}));
    SCOPED_TRACE(fmt::format("W {} N {} heads {} of {} d {} F {} block {} {} {}", workers,
                             shape.n_tokens, shape.heads, shape.kv_heads, shape.head_dim,
                             shape.feed_forward_dim, split.layer.options.block_tokens,
                             word(split.layer.options.kernel), mask.text()));
    MemoryLedger ledger;
    (void)split.run(ledger);
    const Verification verification = split.verify();
    EXPECT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(ledger.active_bytes(), 0u);
  }
}

TEST(TensorParallelLayer, OfOneTokenIsThatOfFloat64) {
  for (const int workers : {1, 2, 4, 12}) {
    Split split({1, 1, 12, 64, 3072}, MaskKind::full, workers, 5);
    (void)split.run();
    EXPECT_TRUE(split.verify().correct) << workers << ": " << split.verify().message;
  }
}

TEST(TensorParallelLayer, OfOneWorkerHasTheBitsOfTheWholeLayer) {
  Split split({2, 33, 4, 16, 100, 2}, MaskKind::causal, 1, 6);
  split.layer.options.block_tokens = 10;
  const TensorParallelLayer::Run run = split.run();
  EXPECT_EQ(split.y, split.layer.run());
  EXPECT_EQ(run.execution.workers.at(0).steps.at(0).communication_s, 0.0);
}

TEST(TensorParallelLayer, AnyRunAndEveryWorkerHasTheSameBits) {
  Split split({1, 40, 8, 8, 96, 2}, MaskKind::causal, 4, 7);
  TensorParallelLayer on_four = split.on(heap_allocator());
  (void)split.run(on_four);
  const std::vector<float> first = split.y;
  (void)split.run(on_four);
  EXPECT_EQ(split.y, first);
  for (int worker = 1; worker < 4; ++worker)
    EXPECT_EQ(
        std::memcmp(on_four.output_of(worker).data, first.data(), first.size() * sizeof(float)), 0)
        << worker;
}

TEST(TensorParallelLayer, OverASlowLinkIsTheSame) {
  Split split({1, 16, 4, 8, 32}, MaskKind::full, 2, 8);
  (void)split.run();
  const std::vector<float> fast = split.y;
  split.link = {.bandwidth_byte_per_s = 1e9, .latency_s = 1e-4};
  const TensorParallelLayer::Run run = split.run();
  EXPECT_EQ(split.y, fast);
  ASSERT_EQ(run.execution.workers.size(), 2u);
  for (const WorkerTime& worker : run.execution.workers) {
    const StepTime& step = worker.steps.at(0);
    // Two all-reduces of two steps; a message takes its latency at least.
    EXPECT_GE(step.idle_s + step.communication_s, 4 * 1e-4);
    EXPECT_GE(step.idle_s, 0.0);
    EXPECT_GE(step.communication_s, 0.0);
    EXPECT_GT(step.compute_s, 0.0);
    EXPECT_NEAR(step.compute_s + step.idle_s + step.communication_s, worker.wall_s, 1e-9);
    EXPECT_LE(worker.wall_s, run.execution.wall_s);
  }
  for (const LayerTimes& parts : run.parts)
    for (const double part_s : parts) EXPECT_GT(part_s, 0.0);
}

TEST(TensorParallelLayer, SendsEachSumTwiceButForItsOwnShare) {
  // 24 sums of a token: in six chunks of four, and of five tokens in chunks of 20.
  EXPECT_EQ(all_reduce_sent_bytes({1, 1, 6, 4, 12}, 0, 6), 2 * 2 * 5 * 4 * 4);
  EXPECT_EQ(all_reduce_sent_bytes({1, 5, 6, 4, 12}, 0, 6), 2 * 2 * 5 * 20 * 4);
  EXPECT_EQ(all_reduce_sent_bytes({3, 5, 6, 4, 12}, 2, 6), 3 * 2 * 2 * 5 * 20 * 4);
  EXPECT_EQ(all_reduce_sent_bytes({1, 5, 6, 4, 12}, 0, 1), 0);
}

TEST(TensorParallelLayer, HoldsOnEachWorkerWhatItsShareIsPredictedToTake) {
  for (const std::int64_t block : {0, 16}) {
    Split split({1, 50, 8, 8, 512, 2}, MaskKind::full, 4, 9);
    split.layer.options.block_tokens = block;
    MemoryLedger ledger;
    TensorParallelLayer on_four = split.on(ledger);
    ledger.reset_peaks();
    (void)split.run(on_four);
    LayerOptions share = split.layer.options;
    share.workers = 4;
    const std::int64_t predicted =
        rehearse_layer(layer_share(split.layer.shape, 4), DType::f32, share, CpuDevice::Costs(1))
            .worker_peak_bytes.value();
    for (int worker = 0; worker < 4; ++worker)
      EXPECT_EQ(static_cast<std::int64_t>(ledger.worker_peak_bytes(worker)), predicted) << worker;
  }
}

TEST(TensorParallelLayer, EndsEveryWorkerAndFreesAllWhereverMemoryRunsOut) {
  Split split({1, 20, 4, 8, 32}, MaskKind::causal, 4, 10);
  MemoryLedger ledger;
  const int failures =
      run_out_at_each_request(ledger, [&](Allocator& memory) { (void)split.run(memory); });
  EXPECT_GT(failures, 20);
  (void)split.run();
  EXPECT_TRUE(split.verify().correct);
}

TEST(TensorParallelLayer, IsRefusedWhereHeadsOrColumnsDoNotDivide) {
  const auto refused = [](const LayerShape& shape, int workers) -> std::string {
    try {
      (void)layer_share(shape, workers);
    } catch (const Unsupported& reason) {
      return reason.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refused({1, 8, 12, 64, 3072}, 5),
            "tensor_parallel deals whole heads and columns to workers: 12 query heads do not "
            "divide among 5");
  EXPECT_EQ(refused({1, 8, 4, 64, 30}, 4),
            "tensor_parallel deals whole heads and columns to workers: 30 columns of the "
            "feed-forward do not divide among 4");
  EXPECT_EQ(refused({1, 8, 4, 64, 32, 2}, 4), "nothing");
  Split split({1, 8, 4, 8, 30}, MaskKind::full, 4, 11);
  EXPECT_THROW((void)split.run(), Unsupported);
}

}  // namespace
}  // namespace qb
