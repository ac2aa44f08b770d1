// The kernel calls of a rank from one execution of its plan to the next: what the kernel reads of
// their schedules is made in the first one and stays on the device.
#pragma once

#include <memory>
#include <vector>

#include "harness/execute/device/compute_device.h"
#include "kernels/tile_schedule.h"

namespace qb {

class KeptCalls {
 public:
  // An execution begins, whose calls come in the order of the one before.
  void rewind() { next_ = 0; }
  // device.attention(), with what was kept of the call in its place. Where that was another one (of
  // another plan, or over tensors of other shapes), it and those behind it are forgotten. Device
  // and memory are the same in all executions, and must outlive this.
  void attend(ComputeDevice& device, Kernel kernel, const AttentionArguments& arguments,
              Allocator& memory, int worker);

 private:
  struct Call {
    Kernel kernel;
    AttentionArguments form;  // whose tensors and schedule may be gone
    TileSchedule schedule;
    std::unique_ptr<KeptSchedule> kept;
  };
  [[nodiscard]] static bool is_of(const Call& call, Kernel kernel,
                                  const AttentionArguments& arguments);

  std::vector<Call> calls_;
  std::size_t next_ = 0;
};

}  // namespace qb
