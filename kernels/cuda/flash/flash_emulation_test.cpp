// SPDX-License-Identifier: Apache-2.0
// Runs the kernels themselves on the CPU over emulated instructions, and compares with float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/flash/flash_maps.h"
#include "kernels/cuda/flash/flash_work.h"
#include "kernels/cuda/testing/emulator/emulated_kernels.h"
#include "kernels/cuda/testing/emulator/emulator.h"
#include "kernels/cuda/testing/flash_test_support.h"
#include "kernels/merge.h"

namespace qb::cuda {
namespace {

template <class C>
void run_sm80(const WorkLists& lists, const FlashParameters& p, unsigned seed) {
  EXPECT_EQ(lists.shape.tile_rows, C::kRows);
  EXPECT_EQ(lists.shape.key_block, C::kKeys);
  emulator::launch(p.n_items, C::kThreads, C::kSharedBytes, seed,
                   [&p] { Sm80Block<C>(p, ptx::shared_base()).run(); });
}

template <class C>
void run_sm90(const GroupedCall& call, const WorkLists& lists, const FlashParameters& p,
              int n_blocks, unsigned seed) {
  EXPECT_EQ(lists.shape.tile_rows, C::kRows);
  EXPECT_EQ(lists.shape.key_block, C::kKeys);
  TensorMaps maps;
  encode(boxed_inputs(call, lists), emulator::encode_tiled, maps);
  emulator::launch(n_blocks, C::kThreads, C::kSharedBytes, seed,
                   [&] { Sm90Block<C>(p, maps, ptx::shared_base()).run(); });
}

template <bool kBf16, int kD>
void run_dim(const GroupedCall& call, const WorkLists& lists, const FlashParameters& p,
             int n_blocks, unsigned seed) {
  if (lists.shape.variant == FlashVariant::thin)
    run_sm80<Sm80<kBf16, kD, true>>(lists, p, seed);
  else if (lists.shape.variant == FlashVariant::wide)
    run_sm80<Sm80<kBf16, kD, false>>(lists, p, seed);
  else if (lists.shape.key_block == kLongKeys)
    run_sm90<Sm90<kBf16, kD, kLongKeys>>(call, lists, p, n_blocks, seed);
  else
    run_sm90<Sm90<kBf16, kD>>(call, lists, p, n_blocks, seed);
}

template <bool kBf16>
void run_type(const GroupedCall& call, const WorkLists& lists, const FlashParameters& p,
              int n_blocks, unsigned seed) {
  if (lists.shape.padded_dim == 64)
    run_dim<kBf16, 64>(call, lists, p, n_blocks, seed);
  else if (lists.shape.padded_dim == 128)
    run_dim<kBf16, 128>(call, lists, p, n_blocks, seed);
  else
    run_dim<kBf16, 256>(call, lists, p, n_blocks, seed);
}

void point_to(FlashParameters& p, const WorkLists& lists, std::uint32_t& items_asked_for) {
  p.items = lists.items.data();
  p.items_asked_for = &items_asked_for;
  p.tiles = lists.tiles.data();
  p.masked = lists.masked.data();
  p.runs = lists.runs.data();
  p.bits = lists.bits.data();
}

// A launch must leave the counter of items as it found it, or the next one would miss some.
void attend_emulated(const GroupedCall& call, const WorkLists& lists, const FlashParameters& p,
                     int n_sms, unsigned seed) {
  const int n_blocks = std::min(n_sms, p.n_items);
  if (call.q.dtype == DType::bf16)
    run_type<true>(call, lists, p, n_blocks, seed);
  else
    run_type<false>(call, lists, p, n_blocks, seed);
  EXPECT_EQ(*p.items_asked_for, 0u);
}

// Runs attend() and merge() of a FlashLaunch on emulated blocks.
WorkLists run_emulated(const GroupedCall& call, FlashPath path, int n_sms, unsigned seed) {
  WorkLists lists = lower(call, path, n_sms);
  FlashParameters p = flash_parameters(call, lists, call.scale);
  const Extent extent = partial_extent(call, lists);
  const Tensor out(heap_allocator(), DType::f32, extent, "out_partial");
  const Tensor lse(heap_allocator(), DType::f32, {extent.batch, extent.heads, extent.length, 1},
                   "lse_partial");
  qb::testing_support::fill(out.view(), std::nan(""));
  qb::testing_support::fill(lse.view(), std::nan(""));
  const auto address = [](const TensorView& view) {
    return TensorAddress{view.data, view.batch_stride, view.head_stride, view.token_stride};
  };
  p.out[1] = address(out.view());
  p.lse[1] = address(lse.view());
  std::uint32_t items_asked_for = 0;
  point_to(p, lists, items_asked_for);
  attend_emulated(call, lists, p, n_sms, seed);
  const MergeParameters m{p.out[0],
                          p.lse[0],
                          p.out[1],
                          p.lse[1],
                          lists.merge_tiles.data(),
                          lists.merge_sources.data(),
                          static_cast<int>(lists.merge_tiles.size()),
                          p.q_heads,
                          p.value_dim,
                          call.accumulate ? 1 : 0};
  const int slots = static_cast<int>(call.q.extent.batch) * p.q_heads;
  emulator::launch(m.n_tiles * slots, kMergeThreads, 0, seed, [&] {
    merge_block(m, m.tiles[ptx::block_index() / slots], ptx::block_index() % slots);
  });
  return lists;
}

FlashVariant expect_float64(const flash_support::Problem& problem, FlashPath path, int n_sms,
                            unsigned seed) {
  problem.poison();
  const WorkLists lists = run_emulated(problem.call(), path, n_sms, seed);
  const qb::testing_support::Attended expected = flash_support::expected(problem);
  const flash_support::Tolerance tolerance = flash_support::tolerance(problem);
  EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.out.view()),
                                                expected.out),
            tolerance.out);
  EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.lse.view()),
                                                expected.lse),
            tolerance.lse);
  return lists.shape.variant;
}

