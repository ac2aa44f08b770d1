#include "harness/experiment/store/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"

namespace qb {
namespace {

std::string pid_in(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : std::string("?");
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) {
  const std::string path = folder + "/.lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0)
    throw EnvironmentError(
        fmt::format("cannot write to the run folder {}: {}; choose another with "
                    "--out",
                    folder, std::strerror(errno)));
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const std::string pid = pid_in(fd_);
    ::close(fd_);
    throw EnvironmentError(
        fmt::format("another run (pid {}) is writing {}; wait for it, or choose another --run-id",
                    pid, folder));
  }
  // The id serves only the message above: where it cannot be written, the lock still holds.
  const std::string pid = fmt::format("{}", ::getpid());
  [[maybe_unused]] const auto cut = ::ftruncate(fd_, 0);
  [[maybe_unused]] const auto written = ::pwrite(fd_, pid.data(), pid.size(), 0);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

std::string writer_of(const std::string& folder) {
  const int fd = ::open((folder + "/.lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const bool busy = ::flock(fd, LOCK_SH | LOCK_NB) != 0;
  const std::string pid = busy ? pid_in(fd) : std::string();
  ::close(fd);
  return pid;
}

}  // namespace qb
