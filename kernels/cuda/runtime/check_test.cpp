// SPDX-License-Identifier: Apache-2.0
// Tests what errors of the CUDA runtime lead to. It is compiled with CUDA and needs no GPU.
#include "kernels/cuda/runtime/check.cuh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qb::cuda {
namespace {

Status status_of(cudaError_t error) {
  try {
    fail(error, "cudaSomething(…)", "file.cpp", 7);
  } catch (const CaseError& thrown) {
    return thrown.status();
  }
}

TEST(CudaCheck, OutOfMemoryAndALostDeviceEndTheCase) {
  EXPECT_EQ(status_of(cudaErrorMemoryAllocation), Status::oom);
  for (const cudaError_t lost : {cudaErrorIllegalAddress, cudaErrorLaunchFailure,
                                 cudaErrorECCUncorrectable, cudaErrorLaunchTimeout})
    EXPECT_EQ(status_of(lost), Status::crashed) << lost;
}

TEST(CudaCheck, AnythingElseNamesTheCallAndThePlace) {
  try {
    QB_CUDA_CHECK(cudaErrorInvalidValue);
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("check_test.cpp:"));
    EXPECT_THAT(error.what(), testing::HasSubstr("cudaErrorInvalidValue failed: "));
  }
}

}  // namespace
}  // namespace qb::cuda
