// SPDX-License-Identifier: Apache-2.0
// For fuzzing only (cmake/fuzz.sh): what the programs that read damaged files have in common.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace qb::testing_support {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Runs a reader, which may end in `Refusal` and in no other exception.
template <class Refusal, class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const Refusal&) {
  }
}

// Stops the fuzzer, which then keeps the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// What is written to a descriptor, as a file that a reader can open by its path.
class OpenFile {
 public:
  explicit OpenFile(std::string_view content)
      : fd_(::memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    fill(fd_, content);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(fd_); }

  // Makes it a pipe, which is read once and does not say its size.
  void become_pipe(std::string_view content) {
    int ends[2];
    require(::pipe2(ends, O_CLOEXEC) == 0);
    require(::dup2(ends[0], fd_) == fd_);
    fill(ends[1], content);
    ::close(ends[0]);
    ::close(ends[1]);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static void fill(int fd, std::string_view content) {
    require(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  }

  int fd_;
  std::string path_;
};

}  // namespace qb::testing_support
