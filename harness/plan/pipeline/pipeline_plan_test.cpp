// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/pipeline/pipeline_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <tuple>

#include "base/status.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr unsigned kSeed = 20261128;

// A random plan of each kind, small enough for brute force.
PipelinePlan random_pipeline(std::mt19937& random) {
  const auto upto = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  const auto schedule = kWords<PipelineSchedule>.rows[random() % 3].first;
  const int stages = upto(7);
  if (schedule == PipelineSchedule::interleaved)
    return plan_pipeline(schedule, stages, stages * upto(4), 1, upto(4));
  return plan_pipeline(schedule, stages, upto(12), upto(5), 1);
}

std::string text(const PipelinePlan& plan) {
  return std::string(word(plan.schedule)) + " S=" + std::to_string(plan.stages) +
         " m=" + std::to_string(plan.microbatches) + " c=" + std::to_string(plan.chunks) +
         " v=" + std::to_string(plan.virtual_stages);
}

// When each unit ends where a stage computes in order, as soon as it may: by the definition of a
// stack, without the plan's own neighbours.
class Ends {
 public:
  Ends(const PipelinePlan& plan, double forward, double backward)
      : plan_(plan), cost_{forward, backward} {
    for (int stage = 0; stage < plan.stages; ++stage)
      for (std::size_t i = 0; i < order(stage).size(); ++i)
        at_[key(order(stage)[i].virtual_stage * plan.stages + stage, order(stage)[i])] = {stage, i};
  }
  double last() {
    double most = 0.0;
    for (int stage = 0; stage < plan_.stages; ++stage)
      most = std::max(most, end(stage, order(stage).size() - 1));
    return most;
  }

 private:
  using Key = std::tuple<int, bool, int, int>;
  static Key key(int place, const PipelineUnit& unit) {
    return {place, unit.backward, unit.microbatch, unit.chunk};
  }
  const std::vector<PipelineUnit>& order(int stage) const {
    return plan_.order[static_cast<std::size_t>(stage)];
  }
  double end_of(const Key& needed) {
    const auto found = at_.find(needed);
    return found == at_.end() ? 0.0 : end(found->second.first, found->second.second);
  }
  double end(int stage, std::size_t i) {
    const auto known = ends_.find({stage, i});
    if (known != ends_.end()) return known->second;
    const PipelineUnit& unit = order(stage)[i];
    const int place = unit.virtual_stage * plan_.stages + stage;
    double begin = i == 0 ? 0.0 : end(stage, i - 1);
    const int by = unit.backward ? 1 : -1;
    begin = std::max(begin, end_of({place + by, unit.backward, unit.microbatch, unit.chunk}));
    begin = std::max(begin, end_of({place, unit.backward, unit.microbatch, unit.chunk + by}));
    if (unit.backward) begin = std::max(begin, end_of({place, false, unit.microbatch, unit.chunk}));
    return ends_[{stage, i}] = begin + cost_[unit.backward ? 1 : 0];
  }

  const PipelinePlan& plan_;
  const double cost_[2];
  std::map<Key, std::pair<int, std::size_t>> at_;
  std::map<std::pair<int, std::size_t>, double> ends_;
};

TEST(PipelinePlan, HasNoErrorAndTheBubbleOfItsClosedForm) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const PipelinePlan plan = random_pipeline(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", plan " << i << ": " << text(plan));
    EXPECT_EQ(check(plan), std::nullopt);
    EXPECT_EQ(playable_order(plan).size(), 2UL * static_cast<std::size_t>(plan.stages) *
                                               static_cast<std::size_t>(plan.forward_units()));
    for (const double backward : {1.0, 2.0}) {
      const double work = plan.forward_units() * (1.0 + backward);
      EXPECT_NEAR(1.0 - work / Ends(plan, 1.0, backward).last(), bubble_ratio(plan), 1e-12);
    }
  }
}

TEST(PipelinePlan, KeepsTheUnitsOfItsClosedForm) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const PipelinePlan plan = random_pipeline(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", plan " << i << ": " << text(plan));
    for (int stage = 0; stage < plan.stages; ++stage) {
      int kept = 0;
      int most = 0;
      for (const PipelineUnit& unit : plan.order[static_cast<std::size_t>(stage)])
        most = std::max(most, kept += unit.backward ? -1 : 1);
      EXPECT_EQ(kept_units(plan, stage), most);
      EXPECT_EQ(kept, 0);
      if (plan.schedule == PipelineSchedule::gpipe) {
        EXPECT_EQ(most, plan.forward_units());
      } else if (plan.schedule == PipelineSchedule::one_f_one_b) {
        EXPECT_EQ(most, std::min(plan.forward_units(), plan.stages - stage + plan.chunks - 1));
      }
    }
  }
}

