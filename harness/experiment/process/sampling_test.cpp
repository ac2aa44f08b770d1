#include "harness/experiment/process/measured_columns.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace qb {
namespace {

// Plays a list of sample times on a clock that advances by exactly those times.
struct Script {
  std::vector<double> wall_s;
  std::vector<bool> disturbed{};  // the others are not
  std::size_t next = 0;
  double now_s = 100.0;

  std::vector<Sample> play(const Measure& measure) {
    return take_samples(
        measure, [this] { return now_s; },
        [this] {
          Sample sample;
          if (next < disturbed.size() && disturbed[next])
            sample.disturbed_by = Disturbance::neighbours;
          sample.wall_s = wall_s.at(next++);
          now_s += sample.wall_s;
          return sample;
        });
  }
};

TEST(Sampling, WarmupsAreKeptMarkedAndNumberedApart) {
  Script script{.wall_s = {9.0, 8.0, 1.0, 1.1, 1.2}};
  const auto samples = script.play({.warmups = 2, .min_repeats = 3, .max_repeats = 3});
  ASSERT_EQ(samples.size(), 5u);
  EXPECT_TRUE(samples[1].warmup);
  EXPECT_EQ(samples[1].repeat, 1);
  EXPECT_FALSE(samples[2].warmup);
  EXPECT_EQ(samples[2].repeat, 0);
  EXPECT_EQ(samples[4].repeat, 2);
}

TEST(Sampling, StopsAtMaxRepeatsHoweverNoisy) {
  Script script{.wall_s = std::vector<double>{1, 5, 2, 7, 3, 9, 4, 8}};
  EXPECT_EQ(script.play({.warmups = 0, .min_repeats = 2, .max_repeats = 8}).size(), 8u);
}

TEST(Sampling, StopsAsSoonAsTheIntervalIsNarrow) {
  Script script{.wall_s = std::vector<double>(50, 1.0)};
  // The times are equal: six samples are the fewest whose interval covers 95 %.
  EXPECT_EQ(script.play({.warmups = 0, .min_repeats = 3, .max_repeats = 50}).size(), 6u);
}

TEST(Sampling, NeverStopsBeforeMinRepeats) {
  Script script{.wall_s = std::vector<double>(50, 1.0)};
  EXPECT_EQ(script.play({.warmups = 0, .min_repeats = 20, .max_repeats = 50}).size(), 20u);
  Script slow{.wall_s = std::vector<double>(9, 100.0)};
  EXPECT_EQ(slow.play({.warmups = 0, .min_repeats = 4, .max_repeats = 9, .max_time_s = 50}).size(),
            4u);
}

TEST(Sampling, TheTimeLimitCountsSamplesAndNotWarmups) {
  Script script{.wall_s = {1000.0, 10, 20, 10, 20, 10, 20, 10, 20}};
  const auto samples =
      script.play({.warmups = 1, .min_repeats = 2, .max_repeats = 8, .max_time_s = 45});
  EXPECT_EQ(samples.size(), 1u + 4u);  // 10 + 20 + 10 = 40 < 45, and 60 is past it
}

TEST(Sampling, DisturbedRepeatsAreKeptAndTakenAgain) {
  Script script{.wall_s = {1, 7, 1, 1, 1, 1}, .disturbed = {false, true}};
  const Measure measure{.warmups = 0, .min_repeats = 5, .max_repeats = 5};
  const auto samples = script.play(measure);
  ASSERT_EQ(samples.size(), 6u);
  EXPECT_EQ(samples[1].repeat, 1);
  EXPECT_EQ(samples[5].repeat, 5);
  const Repeats repeats = repeats_of(samples, measure);
  EXPECT_EQ(repeats.counted.size(), 5u);
  EXPECT_EQ(repeats.disturbed, 1u);
  EXPECT_EQ(repeats.disturbed_by, std::nullopt);
}

TEST(Sampling, ARowWithTooFewUndisturbedRepeatsIsDisturbed) {
  Script script{.wall_s = std::vector<double>(20, 1.0), .disturbed = std::vector<bool>(20, true)};
  const Measure measure{.warmups = 2, .min_repeats = 3, .max_repeats = 3, .retakes = 4};
  const auto samples = script.play(measure);
  EXPECT_EQ(samples.size(), 2u + 3u + 4u);
  const Repeats repeats = repeats_of(samples, measure);
  EXPECT_EQ(repeats.counted.size(), 7u);
  EXPECT_EQ(repeats.disturbed, 7u);
  EXPECT_EQ(repeats.disturbed_by, Disturbance::neighbours);
  RowValues values;
  add_medians(repeats, values);
  add_disturbances(samples, repeats, values);
  EXPECT_EQ(values.at("n_samples"), "7");
  EXPECT_EQ(values.at("disturbed_samples"), "7");
  EXPECT_EQ(values.at("disturbed_by"), "neighbours");
}

TEST(Sampling, NothingIsTakenAgainWhenTheTimeIsUsedUp) {
  Script script{.wall_s = std::vector<double>(20, 10.0), .disturbed = std::vector<bool>(20, true)};
  const auto samples =
      script.play({.warmups = 0, .min_repeats = 3, .max_repeats = 9, .max_time_s = 25});
  EXPECT_EQ(samples.size(), 3u);
}

TEST(Sampling, RetakesAreSpentOnMoreThanMinRepeatsToo) {
  // Noisy times: only max_repeats ends the sampling, and every second repeat is disturbed.
  Script script{.wall_s = std::vector<double>(50, 1.0), .disturbed = {}};
  for (std::size_t i = 0; i < 50; ++i) {
    script.wall_s[i] = static_cast<double>(1 + i % 7);
    script.disturbed.push_back(i % 2 == 0);
  }
  const Measure measure{.warmups = 0, .min_repeats = 2, .max_repeats = 9, .retakes = 6};
  const auto samples = script.play(measure);
  const Repeats repeats = repeats_of(samples, measure);
  EXPECT_EQ(repeats.disturbed, 6u);
  EXPECT_EQ(repeats.counted.size(), 5u);
  EXPECT_EQ(repeats.disturbed_by, std::nullopt);
}

TEST(Sampling, AFailureEndsSampling) {
  EXPECT_THROW((void)take_samples(
                   {}, [] { return 0.0; }, []() -> Sample { throw std::runtime_error("no"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace qb
