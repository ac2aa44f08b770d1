// SPDX-License-Identifier: Apache-2.0
// Lays out the shared memory of a block of the backward pass for sm_90a: the own tiles, a ring of
// tiles of the other side with their rows' numbers, dS, what is added to dQ, and the barriers that
// hand them over.
#pragma once

#include "kernels/cuda/flash/backward/backward_parameters.h"
#include "kernels/cuda/flash/flash_sm90_shared.cuh"

namespace qb::cuda {

template <bool kBf16Inputs, int kDim>
struct BackwardSm90 {
  static constexpr bool kBf16 = kBf16Inputs;
  static constexpr int kD = kDim;  // padded head_dim: 64, 128
  static constexpr int kConsumers = 2;
  static constexpr int kThreads = 128 * (kConsumers + 1);
  static constexpr int kOwn = 64 * kConsumers;        // rows of the own block
  static constexpr int kOther = kD == 64 ? 128 : 64;  // rows of the other side in a step
  static constexpr int kParts = kOther / 64;          // a consumer takes 64 of them at a time
  static constexpr int kStages = 2;
  // As in the forward pass at d = 128.
  static constexpr int kProducerRegisters = 40;
  static constexpr int kConsumerRegisters = 232;
  static_assert(kProducerRegisters + kConsumers * kConsumerRegisters <=
                (kConsumers + 1) * registers_at_entry(kThreads));
  static constexpr int kOwnBytes = kOwn * kD * 2;
  static constexpr int kOtherBytes = kOther * kD * 2;
  static constexpr int kGradients = 2 * kOwnBytes + 2 * kStages * kOtherBytes;
  static constexpr int kGradientsBytes = kOwn * kOther * 2;
  static constexpr int kSums = kGradients + kStages * kGradientsBytes;
  static constexpr int kSumsBytes = kSumRows * kPanelColumns * 4;  // of a warp
  static constexpr int kNumbers = kSums + 4 * kConsumers * kSumsBytes;
  static constexpr int kNumbersBytes = kOther * static_cast<int>(sizeof(RowNumbers));
  static constexpr int kBarriers = kNumbers + kStages * kNumbersBytes;
  static constexpr int kSharedBytes = kBarriers + (1 + 2 * kStages) * 8;
  static_assert(kParts * (kD / 64) == kConsumers);
};

template <class C>
class BackwardSm90Shared {
 public:
  QB_DEVICE explicit BackwardSm90Shared(std::uint32_t shared) : shared_(shared) {}

  QB_DEVICE std::uint32_t own_score() const { return shared_; }
  QB_DEVICE std::uint32_t own_value() const { return at(C::kOwnBytes); }
  QB_DEVICE std::uint32_t other_score(int stage) const {
    return at(2 * C::kOwnBytes + 2 * stage * C::kOtherBytes);
  }
  QB_DEVICE std::uint32_t other_value(int stage) const {
    return other_score(stage) + static_cast<std::uint32_t>(C::kOtherBytes);
  }
  // dS of the step that has this stage, a panel of 64 columns for each part: column 64 part + j is
  // row j of the part.
  QB_DEVICE std::uint32_t gradients(int stage, int part) const {
    return at(C::kGradients + stage * C::kGradientsBytes + part * C::kOwn * kPanelRowBytes);
  }
  // A consumer warp's sums of 16 rows and 64 columns, in two boxes.
  QB_DEVICE std::uint32_t sums(int warp) const { return at(C::kSums + warp * C::kSumsBytes); }
  // Numbers of the 64 rows of a part.
  QB_DEVICE std::uint32_t numbers(int stage, int part) const {
    return at(C::kNumbers + stage * C::kNumbersBytes + part * C::kNumbersBytes / C::kParts);
  }

  QB_DEVICE std::uint32_t own_full() const { return barrier(0); }
  QB_DEVICE std::uint32_t full(int stage) const { return barrier(1 + stage); }
  QB_DEVICE std::uint32_t empty(int stage) const { return barrier(1 + C::kStages + stage); }

  // A full barrier counts the announcement of bytes, these bytes, and the rows' numbers; an empty
  // one counts each consumer warp.
  QB_DEVICE void init_barriers() {
    // The compiler assumes the alignment that was requested; the machine may not give it.
    if (ptx::opaque(shared_) % kAtomBytes != 0) ptx::trap();
    ptx::barrier_init(own_full(), 1);
    for (int stage = 0; stage < C::kStages; ++stage) {
      ptx::barrier_init(full(stage), 2);
      ptx::barrier_init(empty(stage), 4 * C::kConsumers);
    }
    ptx::barrier_init_fence();
  }

 private:
  QB_DEVICE std::uint32_t at(int bytes) const {
    return shared_ + static_cast<std::uint32_t>(bytes);
  }
  QB_DEVICE std::uint32_t barrier(int i) const { return at(C::kBarriers + 8 * i); }

  std::uint32_t shared_;
};

}  // namespace qb::cuda
