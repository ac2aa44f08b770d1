// SPDX-License-Identifier: Apache-2.0
// Says where the elements are: in shared memory, and in the registers of a warp.
//
// Shared memory. A tile is `rows` tokens of D 16-bit elements, cut into panels of 64 columns. A
// panel row is 128 bytes: all 32 banks, eight chunks of 16 bytes. Chunk c of row r lies at place c
// ^ (r % 8), so that the same chunk of eight consecutive rows, which ldmatrix reads at once, covers
// all banks. TMA writes the same pattern (SWIZZLE_128B) and wgmma reads it.
//
//   row 0 | c0 c1 c2 c3 c4 c5 c6 c7 |
//   row 1 | c1 c0 c3 c2 c5 c4 c7 c6 |      8 rows are an atom of 1024 bytes; a tile begins at a
//   row 2 | c2 c3 c0 c1 c6 c7 c4 c5 |      multiple of 1024, so that r % 8 is also address bits 7-9
//   ...
//
// Registers. mma.m16n8k16 and wgmma.m64nNk16 distribute a matrix over the lanes in the same way:
// lane l has rows l / 4 and l / 4 + 8 and two columns from 2 (l % 4). A warp of wgmma owns 16 of
// the 64 rows. So the first product leaves the scores where the second expects its A operand.
#pragma once

#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"

namespace qb::cuda {

inline constexpr int kPanelColumns = 64;
inline constexpr int kPanelRowBytes = 128;
inline constexpr int kChunkBytes = 16;
inline constexpr int kChunkColumns = 8;
inline constexpr int kAtomBytes = 1024;  // eight panel rows

// Returns the byte offset of an element in a tile.
QB_HOST_DEVICE constexpr std::uint32_t tile_address(int rows, int row, int column) {
  const int panel = column / kPanelColumns;
  const int chunk = column % kPanelColumns / kChunkColumns;
  return static_cast<std::uint32_t>(panel * rows * kPanelRowBytes + row * kPanelRowBytes +
                                    (chunk ^ (row % 8)) * kChunkBytes + column % kChunkColumns * 2);
}

// Returns the address of the element `column` columns further on in the same row, given that of an
// element in chunk 0 or 1; `column` is a multiple of 16, known at compile time. The place of a
// chunk is bits 4-6 of the address, so a step along a row is one exclusive or: a lane keeps one
// address for a tile, not one for each step.
QB_HOST_DEVICE constexpr std::uint32_t along_row(std::uint32_t address, int rows, int column) {
  return (address ^ static_cast<std::uint32_t>(column % kPanelColumns * 2)) +
         static_cast<std::uint32_t>(column / kPanelColumns * rows * kPanelRowBytes);
}

// Returns the address i * kStep rows further down, given one in a row below kStep.
template <int kStep>
QB_HOST_DEVICE constexpr std::uint32_t down_rows(std::uint32_t address, int i) {
  static_assert(kStep % 8 == 0 || kStep == 4);
  return (address ^ static_cast<std::uint32_t>(i * kStep % 8 * kChunkBytes)) +
         static_cast<std::uint32_t>(i * kStep * kPanelRowBytes);
}

struct Place {
  int row = 0;
  int column = 0;
  friend constexpr bool operator==(const Place&, const Place&) = default;
};

// ldmatrix.x4 reads four 8x8 matrices: lanes 8 i .. 8 i + 7 name the rows of matrix i, and register
// i of each lane receives its share of it. Below are the rows that lane l names in a 16x16 part.

// This is A of the first product, queries x depth: rows 0-7, rows 8-15, then both for depth 8-15.
QB_HOST_DEVICE constexpr Place query_fragment(int lane) { return {lane % 16, lane / 16 * 8}; }

// This is B of the first product, depth x keys, stored key by key: keys 0-7 for depth 0-7 and 8-15,
// which are the two registers of one n8 tile, then keys 8-15.
QB_HOST_DEVICE constexpr Place key_fragment(int lane) {
  return {lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8};
}

// This is B of the second product, keys x columns, stored key by key and therefore transposed when
// loaded: keys 0-7 and 8-15 for columns 0-7, then for columns 8-15.
QB_HOST_DEVICE constexpr Place value_fragment(int lane) { return {lane % 16, lane / 16 * 8}; }

// Returns the place of element i (0..3) that a lane holds of a 16x8 accumulator. Wider ones are
// such tiles side by side.
QB_HOST_DEVICE constexpr Place accumulator_place(int lane, int i) {
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

// wgmma reads shared memory through a descriptor: bits 0-13 start address, 16-29 leading byte
// offset, 32-45 stride byte offset (all / 16), bits 62-63 the swizzle, 1 for 128 bytes.
QB_HOST_DEVICE constexpr std::uint64_t matrix_descriptor(std::uint32_t address,
                                                         std::uint32_t leading_bytes,
                                                         std::uint32_t stride_bytes) {
  return static_cast<std::uint64_t>((address & 0x3FFFF) >> 4) |
         static_cast<std::uint64_t>((leading_bytes & 0x3FFFF) >> 4) << 16 |
         static_cast<std::uint64_t>((stride_bytes & 0x3FFFF) >> 4) << 32 | std::uint64_t{1} << 62;
}

// Moves the start address on by `bytes`. Shared memory ends before the field overflows.
QB_HOST_DEVICE constexpr std::uint64_t advance(std::uint64_t descriptor, int bytes) {
  return descriptor + static_cast<std::uint64_t>(bytes / 16);
}

// This describes Q and K, whose rows run along the depth ("K-major"): the next eight rows are 1024
// bytes further on, and the leading offset is not used.
QB_HOST_DEVICE constexpr std::uint64_t depth_major_descriptor(std::uint32_t tile) {
  return matrix_descriptor(tile, kChunkBytes, kAtomBytes);
}
// Returns the bytes to row `row` (a multiple of 8) and columns [depth, depth + 16). Within a panel
// row the start address moves inside the swizzled atom, as the instruction expects.
QB_HOST_DEVICE constexpr int depth_major_step(int rows, int row, int depth) {
  return depth / kPanelColumns * rows * kPanelRowBytes + row * kPanelRowBytes +
         depth % kPanelColumns * 2;
}

// This describes V, whose rows run along the output columns ("MN-major", transposed when read): the
// leading offset leads to the next 64 columns, a panel; the next eight keys are 1024 bytes on.
QB_HOST_DEVICE constexpr std::uint64_t column_major_descriptor(std::uint32_t tile, int rows) {
  return matrix_descriptor(tile, static_cast<std::uint32_t>(rows * kPanelRowBytes), kAtomBytes);
}
// Returns the bytes to keys [key, key + 16).
QB_HOST_DEVICE constexpr int column_major_step(int key) { return key * kPanelRowBytes; }

}  // namespace qb::cuda
