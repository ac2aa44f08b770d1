// SPDX-License-Identifier: Apache-2.0
// These are the CPU kernels behind attention() and attention_backward(), which have checked their
// arguments.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/attention.h"
#include "kernels/attention_backward.h"

namespace qb::cpu {

struct CpuBackward;

// Describes one CPU kernel. Each has a file that ends with the definition of its CpuKernel.
struct CpuKernel {
  // The sizes of a kernel's temporaries depend on these and on the schedule.
  struct Shape {
    Extent q;
    Extent k;
    std::int64_t value_dim = 0;
    DType dtype = DType::f32;
    int threads = 1;
    std::int64_t stored_pairs = -1;  // pairs of a head that staged stores
  };

  KernelTiles (*tiles)(std::int64_t head_dim);
  std::int64_t (*workspace_bytes)(const Shape& shape);
  void (*attend)(const AttentionArguments& arguments, const KernelContext& context);
  std::string_view (*isa)();
  const CpuBackward* backward = nullptr;  // nullptr: it has no backward pass
};

// Describes a kernel's backward pass; each has a file of its own.
struct CpuBackward {
  std::int64_t (*workspace_bytes)(const CpuKernel::Shape& shape);
  void (*accumulate)(const BackwardArguments& arguments, const KernelContext& context);
};

#define QB_DECLARE_KERNEL(word, ...) extern const CpuKernel word##_kernel;
QB_KERNELS(QB_DECLARE_KERNEL)
#undef QB_DECLARE_KERNEL

extern const CpuBackward reference_backward;
extern const CpuBackward materialized_backward;
extern const CpuBackward flash_backward;

[[nodiscard]] const CpuKernel& kernel_of(Kernel kernel);

}  // namespace qb::cpu
