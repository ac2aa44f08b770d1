// SPDX-License-Identifier: Apache-2.0
// Tests the rows of real layers in this process, and the ends of cases that cannot run.
#include "harness/experiment/testing/open_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/run/testing/device_probe.h"
#include "harness/workload/case.h"
#include "harness/workload/layer/transformer_layer.h"
#include "harness/workload/testing/tiny_case.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb {
namespace {

using testing::HasSubstr;

Case tiny_layer(std::int64_t block_tokens) {
  Case c = tiny("dense", 1);
  c.workload = WorkloadKind::transformer_layer;
  c.shape.kv_heads = 2;
  c.layer_block_tokens = block_tokens;
  return c;
}

double layer_number(const CaseResult& result, const std::string& column) {
  return parse_real(result.values.at(column)).value();
}

struct LayerChoice {
  Kernel kernel;
  DType dtype;
  std::int64_t block_tokens;
};

TEST(LayerCase, IsVerifiedTimedAndItsMemoryIsThePredictedOne) {
  std::vector<LayerChoice> choices;
  for (const Kernel kernel : {Kernel::flash, Kernel::materialized, Kernel::reference})
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32})
      for (const std::int64_t block : {0, 32}) choices.push_back({kernel, dtype, block});
  for (const auto& [kernel, dtype, block] : choices) {
    SCOPED_TRACE(testing::Message() << word(kernel) << ' ' << word(dtype) << ' ' << block);
    Case c = tiny_layer(block);
    c.kernel = kernel;
    c.dtype = dtype;
    const CaseResult result = run_open_case(c, "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.at("verified_rows"), "32");
    EXPECT_LE(layer_number(result, "max_error"), layer_number(result, "tolerance"));
    EXPECT_GT(layer_number(result, "relative_l2_error"), 0.0);
    EXPECT_LT(layer_number(result, "relative_l2_error"), 0.05);
    EXPECT_EQ(result.values.at("active_memory_peak_bytes"),
              result.values.at("predicted_active_peak_bytes"));
    EXPECT_EQ(result.values.at("device_peak_bytes"),
              result.values.at("predicted_device_peak_bytes"));
    EXPECT_EQ(result.samples.size(), 4u);
    EXPECT_GT(layer_number(result, "achieved_flop_per_s"), 0.0);
    EXPECT_LT(layer_number(result, "longest_subsequence_median_s"),
              layer_number(result, "wall_time_median_s"))
        << "attention is a part of the layer";
    EXPECT_NO_THROW((void)case_table().fields_of(result.values));
  }
}

TEST(LayerCase, HasARowForEachPartOfEachRepeatThatTogetherFillIt) {
  const CaseResult result = run_open_case(tiny_layer(0), "");
  ASSERT_EQ(result.parts.size(), 4 * kLayerParts);
  double flop = 0.0;
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    EXPECT_EQ(result.parts[i].size() + 3, part_table().columns.size());
    EXPECT_EQ(result.parts[i].text("part"), word(static_cast<LayerPart>(i % kLayerParts)));
    if (i < kLayerParts) flop += result.parts[i].number("flop");
  }
  EXPECT_EQ(flop, layer_number(result, "unmasked_flop"));
  for (std::size_t s = 0; s < 4; ++s) {
    double seconds = 0.0;
    for (std::size_t p = 0; p < kLayerParts; ++p)
      seconds += result.parts[s * kLayerParts + p].number("time_s");
    EXPECT_LE(seconds, result.samples[s].wall_s);
  }
}

TEST(LayerCase, OverItsBudgetIsOutOfMemoryWhereItsBlocksFit) {
  Case c = tiny_layer(10);
  const auto bytes = [](const Case& asked) {
    return parse_integer(predicted_open_values(asked).at("predicted_active_peak_bytes")).value();
  };
  c.memory_budget_bytes = bytes(c);
  EXPECT_EQ(run_open_case(c, "").status, Status::ok);
  EXPECT_GT(bytes(tiny_layer(0)), c.memory_budget_bytes);
  c.layer_block_tokens = 0;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::oom);
  EXPECT_TRUE(result.parts.empty());
}

