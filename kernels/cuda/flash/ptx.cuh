// SPDX-License-Identifier: Apache-2.0
// Wraps every instruction that C++ cannot express, ptx_sm90.cuh those of sm_90a; no other file in
// this folder contains assembly. A host compiler gets the same functions from emulated_ptx.h, so
// that tests run the kernels on a CPU. Addresses of shared memory are 32-bit addresses in the
// shared window.
#pragma once

#ifndef __CUDACC__
#include "kernels/cuda/testing/emulator/emulated_ptx.h"
#else

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"

namespace qb::cuda::ptx {

// ---- Indices of threads and lanes ---------------------------------------------------------------

QB_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
QB_DEVICE int block_index() { return static_cast<int>(blockIdx.x); }
QB_DEVICE int n_blocks() { return static_cast<int>(gridDim.x); }
QB_DEVICE void sync_threads() { __syncthreads(); }
QB_DEVICE void sync_warp() { __syncwarp(); }

// Returns the block's dynamic shared memory. The kernels request it aligned to the swizzle's atom.
QB_DEVICE std::uint32_t shared_base() {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_memory));
}

// Returns the value of lane 0, which the compiler then knows to be the same in all lanes.
QB_DEVICE int uniform(int value) { return __shfl_sync(0xFFFFFFFFU, value, 0); }

// Returns the same value, but the compiler does not know where it comes from: what is computed or
// read with it is computed or read here, and not kept in registers since the kernel began.
template <class Integer>
QB_DEVICE Integer opaque(Integer value) {
  static_assert(sizeof value == 4);
  asm volatile("" : "+r"(value));
  return value;
}

// Ends the kernel with an error, after which this process can no longer use the device.
QB_DEVICE void trap() { asm volatile("trap;"); }

// ---- Arithmetic of the softmax ------------------------------------------------------------------

// Computes 2^x to 2 ulp in one instruction; 0 for -inf. Subnormal results become 0.
QB_DEVICE float exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
QB_DEVICE float log2(float x) {
  float y;
  asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// Returns a product that is rounded and never fused with a sum after it.
QB_DEVICE float multiply(float a, float b) { return __fmul_rn(a, b); }
// Computes what `value` depends on before this point: the assembler moves arithmetic behind a wait
// for products, but it does not move what decides whether a trap is taken.
QB_DEVICE void trap_if_negative(float value) {
  asm volatile(
      "{\n"
      ".reg .pred negative;\n"
      "setp.lt.f32 negative, %0, 0f00000000;\n"
      "@negative trap;\n"
      "}" ::"f"(value)
      : "memory");
}
QB_DEVICE float shuffle_xor(float value, int mask) {
  return __shfl_xor_sync(0xFFFFFFFFU, value, mask);
}
// Packs two floats rounded to 16-bit numbers, `low` in the lower half.
template <bool kBf16>
QB_DEVICE std::uint32_t pack(float low, float high) {
  std::uint32_t both;
  if constexpr (kBf16)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

// ---- Global to shared memory on sm_80: cp.async -------------------------------------------------
// A thread's requests form groups (commit); wait<n> returns when at most its n newest groups are
// still in progress. Other threads see the bytes after a barrier that follows the wait.

// Copies 16 bytes; where `valid` is false it writes zeros and reads nothing.
QB_DEVICE void copy_async(std::uint32_t shared, const void* global, bool valid) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
               "r"(bytes)
               : "memory");
}
QB_DEVICE void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
QB_DEVICE void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// ---- Shared memory to registers, and products of a warp -----------------------------------------

// Loads four 8x8 matrices of 16-bit elements; flash_layout.h says which lane names which row.
QB_DEVICE void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
}
QB_DEVICE void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
}

// c[0..3] += A (16x16) B (16x8).
template <bool kBf16>
QB_DEVICE void multiply_add(float* c, const std::uint32_t (&a)[4], std::uint32_t b0,
                            std::uint32_t b1) {
  if constexpr (kBf16)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

QB_DEVICE void store_shared(std::uint32_t address, int value) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
QB_DEVICE int load_shared_int(std::uint32_t address) {
  int value;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
QB_DEVICE void store_shared(std::uint32_t address, float value) {
  store_shared(address, __float_as_int(value));
}
QB_DEVICE float load_shared(std::uint32_t address) {
  return __int_as_float(load_shared_int(address));
}
// Stores two neighbouring floats; the address is a multiple of 8.
QB_DEVICE void store_shared_pair(std::uint32_t address, float first, float second) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(first), "f"(second)
               : "memory");
}
// Loads four neighbouring floats; the address is a multiple of 16.
QB_DEVICE void load_shared_four(float (&x)[4], std::uint32_t address) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
               : "r"(address)
               : "memory");
}

// These add to sums in device memory to which other blocks add at the same time. The order of the
// additions, and so the rounding, differs from run to run. A pair is aligned to 8 bytes; sm_90
// adds it with one instruction.
QB_DEVICE void add_atomically(float* at, float value) { atomicAdd(at, value); }
QB_DEVICE void add_pair_atomically(float* at, float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float2*>(at), make_float2(first, second));
#else
  atomicAdd(at, first);
  atomicAdd(at + 1, second);
#endif
}

// Returns the value of a 16-bit number.
template <bool kBf16>
QB_DEVICE float widen(std::uint16_t bits) {
  if constexpr (kBf16) {
    return __uint_as_float(static_cast<unsigned>(bits) << 16);
  } else {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
}

// Adds 1 to a counter in device memory, or sets it to 0 if it is `last`. Returns the value before.
QB_DEVICE std::uint32_t increment_or_wrap(std::uint32_t* counter, std::uint32_t last) {
  return atomicInc(counter, last);
}

QB_DEVICE void store_zeros(std::uint32_t address) {  // This stores 16 bytes.
  asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(0) : "memory");
}

}  // namespace qb::cuda::ptx

#endif  // __CUDACC__
