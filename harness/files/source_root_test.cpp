#include "harness/files/source_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/status.h"
#include "harness/files/scratch_folder.h"

namespace qb {
namespace {

TEST(SourceRoot, OfThisProgramHasTheSpecs) {
  EXPECT_TRUE(std::filesystem::exists(source_path("experiments/smoke.yaml")));
}

TEST(SourceRoot, IsTheNearestFolderAboveTheProgramWithSpecs) {
  const ScratchFolder scratch;
  (void)scratch.file("renamed/experiments/smoke.yaml", "");
  const std::filesystem::path kit = scratch.path("renamed");
  EXPECT_EQ(search_source_root(kit / "bin/qb", ""), kit);
  EXPECT_EQ(search_source_root(scratch / "elsewhere/qb", kit), kit);
}

TEST(SourceRoot, ThatIsNowhereIsOneSentence) {
  const ScratchFolder scratch;
  try {
    (void)search_source_root(scratch / "bin/qb", scratch.path());
    FAIL() << "found one";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("run qb from its checkout or its kit"));
  }
}

}  // namespace
}  // namespace qb
