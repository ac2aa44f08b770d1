// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/status.h"

namespace qb {
namespace {

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
  return 0;
}

// Devices and file systems without a disk cannot flush. Returns 0 or errno.
int flush(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno;
}

std::string sentence(std::string_view action, const std::string& path, int problem) {
  return fmt::format("cannot {} {}: {}", action, path,
                     problem == EISDIR ? "it is a folder" : std::strerror(problem));
}

[[noreturn]] void fail(std::string_view action, const std::string& path, int problem) {
  throw EnvironmentError(sentence(action, path, problem));
}

// The user named such a file; anything else is the machine's fault.
bool is_wrong_name(int problem) {
  constexpr std::array kWrong = {ENOENT, ENOTDIR, EACCES, EISDIR, ELOOP, ENAMETOOLONG, EPERM};
  return std::ranges::find(kWrong, problem) != kWrong.end();
}

[[noreturn]] void fail_to_read(const std::string& path, int problem) {
  if (is_wrong_name(problem)) throw UsageError(sentence("read", path, problem));
  fail("read", path, problem);
}

// Returns the bytes of the character that begins there, 0 if none does (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 2) return 0;
  const unsigned second = byte(1);
  const bool is_short = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_far = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return is_short || is_far ? 0 : length;
}

// What a name leads to, through links whose last one may lead to nothing.
std::string followed(std::string path) {
  constexpr int kMostLinks = 40;
  std::error_code problem;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, problem); ++i) {
    const std::filesystem::path to = std::filesystem::read_symlink(path, problem);
    if (problem) break;
    path =
        to.is_absolute() ? to.string() : (std::filesystem::path(path).parent_path() / to).string();
  }
  return path;
}

std::optional<struct stat> stat_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}

// /dev/stdout may be a regular file, which the shell has opened: no other may take its place.
bool is_written_in_place(const std::string& path, const struct stat& found) {
  return !S_ISREG(found.st_mode) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

InputFile::InputFile(std::string path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) fail_to_read(path_, errno);
  struct stat found {};
  const int problem = ::fstat(fd_, &found) == 0 ? 0 : errno;
  if (problem == 0 && !S_ISDIR(found.st_mode)) {
    if (S_ISREG(found.st_mode)) size_bytes_ = static_cast<std::uint64_t>(found.st_size);
    return;
  }
  ::close(fd_);
  fail_to_read(path_, problem == 0 ? EISDIR : problem);
}

InputFile::~InputFile() { ::close(fd_); }

std::size_t InputFile::read(void* to, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t more = ::read(fd_, static_cast<char*>(to) + got, bytes - got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) fail_to_read(path_, errno);
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  return got;
}

void InputFile::skip(std::int64_t bytes) {
  if (::lseek(fd_, bytes, SEEK_CUR) < 0) fail_to_read(path_, errno);
}

std::string read_file(const std::string& path) {
  constexpr std::size_t kMostAtOnce = 1 << 20;
  InputFile file(path);
  std::string content;
  try {
    content.reserve(file.size_bytes() + 1);
    while (true) {
      const std::size_t size = content.size();
      content.resize(size < content.capacity() ? content.capacity() : size + kMostAtOnce);
      content.resize(size + file.read(content.data() + size, content.size() - size));
      if (content.size() == size) return content;
    }
  } catch (const std::bad_alloc&) {
    throw EnvironmentError(
        fmt::format("cannot read {}: memory is short of its {} bytes", path, file.size_bytes()));
  }
}

std::string read_text(const std::string& path) {
  std::string text = read_file(path);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw UsageError(fmt::format("{}: it is UTF-16; save it as UTF-8", path));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::size_t line = 1;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0)
      throw UsageError(fmt::format("{}:{}: the byte 0x{:02X} is not UTF-8; save the file as UTF-8",
                                   path, line, static_cast<unsigned char>(rest[0])));
    if (rest[0] == '\n') ++line;
    rest.remove_prefix(length);
  }
  return text;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(path_) {
  const auto found = stat_of(path_);
  if (found && S_ISDIR(found->st_mode)) fail(EISDIR);
  if (found && is_written_in_place(path_, *found)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(errno);
    return;
  }
  target_ = followed(path_);
  if (found && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  temporary_ = fmt::format("{}.{}.part", target_, ::getpid());
  constexpr mode_t kNewMode = 0644;  // less what umask takes
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewMode);
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  if (!found) return;
  constexpr mode_t kModeBits = 07777;
  [[maybe_unused]] const int owner = ::fchown(fd_, found->st_uid, found->st_gid);
  if (::fchmod(fd_, found->st_mode & kModeBits) != 0) fail(errno);
}

OutputFile::~OutputFile() { give_up(); }

void OutputFile::give_up() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (!temporary_.empty()) ::unlink(std::exchange(temporary_, {}).c_str());
}

void OutputFile::fail(int problem) {
  give_up();
  qb::fail("write", path_, problem);
}

void OutputFile::write(std::string_view content) {
  if (const int problem = write_all(fd_, content); problem != 0) fail(problem);
}

void OutputFile::flush() {
  if (const int problem = qb::flush(fd_); problem != 0) fail(problem);
  if (::close(std::exchange(fd_, -1)) != 0) fail(errno);
}

void OutputFile::commit() {
  if (fd_ >= 0) flush();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

bool is_written_in_place(const std::string& path) {
  const auto found = stat_of(path);
  return found && is_written_in_place(path, *found);
}

void write_file_atomically(const std::string& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.commit();
}

void require_writable(const std::string& path) {
  const auto found = stat_of(path);
  if (found && S_ISDIR(found->st_mode)) fail("write", path, EISDIR);
  if (found && ::access(path.c_str(), W_OK) != 0) fail("write", path, errno);
  if (found && is_written_in_place(path, *found)) return;
  const std::string folder = folder_of(followed(path));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw EnvironmentError(
        fmt::format("cannot write {}: {}: {}", path, folder, std::strerror(errno)));
}

bool is_same_output(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto found = stat_of(one);
  const auto of_other = stat_of(other);
  if (found && of_other)
    return S_ISREG(found->st_mode) && found->st_dev == of_other->st_dev &&
           found->st_ino == of_other->st_ino;
  if (found || of_other) return false;
  const auto place = [](const std::string& path) {
    const std::string target = followed(path);
    std::error_code problem;
    return std::filesystem::weakly_canonical(folder_of(target), problem) /
           std::filesystem::path(target).filename();
  };
  return place(one) == place(other);
}

void append_and_flush(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) fail("append to", path, errno);
  std::string_view action = "append to";
  struct stat before {};
  const bool has_length = ::fstat(fd, &before) == 0;
  int problem = has_length ? write_all(fd, content) : errno;
  if (problem == 0) problem = flush(fd);
  if (problem != 0 && has_length && ::ftruncate(fd, before.st_size) != 0) {
    action = "cut back";
    problem = errno;
  }
  ::close(fd);
  if (problem != 0) fail(action, path, problem);
}

std::vector<std::filesystem::path> paths_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem))
    paths.push_back(entry->path());
  const int number = problem.value();
  if (problem && number != ENOENT && number != ENOTDIR) fail_to_read(folder, number);
  std::ranges::sort(paths);
  return paths;
}

void in_temporary_folder(const std::function<void(const std::string&)>& use) {
  std::string folder = (std::filesystem::temp_directory_path() / "qb_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw EnvironmentError(
        fmt::format("cannot make a temporary folder {}: {}", folder, std::strerror(errno)));
  const std::shared_ptr<void> removed_at_the_end(nullptr, [&](void*) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
  use(folder);
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
