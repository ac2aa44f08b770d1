// SPDX-License-Identifier: Apache-2.0
// Lays out the shared memory of a block of the sm_90a kernel: the item and its queries, rings of
// key and value tiles, and the barriers that hand them over.
#pragma once

#include <cstdint>

#include "kernels/cuda/flash/flash_softmax.cuh"
#include "kernels/cuda/flash/ptx_sm90.cuh"

namespace qb::cuda {

// The registers of each thread when a launch of so many begins: a multiprocessor has 64 Ki, in
// units of 8. Warpgroups that take more than others give wait for ever.
QB_HOST_DEVICE constexpr int registers_at_entry(int threads) { return 65536 / threads / 8 * 8; }

// With 176 keys a step at d = 128, a product gets more columns for the same rows of Q, and turns
// are fewer: 6 to 8 % faster where queries see long stretches of keys.
template <bool kBf16Inputs, int kDim, int kStepKeys = kDim == 256 ? 80 : 128>
struct Sm90 {
  static constexpr bool kBf16 = kBf16Inputs;
  static constexpr int kD = kDim;  // padded head_dim: 64, 128, 256
  static constexpr int kConsumers = kD == 64 ? 3 : 2;
  static constexpr int kThreads = 128 * (kConsumers + 1);
  static constexpr int kRows = 64 * kConsumers;
  static constexpr int kKeys = kStepKeys;
  static constexpr int kStages = 2;
  static constexpr int kProducerRegisters = kConsumers == 2 ? 40 : 32;
  static constexpr int kConsumerRegisters = kConsumers == 2 ? 232 : 160;
  static_assert(kProducerRegisters + kConsumers * kConsumerRegisters <=
                (kConsumers + 1) * registers_at_entry(kThreads));
  static constexpr int kQueryBytes = kRows * kD * 2;
  static constexpr int kTileBytes = kKeys * kD * 2;
  static constexpr int kBarriers = kQueryBytes + 2 * kStages * kTileBytes;
  static constexpr int kItems = kBarriers + (2 + 4 * kStages) * 8;
  static constexpr int kSharedBytes = kItems + 2 * 4;
  static constexpr int kWordsPerRow = (kKeys + 63) / 64;
  static constexpr int kKeyTiles = kKeys / 8;
};

// Step `count` of a ring since the kernel began has this stage and parity.
template <int kStages>
struct RingPosition {
  static_assert((kStages & (kStages - 1)) == 0);
  int stage = 0;
  int parity = 0;
  QB_DEVICE explicit RingPosition(unsigned count)
      : stage(static_cast<int>(count % kStages)), parity(static_cast<int>(count / kStages % 2)) {}
};

template <class C>
class Sm90Shared {
 public:
  using Position = RingPosition<C::kStages>;  // both rings advance together

  // Keeps in one register a consumer's steps and the parity of the phase that brings its next item.
  class Progress {
   public:
    QB_DEVICE unsigned steps() const { return bits_ >> 1; }
    QB_DEVICE int item_parity() const { return static_cast<int>(bits_ & 1U); }
    QB_DEVICE void next_step() { bits_ += 2; }
    QB_DEVICE void next_item() { bits_ ^= 1U; }

   private:
    unsigned bits_ = 0;
  };

  QB_DEVICE explicit Sm90Shared(std::uint32_t shared) : shared_(shared) {}

  QB_DEVICE std::uint32_t queries() const { return shared_; }
  QB_DEVICE std::uint32_t keys(int stage) const {
    return shared_ + static_cast<std::uint32_t>(C::kQueryBytes + stage * C::kTileBytes);
  }
  QB_DEVICE std::uint32_t values(int stage) const { return keys(C::kStages + stage); }
  QB_DEVICE std::uint32_t query_full() const { return barrier(0); }
  QB_DEVICE std::uint32_t query_empty() const { return barrier(1); }
  QB_DEVICE std::uint32_t keys_full(int stage) const { return barrier(2 + stage); }
  QB_DEVICE std::uint32_t keys_empty(int stage) const { return barrier(2 + C::kStages + stage); }
  QB_DEVICE std::uint32_t values_full(int stage) const {
    return barrier(2 + 2 * C::kStages + stage);
  }
  QB_DEVICE std::uint32_t values_empty(int stage) const {
    return barrier(2 + 3 * C::kStages + stage);
  }

  // Returns the address of an item's number, handed over together with its queries in a phase of
  // this parity. It stays while the next one is handed over.
  QB_DEVICE std::uint32_t item(int parity) const {
    return shared_ + static_cast<std::uint32_t>(C::kItems + 4 * parity);
  }

  // A full barrier counts the announcement and bytes; an empty one counts each consumer warp.
  QB_DEVICE void init_barriers() {
    // The compiler assumes the alignment that was requested; the machine may not give it.
    if (ptx::opaque(shared_) % kAtomBytes != 0) ptx::trap();
    constexpr int kConsumerWarps = 4 * C::kConsumers;
    ptx::barrier_init(query_full(), 1);
    ptx::barrier_init(query_empty(), kConsumerWarps);
    for (int stage = 0; stage < C::kStages; ++stage) {
      ptx::barrier_init(keys_full(stage), 1);
      ptx::barrier_init(keys_empty(stage), kConsumerWarps);
      ptx::barrier_init(values_full(stage), 1);
      ptx::barrier_init(values_empty(stage), kConsumerWarps);
    }
    ptx::barrier_init_fence();
  }

 private:
  QB_DEVICE std::uint32_t barrier(int i) const {
    return shared_ + static_cast<std::uint32_t>(C::kBarriers + 8 * i);
  }

  std::uint32_t shared_;
};

}  // namespace qb::cuda
