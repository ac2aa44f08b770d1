// SPDX-License-Identifier: Apache-2.0
// The functions of ptx.cuh and ptx_sm90.cuh for a host compiler, as the PTX manual describes them,
// so that tests run whole kernels on a CPU. emulator.h says how, and which mistakes it detects.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/flash/tensor_map.h"
#include "kernels/cuda/runtime/host_device.h"
#include "kernels/cuda/testing/emulator/emulator.h"

namespace qb::cuda::ptx {

int thread_index();
int block_index();
int n_blocks();
void sync_threads();
void sync_warp();
inline std::uint32_t shared_base() { return 0; }
int uniform(int value);
template <class Integer>
Integer opaque(Integer value) {
  return value;
}

[[noreturn]] void trap();

float exp2(float x);
float log2(float x);
inline float multiply(float a, float b) { return a * b; }
void trap_if_negative(float value);
float shuffle_xor(float value, int mask);
std::uint32_t pack_pair(bool bf16, float low, float high);
template <bool kBf16>
std::uint32_t pack(float low, float high) {
  return pack_pair(kBf16, low, high);
}

void copy_async(std::uint32_t shared, const void* global, bool valid);
void copy_commit();
void copy_wait_for(int pending);
template <int kPending>
void copy_wait() {
  copy_wait_for(kPending);
}

void load_matrices(std::uint32_t (&r)[4], std::uint32_t row);
void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row);
void multiply_add_warp(bool bf16, float* c, const std::uint32_t* a, std::uint32_t b0,
                       std::uint32_t b1);
template <bool kBf16>
void multiply_add(float* c, const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  multiply_add_warp(kBf16, c, a, b0, b1);
}
void store_shared(std::uint32_t address, float value);
float load_shared(std::uint32_t address);
void store_shared_pair(std::uint32_t address, float first, float second);
void store_shared(std::uint32_t address, int value);
int load_shared_int(std::uint32_t address);
void load_shared_four(float (&x)[4], std::uint32_t address);
inline void add_atomically(float* at, float value) { *at += value; }
inline void add_pair_atomically(float* at, float first, float second) {
  at[0] += first;
  at[1] += second;
}
float widen_bits(bool bf16, std::uint16_t bits);
template <bool kBf16>
float widen(std::uint16_t bits) {
  return widen_bits(kBf16, bits);
}
// Blocks run one after another, so no other block interferes.
inline std::uint32_t increment_or_wrap(std::uint32_t* counter, std::uint32_t last) {
  const std::uint32_t before = *counter;
  *counter = before >= last ? 0 : before + 1;
  return before;
}
inline void store_zeros(std::uint32_t address) {
  for (std::uint32_t i = 0; i < 16; i += 4) store_shared(address + i, 0.0F);
}

void barrier_init(std::uint32_t barrier, int arrivals);
inline void barrier_init_fence() {}
void barrier_arrive(std::uint32_t barrier);
void barrier_arrive_expecting(std::uint32_t barrier, int bytes);
void barrier_wait(std::uint32_t barrier, int parity);
void named_sync(int name, int threads);
void named_arrive(int name, int threads);

inline void prefetch_map(const TensorMap* /*map*/) {}
void copy_box(std::uint32_t shared, const TensorMap* map, std::uint32_t barrier, int c0, int c1,
              int c2, int c3, int c4);

void add_box(const TensorMap* map, std::uint32_t shared, int c0, int c1, int c2, int c3, int c4);
void commit_sums();
void wait_for_sums();

template <int kRegisters>
void give_registers() {}
template <int kRegisters>
void take_registers() {}

inline void store_fence() {}
inline void product_fence() {}
void product_commit();
void product_wait_for(int pending);
template <int kPending>
void product_wait() {
  product_wait_for(kPending);
}
template <class T>
void hold(T& /*registers*/) {}
void issue_product(bool bf16, bool add, int columns, float* c, const std::uint32_t* a_registers,
                   std::uint64_t a, std::uint64_t b, bool a_transposed = false);
template <bool kBf16, bool kAdd, std::size_t kCount>
void product_of_shared(float (&c)[kCount], std::uint64_t a, std::uint64_t b) {
  issue_product(kBf16, kAdd, static_cast<int>(2 * kCount), c, nullptr, a, b);
}
template <bool kBf16, std::size_t kCount>
void product_of_registers(float (&c)[kCount], const std::uint32_t* a, std::uint64_t b) {
  issue_product(kBf16, true, static_cast<int>(2 * kCount), c, a, 0, b);
}
template <bool kBf16, bool kAdd>
void product_of_transposed(float (&c)[32], std::uint64_t a, std::uint64_t b) {
  issue_product(kBf16, kAdd, 64, c, nullptr, a, b, true);
}

}  // namespace qb::cuda::ptx
