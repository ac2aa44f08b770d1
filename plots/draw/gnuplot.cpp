#include "plots/draw/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "base/status.h"

extern char** environ;

namespace qb {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kFormats = {"svg", "pdf", "png"};

// File actions of a child, destroyed on every path.
class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  [[nodiscard]] posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  return text;
}

struct Ended {
  int status = 0;       // status from waitpid
  std::string message;  // its output on stderr
};

// There is no shell: the script's name is one argument, whatever letters it has.
Ended run_gnuplot(const std::string& script, const std::string& directory) {
  std::array<int, 2> channel{};
  if (::pipe2(channel.data(), O_CLOEXEC) != 0)
    throw EnvironmentError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  SpawnActions actions;
  posix_spawn_file_actions_addchdir_np(actions.get(), directory.c_str());
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), channel[1], STDERR_FILENO);
  std::string program = "gnuplot";
  std::string argument = script;
  std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int problem =
      ::posix_spawnp(&child, "gnuplot", actions.get(), nullptr, arguments.data(), environ);
  ::close(channel[1]);
  if (problem != 0) {
    ::close(channel[0]);
    throw EnvironmentError(
        fmt::format("cannot run gnuplot ({}): install gnuplot-nox", std::strerror(problem)));
  }
  Ended ended;
  ended.message = read_to_end(channel[0]);
  while (::waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

std::string first_sentence(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t last = text.rfind('\n');
  return last == std::string::npos ? text : text.substr(last + 1);
}

// The drawing library writes the time of day into a PDF; the same figure must be the same file.
// (Since cairo 1.18 the time is in a compressed stream and stays.)
void fix_creation_date(const std::string& path) {
  constexpr std::string_view key = "/CreationDate (D:";
  constexpr std::string_view date = "20000101000000";
  std::string pdf = read_file(path);
  const std::size_t at = pdf.find(key);
  if (at == std::string::npos || at + key.size() + date.size() > pdf.size()) return;
  pdf.replace(at + key.size(), date.size(), date);
  write_file_atomically(path, pdf);
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "qb_picture_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw EnvironmentError(
          fmt::format("cannot make a temporary folder {}: {}", pattern, std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::vector<std::string> write_figure(const Figure& figure, const std::string& directory) {
  if (!figure.empty_reason.empty())
    throw UsageError(fmt::format("{}: {}", figure.name, figure.empty_reason));
  ensure_directory(directory);
  const std::string stem = (fs::path(directory) / figure.name).string();
  std::vector<std::string> paths = {stem + ".csv", stem + ".gp"};
  write_file_atomically(paths[0], figure_csv(figure).to_string());
  write_file_atomically(paths[1], gnuplot_script(figure));
  std::error_code ignored;
  for (const std::string_view format : kFormats) {
    paths.push_back(fmt::format("{}.{}", stem, format));
    fs::remove(paths.back(), ignored);  // an old picture must not pass for a new one
  }
  const Ended ended = run_gnuplot(figure.name + ".gp", directory);
  if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 0) {
    for (std::size_t i = 2; i < paths.size(); ++i) fs::remove(paths[i], ignored);
    throw EnvironmentError(
        fmt::format("gnuplot failed on {}: {}", paths[1], first_sentence(ended.message)));
  }
  for (std::size_t i = 2; i < paths.size(); ++i)
    if (!fs::exists(paths[i]) || fs::file_size(paths[i]) == 0)
      throw EnvironmentError(fmt::format("gnuplot left no {}: is the disk full?", paths[i]));
  fix_creation_date(paths[3]);
  return paths;
}

void require_picture_format(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (std::none_of(std::begin(kFormats), std::end(kFormats), [&](std::string_view format) {
        return extension == fmt::format(".{}", format);
      }))
    throw UsageError(fmt::format("{}: a picture ends in .svg, .pdf or .png", path));
}

void write_picture(const Figure& figure, const std::string& path) {
  require_picture_format(path);
  const TemporaryFolder folder;
  write_figure(figure, folder.path());
  const std::string extension = fs::path(path).extension().string();
  write_file_atomically(path,
                        read_file(fmt::format("{}/{}{}", folder.path(), figure.name, extension)));
}

}  // namespace qb
