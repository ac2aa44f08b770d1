// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/measured_columns.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <stdexcept>

namespace qb {
namespace {

// Runs a list of sample times on a clock that advances by exactly those times.
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
  script.next = 0;  // retakes are for disturbed repeats alone
  EXPECT_EQ(script.play({.warmups = 0, .min_repeats = 2, .max_repeats = 8, .retakes = 0}).size(),
            8u);
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

Sample timed(double wall_s, std::optional<Disturbance> disturbed_by = {}, bool warmup = false) {
  Sample sample;
  sample.warmup = warmup;
  sample.wall_s = wall_s;
  sample.disturbed_by = disturbed_by;
  return sample;
}

TEST(Sampling, EndsAtItsLimitsExactly) {
  const std::vector<double> six = {1.0, 1.25, 1.25, 1.25, 1.25, 1.5};
  const std::vector<double> five(5, 1.0);
  Measure measure{.min_repeats = 6, .max_repeats = 9, .relative_interval = 0.4, .max_time_s = 10.0};
  EXPECT_TRUE(enough_samples(measure, six, 0.0)) << "(1.5 - 1) / 1.25";
  measure.relative_interval = 0.39;
  EXPECT_FALSE(enough_samples(measure, six, 9.9));
  EXPECT_TRUE(enough_samples(measure, six, 10.0));
  EXPECT_FALSE(enough_samples(measure, five, 10.0)) << "too few";
  measure.max_repeats = 6;
  EXPECT_TRUE(enough_samples(measure, six, 0.0));
  measure = {.min_repeats = 5, .max_repeats = 9, .relative_interval = 1.0};
  EXPECT_FALSE(enough_samples(measure, five, 0.0)) << "five cannot cover 95 %";
}

TEST(Sampling, ARowIsDisturbedByWhatDisturbedMostOfIt) {
  using enum Disturbance;
  const std::vector<Sample> samples = {
      timed(9, neighbours, true), timed(1, stolen), timed(2, paging),
      timed(3, paging),           timed(4),         timed(5)};
  const Repeats whole = repeats_of(samples, {.min_repeats = 2});
  EXPECT_EQ(whole.counted.size(), 2u);
  EXPECT_EQ(whole.disturbed, 3u);
  EXPECT_EQ(whole.disturbed_by, std::nullopt);
  const Repeats few = repeats_of(samples, {.min_repeats = 3});
  EXPECT_EQ(few.counted.size(), 5u);
  EXPECT_EQ(few.disturbed, 3u);
  EXPECT_EQ(few.disturbed_by, paging);
  const Repeats quiet =
      repeats_of(std::vector{timed(9, stolen, true), timed(1)}, {.min_repeats = 3});
  EXPECT_EQ(quiet.counted.size(), 1u);
  EXPECT_EQ(quiet.disturbed_by, std::nullopt) << "few, but nothing disturbed them";
}

TEST(Sampling, EveryQuantityHasItsMedianWhereAllRepeatsHaveIt) {
  Repeats repeats;
  for (int i = 1; i <= 3; ++i) {
    const double x = i;
    Sample sample = timed(x);
    sample.critical_path_s = 2 * x;
    sample.worker_sum_s = 3 * x;
    sample.longest_subsequence_s = 4 * x;
    sample.gather_s = 5 * x;
    sample.merge_s = 6 * x;
    sample.compute_s = 15 * x;
    sample.communication_s = 16 * x;
    sample.exposed_communication_s = 17 * x;
    sample.stage_scores_s = 7 * x;
    sample.stage_softmax_s = 8 * x;
    sample.stage_product_s = i < 3 ? 9 * x : std::numeric_limits<double>::quiet_NaN();
    sample.device_s = 10 * x;
    sample.sm_clock_hz = 11 * x;
    sample.host.cpu_s = 12 * x;
    sample.host.cycles = 13 * x;
    sample.host.instructions = 14 * x;
    repeats.counted.push_back(sample);
  }
  RowValues values;
  add_medians(repeats, values);
  EXPECT_EQ(values, (RowValues{{"wall_time_median_s", "2.0"},
                               {"wall_time_low95_s", "1.0"},
                               {"wall_time_high95_s", "3.0"},
                               {"critical_path_median_s", "4.0"},
                               {"critical_path_low95_s", "2.0"},
                               {"critical_path_high95_s", "6.0"},
                               {"worker_sum_median_s", "6.0"},
                               {"worker_sum_low95_s", "3.0"},
                               {"worker_sum_high95_s", "9.0"},
                               {"longest_subsequence_median_s", "8.0"},
                               {"longest_subsequence_low95_s", "4.0"},
                               {"longest_subsequence_high95_s", "12.0"},
                               {"gather_median_s", "10.0"},
                               {"merge_median_s", "12.0"},
                               {"compute_median_s", "30.0"},
                               {"communication_median_s", "32.0"},
                               {"exposed_communication_median_s", "34.0"},
                               {"exposed_communication_low95_s", "17.0"},
                               {"exposed_communication_high95_s", "51.0"},
                               {"stage_scores_median_s", "14.0"},
                               {"stage_softmax_median_s", "16.0"},
                               {"device_time_median_s", "20.0"},
                               {"sm_clock_median_hz", "22.0"},
                               {"cpu_time_median_s", "24.0"},
                               {"cycles_median", "26.0"},
                               {"instructions_median", "28.0"},
                               {"instructions_low95", "14.0"},
                               {"instructions_high95", "42.0"},
                               {"n_samples", "3"},
                               {"interval_coverage", "0.75"}}));
  add_rate(100.0, repeats, values);
  EXPECT_EQ(values.at("achieved_flop_per_s"), "50.0");
  EXPECT_FALSE(values.has("peak_fraction")) << "no peak is known";
  add_peak(200.0, values);
  EXPECT_EQ(values.at("peak_flop_per_s"), "200.0");
  EXPECT_EQ(values.at("peak_fraction"), "0.25");
}

TEST(Sampling, BothPassesHaveTheirMediansAndIntervals) {
  Repeats repeats;
  for (int i = 1; i <= 3; ++i) {
    Sample sample = timed(3.0 * i);
    sample.forward_s = 1.0 * i;
    sample.backward_s = 2.0 * i;
    repeats.counted.push_back(sample);
  }
  RowValues values;
  add_medians(repeats, values);
  EXPECT_EQ(values.at("forward_time_median_s"), "2.0");
  EXPECT_EQ(values.at("forward_time_low95_s"), "1.0");
  EXPECT_EQ(values.at("forward_time_high95_s"), "3.0");
  EXPECT_EQ(values.at("backward_time_median_s"), "4.0");
  EXPECT_EQ(values.at("backward_time_low95_s"), "2.0");
  EXPECT_EQ(values.at("backward_time_high95_s"), "6.0");
}

TEST(Sampling, TheErrorsOfGradientsHaveColumnsOfTheirOwn) {
  Verification verification;
  RowValues values;
  add_verification(verification, values);
  EXPECT_FALSE(values.has("verified_keys"));
  verification.keys = 5;
  verification.gradients = {{TensorRole::d_q, 0.5, 0.25, 0.75, 0.125},
                            {TensorRole::d_k, 1.5, 1.25, 1.75, 1.125},
                            {TensorRole::d_v, 2.5, 2.25, 2.75, 2.125}};
  add_verification(verification, values);
  EXPECT_EQ(values.at("verified_keys"), "5");
  EXPECT_EQ(values.at("d_q_max_error"), "0.5");
  EXPECT_EQ(values.at("d_k_naive_error"), "1.25");
  EXPECT_EQ(values.at("d_v_tolerance"), "2.75");
  EXPECT_EQ(values.at("d_v_relative_l2_error"), "2.125");
  EXPECT_FALSE(values.has("d_x_max_error"));
  verification.gradients.clear();
  verification.layer_gradients = {{{}, 3.5, 3.25, 3.75, 3.125}, {{}, 4.5, 4.25, 4.75, 4.125}};
  RowValues of_layer;
  add_verification(verification, of_layer);
  EXPECT_FALSE(of_layer.has("verified_keys"));
  EXPECT_FALSE(of_layer.has("d_q_max_error"));
  EXPECT_EQ(of_layer.at("d_x_max_error"), "3.5");
  EXPECT_EQ(of_layer.at("d_x_tolerance"), "3.75");
  EXPECT_EQ(of_layer.at("d_weights_naive_error"), "4.25");
  EXPECT_EQ(of_layer.at("d_weights_relative_l2_error"), "4.125");
}

TEST(Sampling, ThrottledRepeatsAreCountedWithoutWarmups) {
  std::vector<Sample> samples = {timed(1, {}, true), timed(1), timed(1), timed(1)};
  RowValues values;
  add_disturbances(samples, {}, values);
  EXPECT_FALSE(values.has("throttled_samples")) << "the device does not tell";
  samples[0].throttled = samples[1].throttled = samples[2].throttled = 1.0;
  samples[3].throttled = 0.0;
  add_disturbances(samples, {}, values);
  EXPECT_EQ(values.at("throttled_samples"), "2");
  EXPECT_EQ(values.at("disturbed_samples"), "0");
  EXPECT_FALSE(values.has("disturbed_by"));
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
