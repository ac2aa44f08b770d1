// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/tensor_share.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"

namespace qb {
namespace {

std::string refused(const TensorShare& whole, std::int64_t workers) {
  try {
    (void)tensor_share(whole, workers);
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "nothing";
}

TEST(TensorShareOfAWorker, IsAnEvenPartOfHeadsAndColumns) {
  EXPECT_EQ(tensor_share({128, 8, 53248}, 8), (TensorShare{16, 1, 6656}));
  EXPECT_EQ(tensor_share({12, 12, 3072}, 3), (TensorShare{4, 4, 1024}));
  EXPECT_EQ(tensor_share({7, 7, 5}, 1), (TensorShare{7, 7, 5}));
}

TEST(TensorShareOfAWorker, RepeatsKeyValueHeadsThatAreTooFew) {
  const TensorShare whole{8, 2, 16};
  EXPECT_EQ(tensor_share(whole, 8), (TensorShare{1, 1, 2}));
  for (std::int64_t worker = 0; worker < 8; ++worker) {
    // The one query head of the worker reads the key-value head of its group.
    EXPECT_EQ(first_kv_head(whole, 8, worker), worker / 4) << worker;
  }
  for (std::int64_t worker = 0; worker < 2; ++worker)
    EXPECT_EQ(first_kv_head(whole, 2, worker), worker);
}

TEST(TensorShareOfAWorker, IsRefusedWhereSomethingDoesNotDivide) {
  EXPECT_EQ(refused({12, 12, 3072}, 5),
            "tensor_parallel deals whole heads and columns to workers: 12 query heads do not "
            "divide among 5");
  EXPECT_EQ(refused({12, 4, 3072}, 6),
            "tensor_parallel deals whole heads and columns to workers: 4 key-value heads do not "
            "divide among 6");
  EXPECT_EQ(refused({4, 4, 10}, 4),
            "tensor_parallel deals whole heads and columns to workers: 10 columns of the "
            "feed-forward do not divide among 4");
  EXPECT_EQ(refused({4, 4, 12}, 4), "nothing");
}

}  // namespace
}  // namespace qb
