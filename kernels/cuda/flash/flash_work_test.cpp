// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/integers.h"
#include "base/status.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/cuda/testing/flash_test_support.h"

namespace qb::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kSms = 4;

// Records from the lists alone the keys that each (query token, head) got, through the merge too.
// Throws on everything that a kernel would do twice or not at all.
class Replay {
 public:
  Replay(const GroupedCall& call, const WorkLists& lists) : call_(call), lists_(lists) {
    for (const TileWork& tile : lists.tiles) run(tile);
    for (const MergeParameters::Tile& tile : lists.merge_tiles) merge(tile);
  }
  using Row = std::pair<std::int64_t, std::int64_t>;  // token or partial row, head
  using Counts = std::vector<std::uint8_t>;           // how often each key was taken
  std::map<Row, Counts> output;

 private:
  void run(const TileWork& tile) {
    ASSERT_GT(tile.n_rows, 0);
    ASSERT_LE(tile.n_rows * lists_.pack, lists_.shape.tile_rows);
    for (std::int64_t head = tile.head_begin; head < tile.head_end; ++head)
      for (std::int64_t r = 0; r < tile.n_rows; ++r) {
        auto& into = tile.to_partial != 0 ? partial_ : output;
        const auto [at, is_new] = into.try_emplace({tile.out_row + r * tile.out_stride, head});
        ASSERT_TRUE(is_new) << "row written twice";
        ASSERT_LT(at->first.first,
                  tile.to_partial != 0 ? lists_.n_partial_rows : call_.q.extent.length);
        if (tile.to_partial == 0) {
          ASSERT_EQ(at->first.first, tile.q_token + r * tile.q_stride);
        }
        collect(tile, r, at->second);
      }
  }
  void collect(const TileWork& tile, std::int64_t r, Counts& keys) {
    keys.assign(static_cast<std::size_t>(call_.k.extent.length), 0);
    const std::int64_t words = ceil_div(lists_.shape.key_block, 64);
    for (std::int32_t i = tile.first_masked; i < tile.first_masked + tile.n_masked; ++i) {
      const MaskedStep& step = lists_.masked[static_cast<std::size_t>(i)];
      ASSERT_LE(step.n_keys, lists_.shape.key_block);
      for (std::int64_t c = 0; c < step.n_keys; ++c) {
        if (c < r + step.lo || c > r + step.hi) continue;
        if (step.bits >= 0 &&
            (lists_.bits[static_cast<std::size_t>(step.bits + r * words + c / 64)] >> (c % 64) &
             1) == 0)
          continue;
        ++keys.at(static_cast<std::size_t>(step.k_token + c * step.k_stride));
      }
    }
    std::int64_t left = tile.n_full;
    for (auto run = static_cast<std::size_t>(tile.first_run); left > 0; ++run) {
      const FullRun& blocks = lists_.runs[run];
      left -= blocks.n_blocks;
      ASSERT_GE(left, 0);
      for (std::int64_t c = 0; c < blocks.n_blocks * lists_.shape.key_block; ++c)
        ++keys.at(static_cast<std::size_t>(blocks.k_token + c * blocks.k_stride));
    }
  }
  void merge(const MergeParameters::Tile& tile) {
    for (std::int64_t head = 0; head < call_.q.extent.heads; ++head)
      for (std::int64_t r = 0; r < tile.n_rows; ++r) {
        const auto [at, is_new] = output.try_emplace({tile.token + r * tile.stride, head});
        ASSERT_TRUE(is_new) << "row merged twice";
        at->second.assign(static_cast<std::size_t>(call_.k.extent.length), 0);
        for (std::int32_t s = 0; s < tile.n_sources; ++s) {
          const MergeParameters::Source& source =
              lists_.merge_sources[static_cast<std::size_t>(tile.first_source + s)];
          if (head < source.head_begin || head >= source.head_end) continue;
          const auto part = partial_.find({source.row + tile.source_row + r, head});
          ASSERT_NE(part, partial_.end()) << "a partial that nobody wrote";
          for (std::size_t j = 0; j < part->second.size(); ++j) at->second[j] += part->second[j];
        }
      }
  }

  const GroupedCall& call_;
  const WorkLists& lists_;
  std::map<Row, Counts> partial_;
};

