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
  // Calls device.attention() with the kept data of the call at this position. If another call was
  // kept there (of another plan, or over tensors of other shapes), it and all later ones are
  // dropped. Device and memory are the same in all executions, and must outlive this object.
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
