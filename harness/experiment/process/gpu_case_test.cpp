// SPDX-License-Identifier: Apache-2.0
// Tests the rows and the ends of cases of device: cuda on a host that imitates a GPU.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/numbers.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/testing/gpu_cases.h"
#include "harness/workload/case.h"
#include "kernels/cuda/runtime/device.h"

namespace qb {
namespace {

using testing::HasSubstr;

TEST(GpuCase, ARowNamesTheGpuItsClockAndItsThrottledSamples) {
  for (const Case& c : {tiny(Kernel::flash, "dense", 1), tiny(Kernel::materialized, "cqs", 7)}) {
    SCOPED_TRACE(c.algorithm);
    const CaseResult result = run_with(c);
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.at("gpu"), "a host that plays a GPU");
    EXPECT_EQ(result.values.at("isa"), "host");
    EXPECT_EQ(result.values.at("sm_clock_median_hz"), "1.5e+09");
    EXPECT_EQ(result.values.at("throttled_samples"), "2");
    EXPECT_GT(parse_real(result.values.at("device_time_median_s")).value(), 0.0);
    EXPECT_GT(parse_integer(result.values.at("active_memory_peak_bytes")).value(), 0);
    EXPECT_GT(parse_real(result.values.at("worker_sum_median_s")).value(), 0.0);
    EXPECT_EQ(result.samples.size(), 5u);
    EXPECT_NO_THROW((void)case_table().fields_of(result.values));
  }
}

TEST(GpuCase, WorkersThatAreLaunchedTogetherHaveNoTimesOfTheirOwn) {
  for (const Launch launch : {Launch::together, Launch::graph}) {
    Case c = tiny(Kernel::flash, "cqs", 7);
    c.launch = launch;
    const CaseResult result = run_with(c);
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_TRUE(result.values.has("wall_time_median_s"));
    for (const char* column : {"worker_sum_median_s", "longest_subsequence_median_s",
                               "merge_median_s", "compute_median_s"})
      EXPECT_EQ(result.values.at(column), "") << column;
    EXPECT_TRUE(result.steps.empty());
  }
}

TEST(GpuCase, ARowPredictsItsMemoryToTheByte) {
  struct Choice {
    Kernel kernel;
    Launch launch;
    const char* algorithm;
    int workers;
  };
  for (const auto& [kernel, launch, algorithm, workers] :
       {Choice{Kernel::flash, Launch::alone, "dense", 1},
        Choice{Kernel::flash, Launch::alone, "ring", 7},
        Choice{Kernel::flash, Launch::together, "cqs", 7},
        Choice{Kernel::flash, Launch::graph, "striped", 4},
        Choice{Kernel::staged, Launch::alone, "cqs", 7},
        Choice{Kernel::staged, Launch::alone, "dense", 1},
        Choice{Kernel::materialized, Launch::alone, "cqs", 7},
        Choice{Kernel::materialized, Launch::alone, "dense", 1}})
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      SCOPED_TRACE(fmt::format("{} {} {} {}", word(kernel), word(launch), algorithm, workers));
      Case c = tiny(kernel, algorithm, workers);
      c.launch = launch;
      c.mask = mask;
      if (kernel == Kernel::staged) c.dtype = DType::f32;  // the only type of the host's kernel
      const CaseResult result = run_with(c);
      ASSERT_EQ(result.status, Status::ok) << result.message;
      EXPECT_EQ(result.values.at("predicted_active_peak_bytes"),
                result.values.at("active_memory_peak_bytes"));
      // Neither value exists where workers are launched together.
      EXPECT_EQ(result.values.at("predicted_device_peak_bytes"),
                result.values.at("device_peak_bytes"));
      EXPECT_GE(parse_integer(result.values.at("executed_pairs")).value(),
                parse_integer(result.values.at("unmasked_pairs")).value());
    }
}

TEST(GpuCase, TheStagedKernelHasTheTimeOfEachStageByTheDevicesClock) {
  Case c = tiny(Kernel::staged, "dense", 1);
  c.dtype = DType::f32;
  const CaseResult result = run_with(c);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  for (const char* column :
       {"stage_scores_median_s", "stage_softmax_median_s", "stage_product_median_s"})
    EXPECT_EQ(result.values.at(column), "1.0") << column;  // each stage is one operation
  EXPECT_FALSE(run_with(tiny(Kernel::flash, "dense", 1)).values.has("stage_scores_median_s"));
}

TEST(GpuCase, TheStepsOfARowAddUpToItsExecutedPairs) {
  for (const Kernel kernel : {Kernel::flash, Kernel::materialized}) {
    const CaseResult result = run_with(tiny(kernel, "ring", 4));
    ASSERT_EQ(result.status, Status::ok) << result.message;
    double sum = 0.0;
    ASSERT_EQ(result.steps.size(), 16u);
    for (const RowValues& row : result.steps) sum += row.number("executed_pairs");
    EXPECT_EQ(sum, result.values.number("executed_pairs"));
  }
}