// Every row of every head is written once, with each of its pairs once.
void expect_complete(const flash_support::Problem& problem, FlashPath path) {
  const GroupedCall call = problem.call();
  const WorkLists lists = lower(call, path, kSms);
  const Replay replay(call, lists);
  if (::testing::Test::HasFatalFailure()) return;
  const Extent& x = call.q.extent;
  std::map<Replay::Row, Replay::Counts> expected;
  for (std::int64_t token = 0; token < x.length; ++token)
    for (std::int64_t head = 0; head < x.heads; ++head)
      expected[{token, head}].assign(static_cast<std::size_t>(call.k.extent.length), 0);
  flash_support::for_each_pair(
      problem.workers, [&](const GroupedWorker& worker, std::int64_t i, std::int64_t j) {
        const std::int64_t end = worker.head_end == 0 ? x.heads : worker.head_end;
        for (std::int64_t head = worker.head_begin; head < end; ++head)
          ++expected[{i, head}][static_cast<std::size_t>(j)];
      });
  EXPECT_TRUE(replay.output == expected);
}

flash_support::Problem problem_of(Extent q, std::int64_t kv_heads, std::int64_t n_keys) {
  return {{.q = q, .kv_heads = kv_heads, .n_keys = n_keys}, 1};
}

TEST(Lower, ListsEveryPairOfRandomWorkersOnce) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 500);
    const bool strided = seed % 3 == 0;
    const int parts = 1 + static_cast<int>(engine() % 5);
    flash_support::Problem problem =
        problem_of({1, 2, n, seed % 4 == 0 ? 200 : 8}, 1 + seed % 2, n);
    const auto groups = flash_support::draw_groups(n, parts, strided, engine);
    flash_support::draw_workers(problem, 1 + static_cast<int>(engine() % 4), groups, groups,
                                1 + static_cast<std::int64_t>(engine() % 300), engine);
    for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) expect_complete(problem, path);
  }
}

TEST(Lower, HeadsOfWorkersMayDiffer) {
  flash_support::Problem problem = problem_of({1, 4, 70, 8}, 2, 90);
  const TileSchedule all = build_schedule(70, 90, {{0, 70, {0, 90}}}, 128);
  problem.add_worker({{0, 70, 1}}, {{0, 90, 1}}, all, 0, 2);
  problem.add_worker({{0, 70, 1}}, {{0, 90, 1}}, all, 2, 4);
  expect_complete(problem, FlashPath::sm80);
  EXPECT_TRUE(lower(problem.call(), FlashPath::sm80, 1).merge_tiles.empty());
  problem.workers.pop_back();  // heads 2 and 3 have no worker: the identity
  expect_complete(problem, FlashPath::sm80);
}

TEST(Lower, SplitsTheKeysOfAFewQueriesAndMergesThem) {
  flash_support::Problem problem = problem_of({1, 8, 1, 64}, 2, 5000);
  problem.add_whole({{0, 1, {0, 5000, SpanKind::causal, 4998}}});
  expect_complete(problem, FlashPath::sm90);
  const WorkLists lists = lower(problem.call(), FlashPath::sm90, kSms);
  EXPECT_EQ(lists.shape.variant, FlashVariant::thin);
  EXPECT_EQ(lists.pack, 4);
  // There are 79 blocks for each of 2 key-value heads on 8 places: 20 each.
  EXPECT_EQ(lists.tiles.size(), 4u);
  EXPECT_EQ(lists.merge_tiles.size(), 1u);
  EXPECT_EQ(lists.merge_sources.size(), 4u);
}

TEST(Lower, WritesTheOutputItselfWhereNothingIsToBeMerged) {
  flash_support::Problem problem = problem_of({1, 2, 600, 64}, 2, 600);
  problem.add_whole({{0, 600, {0, 600, SpanKind::causal, 0}}});
  const WorkLists lists = lower(problem.call(), FlashPath::sm90, 1);
  EXPECT_EQ(lists.n_partial_rows, 0);
  EXPECT_TRUE(lists.merge_tiles.empty());
  GroupedCall later = problem.call();
  later.accumulate = true;
  EXPECT_EQ(lower(later, FlashPath::sm90, 1).n_partial_rows, 600);
}

TEST(Lower, HeavyTilesComeFirstAndMaskedStepsAreTheDiagonalOnly) {
  flash_support::Problem problem = problem_of({1, 1, 1024, 128}, 1, 1024);
  problem.add_whole({{0, 1024, {0, 1024, SpanKind::causal, 0}}});
  const WorkLists lists = lower(problem.call(), FlashPath::sm90, 1);
  ASSERT_EQ(lists.tiles.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(lists.tiles[i].n_full, 7 - static_cast<int>(i));
    EXPECT_EQ(lists.tiles[i].n_masked, 1);
  }
  EXPECT_EQ(lists.tiles[0].q_token, 896);
}

