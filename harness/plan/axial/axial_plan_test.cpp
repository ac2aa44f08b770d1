// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/axial/axial_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/status.h"

namespace qb {
namespace {

using testing::HasSubstr;

// How often each worker has each token, [worker][row][column].
using Copies = std::vector<std::vector<std::vector<int>>>;

void add(const AxialPart& part, std::vector<std::vector<int>>& to) {
  for (std::int64_t r = part.rows.begin; r < part.rows.end; ++r)
    for (std::int64_t c = part.columns.begin; c < part.columns.end; ++c)
      ++to[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
}

bool has(const AxialPart& part, std::vector<std::vector<int>> of) {
  std::vector<std::vector<int>> wanted(of.size(), std::vector<int>(of.front().size(), 0));
  add(part, wanted);
  for (std::size_t r = 0; r < of.size(); ++r)
    for (std::size_t c = 0; c < of[r].size(); ++c)
      if (wanted[r][c] > of[r][c]) return false;
  return true;
}

// Moves the tokens one by one; returns whether after each round every worker has each token of its
// lines once and no other.
bool plays(const AxialPlan& plan) {
  const std::vector<std::vector<int>> none(
      static_cast<std::size_t>(plan.rows),
      std::vector<int>(static_cast<std::size_t>(plan.columns), 0));
  Copies now(static_cast<std::size_t>(plan.workers), none);
  const auto of = [](Copies& copies, int worker) -> std::vector<std::vector<int>>& {
    return copies[static_cast<std::size_t>(worker)];
  };
  for (int w = 0; w < plan.workers; ++w) add(plan.held(w, 0), of(now, w));
  for (int round = 0; round < AxialPlan::kRounds; ++round) {
    Copies next(now.size(), none);
    Copies wanted = next;
    for (int w = 0; w < plan.workers; ++w) {
      add(plan.held(w, round + 1), of(wanted, w));
      for (std::size_t r = 0; r < none.size(); ++r)  // what it keeps
        for (std::size_t c = 0; c < none[r].size(); ++c)
          of(next, w)[r][c] = std::min(of(now, w)[r][c], of(wanted, w)[r][c]);
    }
    for (const AxialMessage& m : plan.messages) {
      if (m.round != round) continue;
      if (!has(m.part, of(now, m.from))) return false;
      add(m.part, of(next, m.to));
    }
    if (next != wanted) return false;
    now = next;
  }
  return true;
}

AxialPlan random_plan(std::mt19937& random) {
  const int workers = 1 + static_cast<int>(random() % 6);
  const auto lines = [&] { return workers + static_cast<std::int64_t>(random() % 14); };
  const std::int64_t rows = lines();
  return plan_axial(rows, lines(), workers);
}

TEST(AxialPlan, TransposesEveryTokenOnceAndBack) {
  constexpr unsigned kSeed = 20261128;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const AxialPlan plan = random_plan(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " plan " << i << ": " << plan.rows
                                    << " x " << plan.columns << " over " << plan.workers);
    EXPECT_EQ(check(plan), std::nullopt);
    EXPECT_TRUE(plays(plan));
  }
}

TEST(AxialPlan, SharesDifferByOneLine) {
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) {
    const AxialPlan plan = random_plan(random);
    const auto most = [&](std::int64_t lines) { return (lines + plan.workers - 1) / plan.workers; };
    for (int w = 0; w < plan.workers; ++w) {
      EXPECT_EQ(plan.held(w, 0), plan.held(w, 2));
      const auto is_share = [&](std::int64_t count, std::int64_t of) {
        return count == of / plan.workers || count == most(of);
      };
      EXPECT_TRUE(is_share(plan.held(w, 0).rows.count(), plan.rows));
      EXPECT_TRUE(is_share(plan.held(w, 1).columns.count(), plan.columns));
    }
    // The last worker is the busiest in both passes.
    EXPECT_EQ(plan.held(plan.workers - 1, 0).rows.count(), most(plan.rows));
    EXPECT_EQ(plan.held(plan.workers - 1, 1).columns.count(), most(plan.columns));
  }
}

// Each worker sends (W - 1) / W of its W-th of the tensor in each round.
TEST(AxialPlan, SendsWhatTheClosedFormSays) {
  for (const int workers : {1, 2, 4, 8}) {
    const AxialPlan plan = plan_axial(24, 16, workers);
    for (int round = 0; round < AxialPlan::kRounds; ++round)
      for (int w = 0; w < workers; ++w) {
        std::int64_t sent = 0;
        for (const AxialMessage& m : plan.messages)
          if (m.round == round && m.from == w) sent += m.part.count();
        EXPECT_EQ(sent * workers * workers, 24 * 16 * (workers - 1));
      }
  }
}

// Leaves a message out, sends one in the other round, to or from another worker or twice, or less,
// more or other tokens.
TEST(AxialPlan, CheckFindsWhatPlayingItFinds) {
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  int found = 0;
  for (int i = 0; i < 700; ++i) {
    AxialPlan plan = random_plan(random);
    if (plan.messages.empty()) continue;
    const std::size_t which = random() % plan.messages.size();
    AxialMessage& message = plan.messages[which];
    const int mistake = i % 7;
    if (mistake == 0) plan.messages.erase(plan.messages.begin() + static_cast<long>(which));
    if (mistake == 1) message.round = 1 - message.round;
    if (mistake == 2) message.to = (message.to + 1) % plan.workers;
    if (mistake == 3) message.from = (message.from + 1) % plan.workers;
    if (mistake == 4) plan.messages.push_back(AxialMessage(message));
    if (mistake == 5) message.part.rows.end -= 1;
    if (mistake == 6 && message.part.columns.begin > 0) message.part.columns.begin -= 1;
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " plan " << i);
    EXPECT_EQ(check(plan).has_value(), !plays(plan)) << check(plan).value_or("no error");
    found += check(plan).has_value() ? 1 : 0;
  }
  EXPECT_GT(found, 300);
}

TEST(AxialPlan, NeedsARowAndAColumnForEachWorker) {
  try {
    (void)plan_axial(64, 3, 4);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), HasSubstr("64 rows and 3 columns are too few for 4 workers"));
    EXPECT_THAT(error.what(), HasSubstr("the nearest is workers: 3"));
  }
}

}  // namespace
}  // namespace qb
