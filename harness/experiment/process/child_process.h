// A child process that is watched until it ends: fork, execute, deadline, exit status.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace qb {

// How a child ended, and what it wrote to the answer descriptor until then.
struct ChildEnd {
  enum class Cause { exited, signalled, timed_out, interrupted };
  Cause cause = Cause::exited;
  int code = 0;  // exit code or signal number; 0 where we killed it
  std::string answer;
};

struct ChildOptions {
  std::vector<std::string> command;
  std::string input;     // for its stdin, at most a pipe's buffer (64 KiB)
  std::string log_path;  // its stdout and stderr
  int answer_fd = 3;     // the descriptor that it answers on
  double timeout_s = 0.0;
  int wake_fd = -1;  // readable: kill the child and return `interrupted`
};

// Throws EnvironmentError where the log cannot be written or no process can be made. A command that
// cannot be executed ends with code 127.
[[nodiscard]] ChildEnd run_child(const ChildOptions& options);

}  // namespace qb
