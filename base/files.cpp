// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/status.h"

namespace qb {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

// Returns 0 or errno.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

[[noreturn]] void fail(std::string_view action, const std::string& path, int problem) {
  throw EnvironmentError(fmt::format("cannot {} {}: {}", action, path, std::strerror(problem)));
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw UsageError(fmt::format("cannot read {}: it is a folder", path));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UsageError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

void write_file_atomically(const std::string& path, std::string_view content) {
  const std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  {
    const FileDescriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) fail("write", path, errno);
    if (const int problem = write_all(file.get(), content); problem != 0) {
      ::unlink(temporary.c_str());
      fail("write", path, problem);
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int problem = errno;
    ::unlink(temporary.c_str());
    fail("write", path, problem);
  }
}

void append_and_flush(const std::string& path, std::string_view content) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) fail("append to", path, errno);
  struct stat before {};
  if (::fstat(file.get(), &before) != 0) fail("append to", path, errno);
  if (const int problem = write_all(file.get(), content); problem != 0) {
    if (::ftruncate(file.get(), before.st_size) != 0) fail("cut back", path, errno);
    fail("append to", path, problem);
  }
}

void ensure_directory(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem)
    throw EnvironmentError(fmt::format("cannot create the folder {}: {}; choose another with --out",
                                       path, problem.message()));
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    throw EnvironmentError(
        fmt::format("cannot write to the folder {}: {}; choose another with --out", path,
                    std::strerror(errno)));
}

}  // namespace qb
