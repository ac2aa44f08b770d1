// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/published_rules.h"

#include <cmath>
#include <optional>

#include "base/status.h"
#include "harness/execute/model/grid_orders.h"
#include "harness/execute/model/model_executor.h"
#include "harness/plan/rotation.h"

namespace qb {
namespace {

// The largest divisor of `parts` for which `fits` is true.
int largest_divisor(int parts, auto fits) {
  int largest = 1;
  for (int part = 1; part <= parts; ++part)
    if (parts % part == 0 && fits(part)) largest = part;
  return largest;
}

// The divisor of the workers that is nearest to sqrt(W NKV / NH), in proportion.
int mesh_rows(const Shape& shape, int workers) {
  const double wanted =
      std::sqrt(static_cast<double>(workers) * static_cast<double>(shape.kv_heads) /
                static_cast<double>(shape.q_heads));
  int nearest = 1;
  for (int rows = 1; rows <= workers; ++rows)
    if (workers % rows == 0 &&
        std::abs(std::log(rows / wanted)) < std::abs(std::log(nearest / wanted)))
      nearest = rows;
  return nearest;
}

struct Rule {
  const char* text;
  const char* algorithm;             // of the registry
  std::optional<GridShape> shape{};  // of a grid
};

std::vector<Rule> rules_for(const SchemeQuestion& question) {
  const Shape& shape = question.problem.shape;
  const int workers = question.workers;
  const int a_host = question.hosts.workers_per_host;
  const auto usp = [&](int heads) { return GridShape{heads, 1, workers / heads}; };
  const auto whole_heads = [&](int heads) { return shape.kv_heads % heads == 0; };
  std::vector<Rule> rules{
      {"zigzag ring of all workers (ring-flash-attention)", "zigzag"},
      {"all-gather of K and V (Llama 3)", "all_gather_kv"},
      {"as many head groups as KV heads allow, rings of the rest (USP, LoongTrain)", "grid",
       usp(largest_divisor(workers, whole_heads))},
      {"mesh of sqrt(W NKV / NH) rows (Mesh-Attention)", "grid",
       GridShape{1, mesh_rows(shape, workers), workers / mesh_rows(shape, workers)}},
      {"the grid that sends the fewest bytes", "grid",
       grid_shape("grid", question.problem, workers, {})}};
  if (a_host > 1 && a_host < workers)
    rules.push_back({"head groups inside of a host, a ring of the hosts (TensorRT-LLM's order)",
                     "grid", usp(largest_divisor(a_host, [&](int heads) {
                       return heads <= shape.q_heads && shares_fit(shape, heads);
                     }))});
  return rules;
}

}  // namespace

std::vector<RuleForecast> forecast_rules(const SchemeQuestion& question) {
  DeviceModel device = question.device;
  if (question.link) device.cores.value = 0.0;  // each worker has its own
  const ModelLink link{.limit = question.link.value_or(LinkLimit{}),
                       .hosts = question.hosts,
                       .root_has_link = question.link.has_value()};
  std::vector<RuleForecast> forecasts;
  for (const Rule& rule : rules_for(question)) {
    RuleForecast& forecast = forecasts.emplace_back();
    forecast.rule = rule.text;
    forecast.scheme = rule.shape ? grid_name(*rule.shape, GridOrder::hrc) : rule.algorithm;
    try {
      for (const Pass pass : passes_of(question.passes)) {
        const Plan plan = make_plan(rule.algorithm, question.problem,
                                    {.workers = question.workers,
                                     .keys = grid_keys(rule.shape.value_or(GridShape{})),
                                     .pass = pass});
        forecast.wall_s += model_execution(plan, device, link, question.kernel).wall_s;
      }
    } catch (const Unsupported& reason) {
      forecast.unsupported = reason.what();
    }
  }
  return forecasts;
}

}  // namespace qb
