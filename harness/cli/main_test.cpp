// SPDX-License-Identifier: Apache-2.0
// A qb that a program starts ends with that program, which names itself in QB_PARENT.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing_support::run_qb;
using testing_support::Said;

// It takes about an hour.
constexpr const char* kHour =
    "experiment: hour\nkernel: reference\nn_tokens: 512\nhead_dim: 8\nalgorithm: dense\n"
    "measure: {repeats: 1000000, timeout: 4000s}\n";

class Parent : public testing::Test {
 protected:
  void SetUp() override {
    // What this process starts, and what that starts, becomes a child of this one when it is
    // orphaned.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  }
  void TearDown() override { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

  [[nodiscard]] std::string words() const {
    return "run " + spec_ + " --out " + scratch_.path("r");
  }

  // Starts a shell that starts the run and then waits; returns it and qb.
  void start() {
    const std::string command = "QB_PARENT=$$ ${QB_TESTED_BINARY:-" QB_BINARY "} " + words() +
                                " >/dev/null 2>" + scratch_.path("err") + " & echo $! >" +
                                scratch_.path("pid.part") + "; mv " + scratch_.path("pid.part") +
                                " " + scratch_.path("pid") + "; wait";
    shell_ = ::fork();
    if (shell_ == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    const auto begun = [&] {
      return std::filesystem::exists(scratch_.path("r/hour/latest")) &&
             std::filesystem::exists(scratch_.path("pid"));
    };
    for (int look = 0; look < 3000 && !begun(); ++look)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(begun()) << read_file(scratch_.path("err"));
    std::ifstream(scratch_.path("pid")) >> qb_;
  }

  const ScratchFolder scratch_;
  const std::string spec_ = scratch_.file("hour.yaml", kHour);
  pid_t shell_ = 0;
  pid_t qb_ = 0;
};

TEST_F(Parent, WhenItIsKilledQbEndsAsIfInterrupted) {
  ASSERT_NO_FATAL_FAILURE(start());
  ::kill(shell_, SIGKILL);
  ASSERT_EQ(::waitpid(shell_, nullptr, 0), shell_);
  int status = 0;
  ASSERT_EQ(::waitpid(qb_, &status, 0), qb_);  // it would take an hour
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(read_file(scratch_.path("err")), testing::HasSubstr("interrupted: 0 of 1 cases"));
}

TEST_F(Parent, WhereItHasEndedAlreadyNothingRuns) {
  const Said said = run_qb(words(), "exec env QB_PARENT=1");
  EXPECT_EQ(said.exit_code, 128 + SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("r")));
}

}  // namespace
}  // namespace qb
