// Each worker of a plan is played alone, with messages that are always there.
#include <algorithm>
#include <utility>

#include "harness/execute/device/cpu_device.h"
#include "harness/execute/device/device_rehearsal.h"
#include "harness/execute/player/worker.h"
#include "harness/plan/representatives.h"
#include "harness/plan/work/tiling.h"

namespace qb {
namespace {

// Counts what it hands out: addresses without anything behind them.
class CountingAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::string_view, int) override {
    if (free_.empty()) {
      free_.push_back(sizes_.size());
      sizes_.push_back(0);
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    sizes_[place] = static_cast<std::int64_t>(bytes);
    held_ += sizes_[place];
    peak_ = std::max(peak_, held_);
    return reinterpret_cast<void*>((place + 1) * kPlace);
  }
  void deallocate(void* pointer) noexcept override {
    const std::size_t place = reinterpret_cast<std::uintptr_t>(pointer) / kPlace - 1;
    held_ -= sizes_[place];
    free_.push_back(place);
  }
  // The most that was held since this was called last.
  [[nodiscard]] std::int64_t take_peak() { return std::exchange(peak_, held_); }

 private:
  static constexpr std::uintptr_t kPlace = 4096;
  std::vector<std::int64_t> sizes_;
  std::vector<std::size_t> free_;  // places in sizes_
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

// For one worker without the others: its messages are always there.
class NoTransport final : public Transport {
 public:
  Ticket send(const MessageKey&, std::span<const std::byte>) override { return nullptr; }
  Ticket receive(const MessageKey&, std::span<std::byte>) override { return nullptr; }
  bool waits_on_device() const override { return true; }
  Passage wait(const Ticket&) override { return {}; }
};

// The caller's tensors of a plan, at an address of their own.
ExecutionArguments whole_tensors(const Problem& problem, Kernel kernel, Allocator& memory) {
  const auto tensor = [](DType dtype, const Extent& extent) {
    return contiguous_view(reinterpret_cast<void*>(kHugePageBytes), dtype, extent);
  };
  const Shape& shape = problem.shape;
  return {.q = tensor(problem.dtype, shape.q()),
          .k = tensor(problem.dtype, shape.k()),
          .v = tensor(problem.dtype, shape.v()),
          .out = tensor(DType::f32, shape.out()),
          .lse = tensor(DType::f32, shape.lse()),
          .kernel = kernel,
          .allocator = &memory};
}

std::int64_t whole_bytes(const Problem& problem) {
  const Shape& shape = problem.shape;
  const std::int64_t inputs = shape.q().elements() + shape.k().elements() + shape.v().elements();
  return inputs * size_of(problem.dtype) +
         (shape.out().elements() + shape.lse().elements()) * size_of(DType::f32);
}

// What takes part when a worker is played alone, with the kernels of the CPU.
struct Rehearsed {
  Rehearsed(const Plan& plan, Kernel kernel, int threads)
      : costs(threads),
        device(rehearsal_device(costs)),
        watch(*device),
        arguments(whole_tensors(plan.problem, kernel, memory)) {}
  const CpuKernelCosts costs;
  const std::unique_ptr<ComputeDevice> device;
  Stopwatch watch;
  NoTransport transport;
  CountingAllocator memory;
  const ExecutionArguments arguments;
  const PlayerTools tools{*device, watch, &transport};
  WorkerTime time;
};

std::int64_t peak_in_place(const Plan& plan, Kernel kernel, int threads) {
  Rehearsed rehearsed(plan, kernel, threads);
  play_in_place(plan, rehearsed.arguments, rehearsed.tools, rehearsed.time);
  return rehearsed.memory.take_peak();
}

}  // namespace

std::vector<std::int64_t> step_peak_bytes(const Plan& plan, int index, Kernel kernel, int threads) {
  Rehearsed rehearsed(plan, kernel, threads);
  CountingAllocator& memory = rehearsed.memory;
  std::vector<std::int64_t> peaks;
  WorkerPlayer player(plan, index, rehearsed.arguments, rehearsed.tools, rehearsed.time);
  player.prepare();
  for (std::size_t step = 0; step < player.worker().steps.size(); ++step) {
    player.begin_step();
    player.compute_step();
    player.end_step();
    peaks.push_back(memory.take_peak());
  }
  if (peaks.empty()) peaks.push_back(memory.take_peak());
  return peaks;
}

namespace {

// The peaks of a plan's workers one after the other, or as those that stand for them tell.
class WorkerPeaks {
 public:
  WorkerPeaks(const Plan& plan, Kernel kernel, int threads)
      : plan_(plan), kernel_(kernel), threads_(threads), representatives_(plan) {
    // What `staged` stores follows from the pairs of each call.
    if (CpuKernelCosts(threads).reads_schedule(kernel)) return;
    Plan like = plan;
    for (std::size_t i = 0; i < representatives_.workers().size(); ++i) {
      like.workers = Workers(static_cast<int>(plan.workers.size()),
                             [worker = representatives_.worker(i)](int, bool) { return worker; });
      peaks_.push_back(step_peak_bytes(like, representatives_.workers()[i], kernel, threads));
    }
  }

  [[nodiscard]] std::int64_t of(int w) const {
    if (works_in_place(plan_)) return peak_in_place(plan_, kernel_, threads_);
    if (peaks_.empty()) return highest(step_peak_bytes(plan_, w, kernel_, threads_));
    std::int64_t peak = 0;
    for (std::size_t s = 0; s < peaks_[0].size(); ++s)
      peak = std::max(peak, peaks_[representatives_.of(w, s)][s]);
    return peak;
  }

 private:
  static std::int64_t highest(const std::vector<std::int64_t>& peaks) {
    return *std::max_element(peaks.begin(), peaks.end());
  }

  const Plan& plan_;
  const Kernel kernel_;
  const int threads_;
  const Representatives representatives_;
  std::vector<std::vector<std::int64_t>> peaks_;  // of the representatives, by step
};

}  // namespace

PlanMemory plan_memory(const Plan& plan, Kernel kernel, int threads) {
  PlanMemory memory;
  const WorkerPeaks peaks(plan, kernel, threads);
  std::int64_t sum = 0;
  for (int w = 0; w < static_cast<int>(plan.workers.size()); ++w) {
    memory.worker_peak_bytes.push_back(peaks.of(w));
    memory.worst_worker_bytes =
        std::max(memory.worst_worker_bytes, memory.worker_peak_bytes.back());
    sum += memory.worker_peak_bytes.back();
  }
  const std::int64_t whole = whole_bytes(plan.problem);
  memory.serial_bytes = whole + (communicates(plan) ? sum : memory.worst_worker_bytes);
  memory.threads_bytes = whole + sum;
  return memory;
}

}  // namespace qb
