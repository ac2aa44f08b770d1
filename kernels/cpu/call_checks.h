// SPDX-License-Identifier: Apache-2.0
// The checks that calls of a kernel's forward and backward pass share. Each throws with `who`, the
// function that was called, in front.
#pragma once

#include <string_view>

#include "kernels/attention.h"

namespace qb::cpu {

// Throws Unsupported where the kernel does not run on the CPU with inputs of this type; the message
// names the kernels that do.
void require_cpu_kernel(Kernel kernel, DType dtype);

// Throws std::invalid_argument where the extent of tensor `name` is not the expected one.
void require_lse(std::string_view who, const Extent& found, Extent rows, bool two_numbers);
void require_extent(std::string_view who, std::string_view name, const Extent& found,
                    const Extent& expected);

// Throws std::invalid_argument where q, k and v do not fit together, and Unsupported for a head_dim
// outside 1..kMaxHeadDim.
void check_inputs(std::string_view who, const TensorView& q, const TensorView& k,
                  const TensorView& v);

// Throws std::invalid_argument where the schedule does not fit these tensors, is not valid, or has
// residue classes that the kernel does not take.
void check_schedule(std::string_view who, Kernel kernel, const TileSchedule* schedule,
                    const Extent& q, const Extent& k);

// Throws std::invalid_argument for fewer than one thread.
void require_threads(std::string_view who, int threads);

}  // namespace qb::cpu
