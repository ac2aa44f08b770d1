// SPDX-License-Identifier: Apache-2.0
// What a step takes, said once: one walk over the blocks of one worker of each class of equals
// (representatives.h) counts its pairs and bytes and, at the prices of a device, the seconds of
// WorkerRunner's three phases. The work model sums these profiles, and the `model` executor runs
// them. A call of a backward pass adds to the sums of gradients where they lie, so that nothing is
// merged after it; a ring's sums lie in the message that came, which is sent on. D of each row, one
// number, takes no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/plan/representatives.h"
#include "kernels/attention.h"

namespace qb {

struct StepWork {
  std::int64_t unmasked_pairs = 0;  // per head
  std::int64_t executed_pairs = 0;  // per head, at tile granularity
  std::int64_t bytes_in = 0;        // received
  std::int64_t bytes_out = 0;       // sent
  std::int64_t kv_tokens = 0;       // local keys: while decoding the cache grows
  friend bool operator==(const StepWork&, const StepWork&) = default;
};

struct StepProfile : StepWork {
  std::int64_t bytes_from_root = 0;  // part of bytes_in; or fetched from the memory tier
  std::int64_t bytes_to_root = 0;    // part of bytes_out; or written back to it
  // The time that the worker's device needs, without any waiting; 0 without prices.
  double receive_s = 0.0;     // joins a collective's messages; merges partials and adds gradients
  double pack_early_s = 0.0;  // copies inputs into messages; passing one on costs nothing
  double kernel_s = 0.0;      // calls, and merges of results of later calls on the same queries
  double pack_late_s = 0.0;   // copies results into messages
  friend bool operator==(const StepProfile&, const StepProfile&) = default;
};

// What a device takes for what a step does.
class StepPrices {
 public:
  virtual ~StepPrices() = default;
  // pairs: those that the kernel computes per head; units: batch x query heads.
  [[nodiscard]] virtual double call_s(std::int64_t pairs, std::int64_t units,
                                      std::int64_t bytes) const = 0;
  [[nodiscard]] virtual double merge_s(std::int64_t bytes) const = 0;
  [[nodiscard]] virtual double copy_s(std::int64_t bytes) const = 0;
  [[nodiscard]] virtual std::int64_t query_tile() const = 0;
};

class PlanProfile {
 public:
  struct Share {
    std::int64_t q_tokens = 0;   // local queries, or those of the largest block that is fetched
    std::int64_t kv_tokens = 0;  // local keys
    std::size_t n_steps = 0;
  };

  // alike: those of the plan. prices: nullptr, or those of a device, whose query tiles then count
  // in place of kernel_tiles().
  PlanProfile(const Plan& plan, const Representatives& alike, Kernel kernel,
              const StepPrices* prices = nullptr);

  [[nodiscard]] const Share& share(int worker) const {
    return shares_[alike_.counted() != nullptr ? 0 : alike_.of(worker, 0)];
  }
  [[nodiscard]] const StepProfile& of(int worker, std::size_t step) const {
    return steps_[step][alike_.of(worker, step)];
  }

 private:
  const Representatives alike_;
  std::vector<Share> shares_;                    // by representative
  std::vector<std::vector<StepProfile>> steps_;  // by step and class
};

}  // namespace qb
