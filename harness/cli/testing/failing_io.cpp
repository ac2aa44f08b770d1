// SPDX-License-Identifier: Apache-2.0
// For tests only: a library that is preloaded makes one call of a program fail. It counts the calls
// on files below $QB_IO_UNDER, and the $QB_IO_AT-th call of $QB_IO_CALL (open, read, write, rename,
// fsync, close; counted from 1) fails with errno $QB_IO_ERRNO. Without that variable the program is
// killed there, in the middle of what it writes. The counts go to $QB_IO_COUNTS when the program
// ends, a line `open 12` for each call.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Call { kOpen, kRead, kWrite, kRename, kFsync, kClose, kCalls };
constexpr const char* kNames[] = {"open", "read", "write", "rename", "fsync", "close"};

std::atomic<long> counts[kCalls];
std::atomic<bool> watched[1024];

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_ours(const char* path) {
  const char* const under = variable("QB_IO_UNDER");
  return *under != '\0' && std::strncmp(path, under, std::strlen(under)) == 0;
}

bool is_ours(int fd) { return fd >= 0 && fd < 1024 && watched[fd]; }

bool fails(Call call) {
  const long n = ++counts[call];
  if (std::strcmp(variable("QB_IO_CALL"), kNames[call]) != 0) return false;
  if (n != std::atol(variable("QB_IO_AT"))) return false;
  errno = std::atoi(variable("QB_IO_ERRNO"));
  if (errno == 0 && call != kWrite) ::raise(SIGKILL);
  return true;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int open_as(const char* name, const char* path, int flags, mode_t mode) {
  const bool ours = is_ours(path);
  if (ours && fails(kOpen)) return -1;
  const int fd = real<int (*)(const char*, int, mode_t)>(name)(path, flags, mode);
  if (fd >= 0 && fd < 1024) watched[fd] = ours;
  return fd;
}

struct Report {
  ~Report() {
    const char* const path = variable("QB_IO_COUNTS");
    if (*path == '\0') return;
    std::FILE* const file = std::fopen(path, "a");
    if (file == nullptr) return;
    for (int call = 0; call < kCalls; ++call)
      std::fprintf(file, "%s %ld\n", kNames[call], counts[call].load());
    std::fclose(file);
  }
} report;

}  // namespace

extern "C" {

// Both take a mode, which says nothing where no file is made.
#define QB_OPEN(name)                                              \
  int name(const char* path, int flags, ...) {                     \
    va_list rest;                                                  \
    va_start(rest, flags);                                         \
    const auto mode = static_cast<mode_t>(va_arg(rest, unsigned)); \
    va_end(rest);                                                  \
    return open_as(#name, path, flags, mode);                      \
  }
QB_OPEN(open)
QB_OPEN(open64)
#undef QB_OPEN

ssize_t read(int fd, void* to, size_t bytes) {
  if (is_ours(fd) && fails(kRead)) return -1;
  return real<ssize_t (*)(int, void*, size_t)>("read")(fd, to, bytes);
}

ssize_t write(int fd, const void* from, size_t bytes) {
  const auto write_real = real<ssize_t (*)(int, const void*, size_t)>("write");
  if (!is_ours(fd) || !fails(kWrite)) return write_real(fd, from, bytes);
  if (errno != 0) return -1;
  write_real(fd, from, bytes / 2);
  return ::raise(SIGKILL);
}

int rename(const char* from, const char* to) {
  if (is_ours(to) && fails(kRename)) return -1;
  return real<int (*)(const char*, const char*)>("rename")(from, to);
}

int fsync(int fd) {
  if (is_ours(fd) && fails(kFsync)) return -1;
  return real<int (*)(int)>("fsync")(fd);
}

int close(int fd) {
  const bool ours = is_ours(fd);
  if (fd >= 0 && fd < 1024) watched[fd] = false;
  const int result = real<int (*)(int)>("close")(fd);
  return ours && fails(kClose) ? -1 : result;
}
}
