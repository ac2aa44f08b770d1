// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

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

MixerBound mixer_bound(const MixerShare& share, const DeviceModel& device, const Network& network) {
  const double flop_per_s = product_flop_per_s(device, share.problem().problem.dtype);
  MixerBound bound{.scan_s = share.links_s(network)};
  for (int w = 0; w < share.workers(); ++w) {
    double seconds = 0.0;
    for (const Pass pass : share.passes()) {
      CountingAllocator memory;
      const MixerTensors tensors = share.tensors(w, pass == Pass::backward, memory);
      // A backward pass needs no output.
      const double bytes =
          memory.bytes() -
          (pass == Pass::backward ? static_cast<double>(tensors.arguments().out.bytes()) : 0.0);
      const double products_s = share.flop(w, pass) / flop_per_s;
      const double rate = device.memory_byte_per_s.value;
      seconds += rate > 0.0 ? std::max(products_s, bytes / rate) : products_s;
    }
    bound.compute_s = std::max(bound.compute_s, seconds);
    bound.worker_sum_s += seconds;
  }
  return bound;
}

}  // namespace qb
