// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/scan/scan_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/status.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr ScanKind kKinds[] = {ScanKind::chain, ScanKind::all_gather, ScanKind::tree,
                               ScanKind::all_scan};

// The state of a worker's tokens is a letter here, and appending is writing after: a text says
// which states it is made of, how often and in which order.
std::string letters(const Range& workers) {
  std::string text;
  for (std::int64_t w = workers.begin; w < workers.end; ++w)
    text += static_cast<char>('a' + static_cast<int>(w));
  return text;
}

// Finds texts among `held` that together are `wanted`, in any way there is.
bool can_write(const std::string& wanted, const std::vector<std::string>& held) {
  if (wanted.empty()) return true;
  return std::ranges::any_of(held, [&](const std::string& text) {
    return wanted.starts_with(text) && can_write(wanted.substr(text.size()), held);
  });
}

// Plays the plan with texts; returns whether each worker can write what it needs at the end, and
// every sender what it sends. Nothing may come twice.
bool plays(const ScanPlan& plan) {
  std::map<std::pair<int, int>, std::vector<std::string>> held;  // by worker and block
  for (int w = 0; w < plan.workers; ++w)
    for (int block = 0; block < plan.blocks; ++block) held[{w, block}] = {letters({w, w + 1})};
  for (int round = 0; round < plan.rounds(); ++round) {
    auto next = held;
    for (const ScanMessage& m : plan.messages) {
      if (m.round != round) continue;
      if (!can_write(letters(m.workers), held[{m.from, m.block}])) return false;
      next[{m.to, m.block}].push_back(letters(m.workers));
    }
    held = next;
  }
  for (auto& [place, texts] : held) {
    std::string all;
    for (const std::string& text : texts) all += text;
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end()) return false;
    for (const Range& need : plan.needs_of(place.first))
      if (!can_write(letters(need), texts)) return false;
  }
  return true;
}

TEST(ScanPlan, GivesEachWorkerEveryEarlierStateOnceInOrder) {
  for (const ScanKind kind : kKinds)
    for (int workers = 1; workers <= 17; ++workers)
      for (const int blocks : {1, 3, 8}) {
        SCOPED_TRACE(testing::Message() << word(kind) << ' ' << workers << ' ' << blocks);
        const ScanPlan plan = plan_scan(kind, workers, blocks, true);
        EXPECT_EQ(check(plan), std::nullopt);
        EXPECT_TRUE(plays(plan));
      }
}

TEST(ScanPlan, GivesEachWorkerAllOtherStatesWhereItIsNotCausal) {
  for (int workers = 1; workers <= 9; ++workers) {
    const ScanPlan plan = plan_scan(ScanKind::all_gather, workers, 1, false);
    EXPECT_EQ(check(plan), std::nullopt);
    EXPECT_TRUE(plays(plan));
    for (int w = 0; w < workers; ++w) {
      std::int64_t needed = 0;
      for (const Range& need : plan.needs_of(w)) needed += need.count();
      EXPECT_EQ(needed, workers - 1);
    }
  }
  for (const ScanKind kind : {ScanKind::chain, ScanKind::tree, ScanKind::all_scan})
    EXPECT_THROW((void)plan_scan(kind, 4, 2, false), Unsupported);
}

TEST(ScanPlan, SendsTheStatesThatItsKindSays) {
  for (int workers = 2; workers <= 33; ++workers) {
    const double rounds_of_tree = std::ceil(std::log2(workers));
    const auto sends = [&](ScanKind kind, double states, double rounds) {
      const ScanPlan plan = plan_scan(kind, workers, 5, true);
      EXPECT_DOUBLE_EQ(sent_states(plan), states) << word(kind) << ' ' << workers;
      EXPECT_EQ(plan.rounds(), rounds) << word(kind) << ' ' << workers;
    };
    sends(ScanKind::chain, 1, workers - 1);
    sends(ScanKind::all_gather, workers - 1, 1);
    sends(ScanKind::tree, rounds_of_tree, rounds_of_tree);
    sends(ScanKind::all_scan, 1, workers - 2 + 5);
  }
}

// Leaves a message out, sends one too early, to another worker or twice, or another state.
TEST(ScanPlan, CheckFindsWhatPlayingItFinds) {
  for (const ScanKind kind : kKinds)
    for (const std::size_t which : {0UL, 3UL, 5UL}) {
      const ScanPlan right = plan_scan(kind, 5, 3, true);
      for (int mistake = 0; mistake < 5; ++mistake) {
        SCOPED_TRACE(testing::Message() << word(kind) << ' ' << which << ' ' << mistake);
        ScanPlan plan = right;
        if (which >= plan.messages.size()) continue;
        ScanMessage& message = plan.messages[which];
        if (mistake == 0) plan.messages.erase(plan.messages.begin() + static_cast<long>(which));
        if (mistake == 1) message.to = (message.to + 1) % 5;
        if (mistake == 2) plan.messages.push_back(ScanMessage(message));
        if (mistake == 3) message.workers.end += 1;
        if (mistake == 4) message.from = (message.from + 1) % 5;
        EXPECT_EQ(check(plan).has_value(), !plays(plan)) << check(plan).value_or("");
      }
    }
  ScanPlan early = plan_scan(ScanKind::chain, 4, 1, true);
  for (ScanMessage& message : early.messages) message.round = 0;
  EXPECT_THAT(check(early).value_or(""), HasSubstr("worker 1 sends the state of workers 0 to 1"));
}

}  // namespace
}  // namespace qb
