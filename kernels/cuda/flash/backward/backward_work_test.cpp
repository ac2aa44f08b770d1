// SPDX-License-Identifier: Apache-2.0
// Replays the lists of backward passes pair by pair, and compares them with their schedules.
#include "kernels/cuda/flash/backward/backward_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "base/status.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/testing/backward_support.h"
#include "kernels/testing/schedule_fixtures.h"

namespace qb::cuda {
namespace {

using qb::testing_support::BackwardCall;
using qb::testing_support::random_tensor;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Returns whether own row i and other row j of the blocks are a pair of the step, as a kernel
// decides it.
bool is_pair_of(const BackwardWork& lists, const BackwardStep& step, std::int64_t other_block,
                std::int64_t i, std::int64_t j) {
  if (i < step.own_begin || i >= step.own_end || j < step.other_begin || j >= step.other_end ||
      j < i + step.lo || j > i + step.hi)
    return false;
  if (step.bits < 0) return true;
  const auto word = static_cast<std::size_t>(step.bits + i * (other_block / 64) + j / 64);
  return (lists.bits.at(word) >> (j % 64) & 1) != 0;
}

// Returns how often each pair is in the lists, row-major over queries and keys. Pairs of rows or
// keys that do not exist are counted as failures.
std::vector<int> times_listed(const BackwardWork& lists, const TileSchedule& schedule,
                              const BackwardShape& shape) {
  std::vector<int> times(static_cast<std::size_t>(schedule.n_queries * schedule.n_keys));
  const auto count = [&](std::int64_t key, std::int64_t row) {
    ASSERT_LT(row, schedule.n_queries);
    ASSERT_LT(key, schedule.n_keys);
    ++times[static_cast<std::size_t>(row * schedule.n_keys + key)];
  };
  for (const BackwardBlock& block : lists.blocks) {
    EXPECT_GT(block.n_masked + block.n_full, 0);
    EXPECT_EQ(block.begin % shape.own_block, 0);
    for (std::int32_t s = block.first_masked; s < block.first_masked + block.n_masked; ++s) {
      const BackwardStep& step = lists.masked.at(static_cast<std::size_t>(s));
      EXPECT_EQ(step.begin % shape.other_block, 0);
      for (std::int64_t i = 0; i < shape.own_block; ++i)
        for (std::int64_t j = 0; j < shape.other_block; ++j)
          if (is_pair_of(lists, step, shape.other_block, i, j))
            count(block.begin + i, step.begin + j);
    }
    std::int32_t left = block.n_full;
    for (auto r = static_cast<std::size_t>(block.first_run); left > 0; ++r) {
      const BackwardRun& run = lists.runs.at(r);
      left -= run.n_blocks;
      for (std::int64_t i = 0; i < shape.own_block; ++i)
        for (std::int64_t j = 0; j < run.n_blocks * shape.other_block; ++j)
          count(block.begin + i, run.begin + j);
    }
    EXPECT_EQ(left, 0);
  }
  return times;
}

constexpr BackwardShape kShapes[] = {{FlashVariant::wide, 64, 64, 64},
                                     {FlashVariant::hopper, 128, 128, 64},
                                     {FlashVariant::hopper, 64, 128, 128}};

void expect_listed_once(const TileSchedule& schedule) {
  for (const BackwardShape& shape : kShapes) {
    SCOPED_TRACE(std::to_string(shape.own_block) + " x " + std::to_string(shape.other_block));
    const BackwardWork lists = list_cells(schedule, shape);
    const std::vector<int> times = times_listed(lists, schedule, shape);
    for (std::int64_t row = 0; row < schedule.n_queries; ++row)
      for (std::int64_t key = 0; key < schedule.n_keys; ++key)
        ASSERT_EQ(times[static_cast<std::size_t>(row * schedule.n_keys + key)],
                  qb::testing_support::schedule_allows(schedule, row, key) ? 1 : 0)
            << row << ", " << key;
  }
}

TEST(BackwardCells, HaveEachPairOfRandomSchedulesOnce) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 300);
    const auto m = static_cast<std::int64_t>(1 + engine() % 400);
    expect_listed_once(
        qb::testing_support::random_schedule(n, m, seed % 2 == 0 ? 192 : 50, engine));
  }
}

