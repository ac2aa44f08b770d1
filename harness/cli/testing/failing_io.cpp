// SPDX-License-Identifier: Apache-2.0
// For tests only: a library that is preloaded makes one call of a program fail. It counts the calls
// on files below $QB_IO_UNDER, and the $QB_IO_AT-th call of $QB_IO_CALL (one of kNames; counted
// from 1) fails with errno $QB_IO_ERRNO. Without that variable the program is killed there, in the
// middle of what it writes. The counts go to $QB_IO_COUNTS when the program ends, a line `open 12`
// for each call.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace {

enum Call {
  kOpen,  // of files and of folders
  kRead,
  kWrite,
  kRename,
  kFsync,
  kClose,
  kStat,  // by a path
  kFstat,
  kReaddir,
  kMkdir,
  kFtruncate,
  kFlock,
  kCalls
};
constexpr const char* kNames[] = {"open", "read",  "write",   "rename", "fsync",     "close",
                                  "stat", "fstat", "readdir", "mkdir",  "ftruncate", "flock"};
static_assert(std::size(kNames) == kCalls);

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

int watch(int fd, bool ours) {
  if (fd >= 0 && fd < 1024) watched[fd] = ours;
  return fd;
}

int open_as(const char* name, const char* path, int flags, mode_t mode) {
  const bool ours = is_ours(path);
  if (ours && fails(kOpen)) return -1;
  return watch(real<int (*)(const char*, int, mode_t)>(name)(path, flags, mode), ours);
}

template <class Status>
int stat_as(const char* name, const char* path, Status* status) {
  if (is_ours(path) && fails(kStat)) return -1;
  return real<int (*)(const char*, Status*)>(name)(path, status);
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

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = static_cast<mode_t>(va_arg(rest, unsigned));
  va_end(rest);
  const bool ours = is_ours(path) || is_ours(folder);
  if (ours && fails(kOpen)) return -1;
  return watch(real<int (*)(int, const char*, int, mode_t)>("openat")(folder, path, flags, mode),
               ours);
}

DIR* opendir(const char* path) {
  if (is_ours(path) && fails(kOpen)) return nullptr;
  DIR* const folder = real<DIR* (*)(const char*)>("opendir")(path);
  if (folder != nullptr) (void)watch(::dirfd(folder), is_ours(path));
  return folder;
}

dirent* readdir(DIR* folder) {
  if (is_ours(::dirfd(folder)) && fails(kReaddir)) return nullptr;
  return real<dirent* (*)(DIR*)>("readdir")(folder);
}

int stat(const char* path, struct stat* status) { return stat_as("stat", path, status); }
int lstat(const char* path, struct stat* status) { return stat_as("lstat", path, status); }

int fstat(int fd, struct stat* status) {
  if (is_ours(fd) && fails(kFstat)) return -1;
  return real<int (*)(int, struct stat*)>("fstat")(fd, status);
}

int mkdir(const char* path, mode_t mode) {
  if (is_ours(path) && fails(kMkdir)) return -1;
  return real<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

int ftruncate(int fd, off_t bytes) {
  if (is_ours(fd) && fails(kFtruncate)) return -1;
  return real<int (*)(int, off_t)>("ftruncate")(fd, bytes);
}

int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  const int result = real<int (*)(int, int, ...)>("fcntl")(fd, command, argument);
  if (command == F_DUPFD_CLOEXEC && is_ours(fd)) (void)watch(result, true);
  return result;
}

int flock(int fd, int operation) {
  if (is_ours(fd) && fails(kFlock)) return -1;
  return real<int (*)(int, int)>("flock")(fd, operation);
}

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
