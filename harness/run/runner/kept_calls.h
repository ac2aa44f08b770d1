// SPDX-License-Identifier: Apache-2.0
// Keeps the kernel calls of a rank between executions of its plan: what the kernel reads of their
// schedules is made in the first execution and stays on the device. The calls of each pass are kept
// apart, so that a repeat may run one pass after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "harness/run/device/attention_device.h"
#include "kernels/tile_schedule.h"

namespace qb {

class KeptCalls {
 public:
  // Begins a new execution; its calls come in the same order as before.
  void rewind() { forward_.next = backward_.next = 0; }
  // Calls device.attention() with the data kept for this position; drops them and all later ones if
  // they are another call's. Device and memory must be the same in every call, and outlive this.
  void attend(AttentionDevice& device, Kernel kernel, const AttentionArguments& arguments,
              Allocator& memory, int worker);
  // Does so with device.attention_backward().
  void attend_backward(AttentionDevice& device, Kernel kernel, const BackwardArguments& arguments,
                       Allocator& memory, int worker);
  // Makes the data of the next backward call ahead of it; its tensors may have no memory yet.
  void keep_backward(AttentionDevice& device, Kernel kernel, const BackwardArguments& arguments,
                     Allocator& memory, int worker);

 private:
  template <class Arguments>
  struct Call {
    Kernel kernel;
    Arguments form;  // its tensors and schedule may be destroyed
    TileSchedule schedule;
    std::function<void(const Arguments&, Allocator& workspace)> kept;
  };
  template <class Arguments>
  struct Sequence {
    std::vector<Call<Arguments>> calls;
    std::size_t next = 0;
  };
  template <class Arguments>
  [[nodiscard]] static bool is_of(const Call<Arguments>& call, Kernel kernel,
                                  const Arguments& arguments);
  // Returns the next call of the sequence, made by `keep` unless it is there; nullptr if the device
  // keeps nothing of it.
  template <class Arguments, class Keep>
  [[nodiscard]] static const Call<Arguments>* take(Sequence<Arguments>& sequence, Kernel kernel,
                                                   const Arguments& arguments, const Keep& keep);
  [[nodiscard]] const Call<BackwardArguments>* take_backward(AttentionDevice& device, Kernel kernel,
                                                             const BackwardArguments& arguments,
                                                             Allocator& memory, int worker);

  Sequence<AttentionArguments> forward_;
  Sequence<BackwardArguments> backward_;
};

}  // namespace qb
