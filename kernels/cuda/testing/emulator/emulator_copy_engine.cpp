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

// An encoded map holds this here: five dimensions, swizzled by 128 bytes.
struct Map {
  std::byte* base = nullptr;
  std::array<std::int64_t, 5> extents{};
  std::array<std::int64_t, 5> strides{};  // in bytes
  std::array<std::int32_t, 5> box{};
  [[nodiscard]] std::int64_t element_bytes() const { return strides[0]; }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = static_cast<std::size_t>(element_bytes());
    for (const std::int32_t count : box) bytes *= static_cast<std::size_t>(count);
    return bytes;
  }
};
static_assert(sizeof(Map) <= sizeof(TensorMap));

Map decoded(const TensorMap& map) {
  Map result;
  std::memcpy(&result, map.opaque, sizeof result);
  if (result.base == nullptr) fail("a box is asked for by a map that nobody encoded");
  if (result.box[0] * result.element_bytes() != kPanelRowBytes)
    fail("a box is not as wide as its swizzle");
  return result;
}

// Calls visit(byte in the box, byte in the tensor) for each element that is inside the tensor.
template <class Visit>
void for_each_element(const Map& map, const std::array<std::int64_t, 5>& at, Visit visit) {
  const auto rows = static_cast<int>(map.bytes() / kPanelRowBytes);
  const auto halves = static_cast<int>(map.element_bytes() / 2);  // of 16 bits, as a tile counts
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < map.box[0]; ++column) {
      std::int64_t rest = row;
      std::int64_t offset = map.element_bytes() * (at[0] + column);
      bool inside = at[0] + column >= 0 && at[0] + column < map.extents[0];
      for (std::size_t i = 1; i < 5; ++i) {
        const std::int64_t x = at[i] + rest % map.box[i];
        rest /= map.box[i];
        inside = inside && x >= 0 && x < map.extents[i];
        offset += x * map.strides[i];
      }
      if (inside) visit(tile_address(rows, row, halves * column), map.base + offset);
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
  const std::uint32_t bytes = type == driver::kFloat32 ? 4 : 2;
  const bool ours = rank == 5 &&
                    (bytes == 4 || type == driver::kFloat16 || type == driver::kBfloat16) &&
                    interleave == driver::kNoInterleave && swizzle == driver::kSwizzle128Bytes &&
                    promotion <= driver::kPromoteTo256Bytes && fill == driver::kFillWithZeros &&
                    all(steps, 5, [](std::uint32_t step) { return step == 1; });
  const bool allowed =
      ours && reinterpret_cast<std::uintptr_t>(map) % 64 == 0 && address != nullptr &&
      reinterpret_cast<std::uintptr_t>(address) % 16 == 0 &&
      all(extents, 5, [](std::uint64_t x) { return x >= 1 && x <= std::uint64_t{1} << 32; }) &&
      all(strides, 4, [](std::uint64_t x) { return x % 16 == 0 && x < std::uint64_t{1} << 40; }) &&
      all(box, 5, [](std::uint32_t x) { return x >= 1 && x <= 256; }) && bytes * box[0] % 16 == 0 &&
      bytes * box[0] <= 128;
  if (!allowed) return kInvalidValue;
  Map encoded{static_cast<std::byte*>(address), {}, {bytes}, {}};
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
  const std::size_t bytes = decoded.bytes();
  Box box{shared, barrier, std::vector<std::byte>(bytes)};
  std::memset(shared_bytes(shared, bytes, kAtomBytes), kPoison, bytes);
  for_each_element(decoded, {c0, c1, c2, c3, c4},
                   [&](std::uint32_t in_box, const std::byte* element) {
                     std::memcpy(box.data.data() + in_box, element,
                                 static_cast<std::size_t>(decoded.element_bytes()));
                   });
  block->boxes.push_back(std::move(box));
  ++block->progress;
}

void add_box(const TensorMap* map, std::uint32_t shared, int c0, int c1, int c2, int c3, int c4) {
  const std::size_t bytes = emulator::decoded(*map).bytes();
  const std::byte* const data = shared_bytes(shared, bytes, kAtomBytes);
  self().sums.push_back({*map, {c0, c1, c2, c3, c4}, shared, {data, data + bytes}});
}

void commit_sums() { self().committed_sums = self().sums.size(); }

void wait_for_sums() {
  Thread& thread = self();
  if (thread.committed_sums != thread.sums.size()) fail("boxes were added and never committed");
  for (const BoxedSum& sum : thread.sums) {
    if (std::memcmp(sum.data.data(), shared_bytes(sum.shared, sum.data.size(), kAtomBytes),
                    sum.data.size()) != 0)
      fail("a box changes while it is being added");
    for_each_element(emulator::decoded(sum.map), sum.at,
                     [&](std::uint32_t in_box, std::byte* element) {
                       float added = 0.0F;
                       float total = 0.0F;
                       std::memcpy(&added, sum.data.data() + in_box, sizeof added);
                       std::memcpy(&total, element, sizeof total);
                       total += added;
                       std::memcpy(element, &total, sizeof total);
                     });
  }
  thread.sums.clear();
  thread.committed_sums = 0;
  ++block->progress;
}

}  // namespace qb::cuda::ptx
