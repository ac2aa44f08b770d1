// SPDX-License-Identifier: Apache-2.0
// What `qb attend` takes of a machine's memory, seen from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>

#include "harness/cli/testing/run_binary.h"
#include "harness/verify/tensor_file.h"

namespace qb {
namespace {

using testing_support::run_qb;
using testing_support::Said;

constexpr std::int64_t kFileMib = 64;

class AttendMemory : public testing::Test {
 protected:
  void SetUp() override {
    const std::string header = npy_header(DType::f32, {4096, 64, 64});
    for (const char* name : {"q", "k", "v", "do"}) {
      const std::string file = scratch_.file(name, header);
      std::filesystem::resize_file(file, header.size() + (kFileMib << 20));
    }
  }
  // Takes names of options and of files.
  [[nodiscard]] std::string words(std::initializer_list<const char*> names) const {
    std::string words = "attend --threads 2";
    for (const char* name : names) words += fmt::format(" --{0} {1}", name, scratch_.path(name));
    return words;
  }
  // Expects a peak between that of so many files and 64 MiB more.
  void expect_peak(const std::string& words, std::int64_t n_files) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string command = "exec " QB_BINARY " " + words + " >" + scratch_.path("said");
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    int status = -1;
    rusage used{};
    ASSERT_EQ(::wait4(child, &status, 0, &used), child);
    ASSERT_EQ(status, 0);
    EXPECT_GT(used.ru_maxrss, n_files * kFileMib << 10) << "it has all of them at once";
    EXPECT_LT(used.ru_maxrss, (n_files * kFileMib + 64) << 10);
  }
  ScratchFolder scratch_;
};

TEST_F(AttendMemory, IsThatOfItsFilesAnd64MibWithDenseFlash) {
  expect_peak(words({"q", "k", "v", "out"}), 4);
}

TEST_F(AttendMemory, HasNoRoomForAnOThatNobodyWritesInABackwardPass) {
  expect_peak(words({"q", "k", "v", "do", "dq", "dk", "dv"}) + " --backward", 7);
}

TEST_F(AttendMemory, IsRefusedWithItsSizesWhereThereIsLess) {
  const Said said = run_qb(words({"q", "k", "v", "out"}), "ulimit -v 300000;");
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err,
              testing::MatchesRegex("qb: 259\\.06 MiB of memory are needed and .* MiB are "
                                    "free: batch 1, heads 4096 / 4096, .*\n"));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("out")));
}

}  // namespace
}  // namespace qb