// Runs a case on a host that imitates a GPU.
CaseResult run_on_gpu(Case c) {
  c.device = Device::cuda;
  c.threads = 0;
  return run_open_case(c, "", [](const Case&) -> std::unique_ptr<ComputeDevice> {
    return std::make_unique<DeviceProbe>();
  });
}

TEST(LayerCase, OnAGpuIsVerifiedAndTimedByItsClock) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32})
    for (const std::int64_t block : {0, 32}) {
      Case c = tiny_layer(block);
      c.dtype = dtype;
      c.kernel = dtype == DType::f32 ? Kernel::materialized : Kernel::flash;
      SCOPED_TRACE(word(dtype));
      const CaseResult result = run_on_gpu(c);
      ASSERT_EQ(result.status, Status::ok) << result.message;
      EXPECT_EQ(result.values.at("gpu"), "a host that plays a GPU");
      EXPECT_EQ(result.values.at("isa"), "host");
      EXPECT_EQ(result.values.at("verified_rows"), "32");
      EXPECT_LE(layer_number(result, "max_error"), layer_number(result, "tolerance"));
      EXPECT_EQ(result.values.at("sm_clock_median_hz"), "1.5e+09");
      EXPECT_GT(layer_number(result, "device_peak_bytes"), 0.0);
      EXPECT_EQ(layer_number(result, "peak_flop_per_s"),
                DeviceProbe::kPeakFlopPerS / static_cast<double>(size_of(dtype)));
      EXPECT_DOUBLE_EQ(
          layer_number(result, "peak_fraction"),
          layer_number(result, "achieved_flop_per_s") / layer_number(result, "peak_flop_per_s"));
      EXPECT_NO_THROW((void)case_table().fields_of(result.values));
      ASSERT_EQ(result.parts.size(), 4 * kLayerParts);
      for (std::size_t s = 0; s < 4; ++s) {
        double seconds = 0.0;
        for (std::size_t p = 0; p < kLayerParts; ++p)
          seconds += result.parts[s * kLayerParts + p].number("time_s");
        EXPECT_EQ(seconds, result.samples[s].device_s);
      }
    }
}

TEST(LayerCase, OnAGpuPredictsItsMemoryToTheByte) {
  const MaskSpec masks[] = {MaskKind::full, MaskKind::causal,
                            MaskSpec(mask_fixtures::sliding_window(9, 4))};
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32})
    for (const std::int64_t block : {0, 32})
      for (const MaskSpec& mask : masks) {
        Case c = tiny_layer(block);
        c.dtype = dtype;
        c.kernel = dtype == DType::f32 ? Kernel::materialized : Kernel::flash;
        c.mask = mask;
        c.measure = {.warmups = 0, .min_repeats = 1, .max_repeats = 1, .verify_rows = 8};
        SCOPED_TRACE(std::string(word(dtype)) + " " + mask.text() + " " + std::to_string(block));
        const CaseResult result = run_on_gpu(c);
        ASSERT_EQ(result.status, Status::ok) << result.message;
        EXPECT_EQ(result.values.at("predicted_active_peak_bytes"),
                  result.values.at("active_memory_peak_bytes"));
        EXPECT_EQ(result.values.at("predicted_device_peak_bytes"),
                  result.values.at("device_peak_bytes"));
        EXPECT_GE(layer_number(result, "executed_pairs"), layer_number(result, "unmasked_pairs"));
      }
}

TEST(LayerCase, OnAGpuRunsInABudgetOfWhatIsPredictedAndInNoneBelow) {
  Case c = tiny_layer(32);
  c.dtype = DType::bf16;
  c.l2_cache = L2Cache::warm;  // otherwise the buffer that flushes the cache is in the budget too
  const std::string predicted = run_on_gpu(c).values.at("predicted_active_peak_bytes");
  c.memory_budget_bytes = parse_integer(predicted).value();
  EXPECT_EQ(run_on_gpu(c).status, Status::ok);
  --c.memory_budget_bytes;
  const CaseResult over = run_on_gpu(c);
  EXPECT_EQ(over.status, Status::oom);
  EXPECT_EQ(over.values.at("predicted_active_peak_bytes"), predicted) << "a reason to look at";
  EXPECT_TRUE(over.parts.empty());
  c.layer_block_tokens = 0;
  ++c.memory_budget_bytes;
  EXPECT_EQ(run_on_gpu(c).status, Status::oom) << "what blocks leave out";
}

