// SPDX-License-Identifier: Apache-2.0
// Ring attention as a textbook writes it, one loop of receive, send and compute, and the same as a
// plan: both move the same keys in the same round.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

constexpr int kLoopWorkers = 4;
constexpr int kLoopShard = 6;  // tokens
constexpr int kLoopTokens = kLoopWorkers * kLoopShard;
constexpr std::size_t kLoopDim = 3;

using Row = std::array<double, kLoopDim>;

struct KeyShard {
  int first = 0;
  std::vector<Row> k;
  std::vector<Row> v;
};

// The softmax of the scores so far, of one query.
struct Running {
  double maximum = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
  Row out{};

  void add(double score, const Row& value) {
    const double next = std::fmax(maximum, score);
    const double old_weight = std::exp(maximum - next);
    const double weight = std::exp(score - next);
    for (std::size_t i = 0; i < kLoopDim; ++i) out[i] = out[i] * old_weight + weight * value[i];
    sum = sum * old_weight + weight;
    maximum = next;
  }
};

double dot(const Row& a, const Row& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct RingWorker {
  int rank = 0;
  std::vector<Row> q;
  KeyShard kv;                  // its own at first
  std::vector<Running> rows{};  // of its queries
  std::vector<int> seen{};      // the first token of the keys of each round
};

// The loop. `inbox[w]` is what worker w receives in this round.
void ring_attention(std::vector<RingWorker>& workers) {
  std::vector<KeyShard> inbox(kLoopWorkers);
  for (int round = 0; round < kLoopWorkers; ++round) {
    for (RingWorker& worker : workers) {
      if (round > 0) worker.kv = inbox[static_cast<std::size_t>(worker.rank)];
      worker.seen.push_back(worker.kv.first);
    }
    for (const RingWorker& worker : workers)
      inbox[static_cast<std::size_t>((worker.rank + 1) % kLoopWorkers)] = worker.kv;
    for (RingWorker& worker : workers)
      for (int i = 0; i < kLoopShard; ++i)
        for (int j = 0; j < kLoopShard; ++j)
          if (worker.kv.first + j <= worker.rank * kLoopShard + i) {
            const auto key = static_cast<std::size_t>(j);
            const auto query = static_cast<std::size_t>(i);
            worker.rows[query].add(dot(worker.q[query], worker.kv.k[key]), worker.kv.v[key]);
          }
  }
}

TEST(RingLoop, MovesTheKeysThatThePlanMovesAndItsOutputIsThatOfOneSoftmax) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto rows_of = [&](int n) {
    std::vector<Row> rows(static_cast<std::size_t>(n));
    for (Row& row : rows)
      for (double& x : row) x = normal(random);
    return rows;
  };
  const std::vector<Row> q = rows_of(kLoopTokens);
  const std::vector<Row> k = rows_of(kLoopTokens);
  const std::vector<Row> v = rows_of(kLoopTokens);
  std::vector<RingWorker> workers;
  for (int w = 0; w < kLoopWorkers; ++w) {
    const auto shard = [&](const std::vector<Row>& rows) {
      return std::vector<Row>(rows.begin() + w * kLoopShard, rows.begin() + (w + 1) * kLoopShard);
    };
    workers.push_back(
        {w, shard(q), {w * kLoopShard, shard(k), shard(v)}, std::vector<Running>(kLoopShard)});
  }
  ring_attention(workers);

  const Plan plan = make_plan(
      "ring",
      make_problem({1, 1, 1, kLoopTokens, kLoopTokens, 3, 3}, MaskKind::causal, DType::f32, 1),
      {.workers = kLoopWorkers});
  for (std::size_t w = 0; w < kLoopWorkers; ++w)
    for (std::size_t round = 1; round < kLoopWorkers; ++round)
      for (const Transfer& received : plan.workers[w].steps.at(round).receives) {
        const int group = plan.groups_of(received).at(0);
        EXPECT_EQ(plan.kv_groups.at(static_cast<std::size_t>(group)).first, workers[w].seen[round]);
        EXPECT_EQ(received.peer, (static_cast<int>(w) + kLoopWorkers - 1) % kLoopWorkers);
      }
  for (int i = 0; i < kLoopTokens; ++i) {
    double sum = 0.0;
    Row whole{};
    for (int j = 0; j <= i; ++j) {
      const double weight =
          std::exp(dot(q[static_cast<std::size_t>(i)], k[static_cast<std::size_t>(j)]));
      sum += weight;
      for (std::size_t d = 0; d < kLoopDim; ++d)
        whole[d] += weight * v[static_cast<std::size_t>(j)][d];
    }
    const Running& row = workers[static_cast<std::size_t>(i / kLoopShard)]
                             .rows[static_cast<std::size_t>(i % kLoopShard)];
    for (std::size_t d = 0; d < kLoopDim; ++d)
      EXPECT_NEAR(row.out[d] / row.sum, whole[d] / sum, 1e-12);
  }
}

}  // namespace
}  // namespace qb
