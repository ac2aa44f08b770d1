// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/testing/spelt_plans.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kDim = 16;

// 12 tokens of 4 query heads and 2 key-value heads, in two bytes.
Problem twelve_tokens() {
  return make_problem({1, 4, 2, 12, 12, kDim, kDim}, MaskKind::causal, DType::bf16, 1);
}

std::vector<TensorRole> tensors_of(const std::vector<MovedTensor>& rows) {
  std::vector<TensorRole> tensors;
  for (const MovedTensor& row : rows) tensors.push_back(row.what);
  return tensors;
}

TEST(MovedTensors, OfARingAreKeysAndInABackwardPassTheirGradientsToo) {
  const auto moved = [](Pass pass) {
    return moved_tensors(make_plan("ring", twelve_tokens(), {.workers = 3, .pass = pass}));
  };
  EXPECT_THAT(tensors_of(moved(Pass::forward)), ElementsAre(TensorRole::k, TensorRole::v));
  const std::vector<MovedTensor> backward = moved(Pass::backward);
  ASSERT_THAT(tensors_of(backward),
              ElementsAre(TensorRole::k, TensorRole::v, TensorRole::d_k, TensorRole::d_v));
  constexpr std::int64_t kElements = 4 * 2 * kDim;  // of a shard of keys
  for (const MovedTensor& row : backward) {
    const bool gradient = is_gradient(row.what);
    EXPECT_EQ(row.kind, TransferKind::p2p);
    EXPECT_EQ(row.transfers, 3 * (gradient ? 3 : 2)) << "gradients make one hop more";
    EXPECT_EQ(row.bytes, row.transfers * kElements * (gradient ? 4 : 2));
    EXPECT_EQ(row.busiest_bytes, row.bytes / 3);
  }
}

TEST(MovedTensors, OfARootAreScatteredAndGathered) {
  const std::vector<MovedTensor> rows =
      moved_tensors(make_plan("cqs", twelve_tokens(), {.workers = 3, .pass = Pass::backward}));
  ASSERT_THAT(tensors_of(rows), ElementsAre(TensorRole::q, TensorRole::k, TensorRole::v,
                                            TensorRole::d_out, TensorRole::lse, TensorRole::delta,
                                            TensorRole::d_q, TensorRole::d_k, TensorRole::d_v));
  for (const MovedTensor& row : rows) {
    EXPECT_EQ(row.kind, is_gradient(row.what) ? TransferKind::gather : TransferKind::scatter);
    EXPECT_EQ(row.transfers, 3);
  }
}

TEST(MovedTensors, OfOneWorkerAreNone) {
  EXPECT_TRUE(moved_tensors(make_plan("dense", twelve_tokens(), {})).empty());
  // An all-to-all of one worker is a share for itself.
  EXPECT_TRUE(moved_tensors(make_plan("ulysses", twelve_tokens(), {.workers = 1})).empty());
}

TEST(MovedTensors, AddUpToTheBytesOfTheWorkModelRotatingOrSpeltOut) {
  for (const Pass pass : kEveryPass)
    (void)testing_support::for_random_plans(
        250,
        [](const Plan& plan, std::mt19937_64&) {
          std::int64_t bytes = 0;
          for (const MovedTensor& row : moved_tensors(plan)) {
            ASSERT_TRUE(belongs_to(plan.pass, row.what));
            ASSERT_GE(row.bytes, row.busiest_bytes);
            bytes += row.bytes;
          }
          ASSERT_EQ(bytes, model_work(plan, Kernel::reference).bytes_total);
          std::int64_t spelt_bytes = 0;
          for (const MovedTensor& row : moved_tensors(testing_support::spelt_out(plan)))
            spelt_bytes += row.bytes;
          ASSERT_EQ(spelt_bytes, bytes);
        },
        std::random_device{}(), pass);
}

}  // namespace
}  // namespace qb
