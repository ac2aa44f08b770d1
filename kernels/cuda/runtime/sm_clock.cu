// SPDX-License-Identifier: Apache-2.0
// One thread counts its multiprocessor's cycles over a tenth of a millisecond of the GPU's own
// nanosecond clock. That clock ticks coarsely (a microsecond on some), hence the length.
#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/clocks.h"

namespace qb::cuda {
namespace {

constexpr unsigned long long kNanoseconds = 100'000;

__device__ unsigned long long global_timer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void count_cycles(unsigned long long* cycles, unsigned long long* nanoseconds) {
  // The time runs from one tick to another.
  const unsigned long long before = global_timer();
  unsigned long long begin = global_timer();
  while (begin == before) begin = global_timer();
  const long long first = clock64();
  unsigned long long end = global_timer();
  while (end - begin < kNanoseconds) end = global_timer();
  *cycles = static_cast<unsigned long long>(clock64() - first);
  *nanoseconds = end - begin;
}

}  // namespace

void sample_sm_clock(unsigned long long* cycles, unsigned long long* nanoseconds, void* stream) {
  count_cycles<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(cycles, nanoseconds);
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
