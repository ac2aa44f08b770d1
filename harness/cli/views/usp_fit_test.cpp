// SPDX-License-Identifier: Apache-2.0
// What data/devices/README.md says of USP's published tables: the fit, what was kept out of it, and
// which degrees of Ulysses and a ring the model calls the fastest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/files.h"
#include "base/source_root.h"
#include "base/statistics.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/forecast/device_model.h"

namespace qb {
namespace {

constexpr double kReach = 0.22;  // of PCIe, as in data/papers/usp.yaml
constexpr double kPcie_byte_per_s = 32e9;

struct FittedMachine {
  std::string file;
  std::string device;
  int gpus;
  double link_byte_per_s;
  double latency_s;
};

const FittedMachine kNvlink{"8xa100_nvlink", "a100", 8, 300e9, 2e-6};
const FittedMachine kPcie{"4xa100_pcie", "a100", 4, kReach* kPcie_byte_per_s, 5e-6};
const FittedMachine kL20{"8xl20_pcie", "l20", 8, kReach* kPcie_byte_per_s, 5e-6};

using FittedProblem =
    std::tuple<std::int64_t, int, int, int, int>;  // N, batch, heads, a KV head's, d

struct PublishedRow {
  FittedProblem problem;
  int heads_apart;  // the Ulysses degree
  std::string variant;
  std::string packing;
  double time_s;
};

std::vector<PublishedRow> rows_of(const FittedMachine& machine) {
  const std::string file = fmt::format("data/published/usp_readme_{}.csv", machine.file);
  const CsvTable table = CsvTable::parse(read_file(source_path(file)), file);
  std::vector<PublishedRow> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.text(i, "status") != "ok") continue;
    std::string tokens = table.text(i, "sequence_length_label");
    const bool kilo = tokens.back() == 'k' || tokens.back() == 'K';
    const auto whole = [&](const char* column) {
      return static_cast<int>(table.number(i, column));
    };
    rows.push_back({{std::stoll(tokens) * (kilo ? 1024 : 1), whole("batch_size"),
                     whole("query_heads"), whole("query_heads_per_kv_head"), whole("head_dim")},
                    whole("ulysses_degree"),
                    table.text(i, "ring_variant"),
                    table.text(i, "packing"),
                    1.0 / table.number(i, "iterations_per_s")});
  }
  return rows;
}

// The predicted time of a call; of a hybrid only with a zigzag ring.
double predicted_s(const FittedMachine& machine, const std::string& device,
                   const PublishedRow& row) {
  const auto& [n_tokens, batch, heads, per_kv_head, head_dim] = row.problem;
  const std::string ring = row.variant == "basic"    ? "ring"
                           : row.variant == "zigzag" ? "zigzag"
                                                     : "striped";
  const std::string scheme = row.heads_apart == 1              ? ring
                             : row.heads_apart == machine.gpus ? "ulysses"
                                                               : "usp";
  const std::string degree =
      scheme == "usp" ? fmt::format("grid.heads: {}, ", row.heads_apart) : "";
  const Spec spec = parse_spec(
      fmt::format("{{experiment: usp, algorithm: {}, {}workers: {}, n_tokens: {}, batch: {}, "
                  "q_heads: {}, kv_heads: {}, head_dim: {}, dtype: f16, mask: causal, ranks: "
                  "model, model.device: {}, link.bandwidth: {}, link.latency: {}}}",
                  scheme, degree, machine.gpus, n_tokens, batch, heads, heads / per_kv_head,
                  head_dim, device, machine.link_byte_per_s, machine.latency_s),
      "USP's README", {});
  return run_open_case(spec.cases.at(0), "").samples.at(0).critical_path_s;
}

bool has_model(const FittedMachine& machine, const PublishedRow& row) {
  return row.heads_apart == 1 || row.heads_apart == machine.gpus || row.variant == "zigzag";
}

// Also what another name of the variant repeats: with one ring of one GPU it cannot matter.
bool is_input(const FittedMachine& machine, const PublishedRow& row) {
  const auto& [n_tokens, batch, heads, per_kv_head, head_dim] = row.problem;
  if (n_tokens != 128 * 1024) return false;
  if (machine.device == "l20")
    return row.packing == "no_packed" && (row.variant == "zigzag" || row.heads_apart == 8);
  return machine.gpus == 8 && head_dim == 32 && heads == 32 && row.heads_apart == 8;
}

double distance_from_inputs(double reach, double rate_32, double rate_128) {
  DeviceModel device = load_device_model("l20");
  for (RatePoint& rate : device.rates) rate.flop_per_s = rate.head_dim == 32 ? rate_32 : rate_128;
  const ScratchFolder folder;
  const std::string path = folder.file("l20.csv", device_model_csv(device));
  FittedMachine machine = kL20;
  machine.link_byte_per_s = reach * kPcie_byte_per_s;
  double sum = 0.0;
  int n = 0;
  for (const PublishedRow& row : rows_of(machine))
    if (is_input(machine, row) && row.variant == "zigzag") {
      sum += std::pow(std::log(row.time_s / predicted_s(machine, path, row)), 2);
      ++n;
    }
  EXPECT_EQ(n, 8);
  return std::sqrt(sum / n);
}

