// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/pipeline_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

namespace qb {
namespace {

constexpr unsigned kSeed = 20261128;

// A random pipeline of each kind, small enough for brute force.
Pipeline random_pipeline(std::mt19937& random) {
  const auto upto = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  Pipeline p{.schedule = kWords<PipelineSchedule>.rows[random() % 3].first, .stages = upto(7)};
  const bool interleaved = p.schedule == PipelineSchedule::interleaved;
  p.microbatches = interleaved ? p.stages * upto(4) : upto(12);
  p.chunks = interleaved ? 1 : upto(5);
  p.virtual_stages = interleaved ? upto(4) : 1;
  return p;
}

std::string text(const Pipeline& p) {
  return std::string(word(p.schedule)) + " S=" + std::to_string(p.stages) +
         " m=" + std::to_string(p.microbatches) + " c=" + std::to_string(p.chunks) +
         " v=" + std::to_string(p.virtual_stages);
}

// When each unit ends where stages compute in order, as soon as they may: by the definition of a
// stack, without the schedule's own neighbours. Tries every stage again and again with what was
// computed so far, and ends where none can go on.
class BruteForce {
 public:
  BruteForce(const Pipeline& p, double forward, double backward) {
    std::vector<std::size_t> done(static_cast<std::size_t>(p.stages), 0);
    std::vector<double> now(done.size(), 0.0);
    const int places = p.stages * p.virtual_stages;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s < done.size(); ++s) {
        const std::vector<PipelineUnit> units = units_of(p, static_cast<int>(s));
        if (done[s] == units.size()) continue;
        const PipelineUnit& u = units[done[s]];
        const int place = u.virtual_stage * p.stages + static_cast<int>(s);
        const int by = u.backward ? 1 : -1;
        bool ready = true;
        const auto need = [&](int at, bool of_backward, int chunk) {
          if (at < 0 || at >= places || chunk < 0 || chunk >= p.chunks) return;
          const auto end = ends_.find({at, of_backward, u.microbatch, chunk});
          ready &= end != ends_.end();
          if (ready) now[s] = std::max(now[s], end->second);
        };
        need(place + by, u.backward, u.chunk);
        need(place, u.backward, u.chunk + by);
        if (u.backward) need(place, false, u.chunk);
        if (!ready) continue;
        now[s] += u.backward ? backward : forward;
        twice_ |=
            !ends_.emplace(std::tuple{place, u.backward, u.microbatch, u.chunk}, now[s]).second;
        last_ = std::max(last_, now[s]);
        ++done[s];
        moved = true;
      }
    }
    computes_all_once_ = !twice_ && ends_.size() == 2UL * static_cast<std::size_t>(
                                                              places * p.microbatches * p.chunks);
  }
  [[nodiscard]] bool computes_all_once() const { return computes_all_once_; }
  [[nodiscard]] double last() const { return last_; }

 private:
  std::map<std::tuple<int, bool, int, int>, double> ends_;
  bool twice_ = false;
  bool computes_all_once_ = false;
  double last_ = 0.0;
};

TEST(PipelineSchedule, ComputesAllOnceWithTheBubbleOfItsClosedForm) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const Pipeline p = random_pipeline(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pipeline " << i << ": " << text(p));
    for (const double backward : {1.0, 2.0}) {
      const BruteForce run(p, 1.0, backward);
      EXPECT_TRUE(run.computes_all_once());
      EXPECT_NEAR(1.0 - p.forward_units() * (1.0 + backward) / run.last(), bubble_ratio(p), 1e-12);
    }
  }
}

// Units that are alike have a closed form; chunks that are unlike are counted along the order.
// chunks.
TEST(PipelineSchedule, KeepsTheUnitsOfItsClosedForm) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const Pipeline p = random_pipeline(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pipeline " << i << ": " << text(p));
    const int all = p.forward_units();
    for (int stage = 0; stage < p.stages; ++stage) {
      int most = all;
      if (p.schedule == PipelineSchedule::one_f_one_b)
        most = std::min(all, p.stages - stage + p.chunks - 1);
      if (p.schedule == PipelineSchedule::interleaved)
        most = std::min(all, 2 * (p.stages - stage - 1) + (p.virtual_stages - 1) * p.stages + 1);
      EXPECT_EQ(most_kept(p, stage, [](int) { return 1; }), most);
      const auto of_chunk = [](int chunk) { return 1 + 7 * chunk; };
      EXPECT_LE(most_kept(p, stage, of_chunk), most_kept(p, 0, of_chunk));
    }
  }
  const Pipeline seq{
      .schedule = PipelineSchedule::one_f_one_b, .stages = 2, .microbatches = 2, .chunks = 2};
  // F0 F1 F0 B1 F1 B0 B1 B0 on the first stage, where a unit of chunk 1 keeps ten times as much.
  EXPECT_EQ(most_kept(seq, 0, [](int chunk) { return chunk == 1 ? 10 : 1; }), 12);
}

TEST(PipelineSchedule, NeighboursAreNextInTheStackAndNumbersDiffer) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 100; ++i) {
    const Pipeline p = random_pipeline(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pipeline " << i << ": " << text(p));
    for (int stage = 0; stage < p.stages; ++stage) {
      std::vector<int> numbers;
      for (const PipelineUnit& unit : units_of(p, stage)) {
        numbers.push_back(number_of(p, unit));
        const auto to = neighbour(p, stage, unit, 1);
        const int place = unit.virtual_stage * p.stages + stage;
        EXPECT_EQ(to.has_value(),
                  unit.backward ? place > 0 : place + 1 < p.stages * p.virtual_stages);
        if (!to) continue;
        EXPECT_EQ(to->unit.virtual_stage * p.stages + to->stage, place + (unit.backward ? -1 : 1));
        const auto back = neighbour(p, to->stage, to->unit, -1);
        ASSERT_TRUE(back);
        EXPECT_EQ(back->stage, stage);
        EXPECT_EQ(back->unit, unit);
      }
      std::ranges::sort(numbers);
      for (int n = 0; n < std::ssize(numbers); ++n)
        EXPECT_EQ(numbers[static_cast<std::size_t>(n)], n);
    }
  }
}

TEST(PipelineSchedule, CutsChunksOfEqualTokensOrPairs) {
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
