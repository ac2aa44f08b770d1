// The ceilings of this machine, measured rather than looked up: what the kernels' rates are held
// against. Each is the best of a few bursts of a millisecond or two, with `threads` threads at
// once, in the instruction set that the kernels use. Call them beside what they judge: clocks
// drift.
#pragma once

#include "kernels/attention.h"

namespace qb::cpu {

// Fused multiply-adds on registers, two FLOP each; bf16_pairs: products of pairs, four.
[[nodiscard]] double fma_peak_flop_per_s(int threads, bool bf16_pairs);

// The ceiling of a kernel over inputs of this type: that of the units in which it multiplies. 0 for
// `reference`, which is no contest.
[[nodiscard]] double kernel_peak_flop_per_s(Kernel kernel, DType dtype, int threads);

// Exponentials of the softmax over data in the first-level cache, in elements a second.
[[nodiscard]] double exp2_per_s(int threads);

// Memory beyond the caches (two buffers of 64 MiB a thread): bytes read a second by a sum, and
// bytes read plus bytes written a second by a copy.
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
