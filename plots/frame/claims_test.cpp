// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/claims.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

// Ten per cent to each side of its time.
Values timed_case(const std::string& algorithm, double seconds, const Values& more = {}) {
  return scheme_case(algorithm, 4, 4096, seconds, more);
}

TEST(Claims, ARowCountsThatRanUndisturbed) {
  const CsvTable cases =
      scheme_table({timed_case("ring", 0.1), timed_case("ring", 0.1, {{"disturbed_by", "stolen"}}),
                    timed_case("ring", 0.1, {{"status", "oom"}})});
  EXPECT_TRUE(counts({&cases, 0}));
  EXPECT_FALSE(counts({&cases, 1}));
  EXPECT_FALSE(counts({&cases, 2}));
}

TEST(Claims, PairsAllowAllOverThoseOfTheCriticalPath) {
  const CsvTable cases = scheme_table({timed_case(
      "ring", 0.1, {{"unmasked_pairs", "33558528"}, {"critical_path_pairs", "7861248"}})});
  EXPECT_NEAR(pairs_allow({&cases, 0}), 4.27, 0.005) << "not W² of a causal ring of eight";
}

TEST(Claims, CasesCompareThatDifferInOneThing) {
  const CsvTable cases = scheme_table(
      {timed_case("ring", 0.1), timed_case("zigzag", 0.1), scheme_case("dense", 1, 4096, 0.1),
       scheme_case("zigzag", 8, 4096, 0.1), timed_case("ring", 0.1, {{"batch", "2"}}),
       timed_case("ring", 0.1, {{"kv_len", "8192"}})});
  const auto with_first = [&](std::size_t i) { return comparable({&cases, 0}, {&cases, i}); };
  EXPECT_TRUE(with_first(1)) << "as many workers";
  EXPECT_TRUE(with_first(2)) << "one worker";
  EXPECT_FALSE(with_first(3)) << "another scheme and other workers";
  EXPECT_FALSE(with_first(4)) << "another problem";
  EXPECT_FALSE(with_first(5)) << "other keys";
}

TEST(Claims, MeasuredTimesAreToldApartByTheirIntervals) {
  const CsvTable cases =
      scheme_table({timed_case("ring", 0.1), timed_case("zigzag", 0.115),
                    timed_case("striped", 0.2), timed_case("ulysses", 0.2, {{"n_samples", "1"}}),
                    timed_case("usp", 0.2, {{"ranks", "model"}})});
  const auto from_first = [&](std::size_t i) { return told_apart({&cases, 0}, {&cases, i}, {}); };
  EXPECT_FALSE(from_first(1)) << "they overlap";
  EXPECT_TRUE(from_first(2));
  EXPECT_FALSE(from_first(3)) << "of a single repeat";
  EXPECT_FALSE(from_first(4)) << "modelled";
  EXPECT_EQ(side_of({&cases, 0}, {&cases, 1}), 0);
  EXPECT_EQ(side_of({&cases, 0}, {&cases, 2}), -1);
  EXPECT_EQ(side_of({&cases, 2}, {&cases, 0}), 1);
}

TEST(Claims, ARankingHasARowForEachPlanAndItsTiesFirst) {
  std::vector<Values> rows;
  for (const auto& [algorithm, seconds, bytes] : {std::tuple("cqs", 0.026, "1"),
                                                  {"cqs_sharded", 0.02, "2"},
                                                  {"ring", 0.031, "3"},
                                                  {"zigzag", 0.028, "4"},
                                                  {"grid", 0.021, "2"},
                                                  {"dense", 0.001, "5"}})
    rows.push_back(timed_case(algorithm, seconds,
                              {{"ranks", "model"},
                               {"device_sent_bytes", bytes},
                               {"workers", algorithm == std::string("dense") ? "1" : "4"}}));
  const CsvTable cases = scheme_table(rows);
  const ModelGrade grade{1.33, {{"ring", 1.6}, {"zigzag", 1.2}}};
  const Ranking ranking = ranking_of(all_rows(cases), grade);
  EXPECT_THAT(ranking.names, ElementsAre("cqs_sharded = grid", "cqs", "ring", "zigzag"));
  EXPECT_EQ(ranking.level, 3u);
  EXPECT_FALSE(ranking.has_winner());
  EXPECT_TRUE(ranking_of(all_rows(cases), {1.01}).has_winner());
  EXPECT_FALSE(ranking_of({{&cases, 0}}, {}).has_winner()) << "there is no other plan";
}

TEST(Claims, TextsOfRangesAndBias) {
  EXPECT_EQ(range_text({15.31, 27.44, 20.0}), "15.3 to 27.4");
  EXPECT_EQ(range_text({2.001, 2.002}), "2");
  EXPECT_EQ(bias_text({1.1, 1.5, 1.2}, 1.0), "all above 1, the median at 1.2");
  EXPECT_EQ(bias_text({0.9, 1.5}, 1.0), "");
}

}  // namespace
}  // namespace qb
