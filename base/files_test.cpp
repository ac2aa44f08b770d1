// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/status.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

// While it lives, no file may grow beyond `bytes`.
class FilesOfAtMost {
 public:
  explicit FilesOfAtMost(rlim_t bytes) : old_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FilesOfAtMost() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_signal_);
  }
  FilesOfAtMost(const FilesOfAtMost&) = delete;
  FilesOfAtMost& operator=(const FilesOfAtMost&) = delete;

 private:
  rlimit old_{};
  void (*old_signal_)(int);
};

// Returns the message with which `act` is refused.
std::string file_refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "accepted";
}

std::ptrdiff_t entries(const std::string& folder) {
  const auto all = std::filesystem::directory_iterator(folder);
  return std::distance(begin(all), end(all));
}

class Files : public testing::Test {
 protected:
  void SetUp() override { ensure_directory(folder_ / "deep/er"); }
  ScratchFolder folder_;
};

TEST_F(Files, AtomicWriteReplacesAndLeavesNoPart) {
  const std::string path = folder_ / "deep/er/a.txt";
  write_file_atomically(path, "one");
  write_file_atomically(path, std::string("two\0three", 9));
  EXPECT_EQ(read_file(path), std::string("two\0three", 9));
  EXPECT_EQ(entries(folder_ / "deep/er"), 1);
}

TEST_F(Files, AppendKeepsWhatWasThere) {
  const std::string path = folder_ / "log";
  append_and_flush(path, "a\n");
  append_and_flush(path, "b\n");
  EXPECT_EQ(read_file(path), "a\nb\n");
}

TEST_F(Files, FullDiskIsASentence) {
  // /dev/full answers every write with ENOSPC.
  EXPECT_THROW(append_and_flush("/dev/full", "x"), EnvironmentError);
  append_and_flush("/dev/null", "x");  // which cannot be flushed to a disk
}

TEST_F(Files, WhatDoesNotFitLeavesTheOldContent) {
  append_and_flush(folder_ / "log", "first\n");
  write_file_atomically(folder_ / "file", "first\n");
  {
    const FilesOfAtMost ten(10);
    EXPECT_EQ(file_refusal([&] { append_and_flush(folder_ / "log", "second\n"); }),
              "cannot append to " + (folder_ / "log") + ": File too large");
    EXPECT_EQ(file_refusal([&] { write_file_atomically(folder_ / "file", "second and third\n"); }),
              "cannot write " + (folder_ / "file") + ": File too large");
  }
  EXPECT_EQ(read_file(folder_ / "log"), "first\n");
  EXPECT_EQ(read_file(folder_ / "file"), "first\n");
  EXPECT_EQ(entries(folder_.path()), 3) << "the two and deep/";
}

TEST_F(Files, AreClosedAgain) {
  const auto open_files = entries("/proc/self/fd");
  write_file_atomically(folder_ / "file", "x");
  append_and_flush(folder_ / "file", "y");
  EXPECT_THROW(append_and_flush("/dev/full", "x"), EnvironmentError);
  EXPECT_EQ(read_file(folder_ / "file"), "xy");
  EXPECT_EQ(entries("/proc/self/fd"), open_files);
}

TEST_F(Files, AreForAllToReadAndForTheOwnerToWrite) {
  const mode_t before = ::umask(0);
  write_file_atomically(folder_ / "file", "x");
  append_and_flush(folder_ / "log", "x");
  ::umask(before);
  for (const char* name : {"file", "log"})
    EXPECT_EQ(std::filesystem::status(folder_ / name).permissions(), std::filesystem::perms{0644});
}

