// SPDX-License-Identifier: Apache-2.0
// For tests only: helpers that tests of executors on devices share.
#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include "harness/run/runner/device_executor.h"
#include "harness/run/testing/execute_fixtures.h"

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

// Returns the status and the message of the CaseError that `run` ends with.
template <class Play>
[[nodiscard]] std::string case_failure(Play play) {
  try {
    play();
  } catch (const CaseError& error) {
    return std::string(word(error.status())) + ": " + error.what();
  }
  return "nothing thrown";
}

// Returns the whole tensors that a pass writes.
[[nodiscard]] inline std::vector<TensorView> written_by(Pass pass,
                                                        const ExecutionArguments& arguments) {
  if (pass == Pass::forward) return {arguments.out, arguments.lse};
  std::vector<TensorView> all = {arguments.d_q, arguments.d_k, arguments.d_v};
  if (arguments.d_sinks.data != nullptr) all.push_back(arguments.d_sinks);
  return all;
}

// The whole tensors of a trial of either pass in the memory of a device.
class TrialOnDevice {
 public:
  // The trial and the device must outlive it.
  template <class AnyTrial>
  TrialOnDevice(const AnyTrial& trial, ComputeDevice& device, Allocator& memory)
      : pass_(trial.plan.pass), host_(trial.with_tensors(ExecutionArguments())), device_(device) {
    for (std::size_t i = 0; i < std::size(kTensors); ++i) {
      const TensorView& host = host_.*kTensors[i];
      if (host.data == nullptr) continue;
      tensors_[i] = Tensor(memory, host.dtype, host.extent, "whole");
      device.upload(host, tensors_[i].view());
    }
  }

  // Returns the arguments with these tensors.
  [[nodiscard]] ExecutionArguments with_tensors(ExecutionArguments arguments) const {
    for (std::size_t i = 0; i < std::size(kTensors); ++i)
      arguments.*kTensors[i] = tensors_[i].view();
    return arguments;
  }

  // Copies what the pass has written into the trial's tensors.
  void download() const {
    const std::vector<TensorView> from = written_by(pass_, with_tensors(ExecutionArguments()));
    const std::vector<TensorView> to = written_by(pass_, host_);
    for (std::size_t i = 0; i < from.size(); ++i) device_.download(from[i], to[i]);
  }

 private:
  static constexpr TensorView ExecutionArguments::*kTensors[] = {
      &ExecutionArguments::q,      &ExecutionArguments::k,   &ExecutionArguments::v,
      &ExecutionArguments::out,    &ExecutionArguments::lse, &ExecutionArguments::d_out,
      &ExecutionArguments::d_q,    &ExecutionArguments::d_k, &ExecutionArguments::d_v,
      &ExecutionArguments::d_sinks};

  Pass pass_;
  ExecutionArguments host_;
  ComputeDevice& device_;
  Tensor tensors_[std::size(kTensors)];
};

}  // namespace qb