ScheduleBlock causal(std::int64_t n, std::int64_t m) {
  return {0, n, {0, m, SpanKind::causal, m - n, 0, 0}};
}

TEST(FlashEmulation, EveryCompiledKernelAgreesWithFloat64) {
  for (const DType dtype : {DType::bf16, DType::f16})
    for (const std::int64_t d : {64, 128, 256})
      for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) {
        SCOPED_TRACE(std::string(word(dtype)) + " " + std::to_string(d));
        flash_support::Problem problem(
            {.dtype = dtype, .q = {1, 1, 100, d}, .kv_heads = 1, .n_keys = 200}, 1);
        problem.add_whole({causal(100, 200)});
        EXPECT_EQ(expect_float64(problem, path, 1, 1),
                  path == FlashPath::sm90 ? FlashVariant::hopper : FlashVariant::wide);
      }
}

// Blocks run one after another here: the first one takes all but the others' first items.
TEST(FlashEmulation, BlocksTakeItemsWhetherTheseAreMoreOrFewerThanThey) {
  for (const std::int64_t d : {64, 128, 256})
    for (const int n_sms : {1, 4, 1000}) {
      SCOPED_TRACE("d " + std::to_string(d) + ", blocks " + std::to_string(n_sms));
      flash_support::Problem problem({.q = {1, 3, 300, d}, .kv_heads = 3, .n_keys = 300}, 11);
      problem.add_whole({causal(300, 300)});
      expect_float64(problem, FlashPath::sm90, n_sms, 11);
    }
}

TEST(FlashEmulation, TilesOfSomeHeadsAndTilesWithoutKeys) {
  flash_support::Problem problem({.q = {2, 3, 500, 64}, .kv_heads = 3, .n_keys = 200}, 12);
  // One of the tiles of 192 rows has keys; workers have heads 0 and 2, and head 1 has none.
  const TileSchedule middle = build_schedule(500, 200, {{192, 384, {0, 200}}}, 192);
  problem.add_worker({{0, 500, 1}}, {{0, 200, 1}}, middle, 0, 1);
  problem.add_worker({{0, 500, 1}}, {{0, 200, 1}}, middle, 2, 3);
  for (const int n_sms : {2, 1000}) expect_float64(problem, FlashPath::sm90, n_sms, 12);
}

TEST(FlashEmulation, LaunchesInARowFindEveryItem) {
  flash_support::Problem problem({.q = {1, 2, 300, 128}, .kv_heads = 2, .n_keys = 300}, 13);
  problem.add_whole({causal(300, 300)});
  const GroupedCall call = problem.call();
  const WorkLists lists = lower(call, FlashPath::sm90, 1);
  FlashParameters p = flash_parameters(call, lists, call.scale);
  std::uint32_t items_asked_for = 0;
  point_to(p, lists, items_asked_for);
  const qb::testing_support::Attended expected = flash_support::expected(problem);
  for (const int n_sms : {2, 4, 1000}) {
    problem.poison();
    attend_emulated(call, lists, p, n_sms, 13);
    EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.out.view()),
                                                  expected.out),
              flash_support::tolerance(problem).out);
  }
}

