// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/hosts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "harness/plan/testing/random_plans.h"
#include "harness/plan/testing/spelt_plans.h"

namespace qb {
namespace {

using testing_support::draw;

// Adds up the messages of spelt-out workers.
std::int64_t counted(const std::vector<Plan>& passes, const std::vector<int>& host_of) {
  std::vector<std::int64_t> bytes(host_of.size(), 0);
  for (const Plan& plan : passes) {
    const Plan spelt = testing_support::spelt_out(plan);
    for (std::size_t w = 0; w < host_of.size(); ++w)
      for (const Step& step : spelt.workers[w].steps)
        for (const Transfer& sent : step.sends)
          if (sent.peer >= 0 && host_of[static_cast<std::size_t>(sent.peer)] != host_of[w])
            bytes[w] += sent.bytes;
  }
  return std::ranges::max(bytes);
}

TEST(BetweenHosts, AreTheBytesOfMessagesToWorkersOfOtherHosts) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  int n_crossing = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Plan> passes;
    for (const Pass pass : kEveryPass)
      if (auto plan = testing_support::random_plan(random, pass))
        if (passes.empty() || passes[0].workers.size() == plan->workers.size())
          passes.push_back(*std::move(plan));
    if (passes.empty()) continue;
    const auto n = static_cast<int>(passes[0].workers.size());
    Hosts hosts{.workers_per_host = static_cast<int>(draw(random, 0, n))};
    if (random() % 2 == 0) {
      hosts.slot.resize(static_cast<std::size_t>(n));
      std::iota(hosts.slot.begin(), hosts.slot.end(), 0);
      std::ranges::shuffle(hosts.slot, random);
    }
    std::vector<int> host_of(static_cast<std::size_t>(n), 0);
    for (int w = 0; w < n && hosts.workers_per_host > 0; ++w)
      host_of[static_cast<std::size_t>(w)] = hosts.slot_of(w) / hosts.workers_per_host;
    std::vector<const Plan*> asked;
    for (const Plan& plan : passes) asked.push_back(&plan);
    const std::int64_t expected = counted(passes, host_of);
    n_crossing += expected > 0 ? 1 : 0;
    ASSERT_EQ(std::ranges::max(bytes_between_hosts(asked, hosts)), expected)
        << describe(passes[0]) << " on hosts of " << hosts.workers_per_host;
  }
  EXPECT_GT(n_crossing, 50);
}

}  // namespace
}  // namespace qb
