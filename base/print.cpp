// SPDX-License-Identifier: Apache-2.0
#include "base/print.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/status.h"

namespace qb {
namespace {

[[noreturn]] void fail() {
  throw EnvironmentError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace

void print_answer(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void finish_answers() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) fail();
}

void guard_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  // Each takes the lowest number that is free. It is for reading, so that writing still fails.
  while (true) {
    const int fd = ::open("/dev/null", O_RDONLY);
    if (fd > STDERR_FILENO) ::close(fd);
    if (fd < 0 || fd > STDERR_FILENO) return;
  }
}

}  // namespace qb
