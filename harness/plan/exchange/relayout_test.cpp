// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/status.h"
#include "harness/plan/exchange/exchange_plan.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr unsigned kRelayoutSeed = 20261128;

// How often a worker has each token, by its row and column.
using Copies = std::map<std::pair<std::int64_t, std::int64_t>, int>;

void add(const Part& part, Copies& to) {
  for (std::int64_t r = part.rows.begin; r < part.rows.end; ++r)
    for (std::int64_t c = part.columns.begin; c < part.columns.end; ++c) ++to[{r, c}];
}

Copies copies_of(const std::vector<Part>& parts) {
  Copies copies;
  for (const Part& part : parts) add(part, copies);
  return copies;
}

// Moves the tokens one by one; returns whether every worker ends with each token that it wants once
// and with no other.
bool runs(const ExchangePlan& plan) {
  std::vector<Copies> after;
  for (int w = 0; w < plan.workers(); ++w) {
    Copies& kept = after.emplace_back(copies_of(plan.held_by(w)));
    const Copies wanted = copies_of(plan.wanted_by(w));
    std::erase_if(kept, [&](const auto& token) { return !wanted.contains(token.first); });
  }
  for (const ExchangeMessage& m : plan.messages) {
    const Copies held = copies_of(plan.held_by(m.from));
    for (const auto& [token, count] : copies_of({m.part}))
      if (!held.contains(token)) return false;
    add(m.part, after[static_cast<std::size_t>(m.to)]);
  }
  for (int w = 0; w < plan.workers(); ++w)
    if (after[static_cast<std::size_t>(w)] != copies_of(plan.wanted_by(w))) return false;
  return true;
}

AxialTensor random_tensor(std::mt19937& random) {
  const int workers = 1 + static_cast<int>(random() % 6);
  const auto lines = [&] { return workers + static_cast<std::int64_t>(random() % 14); };
  const std::int64_t rows = lines();
  return plan_axial(rows, lines(), workers);
}

// Chunks w and 2W - 1 - w of 2W, as zigzag attention deals tokens.
Layout zigzag(std::int64_t n_tokens, int workers) {
  return [=](int w) {
    return std::vector<Part>{{part_of(n_tokens, 2 * workers, w), {0, 1}},
                             {part_of(n_tokens, 2 * workers, 2 * workers - 1 - w), {0, 1}}};
  };
}

Layout contiguous(std::int64_t n_tokens, int workers) {
  return [=](int w) { return std::vector<Part>{{part_of(n_tokens, workers, w), {0, 1}}}; };
}

TEST(Relayout, TransposesEveryTokenOnceAndBack) {
  std::mt19937 random(kRelayoutSeed);
  for (int i = 0; i < 300; ++i) {
    const AxialTensor tensor = random_tensor(random);
    SCOPED_TRACE(testing::Message()
                 << "seed " << kRelayoutSeed << " tensor " << i << ": " << tensor.rows << " x "
                 << tensor.columns << " over " << tensor.workers);
    for (const ExchangePlan& plan : tensor.changes) {
      EXPECT_EQ(check(plan), std::nullopt);
      EXPECT_TRUE(runs(plan));
    }
  }
}

TEST(Relayout, SharesDifferByOneLine) {
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) {
    const AxialTensor tensor = random_tensor(random);
    const auto most = [&](std::int64_t lines) {
      return (lines + tensor.workers - 1) / tensor.workers;
    };
    for (int w = 0; w < tensor.workers; ++w) {
      const auto is_share = [&](std::int64_t count, std::int64_t of) {
        return count == of / tensor.workers || count == most(of);
      };
      EXPECT_TRUE(is_share(tensor.rows_of(w).rows.count(), tensor.rows));
      EXPECT_TRUE(is_share(tensor.columns_of(w).columns.count(), tensor.columns));
    }
    // The last worker is the busiest in both passes.
    EXPECT_EQ(tensor.rows_of(tensor.workers - 1).rows.count(), most(tensor.rows));
    EXPECT_EQ(tensor.columns_of(tensor.workers - 1).columns.count(), most(tensor.columns));
  }
}

// Each worker sends (W - 1) / W of its W-th of the tensor each way.
TEST(Relayout, SendsWhatTheClosedFormSays) {
  for (const int workers : {1, 2, 4, 8})
    for (const ExchangePlan& plan : plan_axial(24, 16, workers).changes)
      for (int w = 0; w < workers; ++w) {
        std::int64_t sent = 0;
        for (const ExchangeMessage& m : plan.messages)
          if (m.from == w) sent += m.part.count();
        EXPECT_EQ(sent * workers * workers, 24 * 16 * (workers - 1));
      }
}

// Between zigzag and contiguous, both ways, 1 - 1 / W of all tokens move: of 2W chunks worker 0
// keeps one, and the worker with 2W - 1 - w = 2w or 2w + 1 another. Where 3 divides W there is
// none.
TEST(Relayout, OfZigzagMovesAllButAWthOfTheTokens) {
  for (int workers = 1; workers <= 16; ++workers) {
    const std::int64_t n_tokens = std::int64_t{2} * workers * 15;
    const Layout layouts[] = {zigzag(n_tokens, workers), contiguous(n_tokens, workers)};
    for (const int from : {0, 1}) {
      const ExchangePlan plan = plan_relayout(workers, layouts[from], layouts[1 - from]);
      EXPECT_EQ(check(plan), std::nullopt);
      EXPECT_TRUE(runs(plan));
      std::int64_t moved = 0;
      for (const ExchangeMessage& m : plan.messages) moved += m.part.count();
      const int kept_chunks = workers % 3 == 0 ? 1 : 2;
      EXPECT_EQ(moved * 2 * workers, n_tokens * (2 * workers - kept_chunks)) << workers;
    }
  }
}

// Leaves a message out, sends one to or from another worker or twice, or less, more or other
// tokens.
TEST(Relayout, CheckFindsWhatRunningItFinds) {
  std::mt19937 random(5);
  int found = 0;
  for (int i = 0; i < 700; ++i) {
    const int workers = 2 + static_cast<int>(random() % 4);
    ExchangePlan plan = i % 2 == 0
                            ? random_tensor(random).changes[random() % 2]
                            : plan_relayout(workers, zigzag(61, workers), contiguous(61, workers));
    if (plan.messages.empty()) continue;
    const std::size_t which = random() % plan.messages.size();
    ExchangeMessage& message = plan.messages[which];
    const int mistake = i % 7;
    if (mistake == 0) plan.messages.erase(plan.messages.begin() + static_cast<long>(which));
    if (mistake == 1) message.part.rows.end += 1;
    if (mistake == 2) message.to = (message.to + 1) % plan.workers();
    if (mistake == 3) message.from = (message.from + 1) % plan.workers();
    if (mistake == 4) plan.messages.push_back(ExchangeMessage(message));
    if (mistake == 5) message.part.rows.end -= 1;
    if (mistake == 6 && message.part.columns.begin > 0) message.part.columns.begin -= 1;
    SCOPED_TRACE(testing::Message() << "plan " << i);
    EXPECT_EQ(check(plan).has_value(), !runs(plan)) << check(plan).value_or("no error");
    found += check(plan).has_value() ? 1 : 0;
  }
  EXPECT_GT(found, 300);
}

TEST(Relayout, OfAxialNeedsARowAndAColumnForEachWorker) {
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