TEST(FlashEmulation, DecodingSharesTheKeysAmongWarpsAndSplits) {
  for (const std::int64_t d : {64, 128, 256}) {
    flash_support::Problem problem({.q = {2, 8, 2, d}, .kv_heads = 2, .n_keys = 400}, 2);
    problem.add_whole({causal(2, 400)});
    EXPECT_EQ(expect_float64(problem, FlashPath::sm90, 2, 2), FlashVariant::thin);
  }
}

TEST(FlashEmulation, PacksQueryHeadsIntoWideTilesToo) {
  flash_support::Problem problem({.q = {1, 40, 3, 64}, .kv_heads = 1, .n_keys = 260}, 3);
  problem.add_whole({causal(3, 260)});
  EXPECT_EQ(expect_float64(problem, FlashPath::sm80, 1, 3), FlashVariant::wide);
}

// The problems have contiguous and strided groups, workers whose partials are merged, bands and
// bits, rows without keys, several tiles in a block, and head dimensions between the compiled ones.
TEST(FlashEmulation, RandomWorkersReadTheOriginalTensorsAndAreRecomposed) {
  for (unsigned seed = 0; seed < 4; ++seed)
    for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      std::mt19937 engine(seed);
      const auto n = static_cast<std::int64_t>(40 + 4 * (engine() % 40));
      flash_support::Problem problem({.dtype = seed % 2 == 0 ? DType::bf16 : DType::f16,
                                      .q = {1, 2, n, std::array{72, 200, 40, 200}[seed]},
                                      .kv_heads = 1 + seed % 2,
                                      .n_keys = n,
                                      .value_dim = seed % 3 == 0 ? 24 : 64},
                                     seed);
      const auto groups = flash_support::draw_groups(n, 4, seed % 3 == 1, engine);
      flash_support::draw_workers(problem, 3, groups, groups, 192, engine);
      expect_float64(problem, path, 2, seed);
    }
}

// At d = 256 a step has 80 keys, so that a row has bits in two words.
TEST(FlashEmulation, BitsInEveryWordOfAStep) {
  for (const std::int64_t d : {64, 128, 256})
    for (unsigned seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE("d " + std::to_string(d) + " seed " + std::to_string(seed));
      std::mt19937 engine(seed);
      flash_support::Problem problem({.q = {1, 1, 140, d}, .n_keys = 330}, seed);
      TileSchedule schedule = build_schedule(140, 330, {{0, 140, {0, 330}}}, 70);
      flash_support::draw_bits(schedule, engine);
      problem.add_worker({{0, 140, 1}}, {{0, 330, 1}}, std::move(schedule));
      expect_float64(problem, FlashPath::sm90, 1, seed);
    }
}

// Groups end within steps of 176 keys, whose rows have bits in three words.
TEST(FlashEmulation, LongStretchesTakeLongSteps) {
  const KeySpan all{0, 8600};
  const KeySpan band{0, 8600, SpanKind::band, 8500, 3};
  int seed = 20;
  for (const auto& [dtype, span] : {std::pair{DType::bf16, all}, {DType::f16, band}})
    for (const std::int64_t stride : {1, 2}) {
      SCOPED_TRACE(seed);
      flash_support::Problem problem(
          {.dtype = dtype, .q = {1, 1, 140, stride == 1 ? 128 : 72}, .n_keys = 8600}, 20);
      const std::vector<TokenGroup> keys =
          stride == 1 ? std::vector<TokenGroup>{{0, 4250, 1}, {4300, 4300, 1}}
                      : std::vector<TokenGroup>{{0, 4300, 2}, {1, 4300, 2}};
      const std::int64_t n_keys = keys[0].count + keys[1].count;
      TileSchedule schedule = build_schedule(
          140, n_keys, {{0, 140, {0, n_keys, span.kind, span.offset, span.low}}}, 128);
      problem.add_worker({{0, 140, 1}}, keys, schedule);
      EXPECT_EQ(lower(problem.call(), FlashPath::sm90, 1).shape.key_block, kLongKeys);
      expect_float64(problem, FlashPath::sm90, 1, static_cast<unsigned>(seed++));
    }
  std::mt19937 engine(24);
  flash_support::Problem problem({.q = {1, 1, 70, 128}, .n_keys = 4101}, 24);
  TileSchedule schedule = build_schedule(70, 4101, {{0, 70, {0, 4101}}}, 70);
  flash_support::draw_bits(schedule, engine);
  problem.add_worker({{0, 70, 1}}, {{0, 4101, 1}}, std::move(schedule));
  EXPECT_EQ(lower(problem.call(), FlashPath::sm90, 1).shape.key_block, kLongKeys);
  expect_float64(problem, FlashPath::sm90, 1, 24);
}

