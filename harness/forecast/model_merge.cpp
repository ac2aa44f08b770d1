// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_simulation.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

#include "harness/run/runner/worker.h"

namespace qb {
namespace {

// The core seconds to merge each group of queries, and in a backward pass of keys: its first result
// is copied, unless workers hold only some heads.
std::vector<double> group_merges_s(const Plan& plan, const DeviceCosts& device) {
  std::vector<double> all;
  for (const bool of_queries : {true, false}) {
    if (plan.pass == Pass::forward && !of_queries) break;
    const std::span<const TensorRole> results =
        plan.pass == Pass::forward ? results_of(plan.pass) : gradients_of(of_queries);
    const std::vector<TokenGroup>& groups = of_queries ? plan.q_groups : plan.kv_groups;
    std::vector<double> seconds(groups.size(), 0.0);
    std::vector<char> held(groups.size(), splits_heads(plan) ? 1 : 0);
    for (std::size_t w = 0; w < plan.workers.size(); ++w) {
      const Worker worker = plan.workers.share(w);
      for (int index : of_queries ? worker.q_groups : worker.kv_groups) {
        const auto group = static_cast<std::size_t>(index);
        std::int64_t bytes = 0;
        for (const TensorRole what : results)
          bytes +=
              tensor_bytes(plan.problem, what, groups[group].count, plan.result_heads_of(worker));
        seconds[group] += held[group] == 0 ? device.copy_s(bytes) : device.merge_s(bytes);
        held[group] = 1;
      }
    }
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  return all;
}

}  // namespace

double merge_at_root(std::vector<PartialAtRoot> partials, const DeviceCosts& device,
                     Execution& execution) {
  std::ranges::sort(partials, [](const PartialAtRoot& a, const PartialAtRoot& b) {
    return std::pair(a.ready_s, a.worker) < std::pair(b.ready_s, b.worker);
  });
  double now_s = 0.0;
  for (const PartialAtRoot& partial : partials) {
    const double merge_s = device.merge_s(partial.bytes);
    execution.workers[static_cast<std::size_t>(partial.worker)].merge_s += merge_s;
    now_s = std::max(now_s, partial.ready_s) + merge_s;
  }
  return now_s;
}

double share_out_merge(const Plan& plan, const DeviceCosts& device, double core_share,
                       Execution& execution) {
  std::vector<WorkerTime>& workers = execution.workers;
  const auto later = [&](std::size_t a, std::size_t b) {
    return std::pair(workers[a].merge_s, a) > std::pair(workers[b].merge_s, b);
  };
  std::vector<std::size_t> order(workers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(
      later, std::move(order));
  double longest_s = 0.0;
  for (double seconds : group_merges_s(plan, device)) {
    const std::size_t w = next.top();
    next.pop();
    workers[w].merge_s += seconds / core_share;
    longest_s = std::max(longest_s, workers[w].merge_s);
    next.push(w);
  }
  return longest_s;
}

}  // namespace qb
