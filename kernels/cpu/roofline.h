// SPDX-License-Identifier: Apache-2.0
// Measures the ceilings of this machine, with which the kernels' rates are compared. Each is the
// best of a few bursts of a millisecond or two, with `threads` threads at once, in the instruction
// set that the kernels use. Clocks drift, so measure a ceiling right before or after the kernel
// that is compared with it.
#pragma once

#include "kernels/attention.h"

namespace qb::cpu {

// Returns the rate of fused multiply-adds on registers, two FLOP each; with bf16_pairs the rate of
// products of pairs, four FLOP each.
[[nodiscard]] double fma_peak_flop_per_s(int threads, bool bf16_pairs);

// Returns the ceiling of the units in which a kernel multiplies; 0 where it multiplies one by one.
[[nodiscard]] double kernel_peak_flop_per_s(Kernel kernel, DType dtype, int threads);

// Returns how many exponentials of the softmax a second take over data in the first-level cache.
[[nodiscard]] double exp2_per_s(int threads);

// Measures memory beyond the caches, in two buffers of 64 MiB for each thread: the bytes per second
// that a sum reads, and those that a copy reads and writes.
class MemoryCeiling {
 public:
  explicit MemoryCeiling(int threads);
  [[nodiscard]] double read_bytes_per_s();
  [[nodiscard]] double copy_bytes_per_s();

 private:
  int threads_;
  Buffer memory_;
};

}  // namespace qb::cpu