TEST(Lower, StepsAreLongWhereStretchesOfKeysAre) {
  const auto step_of = [](std::int64_t d, const ScheduleBlock& block, std::int64_t group,
                          FlashPath path = FlashPath::sm90) {
    const std::int64_t n = block.keys.end;
    flash_support::Problem problem = problem_of({1, 1, n, d}, 1, n);
    std::vector<TokenGroup> keys;
    for (std::int64_t begin = 0; begin < n; begin += group)
      keys.push_back({n - begin - group, group, 1});  // not neighbours in this order
    problem.add_worker({{0, n, 1}}, keys, build_schedule(n, n, {block}, 128));
    return lower(problem.call(), path, 1).shape.key_block;
  };
  const auto full = [](std::int64_t n) { return ScheduleBlock{0, n, {0, n}}; };
  const auto causal = [](std::int64_t n) {
    return ScheduleBlock{0, n, {0, n, SpanKind::causal, 0}};
  };
  EXPECT_EQ(step_of(128, full(4097), 4097), 176);
  EXPECT_EQ(step_of(72, full(4097), 4097), 176);
  EXPECT_EQ(step_of(128, full(4096), 4096), 128);
  EXPECT_EQ(step_of(128, causal(8192), 8192), 176);
  EXPECT_EQ(step_of(128, causal(4096), 4096), 128);
  EXPECT_EQ(step_of(128, full(8192), 2048), 128);
  EXPECT_EQ(step_of(64, full(8192), 8192), 128);
  EXPECT_EQ(step_of(128, full(8192), 8192, FlashPath::sm80), 64);
}

TEST(Lower, NeighbouringKeyGroupsBecomeOneRun) {
  flash_support::Problem problem = problem_of({1, 1, 64, 128}, 1, 640);
  problem.add_worker({{0, 64, 1}}, {{0, 100, 1}, {100, 28, 1}, {256, 128, 1}},
                     build_schedule(64, 256, {{0, 64, {0, 256}}}, 64));
  const WorkLists lists = lower(problem.call(), FlashPath::sm90, 1);
  EXPECT_TRUE(lists.masked.empty());
  ASSERT_EQ(lists.runs.size(), 2u);
  EXPECT_EQ(lists.runs[1].k_token, 256);
}

TEST(Lower, TheCopyEngineIsLeftOutWhereItCannotRead) {
  flash_support::Problem problem = problem_of({1, 2, 300, 64}, 2, 300);
  problem.add_whole({{0, 300, {0, 300}}});
  EXPECT_EQ(lower(problem.call(), FlashPath::sm90, 1).shape.variant, FlashVariant::hopper);
  EXPECT_EQ(lower(problem.call(), FlashPath::sm80, 1).shape.variant, FlashVariant::wide);
  problem.workers.clear();
  std::mt19937 engine(1);
  for (const int stride : {4, 7}) {  // 300 is a multiple of 4 and not of 7
    const auto groups = flash_support::draw_groups(300, stride, true, engine);
    problem.workers.clear();
    problem.add_worker(groups, groups, build_schedule(300, 300, {{0, 300, {0, 300}}}, 300));
    EXPECT_EQ(lower(problem.call(), FlashPath::sm90, 1).shape.variant,
              stride == 4 ? FlashVariant::hopper : FlashVariant::wide);
  }
}

// The driver does not encode a tensor map of no tokens.
TEST(Lower, TheCopyEngineIsLeftOutWhereThereAreNoKeys) {
  for (const std::int64_t d : {64, 128, 256}) {
    flash_support::Problem problem = problem_of({1, 2, 300, d}, 2, 0);
    problem.add_whole({});
    expect_complete(problem, FlashPath::sm90);
    const WorkLists lists = lower(problem.call(), FlashPath::sm90, 1);
    EXPECT_EQ(lists.shape.variant, FlashVariant::wide);
    EXPECT_EQ(executed_pairs(lists), 0);
  }
}

