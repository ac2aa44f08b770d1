// SPDX-License-Identifier: Apache-2.0
// For tests only: runs the built qb binary through a shell and keeps its output.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "base/files.h"
#include "base/testing/scratch_folder.h"

namespace qb::testing_support {

struct Said {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs qb with `words` as a shell reads them; `before` goes in front of the binary (VAR=x, ulimit
// …;).
inline Said run_qb(const std::string& words, const std::string& before = "") {
  const ScratchFolder scratch;
  const std::string command = before + " ${QB_TESTED_BINARY:-" QB_BINARY "} " + words + " >" +
                              scratch.path("out") + " 2>" + scratch.path("err") + " </dev/null";
  const int status = std::system(command.c_str());
  Said said;
  said.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  said.out = read_file(scratch.path("out"));
  said.err = read_file(scratch.path("err"));
  return said;
}

}  // namespace qb::testing_support