TEST(FlashEmulation, OutliersAndOneTokenAndNoKeysAtAll) {
  for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) {
    flash_support::Problem outliers(
        {.q = {1, 1, 70, 64}, .n_keys = 140, .deviation = 3.0, .outlier_every = 50}, 5);
    outliers.add_whole({{0, 70, {0, 140}}});
    expect_float64(outliers, path, 1, 5);
    flash_support::Problem one({.q = {1, 1, 1, 64}, .n_keys = 1}, 6);
    one.add_whole({{0, 1, {0, 1}}});
    expect_float64(one, path, 1, 6);
    flash_support::Problem none({.q = {1, 1, 50, 64}, .n_keys = 50}, 7);
    none.add_whole({});
    expect_float64(none, path, 1, 7);
  }
}

// K and V have no tokens, or a worker has no keys where there are some.
TEST(FlashEmulation, RowsWithoutKeysAreZeroAndMinusInfinity) {
  for (const std::int64_t d : {64, 128, 256})
    for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) {
      flash_support::Problem none({.q = {1, 2, 150, d}, .n_keys = 0}, 11);
      none.add_whole({});
      EXPECT_EQ(expect_float64(none, path, 1, 11), FlashVariant::wide);
      flash_support::Problem some({.q = {1, 2, 150, d}, .n_keys = 40}, 12);
      some.add_worker({{0, 150, 1}}, {{7, 0, 1}}, build_schedule(150, 0, {}, 128));
      EXPECT_EQ(expect_float64(some, path, 1, 12),
                path == FlashPath::sm90 ? FlashVariant::hopper : FlashVariant::wide);
    }
}

// Tokens that no group names may hold anything: here NaN.
TEST(FlashEmulation, NothingOutsideTheGroupsReachesTheOutput) {
  for (const std::int64_t d : {64, 128, 200})
    for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) {
      flash_support::Problem problem({.q = {1, 1, 300, d}, .n_keys = 300}, 9);
      for (std::int64_t token = 0; token < 300; ++token) {
        if (token < 100 || (token >= 150 && token < 170)) continue;
        auto* const k = problem.k.view().row_as<std::uint16_t>(0, 0, token);
        auto* const v = problem.v.view().row_as<std::uint16_t>(0, 0, token);
        std::fill_n(k, d, std::uint16_t{0x7FFF});
        std::fill_n(v, d, std::uint16_t{0x7FFF});
      }
      // The last block of keys of the first group is not full, nor is the only one of the second.
      const TileSchedule all = build_schedule(200, 120, {{0, 200, {0, 120}}}, 192);
      problem.add_worker({{0, 200, 1}}, {{0, 100, 1}, {150, 20, 1}}, all);
      expect_float64(problem, path, 1, 9);
    }
}

// In a tile of 72 rows the three consumers have 64, 8 and no rows; so it is with the other path.
TEST(FlashEmulation, WarpsWithoutRowsKeepStepWithTheOthers) {
  for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90})
    for (const std::int64_t d : {64, 128, 256}) {
      flash_support::Problem problem({.q = {1, 1, 264, d}, .n_keys = 264}, 10);
      const std::vector<TokenGroup> groups{{0, 72, 1}, {72, 8, 1}, {80, 184, 1}};
      problem.add_worker(groups, groups,
                         build_schedule(264, 264, {{0, 264, {0, 264, SpanKind::causal, 0}}}, 192));
      expect_float64(problem, path, 2, 10);
    }
}

