// SPDX-License-Identifier: Apache-2.0
// Every scheme on hosts whose links threads emulate: its output is right, and its time is what the
// model forecasts for the same links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "harness/forecast/model_simulation.h"
#include "harness/forecast/testing/constant_rate_device.h"
#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

// Two or three hosts with NICs for some of their workers, who stand on them in a random order.
Hosts random_hosts(Random& random, int workers) {
  const int each = static_cast<int>(between(random, (workers + 2) / 3, workers - 1));
  Hosts hosts{.workers_per_host = each,
              .inside = {3.0, 0.01},
              .nics = static_cast<int>(between(random, 0, each)),
              .slot = std::vector<int>(static_cast<std::size_t>(workers))};
  std::iota(hosts.slot.begin(), hosts.slot.end(), 0);
  std::ranges::shuffle(hosts.slot, random);
  return hosts;
}

// The links alone, with no time for computing, make the plan last so long.
ModelLink scaled_link(const Plan& plan, double asked_s, Random& random) {
  ModelLink link{.limit = {1.0, 0.02},
                 .hosts = random_hosts(random, static_cast<int>(plan.workers.size())),
                 .root_has_link = false};
  const DeviceModel device =
      constant_rate_device(Kernel::flash, plan.problem.dtype, plan.problem.shape.head_dim, 1e300);
  const double scale = model_execution(plan, device, link, Kernel::flash).wall_s / asked_s;
  for (LinkLimit* const limit : {&link.limit, &link.hosts.inside}) {
    limit->bandwidth_byte_per_s *= scale;
    limit->latency_s /= scale;
  }
  return link;
}

// A worker without a token, or whose tokens see none of the keys, receives keys that it neither
// computes with nor sends on, and does not wait for them.
bool leaves_messages_unread(const Plan& plan) {
  for (const Worker& worker : plan.workers.all()) {
    std::set<int> read;
    for (const Step& step : worker.steps) {
      for (const PairTask& task : step.tasks) read.insert(task.kv_group);
      for (const Transfer& sent : step.sends)
        if (is_of_keys(sent.what))
          read.insert(plan.groups_of(sent).begin(), plan.groups_of(sent).end());
    }
    for (const Step& step : worker.steps)
      for (const Transfer& received : step.receives)
        if (is_of_keys(received.what) &&
            std::ranges::none_of(plan.groups_of(received), [&](int g) { return read.contains(g); }))
          return true;
  }
  return false;
}

TEST(Hosts, SchemesAreRightOnThemAndTakeTheModelsTime) {
  constexpr std::size_t kTimed = 12;  // these last long enough for a busy machine
  std::vector<double> ratios;
  const auto attempt = [&](const Plan& plan, Random& random) {
    if (plan.workers.size() < 2 || !communicates(plan) || leaves_messages_unread(plan)) return;
    const double asked_s = ratios.size() < kTimed ? 0.25 : 0.01;
    const ModelLink link = scaled_link(plan, asked_s, random);
    if (!(link.limit.bandwidth_byte_per_s > 0.0)) return;  // it moves nothing between workers
    Trial trial(plan, heap_allocator());
    ExecutionArguments arguments = trial.with_tensors(ExecutionArguments());
    arguments.allocator = &heap_allocator();
    arguments.guard_messages = true;
    arguments.link = link.limit;
    arguments.hosts = link.hosts;
    const Execution run = execute(Ranks::threads, plan, arguments);
    const Verification verification = trial.verify();
    ASSERT_TRUE(verification.correct) << verification.message;
    ratios.push_back(run.wall_s / asked_s);
    EXPECT_GT(ratios.back(), 0.8) << "messages are faster than their links";
  };
  (void)testing_support::for_random_plans(60, attempt);
  ASSERT_GT(ratios.size(), 2 * kTimed);
  ratios.resize(kTimed);  // of which the machine may disturb most
  EXPECT_LT(*std::ranges::min_element(ratios), 1.3) << "messages are slower than their links";
}

TEST(Hosts, ANicCarriesTheMessagesOfItsWorkersInTurn) {
  const Plan plan =
      make_plan("all_gather_kv",
                make_problem({1, 2, 2, 256, 256, 16, 16}, MaskKind::full, DType::f32, 1), {8, {}});
  const DeviceModel device = constant_rate_device(Kernel::flash, DType::f32, 16, 1e300);
  const double message_s = 2 * 32 * 2 * 16 * 4 / 1e6;  // K and V of 32 tokens, at 1 MB/s
  for (const int nics : {4, 2, 1}) {
    const ModelLink link{.limit = {1e6, 0.0},
                         .hosts = {.workers_per_host = 4, .inside = {1e9, 0.0}, .nics = nics}};
    const double wall_s = model_execution(plan, device, link, Kernel::flash).wall_s;
    // A host's four workers each send to four others.
    const double busy_s = 4 * 4 / nics * message_s;
    EXPECT_GE(wall_s, busy_s * 0.9999) << nics;
    EXPECT_LE(wall_s, busy_s * (nics == 1 ? 1.01 : 2.0)) << nics;
  }
}

}  // namespace
}  // namespace qb
