// SPDX-License-Identifier: Apache-2.0
#include "base/source_root.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/status.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

TEST(SourceRoot, OfThisProgramHasTheSpecs) {
  EXPECT_TRUE(std::filesystem::exists(source_path("experiments/smoke.yaml")));
}

TEST(SourceRoot, IsTheNearestFolderAboveTheProgramWithSpecs) {
  const ScratchFolder scratch;
  (void)scratch.file("renamed/experiments/smoke.yaml", "");
  const std::filesystem::path kit = scratch.path("renamed");
  EXPECT_EQ(search_source_root(kit / "bin/qb"), kit);
}

TEST(SourceRoot, OfABuildFolderElsewhereIsTheCheckoutThatItIsOf) {
  const ScratchFolder scratch;
  (void)scratch.file("checkout/experiments/smoke.yaml", "");
  (void)scratch.file(
      "elsewhere/CMakeCache.txt",
      "//A comment\nCMAKE_BUILD_TYPE:STRING=Release\n" +
          fmt::format("CMAKE_HOME_DIRECTORY:INTERNAL={}\n", scratch.path("checkout")));
  EXPECT_EQ(search_source_root(scratch / "elsewhere/harness/cli/qb"), scratch / "checkout");
}

TEST(SourceRoot, ThatIsNowhereIsOneSentence) {
  const ScratchFolder scratch;
  try {
    (void)search_source_root(scratch / "bin/qb");
    FAIL() << "found one";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("run qb from its checkout or its kit"));
  }
}

}  // namespace
}  // namespace qb
