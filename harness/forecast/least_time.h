// SPDX-License-Identifier: Apache-2.0
// A lower bound of the time of a modelled run, for searches that run only what may be best: what
// single workers need for their own work and their own sends, if no peer ever makes them wait.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "harness/forecast/model_simulation.h"
#include "harness/plan/plan.h"
#include "harness/run/transport/link_model.h"

namespace qb {

class LeastTime {
 public:
  // For workers that differ by rotation and have messages of one length; for others it is 0.
  LeastTime(const Plan& plan, const DeviceCosts& device);

  // Returns the longest of these workers' times, or what all that leaves by their NICs takes. Each
  // worker must have its own device.
  [[nodiscard]] double wall_s(const ModelLink& link, std::span<const int> workers) const;

 private:
  [[nodiscard]] double worker_s(const ModelLink& link, int worker) const;
  [[nodiscard]] double nic_s(const ModelLink& link, int nic) const;
  [[nodiscard]] double sent_s(const ModelLink& link, int worker, std::size_t step, bool late) const;

  std::shared_ptr<const Plan> plan_;  // nullptr: no bound
  std::unique_ptr<const PlanProfile> profile_;
  std::vector<std::vector<ModelMessage>> sends_;  // of worker 0, by step
  std::map<int, std::int64_t> sent_bytes_;        // by peer of worker 0
};

}  // namespace qb
