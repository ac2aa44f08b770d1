// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/schema/other_names.h"
#include "harness/experiment/spec/spec.h"

namespace qb {
namespace {

const Parameter& parameter(std::string_view name) { return parameters()[*find_parameter(name)]; }

std::string read(std::string_view name, std::string text) {
  return read_value(parameter(name), {YamlNode::scalar, {"p", 1, 1}, std::move(text)}).text;
}

// The resolved spec and the filters use the same index for both lists.
TEST(Parameters, AreTheCaseParametersInOrder) {
  const auto columns = case_parameters(Case{});
  ASSERT_EQ(parameters().size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    EXPECT_EQ(parameters()[i].column, columns[i].first);
}

TEST(Parameters, DefaultsAreThoseOfACase) {
  Case c;
  c.shape.q_len = 10;
  c.shape.kv_len = 10;
  c.shape.head_dim = c.shape.value_dim = 64;
  Case filled = c;
  for (const Parameter& p : parameters())
    if (p.key != "n_tokens" && p.follows.empty()) p.set(filled, p, p.standard);
  EXPECT_EQ(case_to_json(filled), case_to_json(c));
}

TEST(Parameters, EveryWordOfAnEnumIsAValue) {
  for (const Parameter& p : parameters()) {
    if (p.kind != FieldKind::word) continue;
    for (std::string_view word : p.words()) {
      Case c;
      p.set(c, p, read_value(p, {YamlNode::scalar, {"p", 1, 1}, std::string(word)}).text);
      EXPECT_EQ(p.get(c, p), word) << p.key;
    }
  }
}

TEST(Parameters, NumbersAsPeopleWriteThem) {
  EXPECT_EQ(read("n_tokens", "1e6"), "1000000");
  EXPECT_EQ(read("n_tokens", "32Ki"), "32768");
  EXPECT_EQ(read("n_tokens", "1_024"), "1024");
  EXPECT_EQ(read("n_tokens", "010"), "10");
  EXPECT_EQ(read("memory_budget", "80GiB"), "85899345920");
  EXPECT_EQ(read("scale", "1.25e-1"), "0.125");
}

TEST(Parameters, InterestSetsHaveOneSpelling) {
  EXPECT_EQ(read("interest_set", "0, 1, 3"), "0,1,3");
  EXPECT_EQ(read("interest_set", "0 1 3"), "0,1,3");
  EXPECT_EQ(read("interest_set", "3,0,1"), "3,0,1");  // the order decides the self-distillation
}

TEST(Parameters, AnInterestSetVariesOnlyWhereItDoesNotFollowTheWorkers) {
  const auto with_set = [](int workers, std::vector<int> set) {
    Case c;
    c.algorithm = "cqs";
    c.workers = workers;
    c.interest_set = std::move(set);
    return c;
  };
  std::vector<Case> cases = {with_set(7, {0, 1, 3}), with_set(3, {0, 1})};
  EXPECT_THAT(varying_parameters(cases), testing::IsEmpty());
  cases.push_back(with_set(7, {0, 1, 5}));
  EXPECT_THAT(varying_parameters(cases), testing::ElementsAre("interest_set"));
  EXPECT_NE(case_label(cases[0], varying_parameters(cases)),
            case_label(cases[2], varying_parameters(cases)));
}

TEST(Parameters, TimesHaveUnits) {
  const auto seconds = [](std::string text) {
    return read_seconds("timeout", {YamlNode::scalar, {"p", 1, 1}, std::move(text)});
  };
  EXPECT_EQ(seconds("90"), 90.0);
  EXPECT_EQ(seconds("90s"), 90.0);
  EXPECT_EQ(seconds("15min"), 900.0);
  EXPECT_EQ(seconds("2h"), 7200.0);
  EXPECT_EQ(seconds("20ms"), 0.02);
}

TEST(OtherNames, EachLeadsToAKeyThatExistsAndIsNoKeyItself) {
  std::vector<std::string_view> keys = spec_keys();
  std::ranges::copy(measure_keys(), std::back_inserter(keys));
  std::set<std::string_view> seen;
  for (const auto& [ours, others] : kOtherNames) {
    EXPECT_EQ(std::ranges::count(keys, key_of(ours)), 1) << ours;
    for (const std::string_view theirs : split_words(others, " ")) {
      EXPECT_EQ(std::ranges::count(keys, theirs), 0) << theirs << " is a key";
      EXPECT_TRUE(seen.insert(theirs).second) << theirs << " is there twice";
    }
  }
  for (const char* name : {"heads", "d", "L", "seq_len", "batch_size", "num_heads", "n_heads",
                           "head_size", "num_kv_heads", "world_size", "causal"})
    EXPECT_NE(our_name(name), "") << name;
  EXPECT_EQ(our_name("q_heads"), "");
}

}  // namespace
}  // namespace qb
