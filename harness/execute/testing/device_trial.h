// For tests only: helpers that tests of executors on devices share.
#pragma once

#include "harness/execute/player/device_executor.h"
#include "harness/execute/testing/execute_fixtures.h"

namespace qb {

// How a device computes a plan.
struct DeviceCall {
  Kernel kernel;
  Launch launch;
};

[[nodiscard]] inline DeviceCall random_device_call(Random& random) {
  if (random() % 3 == 0) return {Kernel::materialized, Launch::alone};
  return {Kernel::flash, static_cast<Launch>(random() % 3)};
}

// Returns the arguments of a trial whose tensors the device reads in place.
[[nodiscard]] inline ExecutionArguments arguments_of(const Trial& trial, Allocator& memory,
                                                     DeviceCall call,
                                                     ClockKind clock = ClockKind::synchronized) {
  auto arguments = trial.with_tensors(ExecutionArguments());
  arguments.kernel = call.kernel;
  arguments.launch = call.launch;
  arguments.clock = clock;
  arguments.allocator = &memory;
  return arguments;
}

// Returns the status and the message of the CaseError that `play` ends with.
template <class Play>
[[nodiscard]] std::string case_failure(Play play) {
  try {
    play();
  } catch (const CaseError& error) {
    return std::string(word(error.status())) + ": " + error.what();
  }
  return "nothing thrown";
}

// A trial's whole tensors in the memory of a device.
class TrialOnDevice {
 public:
  // The trial and the device must outlive it.
  TrialOnDevice(Trial& trial, ComputeDevice& device, Allocator& memory)
      : trial_(trial), device_(device) {
    const TensorView host[] = {trial.inputs.q.view(), trial.inputs.k.view(), trial.inputs.v.view(),
                               trial.out.view(), trial.lse.view()};
    for (std::size_t i = 0; i < 5; ++i) {
      tensors_[i] = Tensor(memory, host[i].dtype, host[i].extent, "whole");
      device.upload(host[i], tensors_[i].view());
    }
  }

  // Returns the arguments with these tensors.
  [[nodiscard]] ExecutionArguments with_tensors(ExecutionArguments arguments) const {
    arguments.q = tensors_[0].view();
    arguments.k = tensors_[1].view();
    arguments.v = tensors_[2].view();
    arguments.out = tensors_[3].view();
    arguments.lse = tensors_[4].view();
    return arguments;
  }

  // Copies O and LSE into the trial's tensors.
  void download() const {
    device_.download(tensors_[3].view(), trial_.out.view());
    device_.download(tensors_[4].view(), trial_.lse.view());
  }

 private:
  Trial& trial_;
  ComputeDevice& device_;
  Tensor tensors_[5];
};

}  // namespace qb
