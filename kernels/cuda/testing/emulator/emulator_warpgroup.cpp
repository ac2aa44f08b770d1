// SPDX-License-Identifier: Apache-2.0
// These are the instructions that came with sm_90a, except for the copy engine: barriers that count
// bytes, and products of a warpgroup.
#include <cstring>
#include <utility>

#include "kernels/cuda/flash/flash_layout.h"
#include "kernels/cuda/testing/emulator/emulated_ptx.h"
#include "kernels/cuda/testing/emulator/emulator_machine.h"

namespace qb::cuda::emulator {
namespace {

// Returns element (row, column) of the matrix that a descriptor names, as the PTX manual lays it
// out. Depth-major: rows of 128 bytes, eight of them an atom, atoms `stride` apart; further columns
// of the same row lie in the next 16-byte chunks. Column-major: 64 columns in a row of 128 bytes,
// eight rows (of the depth) an atom, the next eight `stride` on, the next 64 columns `leading` on.
// The swizzle exchanges address bits 4-6 with bits 7-9.
float operand(std::uint64_t descriptor, bool column_major, bool bf16, int depth, int other) {
  if (descriptor >> 62 != 1) fail("descriptor without 128-byte swizzle");
  const auto start = static_cast<std::uint32_t>(descriptor & 0x3FFF) << 4;
  const auto leading = static_cast<std::uint32_t>(descriptor >> 16 & 0x3FFF) << 4;
  const auto stride = static_cast<std::uint32_t>(descriptor >> 32 & 0x3FFF) << 4;
  std::uint32_t address = start;
  if (column_major)
    address += static_cast<std::uint32_t>(other % 64 * 2 + depth % 8 * 128) +
               static_cast<std::uint32_t>(other / 64) * leading +
               static_cast<std::uint32_t>(depth / 8) * stride;
  else
    address += static_cast<std::uint32_t>(depth * 2 + other % 8 * 128) +
               static_cast<std::uint32_t>(other / 8) * stride;
  address ^= (address >> 7 & 7) << 4;
  std::uint16_t bits = 0;
  std::memcpy(&bits, shared_bytes(address, 2, 2), 2);
  return from_bits(bf16, bits);
}

// Reads the registers of A, laid out as in multiply_add_warp(), one warp for each 16 rows.
float register_operand(const Product& product, int row, int depth) {
  const int lane = row % 8 * 4 + depth % 8 / 2;
  const auto thread = static_cast<std::size_t>(row / 16 * kWarp + lane);
  const std::uint32_t both = product.a_registers[thread][row % 16 / 8 + depth / 8 * 2];
  return from_bits(product.bf16, bits_of(both, depth % 2));
}

void read_operands(const Product& product, std::vector<float>& a, std::vector<float>& b) {
  a.resize(64 * 16);
  for (int row = 0; row < 64; ++row)
    for (int depth = 0; depth < 16; ++depth)
      a[static_cast<std::size_t>(row * 16 + depth)] =
          product.a_in_registers
              ? register_operand(product, row, depth)
              : operand(product.a, product.a_transposed, product.bf16, depth, row);
  b.resize(static_cast<std::size_t>(16 * product.columns));
  for (int depth = 0; depth < 16; ++depth)
    for (int column = 0; column < product.columns; ++column)
      b[static_cast<std::size_t>(depth * product.columns + column)] = operand(
          product.b, product.a_in_registers || product.a_transposed, product.bf16, depth, column);
}

bool same_bits(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

void execute(Product& product) {
  std::vector<float> a;
  std::vector<float> b;
  read_operands(product, a, b);
  if (product.a_in_registers && !same_bits(a, product.a_values))
    fail("registers that a product reads changed while it was under way");
  if (!same_bits(a, product.a_values) || !same_bits(b, product.b_values))
    fail("operands of a product changed while it was under way");
  for (int thread = 0; thread < kWarpgroup; ++thread) {
    float* const c = product.accumulators[static_cast<std::size_t>(thread)];
    for (int i = 0; i < product.columns / 2; ++i) {
      const Place at = accumulator_place(thread % kWarp, i % 4);
      const int row = thread / kWarp * 16 + at.row;
      const int column = i / 4 * 8 + at.column;
      float sum = product.add ? c[i] : 0.0F;
      for (int depth = 0; depth < 16; ++depth)
        sum += a[static_cast<std::size_t>(row * 16 + depth)] *
               b[static_cast<std::size_t>(depth * product.columns + column)];
      c[i] = sum;
    }
  }
}

}  // namespace
}  // namespace qb::cuda::emulator

namespace qb::cuda::ptx {

using namespace emulator;  // NOLINT: the machine below

void barrier_init(std::uint32_t barrier, int arrivals) {
  (void)shared_bytes(barrier, 8, 8);
  if (block->barriers.count(barrier) != 0) fail("barrier initialised twice");
  block->barriers[barrier] = {arrivals, arrivals, 0, 0};
}
void barrier_arrive(std::uint32_t barrier) { barrier_arrive_expecting(barrier, 0); }
void barrier_arrive_expecting(std::uint32_t address, int bytes) {
  Barrier& barrier = block->barriers.at(address);
  barrier.bytes += bytes;
  if (--barrier.pending < 0) fail("more arrivals than a barrier expects");
  end_phase_if_complete(barrier);
  ++block->progress;
}
void barrier_wait(std::uint32_t address, int parity) {
  wait_until([&] { return block->barriers.at(address).phase != parity; });
}

namespace {

struct Issue {
  float* c;
  const std::uint32_t* a;
};

}  // namespace

void issue_product(bool bf16, bool add, int columns, float* c, const std::uint32_t* a_registers,
                   std::uint64_t a, std::uint64_t b, bool a_transposed) {
  static const char kWhat = 0;
  Issue mine{c, a_registers};
  const auto warpgroup = static_cast<std::size_t>(block->current / kWarpgroup);
  meet(block->warpgroups[warpgroup], kWarpgroup, &kWhat, &mine, [&](void** all) {
    Product product{bf16, add, columns, a, b, a_registers != nullptr, a_transposed, {}, {}, {}, {}};
    for (int thread = 0; thread < kWarpgroup; ++thread) {
      product.accumulators.push_back(static_cast<Issue*>(all[thread])->c);
      product.a_registers.push_back(static_cast<Issue*>(all[thread])->a);
    }
    read_operands(product, product.a_values, product.b_values);
    block->products[warpgroup].back().push_back(std::move(product));
  });
}
void product_commit() {
  static const char kWhat = 0;
  const auto warpgroup = static_cast<std::size_t>(block->current / kWarpgroup);
  meet(block->warpgroups[warpgroup], kWarpgroup, &kWhat, nullptr,
       [&](void**) { block->products[warpgroup].emplace_back(); });
}
void product_wait_for(int pending) {
  static const char kWhat = 0;
  const auto warpgroup = static_cast<std::size_t>(block->current / kWarpgroup);
  meet(block->warpgroups[warpgroup], kWarpgroup, &kWhat, nullptr, [&](void**) {
    auto& groups = block->products[warpgroup];
    while (static_cast<int>(groups.size()) - 1 > pending) {
      for (Product& product : groups.front()) execute(product);
      groups.erase(groups.begin());
    }
  });
}

}  // namespace qb::cuda::ptx