TEST(BackwardCells, OfMasksThatAreCommon) {
  for (const std::int64_t tile : {64, 128, 192}) {
    SCOPED_TRACE("tiles of " + std::to_string(tile));
    expect_listed_once(build_schedule(256, 384, {{0, 256, {0, 384}}}, tile));
    expect_listed_once(build_schedule(256, 256, {{0, 256, {0, 256, SpanKind::causal}}}, tile));
    expect_listed_once(build_schedule(200, 300, {{0, 200, {0, 300, SpanKind::causal, 100}}}, tile));
    expect_listed_once(
        build_schedule(300, 300, {{0, 300, {0, 300, SpanKind::band, 20, -90}}}, tile));
    // These are packed sequences.
    expect_listed_once(build_schedule(
        280, 280, {{0, 70, {0, 70, SpanKind::causal}}, {70, 75, {70, 75}}, {75, 280, {75, 280}}},
        tile));
  }
  expect_listed_once(TileSchedule{5, 0, {}, {}});
  expect_listed_once(TileSchedule{0, 5, {}, {}});
}

// A full mask is runs alone, and a causal one has one masked cell for each diagonal block: in long
// sequences the lists must not grow with the cells.
TEST(BackwardCells, OfDenseMasksAreRuns) {
  const BackwardShape shape = kShapes[0];
  const BackwardWork full =
      list_cells(build_schedule(1024, 1024, {{0, 1024, {0, 1024}}}, 128), shape);
  EXPECT_EQ(full.masked.size(), 0u);
  EXPECT_EQ(full.runs.size(), 16u);
  EXPECT_EQ(full.bits.size(), 0u);
  const BackwardWork causal =
      list_cells(build_schedule(1024, 1024, {{0, 1024, {0, 1024, SpanKind::causal}}}, 128), shape);
  EXPECT_EQ(causal.masked.size(), 16u);
  EXPECT_EQ(causal.runs.size(), 15u);
  EXPECT_EQ(causal.bits.size(), 0u);
  // Tiles of 192 rows end within blocks of 128.
  const BackwardWork straddled = list_cells(
      build_schedule(1024, 1024, {{0, 1024, {0, 1024, SpanKind::causal}}}, 192), kShapes[2]);
  EXPECT_EQ(straddled.masked.size(), 8u);
  EXPECT_EQ(straddled.bits.size(), 0u);
}

BackwardCall random_call(DType dtype, const Extent& q, std::int64_t kv_heads, std::int64_t n_keys,
                         std::int64_t value_dim, TileSchedule schedule) {
  return {random_tensor(dtype, q, 1),
          random_tensor(dtype, {q.batch, kv_heads, n_keys, q.head_dim}, 2),
          random_tensor(dtype, {q.batch, kv_heads, n_keys, value_dim}, 3),
          random_tensor(dtype, {q.batch, q.heads, q.length, value_dim}, 4), std::move(schedule)};
}

BackwardWork lowered(const BackwardCall& call, FlashPath path) {
  const BackwardArguments a = call.arguments();
  return lower_backward(aligned_call(a, align_inputs(a)), path);
}

TEST(BackwardWork, ListsEachBlockOnceForEachHeadHeavyOnesFirst) {
  const BackwardCall call =
      random_call(DType::bf16, {2, 6, 500, 64}, 2, 500, 64,
                  build_schedule(500, 500, {{0, 500, {0, 500, SpanKind::causal}}}, 128));
  const BackwardWork work = lowered(call, FlashPath::sm80);
  std::set<std::tuple<int, int, int>> seen;
  int steps = std::numeric_limits<int>::max();
  for (const WorkItem& item : work.items) {
    EXPECT_TRUE(seen.insert({item.tile, item.batch, item.q_head}).second);
    EXPECT_EQ(item.kv_head, item.q_head);
    const BackwardBlock& block = work.blocks[static_cast<std::size_t>(item.tile)];
    EXPECT_LE(block.n_masked + block.n_full, steps);
    steps = block.n_masked + block.n_full;
  }
  EXPECT_EQ(seen.size(), work.blocks.size() * 2 * 2U);
  // 8 blocks of 64 keys: 8 + 7 + ... + 1 cells.
  EXPECT_EQ(executed_pairs(work, 6), 6 * 36 * 64 * 64);
}