TEST(GpuCase, ARateIsAShareOfTheDevicesOwnPeak) {
  const CaseResult result = run_with(tiny(Kernel::flash, "dense", 1));
  ASSERT_EQ(result.status, Status::ok) << result.message;
  const auto number = [&](const char* column) {
    return parse_real(result.values.at(column)).value();
  };
  EXPECT_EQ(number("peak_flop_per_s"), DeviceProbe::kPeakFlopPerS / 2);  // bf16
  EXPECT_DOUBLE_EQ(number("peak_fraction"),
                   number("achieved_flop_per_s") / number("peak_flop_per_s"));
}

TEST(GpuCase, AClockThatDoesNotWaitGivesNoRate) {
  Case c = tiny(Kernel::flash, "dense", 1);
  c.clock = ClockKind::unsynchronized;
  const CaseResult result = run_with(c);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_TRUE(result.values.has("wall_time_median_s"));
  EXPECT_TRUE(result.values.has("peak_flop_per_s"));
  EXPECT_FALSE(result.values.has("achieved_flop_per_s"));
  EXPECT_FALSE(result.values.has("peak_fraction"));
}

TEST(GpuCase, ThePeakThatACaseIsToldIsNotMeasuredAgain) {
  Case c = tiny(Kernel::flash, "dense", 1);
  c.gpu_peak_flop_per_s = 5e14;
  int measured = 0;
  const auto count = [&](DeviceProbe& device) {
    device.on_request = [&](std::string_view name) { measured += name == "peak"; };
  };
  EXPECT_EQ(run_with(c, count).values.at("peak_flop_per_s"), "5.0e+14");
  EXPECT_EQ(measured, 0);
  c.gpu_peak_flop_per_s.reset();
  (void)run_with(c, count);
  EXPECT_EQ(measured, 1);
}

TEST(GpuCase, AllocationsOfLibrariesAreCountedWhereTheCaseAsks) {
  class Watching final : public DeviceProbe {
   public:
    void watch_memory() override { watching_ = true; }
    std::optional<std::uint64_t> watched_peak_bytes() override {
      return watching_ ? std::optional<std::uint64_t>(12345) : std::nullopt;
    }

   private:
    bool watching_ = false;
  };
  for (const bool asked : {false, true}) {
    Case c = tiny(Kernel::flash, "dense", 1);
    c.measure.device_memory = asked;
    const CaseResult result = run_open_case(
        c, "",
        [](const Case&) -> std::unique_ptr<ComputeDevice> { return std::make_unique<Watching>(); });
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.has("gpu_memory_peak_bytes"), asked);
    if (asked) {
      EXPECT_EQ(result.values.at("gpu_memory_peak_bytes"), "12345");
    }
  }
}

TEST(GpuCase, WithoutAGpuWhatDoesNotDependOnItIsPredicted) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "this machine has a GPU";
  const auto values = predicted_open_values(tiny(Kernel::materialized, "dense", 1));
  // The tensors are Q, K, V in bf16, O and LSE in f32, cuBLAS's workspace, the bias and two score
  // matrices of 2 heads.
  const std::int64_t tensors = 100 * (2 * (2 + 1 + 1) * 16 + 4 * 2 * (16 + 1));
  EXPECT_EQ(values.at("predicted_active_peak_bytes"),
            to_text(tensors + (32 << 20) + (1 + 2 * 2) * 100 * 100 * 2));
  EXPECT_EQ(values.at("executed_pairs"), "10000");

  Case flash = tiny(Kernel::flash, "dense", 1);
  EXPECT_EQ(predicted_open_values(flash).at("executed_pairs"), "");
  flash.cuda_path = CudaPath::sm_80;
  // Its tiles have 128 rows and 112 keys.
  EXPECT_EQ(predicted_open_values(flash).at("executed_pairs"), "14336");
  EXPECT_EQ(predicted_open_values(flash).at("predicted_active_peak_bytes"), "");
}

TEST(GpuCase, EveryRepeatFindsTheCacheAsTheCaseSays) {
  const auto fills = [&](L2Cache cache) {
    Case c = tiny(Kernel::flash, "dense", 1);
    c.l2_cache = cache;
    int count = 0;
    const CaseResult result =
        run_open_case(c, "", [&](const Case&) -> std::unique_ptr<ComputeDevice> {
          auto device = std::make_unique<DeviceProbe>();
          device->on_request = [&count](std::string_view name) { count += name == "fill"; };
          return device;
        });
    EXPECT_EQ(result.status, Status::ok) << result.message;
    return count;
  };
  EXPECT_EQ(fills(L2Cache::automatic), 5);
  EXPECT_EQ(fills(L2Cache::flushed), 5);
  EXPECT_EQ(fills(L2Cache::warm), 0);
  EXPECT_EQ(fills(L2Cache::rotated), 0);
}

