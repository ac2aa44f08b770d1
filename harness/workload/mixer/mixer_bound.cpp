// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"
#include "harness/workload/mixer/mixer_worker.h"

namespace qb {
namespace {

// Counts what is asked of it, and gives no memory.
class CountingAllocator final : public Allocator {
 public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::string_view, int) override {
    bytes_ += static_cast<double>(bytes);
    return nullptr;
  }
  void deallocate(void*) noexcept override {}
  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  double bytes_ = 0.0;
};

double product_flop_per_s(const DeviceModel& device, DType dtype) {
  if (device.product_flop_per_s.value == 0.0 || size_of(dtype) != 2)
    throw Unsupported(
        fmt::format("the device {} has no product_flop_per_s of inputs in {}, which bounds "
                    "operators; the nearest is model.device: h100 with dtype: bf16",
                    device.name, word(dtype)));
  return device.product_flop_per_s.value;
}

}  // namespace

MixerBound mixer_bound(const MixerProblem& problem, const ScanPlan& plan, const DeviceModel& device,
                       const Network& network) {
  const double flop_per_s = product_flop_per_s(device, problem.problem.dtype);
  MixerBound bound{.scan_s = exchanges_s(problem, plan, network)};
  for (int w = 0; w < plan.workers; ++w) {
    const Range tokens = part_of(problem.problem.shape.q_len, plan.workers, w);
    CountingAllocator memory;
    const MixerTensors tensors(problem, tokens, memory, w);
    double seconds = mixer_flop(problem.options, problem.shape(tokens.count())) / flop_per_s;
    if (const double rate = device.memory_byte_per_s.value; rate > 0.0)
      seconds = std::max(seconds, memory.bytes() / rate);
    bound.compute_s = std::max(bound.compute_s, seconds);
    bound.worker_sum_s += seconds;
  }
  return bound;
}

double exchanges_s(const MixerProblem& problem, const ScanPlan& plan, const Network& network) {
  double seconds = 0.0;
  for (int e = 0; e < mixer_exchanges(problem.options.kind); ++e)
    seconds += rounds_time_s(sized_messages(problem, plan, e), plan.workers, network);
  return seconds;
}

}  // namespace qb
