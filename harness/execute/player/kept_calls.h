// Keeps the kernel calls of a rank between executions of its plan: what the kernel reads of their
// schedules is made in the first execution and stays on the device.
#pragma once

#include <memory>
#include <vector>

#include "harness/execute/device/compute_device.h"
#include "kernels/tile_schedule.h"

namespace qb {

class KeptCalls {
 public:
  // Begins a new execution; its calls come in the same order as before.
  void rewind() { next_ = 0; }
  // Calls device.attention() with the data kept for this position; drops them and all later ones if
  // they are another call's. Device and memory must be the same in every call, and outlive this.
  void attend(ComputeDevice& device, Kernel kernel, const AttentionArguments& arguments,
              Allocator& memory, int worker);

 private:
  struct Call {
    Kernel kernel;
    AttentionArguments form;  // its tensors and schedule may be destroyed
    TileSchedule schedule;
    ComputeDevice::KeptSchedule kept;
  };
  [[nodiscard]] static bool is_of(const Call& call, Kernel kernel,
                                  const AttentionArguments& arguments);

  std::vector<Call> calls_;
  std::size_t next_ = 0;
};

}  // namespace qb
