// SPDX-License-Identifier: Apache-2.0
// For tests only: a temporary folder that the destructor removes.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/files.h"

namespace qb {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "qb_test_XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), pattern);
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name = "") const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path(name); }
  // Writes a file, and the folders above it, into the folder and returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
    ensure_directory(std::filesystem::path(path(name)).parent_path().string());
    write_file_atomically(path(name), content);
    return path(name);
  }

 private:
  std::string path_;
};

}  // namespace qb
