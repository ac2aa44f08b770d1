// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/schema/column.h"
#include "base/testing/scratch_folder.h"
#include "base/words.h"

namespace qb {
namespace {

using ::testing::IsEmpty;

const ParameterNeed& need_of_algorithm(std::string_view column) {
  for (const ParameterNeed& need : find_parameter_field(column)->needs)
    if (need.column == "algorithm") return need;
  throw std::logic_error("it needs no algorithm");
}

TEST(Needs, OfPlansAreMetByTheAlgorithmsWhosePlansDoSo) {
  const std::string_view forward =
      "cqs cqs_sharded pass_q ulysses grid usp mesh decode flash_decoding helix";
  const std::string_view backward =
      "cqs cqs_sharded burst pass_q grid usp mesh decode flash_decoding helix";
  const ParameterNeed& lse = need_of_algorithm("lse");
  EXPECT_EQ(words_of(lse, Passes::forward), forward);
  EXPECT_EQ(words_of(lse, Passes::backward), backward);
  EXPECT_EQ(words_of(lse),
            "cqs cqs_sharded burst pass_q ulysses grid usp mesh decode flash_decoding helix");
  EXPECT_EQ(words_of(need_of_algorithm("partial_dtype")),
            "cqs_sharded pass_q ulysses grid usp mesh decode helix");
  EXPECT_EQ(words_of(need_of_algorithm("resident_tokens")),
            "ring striped zigzag pass_kv burst double_ring pass_q ulysses all_gather_kv grid usp "
            "mesh");
}

// The plans that a strategy makes with the options, in both passes of several problems.
std::vector<std::optional<std::vector<Worker>>> plans_of(const Strategy& strategy,
                                                         StrategyOptions options) {
  std::vector<std::optional<std::vector<Worker>>> plans;
  for (const int workers : {7, 8})
    for (const std::int64_t kv_heads : {8, 2})
      for (const Pass pass : kEveryPass) {
        options.workers = workers;
        options.pass = pass;
        if (options.interest_set && workers != 7) continue;
        const Problem problem =
            make_problem({1, 8, kv_heads, 32, 32, 8, 8}, MaskKind::causal, DType::f32, 1);
        auto& plan = plans.emplace_back();
        try {
          plan = strategy.plan(problem, options).workers.spell_out();
        } catch (const Unsupported&) {
        }
      }
  return plans;
}

// The strategies that have a plan for two of these, and the plans differ.
std::vector<std::string_view> readers(const std::vector<StrategyOptions>& ways) {
  std::vector<std::string_view> names;
  for (const Strategy& strategy : strategies()) {
    bool differ = false;
    const auto first = plans_of(strategy, ways.front());
    for (const StrategyOptions& way : ways) {
      const auto plans = plans_of(strategy, way);
      for (std::size_t i = 0; i < plans.size(); ++i)
        differ = differ || (first[i] && plans[i] && first[i] != plans[i]);
    }
    if (differ) names.push_back(strategy.name);
  }
  return names;
}

TEST(Needs, TheAlgorithmsOfAKeyAreThoseThatReadIt) {
  const auto keyed = [](std::string_view column, std::initializer_list<const char*> values) {
    std::vector<StrategyOptions> ways;
    for (const char* value : values) ways.emplace_back().keys.text(column) = value;
    return ways;
  };
  const auto with = [](auto StrategyOptions::*member, auto... values) {
    std::vector<StrategyOptions> ways;
    ((ways.emplace_back().*member = values), ...);
    return ways;
  };
  const std::map<std::string_view, std::vector<StrategyOptions>> ways = {
      {"grid_heads", keyed("grid_heads", {"1", "2", "4"})},
      {"grid_rows", keyed("grid_rows", {"1", "2", "4"})},
      {"grid_layout", keyed("grid_layout", {"zigzag", "striped", "contiguous"})},
      {"helix_exchange", keyed("helix_exchange", {"all_to_all", "reduce_scatter"})},
      {"interest_set",
       with(&StrategyOptions::interest_set, InterestSet{7, {0, 1, 3}}, InterestSet{7, {0, 1, 5}})},
      {"distillation",
       with(&StrategyOptions::distillation, Distillation::published, Distillation::balanced)},
      {"new_key_owner",
       with(&StrategyOptions::new_key_owner, NewKeyOwner::round_robin, NewKeyOwner::fixed)}};
  for (const Field& field : fields::kStrategyKeys) EXPECT_TRUE(ways.contains(field.column));
  for (const auto& [column, all] : ways)
    EXPECT_THAT(split_words(need_of_algorithm(column).words, " "),
                testing::UnorderedElementsAreArray(readers(all)))
        << column;
}

// A ring of three workers whose keys go round, and one whose queries do and whose partials return.
constexpr std::string_view kKeysGoRound =
    R"({"name": "own", "plans": [{"workers": 3, "deal": "contiguous", "forward": [)"
    R"([[0, 0, 0], [1, 0, -1], [2, 0, -2]], [[0, 1, "p2p", "K", 0], [0, 1, "p2p", "V", 0],)"
    R"( [1, 1, "p2p", "K", -1], [1, 1, "p2p", "V", -1]]], "backward": [[], []]},)"
    R"( {"workers": 1, "deal": "zigzag", "forward": [[[0, 0, 0]], []], "backward": [[], []]}]})";
constexpr std::string_view kQueriesGoRound =
    R"({"name": "own", "plans": [{"workers": 3, "deal": "contiguous", "forward": [)"
    R"([[0, 0, 0], [1, -1, 0], [2, -2, 0]], [[0, 1, "p2p", "Q", 0], [1, 1, "p2p", "Q", -1],)"
    R"( [2, -1, "all_to_all", "partial", -1], [2, -2, "all_to_all", "partial", -2]]],)"
    R"( "backward": [[], []]}]})";

TEST(Needs, OfPlansAreAskedOfARecipeItself) {
  const ScratchFolder scratch;
  Case c;
  c.workers = 3;
  c.shape = {1, 2, 2, 48, 48, 16, 16};
  c.device = Device::cpu;
  c.algorithm = scratch.file("pass_q.3f.json", std::string(kQueriesGoRound));
  c.lse = SentLse::two;
  c.partial_dtype = DType::bf16;
  c.resident_tokens = 6;
  EXPECT_THAT(unmet_needs(c), IsEmpty());
  c.algorithm = scratch.file("pass_kv.3f.json", std::string(kKeysGoRound));
  const auto unmet = unmet_needs(c);
  ASSERT_EQ(unmet.size(), 2u);
  EXPECT_EQ(unmet[0].reason,
            "lse: two needs algorithm: cqs, cqs_sharded, pass_q, ulysses, grid, usp, mesh, decode, "
            "flash_decoding or helix, and this case has algorithm: " +
                c.algorithm + "; other plans of this pass send no LSE");
  EXPECT_EQ(unmet[1].reason,
            "partial_dtype: bf16 needs algorithm: cqs_sharded, pass_q, ulysses, grid, usp, mesh, "
            "decode or helix, and this case has algorithm: " +
                c.algorithm + "; other algorithms send no partials between workers");
  // One worker alone sends nothing by any algorithm, and whoever reads the file says what it lacks.
  for (const int workers : {1, 2}) {
    c.workers = workers;
    EXPECT_THAT(unmet_needs(c), IsEmpty());
  }
}

}  // namespace
}  // namespace qb
