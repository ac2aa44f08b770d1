// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/case_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "harness/experiment/testing/fake_sweep.h"

namespace qb {
namespace {

TEST(CaseOrder, IsAPermutationThatOneSeedRepeats) {
  const auto order = seeded_order(100, 1);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 100u);
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 99u);
  EXPECT_EQ(order, seeded_order(100, 1));
  EXPECT_NE(order, seeded_order(100, 2));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(seeded_order(0, 1).empty());
}

TEST(CaseOrder, IsTheSameOnEveryMachine) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(seeded_order(5, 1), (std::vector<std::size_t>{2, 1, 4, 3, 0}));
}

TEST(CaseOrder, EveryCaseComesFirstForSomeSeed) {
  std::set<std::size_t> first;
  for (std::uint64_t seed = 0; seed < 200; ++seed) first.insert(seeded_order(6, seed).front());
  EXPECT_EQ(first.size(), 6u);
}

TEST(OutOfMemory, SkipsLargerCasesOfTheSameSeriesOnly) {
  OutOfMemoryRecord record;
  EXPECT_FALSE(record.smaller_that_ran_out(small_case(40000)));
  record.note(small_case(30000));
  record.note(small_case(20000));
  record.note(small_case(45000));
  EXPECT_EQ(record.smaller_that_ran_out(small_case(40000)), 20000);
  EXPECT_FALSE(record.smaller_that_ran_out(small_case(20000)));
  EXPECT_FALSE(record.smaller_that_ran_out(small_case(10000)));
  EXPECT_FALSE(record.smaller_that_ran_out(small_case(40000, 31)));
}

TEST(OutOfMemory, AFixedKeyLengthIsPartOfTheSeries) {
  Case cached = small_case(1000);
  cached.shape.kv_len = 50000;
  OutOfMemoryRecord record;
  record.note(cached);
  EXPECT_FALSE(record.smaller_that_ran_out(small_case(2000)));
  cached.shape.q_len = 2000;
  EXPECT_EQ(record.smaller_that_ran_out(cached), 1000);
}

}  // namespace
}  // namespace qb
