// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/exchange/exchange_plan.h"

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
constexpr ScanKind kKindsWithoutAMask[] = {ScanKind::all_gather, ScanKind::all_reduce};

std::vector<int> in_order(int workers) { return owners_of(TokenLayout::contiguous, workers); }

// The state of a worker's tokens is a letter here, and appending is writing after: a text says
// which states it is made of, how often and in which order.
std::string letters(const Range& workers) {
  std::string text;
  for (std::int64_t w = workers.begin; w < workers.end; ++w)
    text += static_cast<char>('a' + static_cast<int>(w));
  return text;
}

int block_of(const ExchangeMessage& m) { return static_cast<int>(m.part.columns.begin); }

// Finds texts among `held` that together are `wanted`, in any way there is.
bool can_write(const std::string& wanted, const std::vector<std::string>& held) {
  if (wanted.empty()) return true;
  return std::ranges::any_of(held, [&](const std::string& text) {
    return wanted.starts_with(text) && can_write(wanted.substr(text.size()), held);
  });
}

// Runs the plan with texts; returns whether each worker can write what it needs at the end, and
// every sender what it sends. Nothing may come twice; where the plan is not causal, a longer text
// takes the place of those in it.
bool plays(const ExchangePlan& plan) {
  std::map<std::pair<int, int>, std::vector<std::string>> held;  // by worker and block
  for (int w = 0; w < plan.workers(); ++w)
    for (int block = 0; block < blocks_of(plan); ++block) held[{w, block}] = {letters({w, w + 1})};
  for (int round = 0; round < plan.rounds(); ++round) {
    auto next = held;
    for (const ExchangeMessage& m : plan.messages) {
      if (m.round != round) continue;
      if (!can_write(letters(m.part.rows), held[{m.from, block_of(m)}])) return false;
      std::vector<std::string>& texts = next[{m.to, block_of(m)}];
      const std::string came = letters(m.part.rows);
      std::erase_if(texts, [&](const std::string& text) {
        return plan.kind == PartKind::sums && text != came && came.find(text) != std::string::npos;
      });
      texts.push_back(came);
    }
    held = next;
  }
  for (auto& [place, texts] : held) {
    std::string all;
    for (const std::string& text : texts) all += text;
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end()) return false;
    if (!can_write(letters(plan.wanted_by(place.first).front().rows), texts)) return false;
  }
  return true;
}

TEST(Scan, GivesEachWorkerEveryEarlierStateOnceInOrder) {
  for (const ScanKind kind : kKinds)
    for (int workers = 1; workers <= 17; ++workers)
      for (const int blocks : {1, 3, 8}) {
        SCOPED_TRACE(testing::Message() << word(kind) << ' ' << workers << ' ' << blocks);
        const ExchangePlan plan = plan_scan(kind, in_order(workers), blocks, true);
        EXPECT_EQ(check(plan), std::nullopt);
        EXPECT_TRUE(plays(plan));
      }
}

TEST(Scan, GivesEachWorkerAllStatesWhereItIsNotCausal) {
  for (const ScanKind kind : kKindsWithoutAMask)
    for (int workers = 1; workers <= 9; ++workers) {
      SCOPED_TRACE(testing::Message() << word(kind) << ' ' << workers);
      const ExchangePlan plan = plan_scan(kind, in_order(workers), 1, false);
      EXPECT_EQ(check(plan), std::nullopt);
      EXPECT_TRUE(plays(plan));
      for (int w = 0; w < workers; ++w) EXPECT_EQ(plan.wanted_by(w).front().rows.count(), workers);
    }
  for (const ScanKind kind : {ScanKind::chain, ScanKind::tree, ScanKind::all_scan})
    EXPECT_THROW((void)plan_scan(kind, in_order(4), 2, false), Unsupported);
  EXPECT_THROW((void)plan_scan(ScanKind::all_reduce, in_order(4), 2, true), Unsupported);
}

TEST(Scan, SendsTheStatesThatItsKindSays) {
  for (int workers = 2; workers <= 33; ++workers) {
    const double rounds_of_tree = std::ceil(std::log2(workers));
    const auto sends = [&](ScanKind kind, double states, double rounds) {
      const ExchangePlan plan = plan_scan(kind, in_order(workers), 5, kind != ScanKind::all_reduce);
      std::vector<int> sent(static_cast<std::size_t>(workers), 0);  // blocks
      for (const ExchangeMessage& m : plan.messages) ++sent[static_cast<std::size_t>(m.from)];
      EXPECT_DOUBLE_EQ(static_cast<double>(std::ranges::max(sent)) / blocks_of(plan), states)
          << word(kind) << ' ' << workers;
      EXPECT_EQ(plan.rounds(), rounds) << word(kind) << ' ' << workers;
    };
    sends(ScanKind::chain, 1, workers - 1);
    sends(ScanKind::all_gather, workers - 1, 1);
    sends(ScanKind::tree, rounds_of_tree, rounds_of_tree);
    sends(ScanKind::all_scan, 1, workers - 2 + 5);
    sends(ScanKind::all_reduce, 2.0 * (workers - 1) / workers, 2);
  }
}

