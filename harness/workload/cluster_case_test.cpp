// SPDX-License-Identifier: Apache-2.0
// A case on a cluster takes the time that `qb advise` forecasts for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <limits>
#include <sstream>

#include "harness/forecast/scheme_forecast.h"
#include "harness/workload/needs.h"
#include "harness/workload/prediction.h"

namespace qb {
namespace {

// `grid 4x2x2 rhc`, as advise names it.
void take_scheme(const std::string& name, Case& c) {
  std::istringstream words(name);
  std::string order;
  char by = 'x';
  GridShape shape;
  words >> c.algorithm >> shape.heads >> by >> shape.rows >> by >> by >> order;
  if (c.algorithm == "usp") shape.rows = 0;
  if (c.algorithm == "mesh") shape.heads = 0;
  c.strategy_keys = grid_keys(shape);
  if (!order.empty()) c.cluster_order = parse_word<GridOrder>(order).value();
}

Case on_two_hosts(int workers, const std::string& between) {
  Case asked;
  asked.ranks = Ranks::model;
  asked.device = Device::cpu;
  asked.model_device = "h100";
  asked.dtype = DType::bf16;
  asked.mask = MaskKind::causal;
  asked.workers = workers;
  asked.pass = Passes::both;
  asked.cluster = fmt::format("2x{}", workers / 2);
  asked.cluster_inside = "nvlink";
  asked.cluster_between = between;
  return asked;
}

std::vector<SchemeForecast> forecast(const Case& asked) {
  const Network network = network_of(asked);
  return PlannedSchemes({.problem = problem_of(asked),
                         .workers = asked.workers,
                         .device = load_device_model("h100"),
                         .link = network.limit,
                         .hosts = network.hosts,
                         .kernel = asked.kernel,
                         .passes = asked.pass})
      .forecast();
}

double modelled_s(const Case& c) {
  double wall_s = 0.0;
  for (const Execution& pass : model_times(c, plan_case(c))) wall_s += pass.wall_s;
  return wall_s;
}

TEST(ClusterCase, TakesTheTimeThatAdviceForecasts) {
  Case asked = on_two_hosts(8, "50e9,5us");
  asked.shape = {1, 8, 4, 16'384, 16'384, 128, 128};
  asked.cluster_nics = 2;
  EXPECT_EQ(network_of(asked).hosts.inside.bandwidth_byte_per_s, 450e9);
  int n_orders = 0;
  int n_compared = 0;
  for (const SchemeForecast& forecast : forecast(asked)) {
    if (!forecast.ranked()) continue;
    Case c = asked;
    take_scheme(forecast.scheme, c);
    n_orders += c.cluster_order != GridOrder::hrc ? 1 : 0;
    ++n_compared;
    require_needs(c);
    const double wall_s = modelled_s(c);
    EXPECT_NEAR(wall_s, forecast.wall_s, 1e-9 * wall_s) << forecast.scheme;
    for (const Ranks ranks : {Ranks::model, Ranks::threads, Ranks::mpi}) {
      c.ranks = ranks;
      if (ranks == Ranks::mpi) c.model_device.reset();
      const RowValues row = prediction_columns(c, plan_case(c));
      EXPECT_EQ(row.at("between_hosts_bytes"), std::to_string(forecast.between_bytes))
          << forecast.scheme;
    }
  }
  EXPECT_GT(n_compared, 6);
  EXPECT_GT(n_orders, 0);
}

TEST(ClusterCase, WithoutHostsHasNoBytesBetweenThem) {
  Case c = on_two_hosts(8, "50e9,5us");
  c.shape = {1, 8, 4, 1024, 1024, 64, 64};
  c.algorithm = "ring";
  c.cluster = "1x8";
  EXPECT_EQ(prediction_columns(c, plan_case(c)).at("between_hosts_bytes"), "0");
  c.cluster = kNoCluster;
  EXPECT_EQ(prediction_columns(c, plan_case(c)).at("between_hosts_bytes"), "");
}

// Advice runs the grids that may be among the fastest; here each shape is run in each order.
TEST(ClusterCase, NoGridIsFasterThanTheOneThatAdviceNames) {
  for (const auto& [between, nics] : {std::pair{"12.5e9,33.8us", 0},
                                      {"50e9,5us", 0},
                                      {"400e9,1us", 0},
                                      {"50e9,5us", 2},
                                      {"400e9,1us", 1},
                                      {"12.5e9,33.8us", 4}})
    for (const Shape& shape :
         {Shape{1, 32, 8, 65'536, 65'536, 128, 128}, Shape{1, 16, 16, 8192, 8192, 64, 64},
          Shape{1, 64, 1, 30'000, 30'000, 128, 128}}) {
      Case c = on_two_hosts(16, between);
      c.cluster_nics = nics;
      c.shape = shape;
      const std::vector<SchemeForecast> advised = forecast(c);
      c.algorithm = "grid";
      double least_s = std::numeric_limits<double>::infinity();
      int n_played = 0;
      for (const int heads : {1, 2, 4, 8, 16})
        for (int rows = 1; rows <= 16 / heads; rows *= 2)
          for (const GridOrder order : {GridOrder::hrc, GridOrder::rhc, GridOrder::hcr,
                                        GridOrder::chr, GridOrder::rch, GridOrder::crh}) {
            c.strategy_keys = grid_keys({heads, rows, 0});
            c.cluster_order = order;
            try {
              least_s = std::min(least_s, modelled_s(c));
              ++n_played;
            } catch (const Unsupported&) {  // the order places workers as the first one does
            }
          }
      EXPECT_GT(n_played, 20);
      EXPECT_LE(fastest(advised)->wall_s, least_s * (1.0 + 1e-9))
          << fastest(advised)->scheme << " " << between << " " << nics << " N=" << shape.q_len;
    }
}

}  // namespace
}  // namespace qb