TEST(BackwardWork, TakesTheHopperKernelWhereTheCopyEngineCanRead) {
  const auto shape_of = [](std::int64_t d, std::int64_t e, FlashPath path) {
    const BackwardCall call = random_call(DType::f16, {1, 1, 10, d}, 1, 10, e,
                                          build_schedule(10, 10, {{0, 10, {0, 10}}}, 128));
    return lowered(call, path).shape;
  };
  EXPECT_EQ(shape_of(64, 64, FlashPath::sm90).variant, FlashVariant::hopper);
  EXPECT_EQ(shape_of(33, 70, FlashPath::sm90).variant, FlashVariant::hopper);
  EXPECT_EQ(shape_of(33, 70, FlashPath::sm90).padded_dim, 128);
  EXPECT_EQ(shape_of(64, 129, FlashPath::sm90).variant, FlashVariant::wide);
  EXPECT_EQ(shape_of(64, 129, FlashPath::sm90).padded_dim, 256);
  EXPECT_EQ(shape_of(64, 64, FlashPath::sm80).variant, FlashVariant::wide);
}

TEST(BackwardWork, RefusesWhatItCannotCompute) {
  const BackwardCall call = random_call(DType::f16, {1, 2, 10, 16}, 1, 10, 16,
                                        build_schedule(10, 10, {{0, 10, {0, 10}}}, 128));
  EXPECT_NO_THROW(check_backward_call(call.arguments()));
  const auto refusal = [&](auto change) {
    BackwardArguments wrong = call.arguments();
    change(wrong);
    try {
      check_backward_call(wrong);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("it was accepted");
  };
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.d_out.extent.length = 7; }),
              HasSubstr("flash_backward: d_out is [1, 2, 7, 16]"));
  EXPECT_THAT(refusal([](BackwardArguments& a) { a.schedule = nullptr; }),
              HasSubstr("there is no tile schedule"));
  const TileSchedule other = build_schedule(10, 9, {{0, 10, {0, 9}}}, 128);
  EXPECT_THAT(refusal([&](BackwardArguments& a) { a.schedule = &other; }),
              HasSubstr("10 queries and 9 keys"));
  EXPECT_THAT(refusal([](BackwardArguments& a) {
                for (TensorView* const view : {&a.q, &a.k, &a.v, &a.d_out})
                  view->dtype = DType::f32;
              }),
              HasSubstr("kernel flash takes inputs of type f16 bf16 on a GPU, not f32"));
  EXPECT_THAT([] { require_gpu_backward(Kernel::materialized, DType::f16); },
              ThrowsMessage<Unsupported>(
                  HasSubstr("kernel materialized has no backward pass on a GPU; these kernels "
                            "have: flash")));
}

// The ledger counts the lists, numbers and flags of rows, and copies of unaligned inputs.
TEST(BackwardWork, CostsAreTheBytesThatALaunchAllocates) {
  const BackwardCall call = random_call(DType::bf16, {2, 4, 150, 64}, 2, 300, 40,
                                        build_schedule(150, 300, {{0, 150, {0, 300}}}, 128));
  const GpuKernelCosts costs(FlashPath::sm80, 108);
  const CallCost cost = costs.of_backward_call(Kernel::flash, call.arguments());
  // 3 blocks of rows and 5 of keys, of which the last one is not whole. Each list begins at a
  // multiple of 256 bytes: a flag, 20 items of 16 bytes, 5 blocks of 20, 7 steps of 32, 4 runs.
  const std::int64_t lists = 256 + 512 + 256 + 256 + 256;
  EXPECT_EQ(cost.workspace_bytes, lists + 8 * 256 * 8 + 8 * 4 * 4 + 4 * 6 * 4);
  EXPECT_EQ(cost.executed_pairs, 4 * 15 * 64 * 64);

  const BackwardCall odd = random_call(DType::bf16, {1, 1, 100, 20}, 1, 100, 64,
                                       build_schedule(100, 100, {{0, 100, {0, 100}}}, 128));
  const BackwardArguments a = odd.arguments();
  const AlignedInputs inputs = align_inputs(a);
  EXPECT_TRUE(inputs.q.copied && inputs.k.copied && !inputs.v.copied && !inputs.d_out.copied);
  const BackwardArguments aligned = aligned_call(a, inputs);
  const BackwardWork work = lower_backward(aligned, FlashPath::sm80);
  EXPECT_EQ(backward_memory(aligned, inputs, work).copy_bytes, 2 * 100 * 24 * 2);

  const BackwardCall none =
      random_call(DType::f16, {1, 1, 20, 16}, 1, 20, 16, build_schedule(20, 20, {}, 128));
  EXPECT_EQ(costs.of_backward_call(Kernel::flash, none.arguments()).workspace_bytes, 0);
  EXPECT_EQ(costs.of_backward_call(Kernel::flash, none.arguments()).executed_pairs, 0);
  EXPECT_THROW((void)costs.of_backward_call(Kernel::materialized, none.arguments()), Unsupported);
}

}  // namespace
}  // namespace qb::cuda
