// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/pipeline_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace qb {
namespace {

constexpr unsigned kSeed = 20261128;

PipelineCosts costs(double forward_s, double backward_s, std::int64_t bytes) {
  return {[=](const PipelineUnit& unit) { return unit.backward ? backward_s : forward_s; },
          [=](const PipelineUnit&, int) { return bytes; }};
}

Pipeline random_pipeline(std::mt19937& random) {
  const auto upto = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  Pipeline p{.schedule = kWords<PipelineSchedule>.rows[random() % 3].first, .stages = upto(8)};
  const bool interleaved = p.schedule == PipelineSchedule::interleaved;
  p.microbatches = interleaved ? p.stages * upto(3) : upto(10);
  p.chunks = interleaved ? 1 : upto(4);
  p.virtual_stages = interleaved ? upto(3) : 1;
  return p;
}

std::string text(const Pipeline& p) {
  return std::string(word(p.schedule)) + " S=" + std::to_string(p.stages) +
         " m=" + std::to_string(p.microbatches) + " c=" + std::to_string(p.chunks) +
         " v=" + std::to_string(p.virtual_stages);
}

TEST(PipelineModel, WithoutLinksHasTheBubbleOfTheSchedule) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 600; ++i) {
    const Pipeline p = random_pipeline(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ' ' << i << ": " << text(p));
    const double wall_s = pipeline_times(p, {}, costs(1.0, 2.0, 100)).wall_s;
    EXPECT_NEAR(1.0 - 3.0 * p.forward_units() / wall_s, bubble_ratio(p), 1e-12);
  }
}

// When each unit ends over links that have a latency alone, by recursion from the rules.
class Ends {
 public:
  Ends(const Pipeline& p, const PipelineCosts& costs, double latency_s)
      : p_(p), costs_(costs), latency_s_(latency_s) {
    for (int stage = 0; stage < p.stages; ++stage) units_.push_back(units_of(p, stage));
  }
  double last_s() {
    double most_s = 0.0;
    for (int stage = 0; stage < p_.stages; ++stage)
      most_s = std::max(most_s, end_s(stage, std::ssize(units_.front()) - 1));
    return most_s;
  }

 private:
  double end_s(int stage, std::ptrdiff_t i) {
    if (i < 0) return 0.0;
    if (const auto known = ends_.find({stage, i}); known != ends_.end()) return known->second;
    const PipelineUnit& unit = units_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(i)];
    double at_s = end_s(stage, i - 1);
    if (const auto from = neighbour(p_, stage, unit, -1))
      at_s = std::max(at_s, arrival_s(*from, {stage, unit}));
    at_s += costs_.unit_s(unit);
    if (const auto gradients = last_gradients(stage, i); gradients >= 0) {
      const PipelinePlace from{
          stage, units_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(gradients)]};
      at_s = std::max(at_s, arrival_s(from, *neighbour(p_, stage, from.unit, 1)));
    }
    return ends_[{stage, i}] = at_s;
  }
  // It leaves when it was computed and its receiver has room for it, two units ahead.
  double arrival_s(const PipelinePlace& from, const PipelinePlace& to) {
    const double ready_s =
        std::max(end_s(from.stage, index_of(from)), end_s(to.stage, index_of(to) - 2));
    return ready_s + (from.stage == to.stage ? 0.0 : latency_s_);
  }
  std::ptrdiff_t index_of(const PipelinePlace& place) const {
    const auto& units = units_[static_cast<std::size_t>(place.stage)];
    return std::ranges::find(units, place.unit) - units.begin();
  }
  // The last unit before i whose gradients leave, if those of i do; else -1.
  std::ptrdiff_t last_gradients(int stage, std::ptrdiff_t i) const {
    const auto leave = [&](std::ptrdiff_t at) {
      const PipelineUnit& unit =
          units_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(at)];
      return unit.backward && neighbour(p_, stage, unit, 1);
    };
    if (!leave(i)) return -1;
    do --i;
    while (i >= 0 && !leave(i));
    return i;
  }

  const Pipeline& p_;
  const PipelineCosts& costs_;
  const double latency_s_;
  std::vector<std::vector<PipelineUnit>> units_;
  std::map<std::pair<int, std::ptrdiff_t>, double> ends_;
};

TEST(PipelineModel, TakesWhatItsRulesSayOverLinksOfALatency) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const Pipeline p = random_pipeline(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ' ' << i << ": " << text(p));
    const PipelineCosts units = costs(1.0, 2.0, 0);
    const double latency_s = 0.1 + static_cast<double>(random() % 40) / 10.0;
    const PipelineTimes times = pipeline_times(p, {{0.0, latency_s}, {}}, units);
    EXPECT_NEAR(times.wall_s, Ends(p, units, latency_s).last_s(), 1e-9);
    EXPECT_NEAR(times.wall_s - times.exposed_s - times.idle_s, 3.0 * p.forward_units(), 1e-9);
  }
}

// Where only the links take time, m messages of each pass go through S - 1 links behind each other,
// each a latency apart.
TEST(PipelineModel, OfLinksAloneHasItsClosedForm) {
  constexpr std::int64_t kBytes = 6'000'000;
  constexpr double kMessage_s = 3e-3;
  for (int stages = 2; stages <= 8; ++stages)
    for (int microbatches = 1; microbatches <= 9; ++microbatches) {
      SCOPED_TRACE(testing::Message() << "S=" << stages << " m=" << microbatches);
      Pipeline p{
          .schedule = PipelineSchedule::gpipe, .stages = stages, .microbatches = microbatches};
      const double wall_s = pipeline_times(p, {{2e9, 0.0}, {}}, costs(0.0, 0.0, kBytes)).wall_s;
      EXPECT_NEAR(wall_s, 2.0 * (microbatches + stages - 2) * kMessage_s, 1e-9);
      p.microbatches = 1;
      const double late_s = pipeline_times(p, {{2e9, 0.5}, {}}, costs(0.0, 0.0, kBytes)).wall_s;
      EXPECT_NEAR(late_s, 2.0 * (stages - 1) * (kMessage_s + 0.5), 1e-9);
    }
}

}  // namespace
}  // namespace qb
