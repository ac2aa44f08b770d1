// SPDX-License-Identifier: Apache-2.0
// Measures the ceilings of this machine, with which the kernels' rates are compared. Each is the
// best of a few bursts of a millisecond or two, with `threads` threads at once, in the instruction
// set that the kernels use. Clocks drift, so measure a ceiling right before or after the kernel
// that is compared with it.
#pragma once

#include "kernels/attention.h"

namespace qb::cpu {

// Returns the rate of fused multiply-adds on registers, two FLOP each; with bf16_pairs the rate of
// products of pairs, four FLOP each, or of tiles where the instruction set has them.
[[nodiscard]] double fma_peak_flop_per_s(int threads, bool bf16_pairs);

// Returns the ceiling of the units in which a kernel multiplies; 0 where it multiplies one by one.
[[nodiscard]] double kernel_peak_flop_per_s(Kernel kernel, DType dtype, int threads);

// Returns how many exponentials of the softmax a second take over data in the first-level cache.
[[nodiscard]] double exp2_per_s(int threads);

// Measures memory, in `bytes_each` for each thread, a power of two from 64 KiB on: the bytes per
// second that a sum reads, and those that a copy from one half to the other reads and writes. What
// fits into a cache measures that cache.
class MemoryCeiling {
 public:
  static constexpr std::int64_t kBeyondCaches = std::int64_t{128} << 20;
  explicit MemoryCeiling(int threads, std::int64_t bytes_each = kBeyondCaches);
  [[nodiscard]] double read_bytes_per_s();
  [[nodiscard]] double copy_bytes_per_s();

 private:
  int threads_;
  std::int64_t floats_each_;
  std::int64_t rounds_;  // of a burst, so that each goes over as many bytes
  Buffer memory_;
};

}  // namespace qb::cpu
