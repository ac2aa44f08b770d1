// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/model_executor.h"

#include <optional>
#include <stdexcept>
#include <vector>

#include "harness/execute/model/model_simulation.h"
#include "harness/execute/player/worker.h"

namespace qb {

Execution model_execution(const Plan& plan, const DeviceModel& device, const ModelLink& link,
                          Kernel kernel, const std::vector<double>& worker_speeds) {
  if (plan.workers.empty()) throw std::invalid_argument("model_execution: the plan has no workers");
  if (!worker_speeds.empty() && worker_speeds.size() != plan.workers.size())
    throw std::invalid_argument("model_execution: one speed for each worker is needed");
  const DeviceCosts device_costs(device, kernel, plan.problem, plan.pass);
  const PlanCosts costs(plan, device_costs);
  const std::vector<double> all_at_full_speed(plan.workers.size(), 1.0);
  const std::vector<double>& speeds = worker_speeds.empty() ? all_at_full_speed : worker_speeds;
  const double cores = device.cores.value;
  std::optional<Execution> execution;
  if (!shares_cores(plan, cores)) execution = model_rounds(plan, costs, link, speeds);
  if (!execution) execution = simulate(plan, device_costs, costs, cores, link, speeds);
  execution->critical_path_s = execution->wall_s;
  add_sums(plan, *execution);
  return *std::move(execution);
}

}  // namespace qb