// The output already holds earlier rounds of a ring.
TEST(FlashEmulation, AccumulatesOntoWhatTheOutputHolds) {
  flash_support::Problem problem({.q = {1, 2, 50, 20 * 2}, .n_keys = 130}, 8);
  problem.poison();
  GroupedCall call = problem.call();
  for (const auto& [begin, end] : {std::pair{0, 60}, std::pair{60, 130}}) {
    const TileSchedule schedule = build_schedule(50, end - begin, {{0, 50, {0, end - begin}}}, 50);
    call.workers = {{0, {{0, 50, 1}}, {{begin, end - begin, 1}}, &schedule, 0, 0}};
    call.accumulate = begin > 0;
    run_emulated(call, FlashPath::sm80, 1, 8);
  }
  problem.add_whole({{0, 50, {0, 130}}});
  const qb::testing_support::Attended expected = flash_support::expected(problem);
  EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.out.view()),
                                                expected.out),
            flash_support::tolerance(problem).out);
  EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.lse.view()),
                                                expected.lse),
            flash_support::tolerance(problem).lse);
}

// ---- NaN and infinity appear where they belong --------------------------------------------------

void spoil(const Tensor& tensor, std::int64_t token, std::int64_t column, double value) {
  const TensorView& view = tensor.view();
  store_element(view.row(0, 0, token) + column * size_of(view.dtype), view.dtype, value);
}

// Exactly the elements that are NaN in float64 are NaN. The output holds a number before, so that
// unwritten ones are found too. `tolerance` is that of the problem without NaN and infinity.
void expect_nan_of_float64(const flash_support::Problem& problem,
                           const flash_support::Tolerance& tolerance) {
  const auto compare = [](const Tensor& tensor, std::vector<double> expected, double most) {
    std::vector<double> found = qb::testing_support::values(tensor.view());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << "element " << i;
      if (std::isnan(found[i])) found[i] = expected[i] = 0.0;
    }
    EXPECT_LE(qb::testing_support::max_difference(found, expected), most);
  };
  const qb::testing_support::Attended expected = flash_support::expected(problem);
  EXPECT_GT(std::count_if(expected.out.begin(), expected.out.end(),
                          [](double x) { return std::isnan(x); }),
            0);
  compare(problem.out, expected.out, tolerance.out);
  compare(problem.lse, expected.lse, tolerance.lse);
}

void expect_nan_of_float64_on(FlashPath path, const flash_support::Problem& problem,
                              const flash_support::Tolerance& tolerance, int n_sms = 1) {
  qb::testing_support::fill(problem.out.view(), 123.0);
  qb::testing_support::fill(problem.lse.view(), 123.0);
  run_emulated(problem.call(), path, n_sms, 14);
  expect_nan_of_float64(problem, tolerance);
}

// One row is NaN throughout, and rows see one key of NaN or of +inf, where q k = +inf too.
TEST(FlashEmulation, ScoresOfNanAndInfinityMakeTheirRowsNan) {
  for (const std::int64_t d : {64, 128, 256})
    for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90})
      for (const bool causal_mask : {false, true}) {
        SCOPED_TRACE(std::to_string(d) + (causal_mask ? " causal" : " full"));
        // There are 20 keys after the last whole block: the sm_90a kernel has products for those.
        flash_support::Problem problem({.q = {1, 2, 100, d}, .n_keys = 148}, 14);
        problem.add_whole({causal_mask ? causal(100, 148) : ScheduleBlock{0, 100, {0, 148}}});
        const flash_support::Tolerance tolerance = flash_support::tolerance(problem);
        spoil(problem.q, 37, 5, std::nan(""));
        expect_nan_of_float64_on(path, problem, tolerance);
        if (!causal_mask) continue;
        spoil(problem.k, 120, 9, std::nan(""));
        expect_nan_of_float64_on(path, problem, tolerance);
        spoil(problem.k, 120, 9, INFINITY);
        expect_nan_of_float64_on(path, problem, tolerance);
      }
}

// Warps share the keys, and splits of the keys are merged.
TEST(FlashEmulation, DecodingKeepsTheNanOfOneWarpAndOfOneSplit) {
  for (const std::int64_t d : {64, 256})
    for (const double value : {std::nan(""), double{INFINITY}}) {
      flash_support::Problem problem({.q = {1, 4, 2, d}, .kv_heads = 1, .n_keys = 700}, 15);
      problem.add_whole({causal(2, 700)});
      const flash_support::Tolerance tolerance = flash_support::tolerance(problem);
      spoil(problem.k, 650, 0, value);
      for (const int n_sms : {1, 4})
        expect_nan_of_float64_on(FlashPath::sm80, problem, tolerance, n_sms);
    }
}

