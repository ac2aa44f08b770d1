// SPDX-License-Identifier: Apache-2.0
// Runs one child process per case, so that a crash, a hang or the kernel's out-of-memory killer
// costs one row and not the sweep. The child is a program, executed anew (`qb __case`) and
// never merely forked: thread pools of the parent would not survive a fork. It reads the case as
// JSON from stdin, answers with a CaseResult as JSON on kAnswerFd, and its stdout and stderr go to
// the case's log. It leads its own process group, is the first choice of the out-of-memory killer,
// and dies with the parent.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/sweep/interrupt.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

struct CasePaths {
  std::string log;              // stdout and stderr of the child
  std::string trace_directory;  // empty: no traces
};

// The result of a case that ended before it could answer.
[[nodiscard]] CaseResult ended(Status status, const std::string& message);

// The last line of a log that is not empty, for the message of a failure; empty where there is
// none.
[[nodiscard]] std::string last_line(const std::string& log_path);

// Runs a case; tests of the sweep use a fake.
class Launcher {
 public:
  virtual ~Launcher() = default;
  // Returns when the case has ended: with Status::timeout after measure.timeout_s, crashed (with
  // the signal's name) for a death or a malformed answer, oom for the kernel's killer, interrupted
  // when the user asked to stop. Throws EnvironmentError where no child can be started.
  [[nodiscard]] virtual CaseResult launch(const Case& c, const CasePaths& paths) = 0;
};

class ProcessLauncher final : public Launcher {
 public:
  // `command` is executed, followed by `--traces DIR` where traces are wanted. Below `root` lie
  // /proc and /sys, which say whether the kernel killed for memory.
  ProcessLauncher(std::vector<std::string> command, const InterruptGuard& interrupt,
                  std::string root = "")
      : command_(std::move(command)), interrupt_(interrupt), root_(std::move(root)) {}
  [[nodiscard]] CaseResult launch(const Case& c, const CasePaths& paths) override;

  // `/proc/self/exe __case`: this binary, even where its file has been replaced since.
  [[nodiscard]] static std::vector<std::string> own_command();

 private:
  std::vector<std::string> command_;
  const InterruptGuard& interrupt_;
  std::string root_;
};

// The child reads the case from stdin, runs it and answers. The hidden verb `__case` calls this.
void answer_case(const std::string& trace_directory);

// The answer of a child.
[[nodiscard]] std::string result_to_json(const CaseResult& result);

// Throws std::runtime_error, which says what is wrong, on a malformed or torn answer.
[[nodiscard]] CaseResult result_from_json(std::string_view text);

}  // namespace qb
