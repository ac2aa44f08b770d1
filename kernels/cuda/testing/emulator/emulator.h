// SPDX-License-Identifier: Apache-2.0
// Runs a CUDA kernel on the CPU, one block at a time, with a fiber for each thread. It tests the
// kernels where there is no GPU.
//
// It detects mistakes that fail only sometimes on a GPU:
// - Asynchronous copies poison their target when they are requested and land as late as is allowed,
//   so that a thread that reads too early reads NaN. A box of the copy engine lands when no thread
//   can go on, or at random.
// - A box that is added to device memory is read when that is requested and again when it is waited
//   for; it throws if the box has changed.
// - A product of a warpgroup reads its operands, in shared memory and in registers, when it is
//   issued and again when it is waited for, and throws if they have changed; its accumulators are
//   written at the wait.
// - A named barrier is one of sixteen and counts whole warps. It throws unless the same warps, in
//   the same roles, meet at it each time.
// - The fibers run in an order that depends on the seed. Now and then a warp is held back until no
//   other can go on, so that the others are as far ahead of it as they can be. Where no fiber can
//   go on, it throws.
// - Lanes of a warp that meet in different collective instructions throw, as do lanes that ask for
// a
//   uniform value without the others, addresses outside shared memory, misaligned rows and boxes,
//   and coordinates that break the copy engine's rules.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/cuda/flash/tensor_map.h"

namespace qb::cuda::emulator {

// This is cuTensorMapEncodeTiled (see EncodeTiled) for the emulated copy engine, which supports
// boxes of 16-bit and float32 elements in five dimensions, swizzled by 128 bytes. It refuses, as
// the driver does, what the driver's manual does not allow, and every other kind of map.
unsigned encode_tiled(TensorMap* map, unsigned type, std::uint32_t rank, void* address,
                      const std::uint64_t* extents, const std::uint64_t* strides,
                      const std::uint32_t* box, const std::uint32_t* steps, unsigned interleave,
                      unsigned swizzle, unsigned promotion, unsigned fill);

// Calls kernel() on every thread of every block. Passes on what a thread throws, and throws
// std::runtime_error on the mistakes above.
void launch(int n_blocks, int n_threads, std::uint32_t shared_bytes, unsigned seed,
            const std::function<void()>& kernel);

}  // namespace qb::cuda::emulator
