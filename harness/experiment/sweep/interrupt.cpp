// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/status.h"

namespace qb {
namespace {

// A signal handler can reach only globals.
std::atomic<bool> g_requested{false};
int g_pipe[2] = {-1, -1};
struct sigaction g_old_int = {};
struct sigaction g_old_term = {};

static_assert(std::atomic<bool>::is_always_lock_free);

void remember(int) {
  const int saved = errno;
  g_requested.store(true);
  [[maybe_unused]] const auto written = ::write(g_pipe[1], "!", 1);
  errno = saved;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  g_requested.store(false);
  if (::pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    throw EnvironmentError("cannot open a pipe: too many open files");
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &g_old_int);
  ::sigaction(SIGTERM, &action, &g_old_term);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &g_old_int, nullptr);
  ::sigaction(SIGTERM, &g_old_term, nullptr);
  for (int& fd : g_pipe) {
    ::close(fd);
    fd = -1;
  }
}

bool InterruptGuard::requested() const { return g_requested.load(); }

int InterruptGuard::wake_fd() const { return g_pipe[0]; }

}  // namespace qb