TEST(LayerCase, OnAGpuMakesItsTileListsOnceACase) {
  Case c = tiny_layer(32);  // four blocks
  c.dtype = DType::f16;
  c.device = Device::cuda;
  c.threads = 0;
  int kept_before_end = 0;
  // A repeat reads the clock last.
  class Watched final : public DeviceProbe {
   public:
    explicit Watched(int& kept) : kept_(kept) {}
    [[nodiscard]] cuda::ClockState clock() override {
      kept_ = counts["keep_schedule"];
      return DeviceProbe::clock();
    }

   private:
    int& kept_;
  };
  const auto open = [&](const Case&) -> std::unique_ptr<ComputeDevice> {
    return std::make_unique<Watched>(kept_before_end);
  };
  const CaseResult result = run_open_case(c, "", open);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.samples.size(), 4u);
  EXPECT_EQ(kept_before_end, 4);
}

TEST(LayerCase, WithoutAGpuWhatDoesNotDependOnItIsPredicted) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "this machine has a GPU";
  Case c = tiny_layer(0);
  c.device = Device::cuda;
  c.threads = 0;
  c.dtype = DType::f16;
  EXPECT_EQ(predicted_open_values(c).at("predicted_active_peak_bytes"), "");
  c.cuda_path = CudaPath::sm_80;
  // Its tiles have 128 rows and 112 keys.
  EXPECT_EQ(predicted_open_values(c).at("executed_pairs"), "14336");
  EXPECT_EQ(predicted_open_values(c).at("predicted_active_peak_bytes"), "");
  c.cuda_path = CudaPath::automatic;
  c.kernel = Kernel::materialized;
  const auto values = predicted_open_values(c);
  EXPECT_EQ(values.at("executed_pairs"), "10000");
  // Weights, states and output exist before the layer. The layer takes keys and values with 16
  // elements between rows, queries likewise, context, LSE and the kernel's output in float32; the
  // kernel takes cuBLAS's workspace, bias and two score matrices.
  const std::int64_t given =
      LayerWeights({1, 100, 2, 16, 128}, heap_allocator(), DType::f16).view().bytes() +
      2 * 100 * 32 * 2;
  const std::int64_t layer = 100 * ((64 + 16) * 2 + (32 + 16) * 2 + 32 * 2 + 2 * 4 + 32 * 4);
  const std::int64_t kernel = (32 << 20) + (1 + 2 * 2) * 100 * 100 * 2;
  EXPECT_EQ(values.at("predicted_active_peak_bytes"), to_text(given + layer + kernel));
  EXPECT_EQ(values.at("predicted_device_peak_bytes"), to_text(given + layer + kernel));
}

TEST(LayerCase, OnAGpuHoldsTwoBytesForWhatHasFourInFloat32) {
  Case c = tiny_layer(0);
  c.layer_feed_forward_dim = 8192;  // so that the peak is the activation, outside the kernel
  c.kernel = Kernel::materialized;  // it keeps no tile lists
  c.dtype = DType::f16;
  const CaseResult narrow = run_on_gpu(c);
  c.dtype = DType::f32;
  const CaseResult wide = run_on_gpu(c);
  ASSERT_EQ(narrow.status, Status::ok) << narrow.message;
  ASSERT_EQ(wide.status, Status::ok) << wide.message;
  // The widened operands of the product are the workspace of this device in 16 bits.
  const double operands = 4.0 * (8192 * 32 + 100 * (8192 + 32));
  EXPECT_EQ(2.0 * (layer_number(narrow, "active_memory_peak_bytes") - operands),
            layer_number(wide, "active_memory_peak_bytes"));
}

