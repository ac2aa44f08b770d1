// The GPU of this machine, and which cases it runs.
#pragma once

#include <optional>
#include <string>

#include "harness/workload/case.h"
#include "kernels/cuda/runtime/device.h"

namespace qb {

// The GPU that a case of device: cuda with serial ranks runs on. Asks the driver once.
[[nodiscard]] std::optional<CudaDevice> first_gpu();

// Why `device: auto` means the CPU here; empty where there is a GPU. Asks the driver once.
[[nodiscard]] const std::string& why_no_gpu();

// Throws EnvironmentError where the case's device is missing on this machine.
void require_device(const Case& c);

// Throws Unsupported where the choices of a resolved case do not fit its device: a GPU cannot play
// the workers that way, or the CPU does not know a choice of the GPU's.
void require_fitting_device(const Case& c);

}  // namespace qb
