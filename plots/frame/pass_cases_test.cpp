#include "plots/frame/pass_cases.h"

#include <gmock/gmock.h>

#include "plots/published/published_context_parallel.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

Values pass(const std::string& algorithm, std::int64_t new_tokens, std::int64_t keys) {
  return scheme_case(algorithm, 4, new_tokens, 0.1, {{"kv_len", to_text(keys)}});
}

TEST(PassCases, AGroupIsOfOneContextAndAscendsInMissRate) {
  const CsvTable cases = scheme_table({pass("pass_kv", 800, 1000), pass("pass_kv", 100, 1000),
                                       pass("pass_q", 100, 1000), pass("pass_kv", 100, 2000)});
  const std::vector<PassGroup> groups = pass_groups(cases);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "W = 4, threads, no link limit, 1,000 keys");
  EXPECT_THAT(groups[0].rows, ElementsAre(1, 2, 0));
  EXPECT_THAT(groups[1].rows, ElementsAre(3));
  EXPECT_DOUBLE_EQ(miss_rate_percent(cases, 0), 80.0);
}

TEST(PassCases, WithAsManyCachedTokensInEachTheyAreOneGroup) {
  const CsvTable cases = scheme_table({pass("pass_kv", 100, 1100), pass("pass_q", 100, 1100),
                                       pass("pass_kv", 1000, 2000), pass("pass_q", 1000, 2000)});
  const std::vector<PassGroup> groups = pass_groups(cases);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].name, "W = 4, threads, no link limit");
}

TEST(PassCases, AGroupInWhichNothingRanIsNone) {
  Values failed = pass("pass_kv", 100, 1000);
  failed["status"] = "timeout";
  EXPECT_TRUE(pass_groups(scheme_table({failed})).empty());
}

TEST(PassCases, ThePublishedTablesAreWhole) {
  EXPECT_EQ(published_pass_kv_vs_pass_q().size(), 14u);
  EXPECT_EQ(published_time_breakdown().size(), 4u);
  EXPECT_EQ(published_decode_attention().size(), 6u);
}

}  // namespace
}  // namespace qb
