// SPDX-License-Identifier: Apache-2.0
// A child process that is watched until it ends: fork, execute, deadline, exit status.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace qb {

// Owns a file descriptor and closes it; -1 means no descriptor.
class Fd {
 public:
  Fd() = default;
  // Takes `fd` over and moves it above those that a child rearranges.
  explicit Fd(int fd);
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { close(); }
  void close();
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// A descriptor that is readable once the process has ended; a kernel without pidfd_open gives none.
[[nodiscard]] Fd watch_process(pid_t process);

// How a child ended, and what it wrote to the answer descriptor.
struct ChildEnd {
  enum class Cause { exited, signalled, timed_out, interrupted };
  Cause cause = Cause::exited;
  int code = 0;  // exit code or signal number; 0 where this program killed it
  std::string answer;
};

inline constexpr int kAnswerFd = 3;  // the descriptor that a child answers on

struct ChildOptions {
  std::vector<std::string> command;
  std::string input{};   // written to its stdin, at most a pipe's buffer (64 KiB)
  std::string log_path;  // its stdout and stderr
  double timeout_s = 0.0;
  int wake_fd = -1;  // once readable, the child is killed and the end is `interrupted`
};

// `died of SIGSEGV`, `ended with exit code 3`.
[[nodiscard]] std::string how_it_ended(const ChildEnd& end);

// Throws EnvironmentError where the log cannot be written or no process can be started. A command
// that cannot be executed ends with code 127. What a child leaves behind with its answer descriptor
// open is killed.
[[nodiscard]] ChildEnd run_child(const ChildOptions& options);

}  // namespace qb
