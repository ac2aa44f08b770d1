// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/kernel_costs.h"

#include <gtest/gtest.h>

#include "kernels/cuda/blas/blas.h"
#include "kernels/cuda/blas/staged_work.h"
#include "kernels/cuda/flash/flash_work.h"
#include "kernels/cuda/testing/flash_test_support.h"
#include "kernels/layer_call.h"
#include "kernels/tile_schedule.h"

namespace qb::cuda {
namespace {

TEST(MaterializedMemory, IsTheWorkspaceTheBiasTwoScoreMatricesAndWhatMasks) {
  const Extent q{2, 4, 30, 64};
  const Extent k{2, 2, 50, 64};
  const std::int64_t matrix = 30 * 50 * 2;
  const TileSchedule full = build_schedule(30, 50, {{0, 30, {0, 50}}}, 256);
  EXPECT_EQ(materialized_memory(q, k, DType::f16, full).peak_bytes(),
            (32 << 20) + matrix * (1 + 2 * 8));
  EXPECT_EQ(materialized_memory(q, k, DType::f32, full).peak_bytes(),
            (32 << 20) + 2 * matrix * (1 + 2 * 8));
  const TileSchedule causal = build_schedule(30, 50, {{0, 30, {0, 50, SpanKind::causal, 20}}}, 256);
  const MaterializedMemory masked = materialized_memory(q, k, DType::f16, causal);
  EXPECT_GT(masked.schedule_bytes, 0u);
  EXPECT_EQ(masked.peak_bytes(), (32 << 20) + matrix * (1 + 2 * 8));  // it fits into the second
  // With one row and one key, the schedule is larger than a score.
  const TileSchedule one = build_schedule(2, 1, {{1, 2, {0, 1}}}, 256);
  const MaterializedMemory small = materialized_memory({1, 1, 2, 8}, {1, 1, 1, 8}, DType::f16, one);
  EXPECT_EQ(small.peak_bytes(),
            (32 << 20) + 4 + 4 + static_cast<std::int64_t>(small.schedule_bytes));
  EXPECT_GT(small.schedule_bytes, small.scores_bytes);
  EXPECT_EQ(materialized_memory({1, 1, 0, 8}, k, DType::f16, full).peak_bytes(), 0);
}

TEST(GpuKernelCosts, TellWhatEachKernelTakesAndWhatNobodyKnows) {
  flash_support::Problem problem = {{.q = {1, 2, 100, 128}, .kv_heads = 2, .n_keys = 150}, 1};
  problem.add_whole({{0, 100, {0, 150}}});
  const GroupedCall call = problem.call();
  const AttentionArguments a{call.q, call.k,   call.v,  call.workers[0].schedule,
                             1.0,    call.out, call.lse};
  const GpuKernelCosts costs(FlashPath::sm80, 108);
  EXPECT_EQ(costs.of_launch(call)->executed_pairs, 2 * 128 * (128 + 32));
  EXPECT_EQ(costs.of_call(Kernel::flash, a).workspace_bytes,
            costs.of_launch(call)->workspace_bytes);
  EXPECT_EQ(costs.of_call(Kernel::materialized, a).executed_pairs, 2 * 100 * 150);
  EXPECT_EQ(costs.of_call(Kernel::materialized, a).workspace_bytes,
            materialized_memory(a.q.extent, a.k.extent, a.q.dtype, *a.schedule).peak_bytes());
  EXPECT_EQ(costs.of_call(Kernel::staged, a).executed_pairs, 2 * 100 * 150);
  EXPECT_EQ(costs.of_call(Kernel::staged, a).workspace_bytes,
            StagedWork(a.q.extent, *a.schedule).workspace_bytes());

  // For flash these are its lists; the workspace holds the partials too.
  EXPECT_EQ(costs.of_launch(call)->list_bytes,
            static_cast<std::int64_t>(list_bytes(lower(call, FlashPath::sm80, 108))));
  EXPECT_LE(costs.of_launch(call)->list_bytes, costs.of_launch(call)->workspace_bytes);
  EXPECT_EQ(costs.of_call(Kernel::materialized, a).list_bytes, 0);
  EXPECT_EQ(costs.bytes_of_linear({}), 32 << 20);

  // Where the number of multiprocessors is not known, only the pairs are predicted.
  const GpuKernelCosts unknown(FlashPath::sm80, 0);
  EXPECT_EQ(unknown.of_launch(call)->workspace_bytes, std::nullopt);
  EXPECT_EQ(unknown.of_launch(call)->executed_pairs, costs.of_launch(call)->executed_pairs);
}

TEST(GpuKernelCosts, SplittingLongTilesTakesMemoryAndComputesNoMorePairs) {
  flash_support::Problem problem = {{.q = {1, 1, 128, 128}, .kv_heads = 1, .n_keys = 5000}, 1};
  problem.add_whole({{0, 128, {0, 5000}}});
  const GroupedCall call = problem.call();
  for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90}) {
    const CallCost small = GpuKernelCosts(path, 1).of_launch(call).value();
    const CallCost large = GpuKernelCosts(path, 132).of_launch(call).value();
    EXPECT_GT(large.workspace_bytes, small.workspace_bytes);
    EXPECT_EQ(large.executed_pairs, small.executed_pairs);
  }
}

}  // namespace
}  // namespace qb::cuda
