// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace qb {
namespace {

using ::testing::ElementsAre;

// The values of the named parameters at every point, joined with '/'.
std::vector<std::string> points(const Grid& grid, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  grid.walk([&](const SweepPoint& point) {
    std::string text;
    for (const std::string& name : names)
      text += (text.empty() ? "" : "/") + point[*find_parameter(name)]->text;
    out.push_back(text);
  });
  return out;
}

std::vector<std::string> points(const std::string& yaml, const std::vector<std::string>& names) {
  return points(Grid(read_yaml(yaml, "f.yaml"), {}), names);
}

TEST(Sweep, TheLastKeyIsTheFastest) {
  EXPECT_THAT(
      points("sweep:\n  workers: [1, 2]\n  n_tokens: [30, 10, 20]\n", {"workers", "n_tokens"}),
      ElementsAre("1/30", "1/10", "1/20", "2/30", "2/10", "2/20"));
}

TEST(Sweep, SectionsNestInTheOrderWritten) {
  const std::string zip = "zip:\n  algorithm: [dense, cqs]\n  workers: [1, 7]\n";
  const std::string sweep = "sweep:\n  n_tokens: [10, 20]\n";
  EXPECT_THAT(points(zip + sweep, {"algorithm", "workers", "n_tokens"}),
              ElementsAre("dense/1/10", "dense/1/20", "cqs/7/10", "cqs/7/20"));
  EXPECT_THAT(points(sweep + zip, {"algorithm", "workers", "n_tokens"}),
              ElementsAre("dense/1/10", "cqs/7/10", "dense/1/20", "cqs/7/20"));
}

TEST(Sweep, LengthsAndHeadsFollow) {
  EXPECT_THAT(points("q_heads: 8\nsweep: {n_tokens: [10, 20]}\n",
                     {"n_tokens", "kv_len", "q_heads", "kv_heads"}),
              ElementsAre("10/10/8/8", "20/20/8/8"));
  EXPECT_THAT(points("n_tokens: 5\nsweep: {kv_len: [10, 20]}\n", {"n_tokens", "kv_len"}),
              ElementsAre("5/10", "5/20"));
}

TEST(Sweep, ExcludeDropsThePointsThatMatchEveryEntry) {
  const std::string sweep = "sweep:\n  workers: [3, 4]\n  n_tokens: [10, 20, 30]\nexclude:\n";
  EXPECT_THAT(points(sweep + "  - {workers: 3, n_tokens: 10}\n", {"workers", "n_tokens"}),
              ElementsAre("3/20", "3/30", "4/10", "4/20", "4/30"));
  EXPECT_THAT(points(sweep + "  - workers: 3\n  - n_tokens: 20\n    kernel: flash\n",
                     {"workers", "n_tokens"}),
              ElementsAre("4/10", "4/30"));
  EXPECT_THAT(points(sweep + "  - {kv_len: 20}\n", {"workers", "n_tokens"}),
              ElementsAre("3/10", "3/30", "4/10", "4/30"));
}

TEST(Sweep, CasesTakeWhatTheyLeaveOutFromTheTopOrTheDefaults) {
  EXPECT_THAT(points("head_dim: 16\ncases:\n  - {n_tokens: 10, kv_len: 12}\n"
                     "  - {n_tokens: 20, workers: 7, algorithm: cqs}\n",
                     {"algorithm", "workers", "n_tokens", "kv_len", "head_dim"}),
              ElementsAre("dense/1/10/12/16", "cqs/7/20/20/16"));
  EXPECT_THAT(
      points("n_tokens: 9\ncases: [{kv_len: 3}, {seed: 7}]\n", {"n_tokens", "kv_len", "seed"}),
      ElementsAre("9/3/1", "9/9/7"));
}

TEST(Sweep, FiltersKeepThePointsThatHold) {
  const std::string yaml = "workers: 7\nsweep:\n  batch: [1, 2]\n  n_tokens: [10, 20, 30]\n";
  const auto filtered = [&](const std::vector<std::string>& filters) {
    Grid grid(read_yaml(yaml, "f.yaml"), {});
    for (const std::string& filter : filters) grid.filter(parse_filter(filter, {"f", 0, 0}));
    EXPECT_EQ(grid.count(), points(grid, {"batch"}).size());
    return points(grid, {"batch", "n_tokens"});
  };
  EXPECT_THAT(filtered({"n_tokens>10", "batch=2"}), ElementsAre("2/20", "2/30"));
  EXPECT_THAT(filtered({"kv_len=30"}), ElementsAre("1/30", "2/30"));
  EXPECT_THAT(filtered({"workers=7", "n_tokens<=10"}), ElementsAre("1/10", "2/10"));
  EXPECT_THAT(filtered({"workers=8"}), ElementsAre());
  EXPECT_THAT(filtered({"n_tokens=11"}), ElementsAre());
}

// Compares the count by masks with the walk, and the walk with the plain product and its rules.
TEST(Sweep, CountAndWalkAgreeWithThePlainProduct) {
  constexpr std::uint64_t kSeed = 31;
  std::mt19937_64 random(kSeed);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<std::string> names = {"batch", "workers", "seed"};
    std::vector<int> sizes;
    std::string yaml = "n_tokens: 4\nsweep:\n";
    for (const std::string& name : names) {
      sizes.push_back(1 + static_cast<int>(random() % 4));
      yaml += "  " + name + ": {from: 1, to: " + std::to_string(sizes.back()) + ", step: 1}\n";
    }
    std::vector<std::vector<int>> rules;  // a value for each name, 0: any
    for (std::uint64_t n = random() % 4; n > 0; --n) {
      std::vector<int> rule;
      for (const int size : sizes) rule.push_back(static_cast<int>(random()) % (size + 1));
      for (int& value : rule) value = std::abs(value);
      if (rule == std::vector<int>{0, 0, 0}) continue;
      yaml += rules.empty() ? "exclude:\n" : "";
      std::string separator = "  - {";
      for (std::size_t i = 0; i < names.size(); ++i)
        if (rule[i] > 0)
          yaml += std::exchange(separator, ", ") + names[i] + ": " + std::to_string(rule[i]);
      yaml += "}\n";
      rules.push_back(rule);
    }
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial) + "\n" +
                 yaml);

    std::vector<std::string> expected;
    for (int a = 1; a <= sizes[0]; ++a)
      for (int b = 1; b <= sizes[1]; ++b)
        for (int c = 1; c <= sizes[2]; ++c) {
          bool dropped = false;
          for (const std::vector<int>& rule : rules)
            dropped = dropped || ((rule[0] == 0 || rule[0] == a) &&
                                  (rule[1] == 0 || rule[1] == b) && (rule[2] == 0 || rule[2] == c));
          if (!dropped)
            expected.push_back(std::to_string(a) + "/" + std::to_string(b) + "/" +
                               std::to_string(c));
        }
    const Grid grid(read_yaml(yaml, "f.yaml"), {});
    EXPECT_EQ(points(grid, names), expected);
    EXPECT_EQ(grid.count(), expected.size());
  }
}

}  // namespace
}  // namespace qb