// Whether a plan computes each unit once after all that it needs, by trying every stage again and
// again with what was computed so far.
bool plays(const PipelinePlan& plan) {
  std::map<std::tuple<int, bool, int, int>, bool> computed;
  std::vector<std::size_t> done(plan.order.size(), 0);
  const int places = plan.stages * plan.virtual_stages;
  std::size_t units = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < plan.order.size(); ++s) {
      if (done[s] == plan.order[s].size()) continue;
      const PipelineUnit& u = plan.order[s][done[s]];
      const int place = u.virtual_stage * plan.stages + static_cast<int>(s);
      const auto has = [&](int at, bool backward, int chunk) {
        return at < 0 || at >= places || chunk < 0 || chunk >= plan.chunks ||
               computed.contains({at, backward, u.microbatch, chunk});
      };
      const int by = u.backward ? 1 : -1;
      if (!has(place + by, u.backward, u.chunk) || !has(place, u.backward, u.chunk + by)) continue;
      if (u.backward && !has(place, false, u.chunk)) continue;
      if (!computed.emplace(std::tuple{place, u.backward, u.microbatch, u.chunk}, true).second)
        return false;
      ++done[s];
      ++units;
      moved = true;
    }
  }
  return units == 2UL * static_cast<std::size_t>(places * plan.microbatches * plan.chunks) &&
         std::ranges::all_of(plan.order, [&, s = 0UL](const auto& order) mutable {
           return done[s++] == order.size();
         });
}

// Swaps units of a stage, or makes one another's copy.
TEST(PipelinePlan, CheckFindsWhatPlayingItFinds) {
  std::mt19937 random(kSeed);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    PipelinePlan plan = random_pipeline(random);
    auto& order = plan.order[random() % plan.order.size()];
    PipelineUnit& one = order[random() % order.size()];
    PipelineUnit& other = order[random() % order.size()];
    if (random() % 4 == 0)
      one = other;
    else
      std::swap(one, other);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", plan " << i << ": " << text(plan));
    const auto error = check(plan);
    // With little room for messages a plan may wait for ever that could be played with more.
    if (plays(plan)) {
      EXPECT_THAT(error.value_or("waits for ever"), HasSubstr("waits for ever"));
    } else {
      EXPECT_NE(error, std::nullopt);
      ++wrong;
    }
  }
  EXPECT_GT(wrong, 500);
}

TEST(PipelinePlan, CheckNamesTheFirstError) {
  PipelinePlan plan = plan_pipeline(PipelineSchedule::one_f_one_b, 2, 3, 2, 1);
  std::swap(plan.order[1][0], plan.order[1][1]);
  EXPECT_EQ(check(plan),
            "stage 1 computes the forward pass of microbatch 0, chunk 1, virtual stage 0 before "
            "the forward pass of microbatch 0, chunk 0, virtual stage 0");
  plan.order[1].pop_back();
  EXPECT_EQ(check(plan), "stage 1 does not compute each of its 12 units once");
  plan = plan_pipeline(PipelineSchedule::gpipe, 2, 2, 1, 1);
  std::swap(plan.order[0][1], plan.order[0][2]);  // F B F B
  std::swap(plan.order[1][0], plan.order[1][1]);
  EXPECT_EQ(check(plan),
            "stage 0 waits for ever before the backward pass of microbatch 0, chunk 0, virtual "
            "stage 0");
}

TEST(PipelinePlan, InterleavedNeedsMicrobatchesForEachStage) {
  try {
    (void)plan_pipeline(PipelineSchedule::interleaved, 4, 6, 1, 2);
    FAIL() << "not refused";
  } catch (const Unsupported& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("6 is not a multiple of 4; the nearest is "
                                          "pipeline.microbatches: 4"));
  }
}

TEST(PipelinePlan, CutsChunksOfEqualTokensOrPairs) {
  std::mt19937 random(kSeed);
  const auto pairs = [](const Range& r) {
    return 0.5 * static_cast<double>(r.count() * (r.begin + r.end + 1));
  };
  for (int i = 0; i < 200; ++i) {
    const int chunks = 1 + static_cast<int>(random() % 12);
    const std::int64_t n = chunks + static_cast<std::int64_t>(random() % (i % 2 == 0 ? 3 : 5000));
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " N=" << n << " c=" << chunks);
    for (const ChunkCut cut : {ChunkCut::tokens, ChunkCut::times}) {
      const std::vector<Range> ranges = cut_chunks(n, chunks, cut);
      ASSERT_EQ(std::ssize(ranges), chunks);
      std::int64_t at = 0;
      for (const Range& range : ranges) {
        EXPECT_EQ(range.begin, at);
        EXPECT_GT(range.count(), 0);
        at = range.end;
        const double even = cut == ChunkCut::tokens
                                ? static_cast<double>(n) / chunks
                                : 0.5 * static_cast<double>(n) * static_cast<double>(n) / chunks;
        // A boundary is off by half a token, which the last chunks may have to leave each other.
        if (n > 100 * chunks) {
          EXPECT_NEAR(cut == ChunkCut::tokens ? static_cast<double>(range.count()) : pairs(range),
                      even, cut == ChunkCut::tokens ? 1.0 : 1.5 * static_cast<double>(n));
        }
      }
      EXPECT_EQ(at, n);
    }
  }
}

}  // namespace
}  // namespace qb
