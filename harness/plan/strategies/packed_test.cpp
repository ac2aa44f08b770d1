// SPDX-License-Identifier: Apache-2.0
// Strategies over packed sequences of unequal lengths: cover, balance and bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::ElementsAre;
using Lengths = std::vector<std::int64_t>;

// Two query heads share one key-value head of 8 elements, in f32.
Problem packed_problem(const Lengths& lengths, MaskKind mask = MaskKind::causal) {
  std::vector<Sequence> sequences;
  for (const std::int64_t length : lengths) sequences.push_back({0, length});
  return make_packed_problem({1, 2, 1, 0, 0, 8, 8}, mask, DType::f32, 1, sequences);
}

// The bytes of K and V of this many tokens.
constexpr std::int64_t bytes_of_keys(std::int64_t tokens) { return tokens * 2 * 8 * 4; }

Work work_of(std::string_view algorithm, const Problem& problem, int workers) {
  return model_work(make_plan(algorithm, problem, {.workers = workers}), Kernel::flash);
}

std::vector<std::int64_t> pairs_of_workers(const Work& work) {
  std::vector<std::int64_t> pairs;
  for (const WorkerWork& worker : work.workers) pairs.push_back(worker.unmasked_pairs);
  return pairs;
}

std::vector<std::int64_t> bytes_of_workers(const Work& work) {
  std::vector<std::int64_t> bytes;
  for (const WorkerWork& worker : work.workers) bytes.push_back(worker.bytes_out);
  return bytes;
}

// Single tokens, fewer tokens than workers, lengths that nothing divides, ends within shards.
const Lengths kLengths[] = {{1},
                            {1, 1, 1},
                            {17},
                            {5, 1, 7},
                            {3, 50, 2},
                            {29, 1, 1, 1, 1, 1, 1, 13},
                            {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 31}};

TEST(Packed, AnyLengthsAreExactCoversByBothCheckers) {
  int covered = 0;
  for (const char* algorithm : {"ring", "striped", "zigzag", "pass_q", "all_gather_kv", "cqs",
                                "cqs_sharded", "dense", "ulysses"})
    for (const Lengths& lengths : kLengths)
      for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
        for (const int workers : {1, 2, 3, 4, 7, 8}) {
          const Problem problem = packed_problem(lengths, mask);
          Plan plan;
          try {
            plan = make_plan(algorithm, problem, {.workers = workers});
          } catch (const Unsupported&) {
            continue;  // more workers than heads, or cqs with too few tokens or workers
          }
          SCOPED_TRACE(describe(plan));
          ASSERT_EQ(check(plan), std::nullopt);
          ASSERT_TRUE(testing_support::covers_exactly_once(plan));
          ASSERT_EQ(model_work(plan, Kernel::flash).unmasked_pairs, unmasked_pairs(problem));
          ++covered;
        }
  EXPECT_GE(covered, 5 * 7 * 2 * 6);  // the first five take all of them
}

// The same pairs as a pattern of one sequence: what a document's tokens see.
TEST(Packed, WorkersComputeWhatTheMaskOfDocumentsLeavesThem) {
  const Lengths lengths = {5, 1, 40, 7, 11};
  const PatternNode documents{"variable_window", {mask_fixtures::list("sizes", lengths)}, {}};
  const MaskSpec mask(PatternNode{"all_of", {}, {PatternNode{"causal"}, documents}});
  const Problem masked = make_problem({1, 2, 1, 64, 64, 8, 8}, mask, DType::f32, 1);
  for (const char* algorithm : {"ring", "striped", "cqs", "cqs_sharded"}) {
    const Work expected = work_of(algorithm, masked, 4);
    const Work work = work_of(algorithm, packed_problem(lengths), 4);
    ASSERT_EQ(work.unmasked_pairs, expected.unmasked_pairs);
    ASSERT_EQ(work.workers.size(), expected.workers.size());
    for (std::size_t w = 0; w < work.workers.size(); ++w)
      for (std::size_t s = 0; s < work.workers[w].steps.size(); ++s)
        EXPECT_EQ(work.workers[w].steps[s].unmasked_pairs,
                  expected.workers[w].steps[s].unmasked_pairs)
            << algorithm << ", worker " << w << ", step " << s;
  }
}

TEST(PackedRing, ComputesNothingWithTheKeysOfOtherSequences) {
  const Problem problem = packed_problem({16, 16, 16, 16});
  const Plan plan = make_plan("ring", problem, {.workers = 4});
  for (const Worker& worker : plan.workers.all())
    for (std::size_t s = 0; s < worker.steps.size(); ++s)
      EXPECT_EQ(worker.steps[s].tasks.size(), s == 0 ? 1u : 0u);
  const Work work = model_work(plan, Kernel::flash);
  EXPECT_EQ(work.critical_path_pairs, 16 * 17 / 2);
  // The keys go round all the same.
  EXPECT_EQ(work.sent_bytes_max, 3 * bytes_of_keys(16));
}

