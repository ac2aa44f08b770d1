// SPDX-License-Identifier: Apache-2.0
// This is the copy engine of sm_90a, and the driver's function that describes tensors to it.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kernels/cuda/flash/flash_layout.h"
#include "kernels/cuda/testing/emulator/emulated_ptx.h"
#include "kernels/cuda/testing/emulator/emulator_machine.h"

namespace qb::cuda::emulator {
namespace {

// An encoded map holds this here: five dimensions of 16-bit elements, swizzled by 128 bytes.
struct Map {
  const std::byte* base = nullptr;
  std::array<std::int64_t, 5> extents{};
  std::array<std::int64_t, 5> strides{};  // in bytes
  std::array<std::int32_t, 5> box{};
};
static_assert(sizeof(Map) <= sizeof(TensorMap));

Map decoded(const TensorMap& map) {
  Map result;
  std::memcpy(&result, map.opaque, sizeof result);
  if (result.base == nullptr) fail("a box is asked for by a map that nobody encoded");
  return result;
}

// Copies a box element by element; elements outside the tensor are zeros.
void fill_box(const Map& map, const std::array<std::int64_t, 5>& at, Box& box) {
  const auto rows = static_cast<int>(box.data.size() / kPanelRowBytes);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < kPanelColumns; ++column) {
      std::int64_t rest = row;
      std::int64_t offset = 2 * (at[0] + column);
      bool inside = at[0] + column >= 0 && at[0] + column < map.extents[0];
      for (std::size_t i = 1; i < 5; ++i) {
        const std::int64_t x = at[i] + rest % map.box[i];
        rest /= map.box[i];
        inside = inside && x >= 0 && x < map.extents[i];
        offset += x * map.strides[i];
      }
      if (inside)
        std::memcpy(box.data.data() + tile_address(rows, row, column), map.base + offset, 2);
    }
}

}  // namespace

unsigned encode_tiled(TensorMap* map, unsigned type, std::uint32_t rank, void* address,
                      const std::uint64_t* extents, const std::uint64_t* strides,
                      const std::uint32_t* box, const std::uint32_t* steps, unsigned interleave,
                      unsigned swizzle, unsigned promotion, unsigned fill) {
  constexpr unsigned kInvalidValue = 1;
  const auto all = [](const auto* values, int n, auto condition) {
    return std::all_of(values, values + n, condition);
  };
  const bool ours = rank == 5 && (type == driver::kFloat16 || type == driver::kBfloat16) &&
                    interleave == driver::kNoInterleave && swizzle == driver::kSwizzle128Bytes &&
                    promotion <= driver::kPromoteTo256Bytes && fill == driver::kFillWithZeros &&
                    all(steps, 5, [](std::uint32_t step) { return step == 1; });
  const bool allowed =
      ours && reinterpret_cast<std::uintptr_t>(map) % 64 == 0 && address != nullptr &&
      reinterpret_cast<std::uintptr_t>(address) % 16 == 0 &&
      all(extents, 5, [](std::uint64_t x) { return x >= 1 && x <= std::uint64_t{1} << 32; }) &&
      all(strides, 4, [](std::uint64_t x) { return x % 16 == 0 && x < std::uint64_t{1} << 40; }) &&
      all(box, 5, [](std::uint32_t x) { return x >= 1 && x <= 256; }) && 2 * box[0] % 16 == 0 &&
      2 * box[0] <= 128;
  if (!allowed) return kInvalidValue;
  Map encoded{static_cast<const std::byte*>(address), {}, {2}, {}};
  std::copy_n(extents, 5, encoded.extents.begin());
  std::copy_n(strides, 4, encoded.strides.begin() + 1);
  std::copy_n(box, 5, encoded.box.begin());
  *map = {};
  std::memcpy(map->opaque, &encoded, sizeof encoded);
  return driver::kSuccess;
}

}  // namespace qb::cuda::emulator

namespace qb::cuda::ptx {

using namespace emulator;  // NOLINT: the machine above

void copy_box(std::uint32_t shared, const TensorMap* map, std::uint32_t barrier, int c0, int c1,
              int c2, int c3, int c4) {
  const Map decoded = emulator::decoded(*map);
  if (decoded.box[0] != kPanelColumns) fail("a box is not as wide as its swizzle");
  std::size_t bytes = kPanelRowBytes;
  for (std::size_t i = 1; i < 5; ++i) bytes *= static_cast<std::size_t>(decoded.box[i]);
  Box box{shared, barrier, std::vector<std::byte>(bytes)};
  std::memset(shared_bytes(shared, bytes, kAtomBytes), kPoison, bytes);
  fill_box(decoded, {c0, c1, c2, c3, c4}, box);
  block->boxes.push_back(std::move(box));
  ++block->progress;
}

}  // namespace qb::cuda::ptx
