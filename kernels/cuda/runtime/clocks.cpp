// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/clocks.h"

#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/loaded_library.h"

namespace qb::cuda {
namespace {

// Declares the parts of nvml.h that are used here, because not every toolkit has it. 0 is success.
using NvmlDevice = struct nvmlDevice_st*;
struct Nvml {
  int (*init)() = nullptr;
  int (*find)(const char* pci_bus_id, NvmlDevice* device) = nullptr;
  int (*reasons)(NvmlDevice device, unsigned long long* reasons) = nullptr;
};

// Finds the device by its bus address: NVML also counts devices that the process cannot see.
NvmlDevice find_device(Nvml& nvml) {
  const DynamicLibrary library = open_library(NvidiaLibrary::nvml);
  const auto load = [&library](auto& function, const char* name) {
    void* const symbol = library.find(name);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(symbol);
    return symbol != nullptr;
  };
  if (!load(nvml.init, "nvmlInit_v2") || !load(nvml.find, "nvmlDeviceGetHandleByPciBusId_v2"))
    return nullptr;
  // NVML has two names for this function; the newer one is tried first.
  if (!load(nvml.reasons, "nvmlDeviceGetCurrentClocksEventReasons") &&
      !load(nvml.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"))
    return nullptr;
  int ordinal = 0;
  char bus_id[64] = {};
  QB_CUDA_CHECK(cudaGetDevice(&ordinal));
  QB_CUDA_CHECK(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, ordinal));
  NvmlDevice device = nullptr;
  return nvml.init() == 0 && nvml.find(bus_id, &device) == 0 ? device : nullptr;
}

}  // namespace

struct ClockMonitor::State {
  Nvml nvml;
  NvmlDevice device = nullptr;
  cudaStream_t stream = nullptr;
  unsigned long long* counts = nullptr;  // cycles, nanoseconds

  ~State() { (void)cudaFree(counts); }
};

ClockMonitor::ClockMonitor(void* stream) : state_(std::make_shared<State>()) {
  state_->stream = static_cast<cudaStream_t>(stream);
  state_->device = find_device(state_->nvml);
  QB_CUDA_CHECK(cudaMalloc(&state_->counts, 2 * sizeof(unsigned long long)));
}

ClockState ClockMonitor::read() {
  ClockState clock;
  // The reasons are read before the wait, because afterwards the device is idle.
  clock.reasons_known = state_->device != nullptr;
  unsigned long long reasons = 0;
  if (clock.reasons_known && state_->nvml.reasons(state_->device, &reasons) == 0)
    clock.reasons = reasons;
  sample_sm_clock(state_->counts, state_->counts + 1, state_->stream);
  unsigned long long counts[2] = {};
  QB_CUDA_CHECK(cudaMemcpyAsync(counts, state_->counts, sizeof counts, cudaMemcpyDeviceToHost,
                                state_->stream));
  QB_CUDA_CHECK(cudaStreamSynchronize(state_->stream));
  if (counts[1] > 0)
    clock.sm_hz = 1e9 * static_cast<double>(counts[0]) / static_cast<double>(counts[1]);
  return clock;
}

}  // namespace qb::cuda
