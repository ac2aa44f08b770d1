// What the open choices of a case come to on this machine.
#pragma once

#include <optional>
#include <string>

#include "harness/experiment/schema/case.h"
#include "kernels/cuda/runtime/device.h"

namespace qb {

// `auto` becomes the device that runs it, cqs without an interest set gets the default one; so a
// row says what ran.
[[nodiscard]] Case resolve_case(Case c);

// Throws EnvironmentError where the case's device is missing on this machine.
void require_device(const Case& c);

// Throws Unsupported where the choices of a resolved case do not go together: who plays the workers
// on a GPU, or what is of a GPU on the CPU.
void require_fitting_device(const Case& c);

// The GPU that a case of device: cuda with serial ranks runs on. Asks the driver once.
[[nodiscard]] std::optional<CudaDevice> first_gpu();

// Why `device: auto` is the CPU here; empty where there is a GPU to run on. Asks the driver once.
[[nodiscard]] const std::string& why_no_gpu();

}  // namespace qb