TEST(PackedRing, ItsBalanceFollowsFromTheLengths) {
  const auto ratio = [](const char* algorithm, const Lengths& lengths) {
    return work_of(algorithm, packed_problem(lengths), 4).responsibility_ratio;
  };
  // One sequence: 205,120 pairs over c(c+1)/2 + 3 c^2 with c = 160.
  EXPECT_NEAR(ratio("ring", {640}), 2.29, 0.01);
  EXPECT_NEAR(ratio("ring", {160, 160, 160, 160}), 4.0, 0.01);
  // The others leave the worker with most of the long sequence alone.
  EXPECT_LT(ratio("ring", {400, 80, 80, 80}), 2.5);
  for (const Lengths& lengths :
       {Lengths{640}, Lengths{160, 160, 160, 160}, Lengths{400, 80, 80, 80}}) {
    EXPECT_GT(ratio("zigzag", lengths), 3.95);
    EXPECT_GT(ratio("striped", lengths), 3.8);
  }
}

TEST(PackedZigzag, EveryWorkerHasTheSamePairsOfEachSequence) {
  const Lengths lengths = {24, 8, 120, 40};  // each a multiple of 2W
  const Problem problem = packed_problem(lengths);
  const Work work = work_of("zigzag", problem, 4);
  std::int64_t path = 0;
  for (const std::int64_t length : lengths) {
    const std::int64_t c = length / 4;
    path += c * (c + 1) / 2 + 3 * c * c / 2;
  }
  EXPECT_EQ(work.critical_path_pairs, path);
  EXPECT_THAT(pairs_of_workers(work), testing::Each(unmasked_pairs(problem) / 4));
  EXPECT_EQ(work.sent_bytes_max, 3 * bytes_of_keys(192 / 4));
}

TEST(PackedStriped, DealsTokensOneByOneAcrossTheEndsOfSequences) {
  const Plan plan = make_plan("striped", packed_problem({5, 1, 6}), {.workers = 4});
  const auto tokens_of_worker = [&](std::size_t w) {
    std::vector<std::int64_t> tokens;
    for (int group : plan.workers[w].q_groups) {
      const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(group)];
      for (std::int64_t i = 0; i < q.count; ++i) tokens.push_back(q.token(i));
    }
    return tokens;
  };
  EXPECT_THAT(tokens_of_worker(0), ElementsAre(0, 4, 8));
  EXPECT_THAT(tokens_of_worker(1), ElementsAre(1, 5, 9));
  EXPECT_THAT(tokens_of_worker(3), ElementsAre(3, 7, 11));
}

TEST(PackedAllGather, CollectsTheKeysThatAWorkerNeedsAndNoOthers) {
  const auto sent = [](const Lengths& lengths, MaskKind mask = MaskKind::causal) {
    return bytes_of_workers(work_of("all_gather_kv", packed_problem(lengths, mask), 4));
  };
  const std::int64_t shard = bytes_of_keys(16);
  // Worker w needs the keys of the workers before it.
  EXPECT_THAT(sent({64}), ElementsAre(3 * shard, 2 * shard, shard, 0));
  EXPECT_THAT(sent({64}, MaskKind::full), testing::Each(3 * shard));
  EXPECT_THAT(sent({16, 16, 16, 16}), testing::Each(0));
  EXPECT_THAT(sent({32, 32}), ElementsAre(shard, 0, shard, 0));
  // Worker 1 sends workers 2 and 3 only its twelve tokens of the sequence that they have.
  EXPECT_THAT(sent({20, 44}), ElementsAre(shard, 2 * bytes_of_keys(12), shard, 0));
}

// The lengths over the 8 GPUs of ring-flash-attention's benchmark (data/published/SOURCES.md).
// Its ring cuts each sequence into W shards by itself, ours the run of all tokens. The index of
// published tables says that this lengthens the critical path by 1.7 %.
TEST(PackedRing, OfTheBenchmarksLengthsIsNearlyAsUnevenAsShardsOfEachSequence) {
  constexpr int kWorkers = 8;
  std::int64_t of_run = 0;
  std::int64_t of_each = 0;
  for (const Lengths& lengths : {Lengths{65536}, Lengths{2048, 59136, 4352}, Lengths{32768, 32768},
                                 Lengths{24832, 25600, 12800, 1280, 1024}}) {
    ASSERT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), 65536);
    of_run += work_of("ring", packed_problem(lengths), kWorkers).critical_path_pairs;
    for (const std::int64_t length : lengths) {
      const std::int64_t c = length / kWorkers;
      of_each += c * (c + 1) / 2 + (kWorkers - 1) * c * c;
    }
  }
  EXPECT_NEAR(static_cast<double>(of_run) / static_cast<double>(of_each), 1.017, 0.001);
}

TEST(Packed, AnAlgorithmThatDecodesOneSequenceNamesTheOneThatTakesSeveral) {
  for (const char* algorithm : {"flash_decoding", "tree_decode", "helix"}) {
    EXPECT_NO_THROW((void)make_plan(algorithm, packed_problem({9}), {.workers = 2}));
    try {
      (void)make_plan(algorithm, packed_problem({9, 4}), {.workers = 2});
      FAIL() << algorithm;
    } catch (const Unsupported& reason) {
      EXPECT_EQ(reason.what(),
                std::string(algorithm) +
                    " decodes one sequence, and this batch packs 2; decode takes them");
    }
  }
}

}  // namespace
}  // namespace qb
