// For tests only: runs the built qb binary through a shell and keeps what it said.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/files/files.h"

namespace qb::testing_support {

struct Said {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// A folder of this test's own, gone with it.
class Scratch {
 public:
  Scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "qb_test_XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name = "") const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  // Writes a file into the folder and returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
    write_file_atomically(path(name), content);
    return path(name);
  }

 private:
  std::string path_;
};

// `words` as a shell would read them; `before` goes in front of the binary (VAR=x, ulimit …;).
inline Said run_qb(const std::string& words, const std::string& before = "") {
  const Scratch scratch;
  const std::string command = before + " " QB_BINARY " " + words + " >" + scratch.path("out") +
                              " 2>" + scratch.path("err") + " </dev/null";
  const int status = std::system(command.c_str());
  Said said;
  said.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  said.out = read_file(scratch.path("out"));
  said.err = read_file(scratch.path("err"));
  return said;
}

}  // namespace qb::testing_support
