#include "base/files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/status.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

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
  const auto entries = std::filesystem::directory_iterator(folder_ / "deep/er");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(Files, AppendKeepsWhatWasThere) {
  const std::string path = folder_ / "log";
  append_and_flush(path, "a\n");
  append_and_flush(path, "b\n");
  EXPECT_EQ(read_file(path), "a\nb\n");
}

TEST_F(Files, FullDiskIsASentenceAndTheOldContentStays) {
  // /dev/full answers every write with ENOSPC.
  EXPECT_THROW(append_and_flush("/dev/full", "x"), EnvironmentError);
}

TEST_F(Files, MissingPlacesAreNamed) {
  EXPECT_THROW((void)read_file(folder_ / "none"), UsageError);
  EXPECT_THROW((void)read_file(folder_.path()), UsageError);
  EXPECT_THROW(write_file_atomically(folder_ / "none/x", "x"), EnvironmentError);
  write_file_atomically(folder_ / "plain", "x");
  EXPECT_THROW(ensure_directory(folder_ / "plain/sub"), EnvironmentError);
}

}  // namespace
}  // namespace qb
