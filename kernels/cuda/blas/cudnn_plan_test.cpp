// SPDX-License-Identifier: Apache-2.0
// Tests which of cuDNN's engines is taken, with a library that answers as the test wants. It is
// linked before any other library of its name can be loaded.
#include "kernels/cuda/blas/cudnn_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "kernels/cuda/testing/cudnn_fake.h"

namespace qb::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

constexpr auto kTakes = CUDNN_STATUS_SUCCESS;
constexpr auto kRefuses = CUDNN_STATUS_NOT_SUPPORTED_SHAPE;
constexpr auto kFails = CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED;
constexpr auto kFirst = CUDNN_HEUR_MODE_A;
constexpr auto kFallback = CUDNN_HEUR_MODE_FALLBACK;

class CudnnPlans : public ::testing::Test {
 protected:
  CudnnPlans() { fake_cudnn() = {}; }
  ~CudnnPlans() override { EXPECT_EQ(fake_cudnn().live_descriptors, 0); }

  static CudnnPlan plan(WholeMask mask = WholeMask::none) {
    AttentionArguments a;
    a.q = a.k = a.v = contiguous_view(nullptr, DType::bf16, {1, 2, 64, 128});
    a.lse = contiguous_view(nullptr, DType::f32, {1, 2, 64, 1});
    return make_plan(nullptr, attention_operations(a, a.q, mask));
  }
  static std::int64_t workspace_bytes() { return plan().workspace_bytes; }
};

TEST_F(CudnnPlans, AreOfTheFirstEngineWhereItTakesTheGraph) {
  fake_cudnn().engines[kFirst] = {kTakes, kTakes};
  EXPECT_EQ(workspace_bytes(), fake_workspace_bytes(kFirst, 0));
  EXPECT_THAT(fake_cudnn().tried, ElementsAre(Pair(kFirst, 0)));
  EXPECT_EQ(fake_cudnn().n_operations, 1u);
}

TEST_F(CudnnPlans, AreOfALaterEngineWhereTheFirstOnesRefuseOrFail) {
  fake_cudnn().engines[kFirst] = {kRefuses, kFails, kTakes, kTakes};
  fake_cudnn().engines[kFallback] = {kTakes};
  EXPECT_EQ(workspace_bytes(), fake_workspace_bytes(kFirst, 2));
  EXPECT_THAT(fake_cudnn().tried, ElementsAre(Pair(kFirst, 0), Pair(kFirst, 1), Pair(kFirst, 2)));
}

TEST_F(CudnnPlans, FallBackWhereNoProposalTakesTheGraphOrThereIsNone) {
  fake_cudnn().engines[kFallback] = {kRefuses, kTakes};
  EXPECT_EQ(workspace_bytes(), fake_workspace_bytes(kFallback, 1));
  fake_cudnn().engines[kFirst] = {kRefuses};
  EXPECT_EQ(workspace_bytes(), fake_workspace_bytes(kFallback, 1));
  fake_cudnn().heuristics[kFirst] = kRefuses;
  EXPECT_EQ(workspace_bytes(), fake_workspace_bytes(kFallback, 1));
}

TEST_F(CudnnPlans, AreUnsupportedOnlyWhenEveryEngineHasRefused) {
  fake_cudnn().engines[kFirst] = {kRefuses, kRefuses};
  fake_cudnn().engines[kFallback] = {kRefuses};
  EXPECT_THAT(workspace_bytes,
              ThrowsMessage<Unsupported>(
                  AllOf(HasSubstr("proposes 3 engines"), HasSubstr("none of them takes it"),
                        HasSubstr("sealing a plan: CUDNN_STATUS_NOT_SUPPORTED_SHAPE"))));
  EXPECT_EQ(fake_cudnn().tried.size(), 3u);
  fake_cudnn().engines.clear();
  EXPECT_THAT(workspace_bytes, ThrowsMessage<Unsupported>(HasSubstr("proposes no engine")));
}

TEST_F(CudnnPlans, AreAnErrorWhereOneFailedAndNoneTakesTheGraph) {
  fake_cudnn().engines[kFirst] = {kRefuses, kFails};
  try {
    (void)plan();
    FAIL() << "nothing was thrown";
  } catch (const CaseError& error) {
    EXPECT_EQ(error.status(), Status::error);
    EXPECT_THAT(error.what(), HasSubstr("proposes 2 engines"));
  }
}

TEST_F(CudnnPlans, TryNoMoreEnginesOnALostDevice) {
  fake_cudnn().engines[kFirst] = {CUDNN_STATUS_EXECUTION_FAILED, kTakes};
  try {
    (void)plan();
    FAIL() << "nothing was thrown";
  } catch (const CaseError& error) {
    EXPECT_EQ(error.status(), Status::crashed);
  }
  EXPECT_EQ(fake_cudnn().tried.size(), 1u);
}

TEST_F(CudnnPlans, AreOfAPatternOfOperationsForTheCausalMask) {
  fake_cudnn().engines[kFirst] = {kTakes};
  EXPECT_EQ(plan(WholeMask::causal).workspace_bytes, fake_workspace_bytes(kFirst, 0));
  EXPECT_EQ(fake_cudnn().n_operations, 14u);
}

}  // namespace
}  // namespace qb::cuda