TEST(LayerCase, OnAGpuFlushesTheCacheAndEndsWhereTheDeviceIsLostOrFull) {
  Case c = tiny_layer(0);
  c.dtype = DType::f16;
  c.device = Device::cuda;
  c.threads = 0;
  int fills = 0;
  const auto open = [&](int lost_at) {
    return [&fills, lost_at](const Case&) -> std::unique_ptr<ComputeDevice> {
      auto device = std::make_unique<DeviceProbe>();
      device->lost_at = lost_at;
      device->on_request = [&fills](std::string_view name) { fills += name == "fill"; };
      return device;
    };
  };
  EXPECT_EQ(run_open_case(c, "", open(0)).status, Status::ok);
  EXPECT_EQ(fills, 4);
  for (const int operation : {1, 5, 20}) {
    const CaseResult lost = run_open_case(c, "", open(operation));
    EXPECT_EQ(lost.status, Status::crashed) << operation;
    EXPECT_TRUE(lost.parts.empty());
  }
  c.memory_budget_bytes = 30000;
  EXPECT_EQ(run_open_case(c, "", open(0)).status, Status::oom);
}

TEST(LayerCase, SaysWhatALayerOnAGpuCannotBe) {
  const auto message_of = [](const std::function<void(Case&)>& change) {
    Case c = tiny_layer(0);
    c.dtype = DType::f16;
    change(c);
    const CaseResult result = run_on_gpu(c);
    EXPECT_EQ(result.status, Status::unsupported);
    return result.message;
  };
  EXPECT_EQ(message_of([](Case& c) { c.dtype = DType::f64; }),
            "dtype: f64 needs workload: attention, and this case has workload: transformer_layer");
  EXPECT_EQ(
      message_of([](Case& c) { c.kernel = Kernel::staged; }),
      "kernel: staged needs workload: attention, and this case has workload: transformer_layer");
  EXPECT_EQ(
      message_of([](Case& c) { c.launch = Launch::graph; }),
      "launch: graph needs workload: attention, and this case has workload: transformer_layer; a "
      "layer has one worker");
  EXPECT_EQ(message_of([](Case& c) { c.l2_cache = L2Cache::rotated; }),
            "l2_cache: rotated needs workload: attention, and this case has workload: "
            "transformer_layer; a layer has one set of weights");
}

TEST(LayerCase, SaysWhatALayerCannotBe) {
  const auto expect_unsupported = [](const Case& c, const std::string& reason) {
    const CaseResult result = run_open_case(c, "");
    EXPECT_EQ(result.status, Status::unsupported) << reason;
    EXPECT_THAT(result.message, HasSubstr(reason));
    EXPECT_THROW((void)predicted_open_values(c), Unsupported);
  };
  Case c = tiny_layer(0);
  c.algorithm = "cqs";
  c.workers = 7;
  expect_unsupported(c,
                     "workers: 7 needs workload: attention, sequence_mixer, pipeline, relayout, "
                     "stack or chunked_prefill or algorithm: tensor_parallel");
  c = tiny_layer(0);
  c.dtype = DType::f64;
  expect_unsupported(c, "dtype: f64 needs workload: attention");
  c = tiny_layer(0);
  c.shape.kv_len = 200;
  expect_unsupported(c, "attends to its own tokens");
}

TEST(LayerCase, TakesGroupedHeads) {
  Case c = tiny_layer(32);
  c.shape.kv_heads = 1;
  const CaseResult result = run_open_case(c, "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("active_memory_peak_bytes"),
            result.values.at("predicted_active_peak_bytes"));
  // Hidden width 32, of which keys and values have 16 each; feed-forward width 128.
  EXPECT_EQ(layer_number(result, "unmasked_flop"),
            2.0 * 100 * 32 * (32 + 2 * 16 + 32 + 2 * 128) + 4.0 * 100 * 100 * 32);
}

Case split_layer(int workers) {
  Case c = tiny("tensor_parallel", workers);
  c.workload = WorkloadKind::transformer_layer;
  c.device = Device::cpu;
  c.ranks = Ranks::threads;
  c.shape.q_heads = 4;
  c.shape.kv_heads = 2;
  return c;
}