// One of two workers has only NaN for a row; in a ring the first or the last of three rounds does.
TEST(FlashEmulation, MergesKeepTheNanOfOnePartial) {
  flash_support::Problem workers({.q = {1, 1, 40, 40 * 2}, .n_keys = 90}, 16);
  for (const auto& [begin, count] : {std::pair{0, 30}, std::pair{30, 60}})
    workers.add_worker({{0, 40, 1}}, {{begin, count, 1}},
                       build_schedule(40, count, {{0, begin == 0 ? 40 : 20, {0, count}}}, 40));
  const flash_support::Tolerance tolerance = flash_support::tolerance(workers);
  spoil(workers.q, 30, 1, std::nan(""));
  spoil(workers.k, 40, 1, std::nan(""));
  expect_nan_of_float64_on(FlashPath::sm80, workers, tolerance);

  for (const std::int64_t token : {10, 85}) {
    flash_support::Problem ring({.q = {1, 1, 40, 64}, .n_keys = 90}, 17);
    const flash_support::Tolerance of_ring = flash_support::tolerance(ring);
    spoil(ring.k, token, 1, std::nan(""));
    GroupedCall call = ring.call();
    for (const std::int64_t begin : {0, 30, 60}) {
      const TileSchedule schedule = build_schedule(40, 30, {{0, 40, {0, 30}}}, 40);
      call.workers = {{0, {{0, 40, 1}}, {{begin, 30, 1}}, &schedule, 0, 0}};
      call.accumulate = begin > 0;
      run_emulated(call, FlashPath::sm80, 1, 17);
    }
    ring.add_whole({{0, 40, {0, 90}}});
    expect_nan_of_float64(ring, of_ring);
  }
}

// A sink is a partial for all rows: a row of zeros and one number a head, with strides of 0.
TEST(FlashEmulation, MergesSinksIntoWholeRowsOnce) {
  using qb::testing_support::random_tensor;
  for (const std::int64_t width : {64, 33}) {
    const Extent rows{2, 3, 40, width};
    const Extent numbers{2, 3, 40, 1};
    const Tensor out = random_tensor(DType::f32, rows, 1);
    const Tensor lse = random_tensor(DType::f32, numbers, 2);
    *lse.view().row_as<float>(1, 2, 7) = -INFINITY;  // a row without keys, whose O nobody reads
    *out.view().row_as<float>(1, 2, 7) = NAN;
    std::vector<float> zeros(static_cast<std::size_t>(width), 0.0F);
    std::vector<float> sinks = {-1.0F, 0.5F, 2.0F};
    const TensorView part_out{zeros.data(), DType::f32, rows, 0, 0, 0};
    const TensorView part_lse{sinks.data(), DType::f32, numbers, 0, 1, 0};
    const Tensor wanted = random_tensor(DType::f32, rows, 1);
    const Tensor wanted_lse = random_tensor(DType::f32, numbers, 2);
    *wanted_lse.view().row_as<float>(1, 2, 7) = -INFINITY;
    merge_partial(wanted.view(), wanted_lse.view(), part_out, part_lse);
    const MergeParameters::Tile tile{.n_rows = 40, .n_sources = 1};
    const MergeParameters p{address(out.view()),
                            address(lse.view()),
                            address(part_out),
                            address(part_lse),
                            &tile,
                            nullptr,
                            1,
                            3,
                            static_cast<int>(width),
                            1};
    emulator::launch(6, kMergeThreads, 0, 1, [&] { merge_block(p, tile, ptx::block_index()); });
    const auto difference = [](const Tensor& a, const Tensor& b) {
      return qb::testing_support::max_difference(qb::testing_support::values(a.view()),
                                                 qb::testing_support::values(b.view()));
    };
    EXPECT_LE(difference(out, wanted), 1e-6);
    EXPECT_LE(difference(lse, wanted_lse), 1e-6);
    EXPECT_EQ(*lse.view().row_as<float>(1, 2, 7), 2.0F);
    EXPECT_EQ(*out.view().row_as<float>(1, 2, 7), 0.0F);
  }
}

TEST(FlashEmulation, NanInAValueStaysInItsColumn) {
  for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) {
    flash_support::Problem problem({.q = {1, 1, 100, 64}, .n_keys = 148}, 18);
    problem.add_whole({{0, 100, {0, 148}}});
    const flash_support::Tolerance tolerance = flash_support::tolerance(problem);
    spoil(problem.v, 100, 7, std::nan(""));
    expect_nan_of_float64_on(path, problem, tolerance);
  }
}

}  // namespace
}  // namespace qb::cuda
