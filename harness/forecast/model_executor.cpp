// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_executor.h"

#include <optional>
#include <stdexcept>

#include "harness/forecast/model_simulation.h"
#include "harness/run/runner/worker.h"

namespace qb {

Execution model_execution(const Plan& plan, const Representatives& alike, const DeviceModel& device,
                          const ModelLink& link, Kernel kernel) {
  if (plan.workers.empty()) throw std::invalid_argument("model_execution: the plan has no workers");
  const DeviceCosts device_costs(device, kernel, plan.problem, plan.pass);
  const PlanProfile profile(plan, alike, kernel, &device_costs);
  const double cores = device.cores.value;
  std::optional<Execution> execution;
  if (!shares_cores(plan, cores)) execution = model_rounds(plan, profile, link);
  if (!execution) execution = simulate(plan, device_costs, profile, cores, link);
  execution->critical_path_s = execution->wall_s;
  add_sums(plan, *execution);
  return *std::move(execution);
}

}  // namespace qb