TEST(Usp, TheReachOfPcieAndTheRatesOfTheL20SuitTheirInputs) {
  const double fitted = distance_from_inputs(kReach, 75e12, 100e12);
  EXPECT_NEAR(fitted, 0.268, 0.001);
  for (const double other : {0.15, 0.3})
    EXPECT_GT(distance_from_inputs(other, 75e12, 100e12), fitted) << other;
  for (const double other : {0.87, 1.15}) {
    EXPECT_GT(distance_from_inputs(kReach, other * 75e12, 100e12), fitted) << other;
    EXPECT_GT(distance_from_inputs(kReach, 75e12, other * 100e12), fitted) << other;
  }
}

struct Ratios {
  std::size_t rows;
  double median, least, most;
};

// Published over predicted times of what the fit did not see.
Ratios kept_out(std::initializer_list<FittedMachine> machines,
                bool (*counts)(std::int64_t n_tokens, bool hybrid)) {
  std::vector<double> ratios;
  for (const FittedMachine& machine : machines)
    for (const PublishedRow& row : rows_of(machine)) {
      const std::int64_t n_tokens = std::get<0>(row.problem);
      const bool hybrid = row.heads_apart > 1 && row.heads_apart < machine.gpus;
      if (has_model(machine, row) && !is_input(machine, row) && n_tokens > 512 &&
          counts(n_tokens, hybrid))
        ratios.push_back(row.time_s / predicted_s(machine, machine.device, row));
    }
  const auto [least, most] = std::ranges::minmax(ratios);
  return {ratios.size(), median(ratios), least, most};
}

void expect_near(const Ratios& found, const Ratios& said) {
  EXPECT_EQ(found.rows, said.rows);
  EXPECT_NEAR(found.median, said.median, 0.006);
  EXPECT_NEAR(found.least, said.least, 0.006);
  EXPECT_NEAR(found.most, said.most, 0.006);
}

constexpr std::int64_t kLong = 64 * 1024;

TEST(Usp, WhatWasKeptOutIsAsFarFromTheModelAsTheReadmeOfTheDevicesSays) {
  const auto hybrids = [](std::int64_t n, bool hybrid) { return n >= kLong && hybrid; };
  const auto others = [](std::int64_t n, bool hybrid) { return n >= kLong && !hybrid; };
  const auto all_long = [](std::int64_t n, bool) { return n >= kLong; };
  const auto all_short = [](std::int64_t n, bool) { return n < kLong; };
  expect_near(kept_out({kNvlink}, hybrids), {20, 1.06, 0.94, 1.50});
  expect_near(kept_out({kNvlink}, others), {47, 1.15, 0.93, 1.60});
  expect_near(kept_out({kL20}, all_long), {12, 0.97, 0.82, 1.61});
  expect_near(kept_out({kPcie}, all_long), {14, 1.88, 1.55, 2.67});
  expect_near(kept_out({kNvlink, kL20, kPcie}, all_short), {76, 2.50, 0.45, 10.07});
}

TEST(Usp, DegreesWithinOneStepOfThePublishedOnes) {
  int cases = 0;
  int near = 0;
  for (const FittedMachine& machine : {kNvlink, kPcie, kL20}) {
    std::map<FittedProblem, std::map<int, std::pair<double, double>>> best;  // published, predicted
    for (const PublishedRow& row : rows_of(machine)) {
      auto& [published, predicted] =
          best[row.problem].try_emplace(row.heads_apart, HUGE_VAL, HUGE_VAL).first->second;
      published = std::min(published, row.time_s);
      if (has_model(machine, row))
        predicted = std::min(predicted, predicted_s(machine, machine.device, row));
    }
    for (const auto& [problem, degrees] : best) {
      if (degrees.size() < 2) continue;  // 512 tokens, of one degree
      const auto by = [](auto time) {
        return [=](const auto& a, const auto& b) { return time(a) < time(b); };
      };
      const int published = std::ranges::min_element(
                                degrees, by([](const auto& degree) { return degree.second.first; }))
                                ->first;
      const int predicted =
          std::ranges::min_element(degrees,
                                   by([](const auto& degree) { return degree.second.second; }))
              ->first;
      ++cases;
      if (std::max(published, predicted) <= 2 * std::min(published, predicted)) ++near;
    }
  }
  EXPECT_EQ(cases, 15);
  EXPECT_EQ(near, 14) << "as data/devices/README.md says";
}

}  // namespace
}  // namespace qb
