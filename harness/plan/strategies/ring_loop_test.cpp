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

constexpr int kWorkers = 4;
constexpr int kShard = 6;  // tokens
constexpr int kTokens = kWorkers * kShard;
constexpr std::size_t kDim = 3;

using Row = std::array<double, kDim>;

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
    for (std::size_t i = 0; i < kDim; ++i) out[i] = out[i] * old_weight + weight * value[i];
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
  std::vector<KeyShard> inbox(kWorkers);
  for (int round = 0; round < kWorkers; ++round) {
    for (RingWorker& worker : workers) {
      if (round > 0) worker.kv = inbox[static_cast<std::size_t>(worker.rank)];
      worker.seen.push_back(worker.kv.first);
    }
    for (const RingWorker& worker : workers)
      inbox[static_cast<std::size_t>((worker.rank + 1) % kWorkers)] = worker.kv;
    for (RingWorker& worker : workers)
      for (int i = 0; i < kShard; ++i)
        for (int j = 0; j < kShard; ++j)
          if (worker.kv.first + j <= worker.rank * kShard + i) {
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
  const std::vector<Row> q = rows_of(kTokens);
  const std::vector<Row> k = rows_of(kTokens);
  const std::vector<Row> v = rows_of(kTokens);
  std::vector<RingWorker> workers;
  for (int w = 0; w < kWorkers; ++w) {
    const auto shard = [&](const std::vector<Row>& rows) {
      return std::vector<Row>(rows.begin() + w * kShard, rows.begin() + (w + 1) * kShard);
    };
    workers.push_back(
        {w, shard(q), {w * kShard, shard(k), shard(v)}, std::vector<Running>(kShard)});
  }
  ring_attention(workers);

  const Plan plan = make_plan(
      "ring", make_problem({1, 1, 1, kTokens, kTokens, 3, 3}, MaskKind::causal, DType::f32, 1),
      {.workers = kWorkers});
  for (std::size_t w = 0; w < kWorkers; ++w)
    for (std::size_t round = 1; round < kWorkers; ++round)
      for (const Transfer& received : plan.workers[w].steps.at(round).receives) {
        const int group = plan.groups_of(received).at(0);
        EXPECT_EQ(plan.kv_groups.at(static_cast<std::size_t>(group)).first, workers[w].seen[round]);
        EXPECT_EQ(received.peer, (static_cast<int>(w) + kWorkers - 1) % kWorkers);
      }
  for (int i = 0; i < kTokens; ++i) {
    double sum = 0.0;
    Row whole{};
    for (int j = 0; j <= i; ++j) {
      const double weight =
          std::exp(dot(q[static_cast<std::size_t>(i)], k[static_cast<std::size_t>(j)]));
      sum += weight;
      for (std::size_t d = 0; d < kDim; ++d) whole[d] += weight * v[static_cast<std::size_t>(j)][d];
    }
    const Running& row =
        workers[static_cast<std::size_t>(i / kShard)].rows[static_cast<std::size_t>(i % kShard)];
    for (std::size_t d = 0; d < kDim; ++d) EXPECT_NEAR(row.out[d] / row.sum, whole[d] / sum, 1e-12);
  }
}

}  // namespace
}  // namespace qb
