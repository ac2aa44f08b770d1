// Runs a CUDA kernel on the CPU, one block at a time, a fiber a thread: what proves the kernels
// where no GPU is at hand.
//
// It is meant to notice what a GPU would punish only now and then:
// - Asynchronous copies poison their target when they are asked for and land as late as is allowed,
// so
//   that whoever reads too early reads NaN. A box of the copy engine lands when nobody can go on,
//   or at random.
// - A product of a warpgroup reads its operands when it is issued and again when it is waited for,
//   and refuses if they have changed; its accumulators are written at the wait.
// - The fibers run in an order that depends on the seed. Where no fiber can go on, it throws.
// - Lanes of a warp that meet in different collective instructions throw, as do addresses outside
//   shared memory, misaligned rows and boxes, and coordinates that break the copy engine's rules.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace qb::cuda::emulator {

// A tensor map with 16-bit elements and 128-byte swizzle, innermost dimension first.
struct TensorMap {
  const void* base = nullptr;
  std::array<std::int64_t, 5> extents{};
  std::array<std::int64_t, 5> strides{};  // in elements; the first is 1
  std::array<int, 5> box{};
};

// Calls kernel() on every thread of every block. Throws what a thread throws, and
// std::runtime_error on the mistakes above.
void launch(int n_blocks, int n_threads, std::uint32_t shared_bytes, unsigned seed,
            const std::function<void()>& kernel);

}  // namespace qb::cuda::emulator
