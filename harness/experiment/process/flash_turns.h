// SPDX-License-Identifier: Apache-2.0
// Times launches of the flash kernels on a GPU, in turns that another program asks for:
// experiments/gpu/flash_rounds.py, which gives PyTorch the turns between. Other than a case, a turn
// launches over tile lists that were made before it, and the tensors stay from turn to turn.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>

#include "harness/run/device/compute_device.h"

namespace qb {

// Opens the GPU for kernel flash, or for flash_sm80: the same by the A100's instructions.
using OpenForFlash = std::function<std::unique_ptr<ComputeDevice>(bool sm_80)>;
// Throws EnvironmentError where there is none.
[[nodiscard]] std::unique_ptr<ComputeDevice> open_gpu_for_flash(bool sm_80);

// A request is a line of kernel, pass, type, head_dim, mask, N, heads, warm-ups and repeats; its
// answer is a line of `ok` and the seconds of the repeats by the device's clock, or of `incorrect`
// or `unsupported` and the reason. The first turn of a kernel at a shape compares some rows of O,
// or of dQ, with float64. Throws UsageError for another line.
void answer_flash_turns(std::istream& requests, std::ostream& answers,
                        const OpenForFlash& open = open_gpu_for_flash);

}  // namespace qb