// Leaves a message out, sends one too early, to another worker or twice, or another state.
TEST(Scan, CheckFindsWhatPlayingItFinds) {
  for (const auto& [kind, name] : kWords<ScanKind>.rows)
    for (const std::size_t which : {0UL, 3UL, 5UL, 23UL, 38UL}) {
      if (kind == ScanKind::all_to_all) continue;  // it has no states
      const ExchangePlan right = plan_scan(kind, in_order(5), 3, kind != ScanKind::all_reduce);
      for (int mistake = 0; mistake < 5; ++mistake) {
        SCOPED_TRACE(testing::Message() << word(kind) << ' ' << which << ' ' << mistake);
        ExchangePlan plan = right;
        if (which >= plan.messages.size()) continue;
        ExchangeMessage& message = plan.messages[which];
        if (mistake == 0) plan.messages.erase(plan.messages.begin() + static_cast<long>(which));
        if (mistake == 1) message.to = (message.to + 1) % 5;
        if (mistake == 2) plan.messages.push_back(ExchangeMessage(message));
        if (mistake == 3) message.part.rows.end += 1;
        if (mistake == 4) message.from = (message.from + 1) % 5;
        EXPECT_EQ(check(plan).has_value(), !plays(plan)) << check(plan).value_or("");
      }
    }
  ExchangePlan early = plan_scan(ScanKind::chain, in_order(4), 1, true);
  for (ExchangeMessage& message : early.messages) message.round = 0;
  EXPECT_THAT(check(early).value_or(""), HasSubstr("worker 1 sends the state of parts 0 to 1"));
}

// The states of parts as they come to workers that have two, in turn with the rounds: whatever a
// worker has may be written, also twice.
bool plays_in_parts(const ExchangePlan& plan) {
  std::vector<std::vector<std::string>> held(static_cast<std::size_t>(plan.workers()));
  for (std::size_t w = 0; w < held.size(); ++w)
    for (const Part& part : plan.held[w]) held[w].push_back(letters(part.rows));
  for (int round = 0; round < plan.rounds(); ++round) {
    auto next = held;
    for (const ExchangeMessage& m : plan.messages) {
      if (m.round != round) continue;
      if (m.from == m.to) return false;
      if (!can_write(letters(m.part.rows), held[static_cast<std::size_t>(m.from)])) return false;
      next[static_cast<std::size_t>(m.to)].push_back(letters(m.part.rows));
    }
    held = next;
  }
  for (std::size_t w = 0; w < held.size(); ++w)
    for (const Part& wanted : plan.wanted[w])
      if (!can_write(letters(wanted.rows), held[w])) return false;
  return true;
}

constexpr ScanKind kKindsOfParts[] = {ScanKind::chain, ScanKind::all_gather, ScanKind::tree};

TEST(Scan, GivesEachOfTwoPartsEveryEarlierState) {
  for (const ScanKind kind : kKindsOfParts)
    for (int workers = 2; workers <= 17; ++workers)
      for (const TokenLayout layout : {TokenLayout::contiguous, TokenLayout::zigzag})
        for (const bool reverses : {false, true}) {
          SCOPED_TRACE(testing::Message() << word(kind) << ' ' << workers << ' ' << word(layout));
          std::vector<int> owners = owners_of(layout, workers);
          if (reverses) std::ranges::reverse(owners);
          const ExchangePlan plan = plan_scan(kind, owners, 1, true);
          EXPECT_EQ(check(plan), std::nullopt);
          EXPECT_TRUE(plays_in_parts(plan));
        }
}

// The busiest worker of a zigzag tree sends 5 states at W = 8 and 11 at W = 64.
TEST(Scan, OfTwoPartsSendsTheStatesThatItsKindSays) {
  for (int workers = 2; workers <= 64; workers *= 2) {
    const double rounds = std::log2(workers);
    const auto most = [&](ScanKind kind) {
      const ExchangePlan plan = plan_scan(kind, owners_of(TokenLayout::zigzag, workers), 1, true);
      std::vector<int> sent(static_cast<std::size_t>(workers), 0);
      for (const ExchangeMessage& m : plan.messages) ++sent[static_cast<std::size_t>(m.from)];
      return std::ranges::max(sent);
    };
    EXPECT_EQ(most(ScanKind::chain), workers == 2 ? 1 : 2);
    EXPECT_EQ(most(ScanKind::all_gather), 2 * (workers - 1));
    EXPECT_EQ(most(ScanKind::tree), 2 * rounds - 1) << workers;
  }
}

}  // namespace
}  // namespace qb