// Makes a CQS plan: worker k holds the groups k + x of the interest set and computes each kept pair
// of them in both directions, and its own diagonal.
flash_support::Problem cqs_problem(std::int64_t n, std::int64_t workers,
                                   const std::vector<std::int64_t>& interest_set) {
  flash_support::Problem problem = problem_of({1, 1, n, 128}, 1, n);
  const std::int64_t short_groups = workers - n % workers;
  const auto first = [&](std::int64_t group) {
    return n / workers * group + std::max<std::int64_t>(group - short_groups, 0);
  };
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    std::vector<std::int64_t> held;
    for (const std::int64_t x : interest_set) held.push_back((worker + x) % workers);
    std::sort(held.begin(), held.end());
    std::vector<TokenGroup> groups;
    std::vector<std::int64_t> begins{0};
    for (const std::int64_t group : held) {
      groups.push_back({first(group), first(group + 1) - first(group), 1});
      begins.push_back(begins.back() + groups.back().count);
    }
    std::vector<ScheduleBlock> blocks;
    for (std::size_t i = 0; i < held.size(); ++i)
      for (std::size_t j = 0; j < held.size(); ++j)
        if (i != j || held[i] == worker)
          blocks.push_back({begins[i], begins[i + 1], {begins[j], begins[j + 1]}});
    problem.add_worker(groups, groups,
                       build_schedule(begins.back(), begins.back(), std::move(blocks), 128));
  }
  return problem;
}

// The sets are perfect: every pair of groups is kept by one worker.
TEST(ExecutedPairs, OfShortGroupsAreNotManyMoreThanTheirPairs) {
  const auto ratio = [](std::int64_t n, std::int64_t workers,
                        const std::vector<std::int64_t>& interest_set, FlashPath path) {
    const flash_support::Problem problem = cqs_problem(n, workers, interest_set);
    std::int64_t useful = 0;
    for (const GroupedWorker& worker : problem.workers) useful += worker.schedule->unmasked_pairs();
    EXPECT_EQ(useful, n * n);
    const std::int64_t executed = executed_pairs(lower(problem.call(), path, kSms));
    return static_cast<double>(executed) / static_cast<double>(useful);
  };
  const std::vector<std::int64_t> of_31{0, 1, 3, 8, 12, 18};
  const std::vector<std::int64_t> of_7{0, 1, 3};
  EXPECT_LT(ratio(8192, 31, of_31, FlashPath::sm80), 1.15);
  EXPECT_LT(ratio(8192, 31, of_31, FlashPath::sm90), 1.31);
  EXPECT_LT(ratio(8192, 7, of_7, FlashPath::sm80), 1.1);
  EXPECT_LT(ratio(8192, 7, of_7, FlashPath::sm90), 1.2);
}

TEST(ExecutedPairs, CountsEveryProductOfAFewHandMadeTiles) {
  // 100 rows are 4 pieces of 32; 150 keys are 64 + 64 + 22, and the 22 are 2 pieces of 16.
  flash_support::Problem full = problem_of({1, 2, 100, 128}, 2, 150);
  full.add_whole({{0, 100, {0, 150}}});
  EXPECT_EQ(executed_pairs(lower(full.call(), FlashPath::sm80, 1)), 2 * 128 * (128 + 32));
  // There are consumers of 64 rows, 128 keys and a narrow block of 32.
  EXPECT_EQ(executed_pairs(lower(full.call(), FlashPath::sm90, 1)), 2 * 128 * (128 + 32));
  // With d = 256 there are blocks of 80 keys, the last of 70, which is not narrow.
  flash_support::Problem deep = problem_of({1, 2, 100, 200}, 2, 150);
  deep.add_whole({{0, 100, {0, 150}}});
  EXPECT_EQ(executed_pairs(lower(deep.call(), FlashPath::sm90, 1)), 2 * 128 * (2 * 80));
  // Below the diagonal of 64 x 64, 32 rows see the first 32 keys and 32 more see all of them.
  flash_support::Problem causal = problem_of({1, 1, 64, 128}, 1, 64);
  causal.add_whole({{0, 64, {0, 64, SpanKind::causal, 0}}});
  EXPECT_EQ(executed_pairs(lower(causal.call(), FlashPath::sm80, 1)), 32 * 32 + 32 * 64);
}

TEST(StepsPerSplit, FillsThePlacesAndLeavesLargeGridsAlone) {
  EXPECT_EQ(steps_per_split(8, 8 * 1024, 1024, 264), 32);  // the example of the header
  EXPECT_EQ(steps_per_split(300, 300 * 1024, 1024, 264), 1024);
  EXPECT_EQ(steps_per_split(1, 3, 3, 264), 3);
  EXPECT_EQ(steps_per_split(1, 100000, 100000, 10000), 782);  // at most 128 splits
  EXPECT_EQ(steps_per_split(0, 0, 0, 264), 1);
}

