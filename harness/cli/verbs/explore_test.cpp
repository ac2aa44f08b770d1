// SPDX-License-Identifier: Apache-2.0
// `qb explore` through the real binary, with a python3 that is not there, has no package, or prints
// its words. python/tests/test_explore.py tests the page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

// Gives the PATH of a folder whose python3 is this script.
std::string path_with(const ScratchFolder& scratch, const std::string& script) {
  const std::string python = scratch.file("python3", "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  return "PATH=" + scratch.path() + ":$PATH";
}

TEST(ExploreVerb, WithoutPythonItSaysSo) {
  const Said said = run_qb("explore a", "PATH=/nonexistent");
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err, HasSubstr("explore needs python3, which cannot be started"));
}

TEST(ExploreVerb, WithoutThePackageItSaysWhatToDo) {
  const ScratchFolder scratch;
  const Said said = run_qb("explore a", path_with(scratch, "exec /usr/bin/python3 -S -E \"$@\""));
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err, HasSubstr("No module named 'quorumbench'; run ./qb python and then "
                                  "./qb explore"));
}

TEST(ExploreVerb, HandsItsWordsToThePackage) {
  const ScratchFolder scratch;
  const Said said = run_qb("explore 'a b' c --out page.html",
                           path_with(scratch, "shift 2; printf '%s|' \"$@\"; exit 2"));
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.out, EndsWith("page.html|a b|c|"));
  EXPECT_EQ(run_qb("explore").exit_code, 2);
}

}  // namespace
}  // namespace qb
