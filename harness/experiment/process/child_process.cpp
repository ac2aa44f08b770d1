// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/clock.h"
#include "base/status.h"

namespace qb {
namespace {

[[noreturn]] void fail(std::string_view what) {
  throw EnvironmentError(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

struct Pipe {
  Fd read_end;
  Fd write_end;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("open a pipe");
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
    if (read_end.get() < 0 || write_end.get() < 0) fail("open a pipe");
  }
};

// Runs between fork and exec, so it makes async-signal-safe calls only.
[[noreturn]] void become(char* const* arguments, int input, int log, int answer, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
  const int badness = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (badness >= 0) {
    [[maybe_unused]] const auto written = ::write(badness, "1000", 4);
    ::close(badness);
  }
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(input, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::dup2(answer, kAnswerFd);
  ::execv(arguments[0], arguments);
  ::_exit(127);
}

// Reads what is available; false at the end of the stream.
bool drain(int fd, std::string& answer) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got > 0) answer.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

class Watch {
 public:
  Watch(pid_t child, int answer, const ChildOptions& options)
      : child_(child),
        ended_(watch_process(child)),
        answer_(answer),
        options_(options),
        start_s_(now_s()) {}

  ChildEnd until_end() {
    ChildEnd end;
    while (true) {
      pollfd watched[3] = {
          {answer_, POLLIN, 0}, {options_.wake_fd, POLLIN, 0}, {ended_.get(), POLLIN, 0}};
      const int ready = ::poll(watched, 3, remaining_ms());
      if (ready < 0 && errno != EINTR) fail("wait for the case");
      if (ready > 0 && watched[1].revents != 0) return killed(end, ChildEnd::Cause::interrupted);
      if (ready > 0 && watched[0].revents != 0 && !drain(answer_, end.answer)) break;
      if (ready > 0 && watched[0].revents == 0 && watched[2].revents != 0) {
        ::kill(-child_, SIGKILL);  // others of its group hold the answer's end open
        break;
      }
      if (remaining_ms() == 0) return killed(end, ChildEnd::Cause::timed_out);
    }
    return after_the_answer(end);
  }

 private:
  // Rounds up, so that a poll of 0 ms means that the time is over.
  [[nodiscard]] int remaining_ms() const {
    const double left_ms = std::ceil((options_.timeout_s - (now_s() - start_s_)) * 1e3);
    return static_cast<int>(std::fmin(std::fmax(left_ms, 0.0), 1e9));
  }

  // The answer's end is closed, usually because the process ended. A process that hangs in its exit
  // handlers still has the deadline.
  ChildEnd after_the_answer(ChildEnd& end) {
    int status = 0;
    while (true) {
      const pid_t ended = ::waitpid(child_, &status, WNOHANG);
      if (ended == child_) break;
      if (ended < 0 && errno != EINTR) fail("wait for the case");
      pollfd wake = {options_.wake_fd, POLLIN, 0};
      if (::poll(&wake, 1, 1) > 0) return killed(end, ChildEnd::Cause::interrupted);
      if (remaining_ms() == 0) return killed(end, ChildEnd::Cause::timed_out);
    }
    end.cause = WIFSIGNALED(status) ? ChildEnd::Cause::signalled : ChildEnd::Cause::exited;
    end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return end;
  }

  ChildEnd killed(ChildEnd& end, ChildEnd::Cause cause) {
    ::kill(-child_, SIGKILL);
    ::kill(child_, SIGKILL);  // in case it has not made its group yet
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    end.cause = cause;
    return end;
  }

  pid_t child_;
  Fd ended_;
  int answer_;
  const ChildOptions& options_;
  double start_s_;
};

}  // namespace

Fd::Fd(int fd) {
  constexpr int kFirstFreeFd = 16;
  if (fd < 0) return;
  fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeFd);
  const int problem = errno;
  ::close(fd);
  errno = problem;
}

Fd watch_process(pid_t process) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

void Fd::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string how_it_ended(const ChildEnd& end) {
  if (end.cause == ChildEnd::Cause::timed_out) return "did not end in time";
  if (end.cause == ChildEnd::Cause::interrupted) return "was interrupted";
  if (end.cause == ChildEnd::Cause::exited) return fmt::format("ended with exit code {}", end.code);
  const char* const name = ::sigabbrev_np(end.code);
  return name != nullptr ? fmt::format("died of SIG{}", name)
                         : fmt::format("died of signal {}", end.code);
}

ChildEnd run_child(const ChildOptions& options) {
  std::vector<char*> arguments;
  for (const std::string& argument : options.command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  const Fd log(::open(options.log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (log.get() < 0) fail("write " + options.log_path);
  Pipe input;
  Pipe answer;
  if (::write(input.write_end.get(), options.input.data(), options.input.size()) !=
      static_cast<ssize_t>(options.input.size()))
    fail("hand the case to its process");
  input.write_end.close();

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail("start a process for the case");
  if (child == 0)
    become(arguments.data(), input.read_end.get(), log.get(), answer.write_end.get(), parent);
  ::setpgid(child, child);  // parent and child both set it: either may be first
  answer.write_end.close();
  return Watch(child, answer.read_end.get(), options).until_end();
}

}  // namespace qb
