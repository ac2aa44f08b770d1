// SPDX-License-Identifier: Apache-2.0
// A case on a cluster takes the time that `qb advise` forecasts for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/execute/model/scheme_forecast.h"
#include "harness/workload/needs.h"
#include "harness/workload/prediction.h"

namespace qb {
namespace {

// `grid 4x2x2 rhc`, as advise names it.
void take_scheme(const std::string& name, Case& c) {
  std::istringstream words(name);
  std::string order;
  char by = 'x';
  words >> c.algorithm >> c.grid_heads >> by >> c.grid_rows >> by >> by >> order;
  if (c.algorithm == "usp") c.grid_rows = 0;
  if (c.algorithm == "mesh") c.grid_heads = 0;
  if (!order.empty()) c.cluster_order = parse_word<GridOrder>(order).value();
}

TEST(ClusterCase, TakesTheTimeThatAdviceForecasts) {
  Case asked;
  asked.ranks = Ranks::model;
  asked.device = Device::cpu;
  asked.model_device = "h100";
  asked.dtype = DType::bf16;
  asked.mask = MaskKind::causal;
  asked.workers = 8;
  asked.shape = {1, 8, 4, 16'384, 16'384, 128, 128};
  asked.pass = Passes::both;
  asked.cluster = "2x4";
  asked.cluster_inside = "nvlink";
  asked.cluster_between = "50e9,5us";
  asked.cluster_nics = 2;
  const Network network = network_of(asked);
  EXPECT_EQ(network.hosts.inside.bandwidth_byte_per_s, 450e9);
  const PlannedSchemes schemes({.problem = problem_of(asked),
                                .workers = 8,
                                .device = load_device_model("h100"),
                                .link = network.limit,
                                .hosts = network.hosts,
                                .kernel = asked.kernel,
                                .passes = asked.pass});
  int n_orders = 0;
  int n_compared = 0;
  for (const SchemeForecast& forecast : schemes.forecast()) {
    if (!forecast.ranked()) continue;
    Case c = asked;
    take_scheme(forecast.scheme, c);
    n_orders += c.cluster_order != GridOrder::hrc ? 1 : 0;
    ++n_compared;
    require_needs(c);
    double wall_s = 0.0;
    for (const Execution& pass : model_times(c, plan_case(c))) wall_s += pass.wall_s;
    EXPECT_NEAR(wall_s, forecast.wall_s, 1e-9 * wall_s) << forecast.scheme;
  }
  EXPECT_GT(n_compared, 6);
  EXPECT_GT(n_orders, 0);
}

}  // namespace
}  // namespace qb