TEST(LayerCase, OnSeveralWorkersIsVerifiedAndSaysWhatTheySend) {
  for (const int workers : {1, 2, 4})
    for (const std::int64_t block : {0, 32}) {
      SCOPED_TRACE(testing::Message() << workers << " workers, block " << block);
      Case c = split_layer(workers);
      c.layer_block_tokens = block;
      const CaseResult result = run_open_case(c, "");
      ASSERT_EQ(result.status, Status::ok) << result.message;
      EXPECT_EQ(result.values.at("verified_rows"), "32");
      EXPECT_LE(layer_number(result, "max_error"), layer_number(result, "tolerance"));
      EXPECT_EQ(result.values.at("device_peak_bytes"),
                result.values.at("predicted_device_peak_bytes"));
      EXPECT_LE(layer_number(result, "active_memory_peak_bytes"),
                layer_number(result, "predicted_active_peak_bytes"));
      EXPECT_EQ(layer_number(result, "responsibility_ratio"), workers);
      // Two all-reduces of 100 x 64 sums of four bytes.
      EXPECT_EQ(layer_number(result, "moved_bytes"), 2 * 2 * (workers - 1) * 100 * 64 * 4);
      EXPECT_EQ(layer_number(result, "device_sent_bytes") * workers,
                layer_number(result, "moved_bytes"));
      EXPECT_GE(layer_number(result, "communication_median_s"), 0.0);
      EXPECT_LE(layer_number(result, "compute_median_s"),
                layer_number(result, "wall_time_median_s"));
      EXPECT_EQ(result.parts.size(), 4 * kLayerParts);
      EXPECT_NO_THROW((void)case_table().fields_of(result.values));
    }
}

TEST(LayerCase, SaysWhereTensorParallelismCannotBe) {
  const auto message_of = [](const Case& c) {
    const CaseResult result = run_open_case(c, "");
    EXPECT_EQ(result.status, Status::unsupported);
    return result.message;
  };
  EXPECT_EQ(message_of(split_layer(3)),
            "tensor_parallel deals whole heads and columns to workers: 4 query heads do not divide "
            "among 3");
  Case c = split_layer(2);
  c.ranks = Ranks::serial;
  EXPECT_EQ(
      message_of(c),
      "algorithm: tensor_parallel needs ranks: threads or model, and this case has ranks: serial");
  c = split_layer(2);
  c.dtype = DType::bf16;
  EXPECT_EQ(message_of(c),
            "algorithm: tensor_parallel needs dtype: f32 or ranks: model, and this case has dtype: "
            "bf16 and ranks: threads");
  c = split_layer(2);
  c.workload = WorkloadKind::attention;
  EXPECT_THAT(message_of(c), HasSubstr("needs workload: transformer_layer"));
}

TEST(LayerCase, TakesAFeedForwardOfFourTimesTheHiddenWidthWhereNoneIsGiven) {
  EXPECT_EQ(resolve_case(tiny_layer(0)).layer_feed_forward_dim, 4 * 32);
  Case given = tiny_layer(0);
  given.layer_feed_forward_dim = 7;
  EXPECT_EQ(resolve_case(given).layer_feed_forward_dim, 7);
  given.workload = WorkloadKind::attention;
  given.layer_feed_forward_dim = 0;
  EXPECT_EQ(resolve_case(given).layer_feed_forward_dim, 0);
}

TEST(LayerCase, IsWrittenInASpecAndKeptByTheResolvedOne) {
  const Spec spec = parse_spec(
      "experiment: e\n"
      "workload: transformer_layer\n"
      "n_tokens: 64\n"
      "q_heads: 12\n"
      "layer.feed_forward_dim: 3072\n"
      "sweep: {layer.block_tokens: [~, 512]}\n",
      "spec.yaml", {});
  ASSERT_EQ(spec.cases.size(), 2u);
  EXPECT_EQ(spec.cases[0].layer_block_tokens, 0);
  EXPECT_EQ(spec.cases[1].layer_block_tokens, 512);
  EXPECT_NE(case_id(spec.cases[0]), case_id(spec.cases[1]));
  const Spec again = parse_spec(spec.resolved_yaml, "resolved.yaml", {});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(case_parameters(again.cases[i]), case_parameters(spec.cases[i]));
    EXPECT_EQ(case_parameters(case_from_json(case_to_json(spec.cases[i]))),
              case_parameters(spec.cases[i]));
  }
}

}  // namespace
}  // namespace qb