TEST(GpuCase, ALostDeviceIsACrashWhereverItHappens) {
  const Case c = tiny(Kernel::materialized, "cqs", 4);
  for (const int operation : {1, 7, 30, 60}) {
    const CaseResult result = run_with(c, [&](DeviceProbe& device) { device.lost_at = operation; });
    EXPECT_EQ(result.status, Status::crashed) << operation;
    EXPECT_THAT(result.message, HasSubstr("the device was lost"));
    EXPECT_TRUE(result.samples.empty());
  }
}

TEST(GpuCase, TheBudgetMakesALargeGpuASmallOne) {
  Case c = tiny(Kernel::materialized, "dense", 1);
  c.memory_budget_bytes = 30000;
  for (const AllocatorKind allocator :
       {AllocatorKind::direct, AllocatorKind::pool, AllocatorKind::caching}) {
    c.allocator = allocator;
    const CaseResult result = run_with(c);
    EXPECT_EQ(result.status, Status::oom);
    EXPECT_THAT(result.message, HasSubstr("over the budget"));
  }
}

TEST(GpuCase, CombinationsWithoutAKernelNameTheNearest) {
  Case wide = tiny(Kernel::flash, "dense", 1);
  wide.dtype = DType::f64;
  EXPECT_EQ(run_with(wide).status, Status::unsupported);
  EXPECT_THAT(run_with(wide).message, HasSubstr("nearest"));

  Case threads = tiny(Kernel::flash, "cqs", 4);
  threads.ranks = Ranks::threads;
  EXPECT_EQ(run_with(threads).message,
            "ranks: threads needs device: cpu, and this case has device: cuda; on one GPU ranks: "
            "serial computes the workers in turn, with a GPU for each ranks: nccl");

  Case launch = tiny(Kernel::flash, "cqs", 4);
  launch.device = Device::cpu;
  launch.launch = Launch::together;
  EXPECT_EQ(run_with(launch).message,
            "launch: together needs device: cuda, and this case has device: cpu");
}

TEST(GpuCase, OneRankOverNcclHasTheColumnsOfRanksButNoIdleTime) {
  for (const char* algorithm : {"dense", "ring", "striped"}) {
    const CaseResult result = run_over_link(over_nccl(algorithm, 1));
    ASSERT_EQ(result.status, Status::ok) << result.message;
    for (const char* column : {"wall_time_median_s", "device_time_median_s", "compute_median_s",
                               "communication_median_s", "exposed_communication_median_s",
                               "device_peak_bytes", "sm_clock_median_hz", "gpu"})
      EXPECT_NE(result.values.at(column), "") << column;
    EXPECT_FALSE(result.values.has("idle_median_s"));
    EXPECT_EQ(result.values.at("communication_median_s"), "0.0");
    EXPECT_GT(parse_integer(result.values.at("device_peak_bytes")).value(), 0);
    ASSERT_EQ(result.steps.size(), 1u);
    EXPECT_FALSE(result.steps[0].has("idle_s"));
  }
}

TEST(GpuCase, WhatNcclCannotDoIsASentence) {
  EXPECT_EQ(run_over_link(over_nccl("ring", 4)).message,
            "ranks: nccl needs a process for each of the 4 workers: mpirun -n 4 qb run …, or srun "
            "--mpi=pmix");
  const auto message_of = [](const std::function<void(Case&)>& change) {
    Case c = over_nccl("dense", 1);
    change(c);
    const CaseResult result = run_over_link(c);
    EXPECT_EQ(result.status, Status::unsupported);
    return result.message;
  };
  EXPECT_EQ(
      message_of([](Case& c) { c.device = Device::cpu; }),
      "ranks: nccl needs device: cuda, and this case has device: cpu; the nearest on the CPU is "
      "ranks: mpi");
  EXPECT_EQ(message_of([](Case& c) { c.launch = Launch::together; }),
            "launch: together needs ranks: serial, and this case has ranks: nccl");
  EXPECT_EQ(message_of([](Case& c) { c.clock = ClockKind::unsynchronized; }),
            "clock: unsynchronized needs ranks: serial, and this case has ranks: nccl");
  EXPECT_EQ(
      message_of([](Case& c) { c.l2_cache = L2Cache::flushed; }),
      "l2_cache: flushed needs ranks: serial, and this case has ranks: nccl; a shard has just been "
      "written when the clock starts");
  EXPECT_EQ(message_of([](Case& c) { c.allocator = AllocatorKind::direct; }),
            "allocator: direct needs ranks: serial, threads or mpi, and this case has ranks: nccl; "
            "freeing memory would wait for the other GPUs");
}

TEST(GpuCase, ABuildOrAMachineWithoutAGpuSaysSo) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "this machine has a GPU";
  const CaseResult result = run_open_case(tiny(Kernel::flash, "dense", 1), "");
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_FALSE(result.message.empty());
  Case open = tiny(Kernel::flash, "dense", 1);
  open.device = Device::automatic;
  EXPECT_EQ(resolve_case(open).device, Device::cpu);
  try {
    require_device(tiny(Kernel::flash, "dense", 1));
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no GPU"));
    EXPECT_THAT(error.what(), HasSubstr("device=cpu"));
  }
}

}  // namespace
}  // namespace qb