TEST_F(Files, AreWrittenToByAProgramWithoutStandardInput) {
  const std::string path = folder_ / "file";
  EXPECT_EXIT(
      {
        ::close(STDIN_FILENO);  // the next file to be opened is number 0
        write_file_atomically(path, "x");
        append_and_flush(path, "y");
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(read_file(path), "xy");
}

TEST_F(Files, PathsOfAFolderAreSortedAndThoseOfNoneAreNone) {
  for (const char* name : {"b", "a", "c"}) write_file_atomically(folder_ / name, "");
  std::vector<std::filesystem::path> expected;
  for (const char* name : {"a", "b", "c", "deep"}) expected.emplace_back(folder_ / name);
  EXPECT_EQ(paths_in(folder_.path()), expected);
  EXPECT_TRUE(paths_in(folder_ / "nothing").empty());
  EXPECT_TRUE(paths_in(folder_ / "a").empty()) << "it is a file";
  EXPECT_THROW((void)paths_in(std::string(5000, 'x')), UsageError);
}

TEST_F(Files, MissingPlacesAreNamed) {
  EXPECT_THROW((void)read_file(folder_ / "none"), UsageError);
  EXPECT_THROW((void)read_file(folder_.path()), UsageError);
  EXPECT_THROW(write_file_atomically(folder_ / "none/x", "x"), EnvironmentError);
  write_file_atomically(folder_ / "plain", "x");
  EXPECT_EQ(file_refusal([&] { ensure_directory(folder_ / "plain/sub"); }),
            "cannot create the folder " + (folder_ / "plain/sub") +
                ": Not a directory; choose another with --out");
  // A folder is where the file is to be.
  EXPECT_EQ(file_refusal([&] { write_file_atomically(folder_ / "deep", "x"); }),
            "cannot write " + (folder_ / "deep") + ": it is a folder");
  EXPECT_EQ(file_refusal([&] { append_and_flush(folder_ / "deep", "x"); }),
            "cannot append to " + (folder_ / "deep") + ": it is a folder");
  EXPECT_EQ(entries(folder_.path()), 2) << "the plain file and deep/";
}

mode_t mode_of(const std::string& path) {
  struct stat found {};
  ::stat(path.c_str(), &found);
  return found.st_mode & 07777;
}

TEST_F(Files, AnOutputKeepsItsModeAndALinkStaysOne) {
  const std::string path = folder_.file("secret", "old");
  ::chmod(path.c_str(), 0640);
  const std::string link = folder_ / "link";
  std::filesystem::create_symlink("secret", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(mode_of(path), 0640u);
  std::filesystem::create_symlink("deep/er/made", folder_ / "to_nothing");
  write_file_atomically(folder_ / "to_nothing", "made");
  EXPECT_EQ(read_file(folder_ / "deep/er/made"), "made");
}

TEST_F(Files, ADeviceAndAFifoAreWrittenAsTheyAre) {
  write_file_atomically("/dev/null", "nothing");
  struct stat found {};
  ASSERT_EQ(::stat("/dev/null", &found), 0);
  EXPECT_TRUE(S_ISCHR(found.st_mode));
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string read;
  std::jthread reader([&] { read = read_file(fifo); });
  write_file_atomically(fifo, "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST_F(Files, AFullDeviceAndAFolderAreSentences) {
  EXPECT_EQ(file_refusal([] { write_file_atomically("/dev/full", "x"); }),
            "cannot write /dev/full: No space left on device");
  const std::string folder = folder_ / "deep";
  EXPECT_EQ(file_refusal([&] { write_file_atomically(folder, "x"); }),
            "cannot write " + folder + ": it is a folder");
}

TEST_F(Files, TwoNamesOfOneFileAreKnown) {
  const std::string a = folder_.file("a", "");
  std::filesystem::create_symlink("a", folder_ / "b");
  std::filesystem::create_hard_link(a, folder_ / "c");
  EXPECT_TRUE(is_same_output(a, folder_ / "b"));
  EXPECT_TRUE(is_same_output(a, folder_ / "c"));
  EXPECT_TRUE(is_same_output(folder_ / "new", folder_ / "deep/../new"));
  EXPECT_FALSE(is_same_output(a, folder_ / "new"));
  EXPECT_FALSE(is_same_output("/dev/null", "/dev/../dev/null")) << "both can be written";
}

std::string refusal_of_text(const std::string& path) {
  try {
    return "read: " + read_text(path);
  } catch (const UsageError& error) {
    return std::filesystem::path(error.what()).filename().string();
  }
}

TEST_F(Files, TextsAreUtf8) {
  EXPECT_EQ(refusal_of_text(folder_.file("bom",
                                         "\xEF\xBB\xBF"
                                         "a: 1\n")),
            "read: a: 1\n");
  EXPECT_EQ(refusal_of_text(folder_.file("utf16", std::string("\xFF\xFE"
                                                              "a\0",
                                                              4))),
            "utf16: it is UTF-16; save it as UTF-8");
  EXPECT_EQ(refusal_of_text(folder_.file("latin1",
                                         "one\ncaf\xE9"
                                         "\n")),
            "latin1:2: the byte 0xE9 is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(refusal_of_text(folder_.file("good", "é ≤ 𝄞\n")), "read: é ≤ 𝄞\n");
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"})
    EXPECT_NE(refusal_of_text(folder_.file("bad", bad)), std::string("read: ") + bad);
}

TEST_F(Files, WhatCannotBeReadIsASentence) {
  EXPECT_THROW((void)read_file(folder_ / "missing"), UsageError);
  EXPECT_THROW((void)read_file(folder_ / "deep"), UsageError);
  // Its first page cannot be read.
  EXPECT_EQ(file_refusal([] { (void)read_file("/proc/self/mem"); }),
            "cannot read /proc/self/mem: Input/output error");
}

}  // namespace
}  // namespace qb
