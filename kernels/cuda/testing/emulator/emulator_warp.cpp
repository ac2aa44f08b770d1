// SPDX-License-Identifier: Apache-2.0
// These are the instructions of a warp on sm_80.
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "kernels/cuda/testing/emulator/emulated_ptx.h"
#include "kernels/cuda/testing/emulator/emulator_machine.h"
#include "kernels/dtype.h"

namespace qb::cuda::ptx {

using namespace emulator;  // NOLINT: the machine below

float exp2(float x) { return std::exp2(x); }
float log2(float x) { return std::log2(x); }

void trap_if_negative(float value) {
  if (value < 0.0F) fail("trap: " + std::to_string(value) + " is negative");
}

int uniform(int value) {
  ++self().uniform_values;
  return value;
}

void sync_warp() {
  static const char kWhat = 0;
  meet_warp(&kWhat, nullptr, [](void**) {});
}

float shuffle_xor(float value, int mask) {
  static const char kWhat = 0;
  struct Brought {
    float value;
    float result;
  } mine{value, 0.0F};
  meet_warp(&kWhat, &mine, [mask](void** all) {
    for (int lane = 0; lane < kWarp; ++lane)
      static_cast<Brought*>(all[lane])->result = static_cast<Brought*>(all[lane ^ mask])->value;
  });
  return mine.result;
}

std::uint32_t pack_pair(bool bf16, float low, float high) {
  const auto bits = [bf16](float x) { return bf16 ? f32_to_bf16(x) : f32_to_f16(x); };
  return static_cast<std::uint32_t>(bits(low)) | static_cast<std::uint32_t>(bits(high)) << 16;
}

void copy_async(std::uint32_t shared, const void* global, bool valid) {
  std::byte* const target = shared_bytes(shared, 16, 16);
  Copy copy{shared, {}};
  if (valid) {
    if (reinterpret_cast<std::uintptr_t>(global) % 16 != 0) fail("copy from a misaligned address");
    std::memcpy(copy.data.data(), global, 16);
  }
  std::memset(target, kPoison, 16);
  self().copy_groups.back().push_back(copy);
}
void copy_commit() { self().copy_groups.emplace_back(); }
void copy_wait_for(int pending) {
  std::vector<std::vector<Copy>>& groups = self().copy_groups;
  while (static_cast<int>(groups.size()) - 1 > pending) {
    for (const Copy& copy : groups.front())
      std::memcpy(block->shared.data() + copy.shared, copy.data.data(), 16);
    groups.erase(groups.begin());
  }
}

namespace {

struct Rows {
  std::uint32_t row;
  std::uint32_t* registers;
};

void load_four(std::uint32_t (&r)[4], std::uint32_t row, bool transposed) {
  static const char kWhat[2] = {};
  Rows mine{row, r};
  meet_warp(&kWhat[transposed ? 1 : 0], &mine, [transposed](void** all) {
    for (int matrix = 0; matrix < 4; ++matrix)
      for (int lane = 0; lane < kWarp; ++lane)
        for (int half = 0; half < 2; ++half) {
          const int first = lane / 4;
          const int second = lane % 4 * 2 + half;
          const int from = transposed ? second : first;
          const int column = transposed ? first : second;
          const std::byte* const bytes =
              shared_bytes(static_cast<Rows*>(all[8 * matrix + from])->row, 16, 16);
          std::uint16_t bits = 0;
          std::memcpy(&bits, bytes + 2 * column, 2);
          std::uint32_t& target = static_cast<Rows*>(all[lane])->registers[matrix];
          target = half == 0 ? bits : target | static_cast<std::uint32_t>(bits) << 16;
        }
  });
}

struct WarpProduct {
  float* c;
  const std::uint32_t* a;
  std::uint32_t b[2];
};

}  // namespace

void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) { load_four(r, row, false); }
void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row) { load_four(r, row, true); }

// These are the fragments of mma.m16n8k16 in the PTX manual. A: register i holds row lane / 4 (+ 8
// for odd i) and columns 2 (lane % 4), + 1 (+ 8 for i >= 2). B: register i holds rows 2 (lane % 4),
// + 1 (+ 8 for i = 1) and column lane / 4.
void multiply_add_warp(bool bf16, float* c, const std::uint32_t* a, std::uint32_t b0,
                       std::uint32_t b1) {
  static const char kWhat = 0;
  WarpProduct mine{c, a, {b0, b1}};
  meet_warp(&kWhat, &mine, [bf16](void** all) {
    float left[16][16];
    float right[16][8];
    for (int lane = 0; lane < kWarp; ++lane) {
      const WarpProduct& of = *static_cast<WarpProduct*>(all[lane]);
      for (int half = 0; half < 2; ++half) {
        for (int i = 0; i < 4; ++i)
          left[lane / 4 + i % 2 * 8][lane % 4 * 2 + half + i / 2 * 8] =
              from_bits(bf16, bits_of(of.a[i], half));
        for (int i = 0; i < 2; ++i)
          right[lane % 4 * 2 + half + i * 8][lane / 4] = from_bits(bf16, bits_of(of.b[i], half));
      }
    }
    for (int lane = 0; lane < kWarp; ++lane)
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + i / 2 * 8;
        const int column = lane % 4 * 2 + i % 2;
        float& sum = static_cast<WarpProduct*>(all[lane])->c[i];
        for (int depth = 0; depth < 16; ++depth) sum += left[row][depth] * right[depth][column];
      }
  });
}

namespace {

template <class Value>
void store(std::uint32_t address, Value value) {
  std::memcpy(shared_bytes(address, sizeof value, sizeof value), &value, sizeof value);
}
template <class Value>
Value load(std::uint32_t address) {
  Value value{};
  std::memcpy(&value, shared_bytes(address, sizeof value, sizeof value), sizeof value);
  return value;
}

}  // namespace

void store_shared(std::uint32_t address, float value) { store(address, value); }
float load_shared(std::uint32_t address) { return load<float>(address); }
void store_shared_pair(std::uint32_t address, float first, float second) {
  store(address, std::array{first, second});
}
void store_shared(std::uint32_t address, int value) { store(address, value); }
int load_shared_int(std::uint32_t address) { return load<int>(address); }
void load_shared_four(float (&x)[4], std::uint32_t address) {
  std::memcpy(x, shared_bytes(address, sizeof x, sizeof x), sizeof x);
}

float widen_bits(bool bf16, std::uint16_t bits) { return from_bits(bf16, bits); }

}  // namespace qb::cuda::ptx