TEST(HeadsAtOnce, KeepsTheKeysOfSixHeadsInTheCache) {
  EXPECT_EQ(heads_at_once(64, 1, 4 << 20), 6);  // the example of the header
  EXPECT_EQ(heads_at_once(64, 8, 4 << 20), 48);
  EXPECT_EQ(heads_at_once(4, 1, 1 << 10), 4);
  EXPECT_EQ(heads_at_once(64, 1, std::int64_t{1} << 40), 1);
}

TEST(AlignInputs, CopiesWhatIsNotSixteenBytesApartAndTurnsNegativeScales) {
  flash_support::Problem odd = problem_of({1, 2, 9, 20}, 2, 9);
  EXPECT_TRUE(align_inputs(odd.call()).k.copied);
  EXPECT_EQ(align_inputs(odd.call()).k.extent.head_dim, 24);
  flash_support::Problem even = problem_of({1, 2, 9, 24}, 2, 9);
  GroupedCall call = even.call();
  EXPECT_FALSE(align_inputs(call).q.copied);
  call.scale = -2.0;
  EXPECT_TRUE(align_inputs(call).q.copied);
  EXPECT_FALSE(align_inputs(call).k.copied);
  EXPECT_EQ(align_inputs(call).q.factor, -1.0F);
  EXPECT_EQ(align_inputs(call).scale, 2.0);
  call.scale = 0.0;
  EXPECT_EQ(align_inputs(call).q.factor, 0.0F);
  EXPECT_EQ(align_inputs(call).scale, 1.0);
}

TEST(FlashWorkspaceBytes, IsListsPartialsAndCopies) {
  flash_support::Problem problem = problem_of({1, 8, 1, 20}, 2, 5000);
  problem.add_whole({{0, 1, {0, 5000}}});
  const GroupedCall call = problem.call();
  const std::int64_t copies = 2 * (8 + 2 * 2 * 5000) * 24;
  const WorkLists lists = lower(call, FlashPath::sm80, kSms);
  EXPECT_EQ(GpuKernelCosts(FlashPath::sm80, kSms).of_launch(call)->workspace_bytes,
            copies + static_cast<std::int64_t>(list_bytes(lists)) +
                8 * lists.n_partial_rows * (20 + 1) * 4);
}

TEST(CheckCall, RefusesByName) {
  flash_support::Problem problem = problem_of({1, 2, 9, 24}, 2, 9);
  problem.add_whole({{0, 9, {0, 9}}});
  const auto refused = [&](auto change, const char* words) {
    GroupedCall call = problem.call();
    change(call);
    EXPECT_THAT([&] { check_call(call); }, ThrowsMessage<std::exception>(HasSubstr(words)));
  };
  refused([](GroupedCall& c) { c.v.extent.length = 8; }, "v is [1, 2, 8, 24]");
  refused([](GroupedCall& c) { c.k.dtype = DType::f16; }, "different types");
  refused([](GroupedCall& c) { c.q.dtype = c.k.dtype = c.v.dtype = DType::f32; }, "not f32");
  refused([](GroupedCall& c) { c.workers[0].q_groups[0].count = 8; }, "the schedule has 9");
  refused([](GroupedCall& c) { c.workers[0].kv_groups[0].first = 1; }, "outside [0, 9)");
  refused([](GroupedCall& c) { c.workers[0].head_end = 3; },
          "heads [0, 3) are not among the 2 there are");
  refused([](GroupedCall& c) { c.workers[0].schedule = nullptr; }, "no tile schedule");
  problem.add_worker({{3, 6, 1}}, {{0, 9, 1}}, build_schedule(6, 9, {{0, 6, {0, 9}}}, 64));
  const GroupedCall call = problem.call();
  EXPECT_THAT([&] { (void)lower(call, FlashPath::sm80, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("token 3 is in two query groups")));
}

TEST(FlashTiles, AreWhatTheKernelsTake) {
  EXPECT_EQ(flash_tiles(64, FlashPath::sm90).query_tile, 192);
  EXPECT_EQ(flash_tiles(65, FlashPath::sm90).query_tile, 128);
  EXPECT_EQ(flash_tiles(200, FlashPath::sm90).query_tile, 128);
  EXPECT_EQ(flash_tiles(200, FlashPath::sm90).key_block, 80);
  EXPECT_EQ(flash_tiles(200, FlashPath::sm80).query_tile, 64);
  EXPECT_EQ(flash_tiles(128, FlashPath::sm80).key_block, 64);
  EXPECT_THROW((void)flash_tiles(257, FlashPath::sm80), Unsupported);
}

}  // namespace
}  // namespace qb::cuda
