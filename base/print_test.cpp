// SPDX-License-Identifier: Apache-2.0
#include "base/print.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

#include "base/files.h"
#include "base/status.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

// Runs `program` in a process of its own, whose standard streams it may close, and returns its exit
// code: that of the error that it throws, or 128 and the signal that ended it.
int ended(const std::function<void()>& program) {
  std::fflush(stdout);  // what stands in the buffer is not the program's
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      program();
      ::_exit(0);
    } catch (const ExitError& error) {
      ::_exit(static_cast<int>(error.code()));
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void send_to(const char* path, int stream) {
  const int fd = ::open(path, O_WRONLY | O_CREAT, 0600);
  ::dup2(fd, stream);
  ::close(fd);
}

void answer() {
  print_answer("{} of {}\n", 1, 2);
  print_answer("the end\n");
  finish_answers();
}

TEST(Print, AnAnswerThatCannotBeWrittenIsAnErrorOfTheMachine) {
  const ScratchFolder scratch;
  const std::string path = scratch.path("out");
  EXPECT_EQ(ended([&] { send_to(path.c_str(), STDOUT_FILENO), answer(); }), 0);
  EXPECT_EQ(read_file(path), "1 of 2\nthe end\n");
  EXPECT_EQ(ended([] { send_to("/dev/full", STDOUT_FILENO), answer(); }), 3);
}

TEST(Print, ANoteThatCannotBeWrittenIsDropped) {
  EXPECT_EQ(ended([] { send_to("/dev/full", STDERR_FILENO), print_note("{}\n", "a note"); }), 0);
}

TEST(Print, AReaderThatGoesAwayEndsNothing) {
  const auto write_to_nobody = [] {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(9);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    answer();
  };
  EXPECT_EQ(ended(write_to_nobody), 128 + SIGPIPE);
  EXPECT_EQ(ended([&] { guard_standard_streams(), write_to_nobody(); }), 3);
}

// Otherwise the first file that the program opens takes what is printed.
TEST(Print, NoFileTakesThePlaceOfAClosedStream) {
  const ScratchFolder scratch;
  const std::string path = scratch.path("file");
  EXPECT_EQ(ended([&] {
              for (int stream = 0; stream < 3; ++stream) ::close(stream);
              guard_standard_streams();
              write_file_atomically(path, "mine");
              print_note("not mine");
              answer();
            }),
            3);
  EXPECT_EQ(read_file(path), "mine");
}

}  // namespace
}  // namespace qb
