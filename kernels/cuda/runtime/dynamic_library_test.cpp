// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/loaded_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace qb::cuda {
namespace {

TEST(DynamicLibrary, TakesTheFirstNameThatIsThere) {
  const DynamicLibrary library({"libthere_is_none.so.1", "libm.so.6"});
  ASSERT_TRUE(library);
  EXPECT_NE(library.find("cos"), nullptr);
  EXPECT_EQ(library.require("cos"), library.find("cos"));
}

TEST(DynamicLibrary, SaysWhyItIsNotThere) {
  const DynamicLibrary library({"libthere_is_none.so.1"});
  EXPECT_FALSE(library);
  EXPECT_THAT(library.reason(), testing::HasSubstr("libthere_is_none.so.1"));
  EXPECT_EQ(library.find("cos"), nullptr);
}

TEST(DynamicLibrary, NamesTheFunctionThatAnotherVersionLacks) {
  const DynamicLibrary library({"libm.so.6"});
  try {
    (void)library.require("cublasCreate_v99");
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(),
                 "libm.so.6 has no function cublasCreate_v99; is it of another version?");
  }
}

}  // namespace
}  // namespace qb::cuda
