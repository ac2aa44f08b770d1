// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "base/files.h"

namespace qb {
namespace {

TEST(TemporaryFolder, IsEmptyAndGoneAfterwards) {
  std::string used;
  in_temporary_folder([&](const std::string& folder) {
    used = folder;
    EXPECT_TRUE(std::filesystem::is_directory(folder));
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    ensure_directory(folder + "/deep");
    write_file_atomically(folder + "/deep/file", "x");
  });
  EXPECT_FALSE(used.empty());
  EXPECT_FALSE(std::filesystem::exists(used));
}

TEST(TemporaryFolder, IsGoneAfterAFailure) {
  std::string used;
  const auto fail = [&](const std::string& folder) {
    used = folder;
    throw std::runtime_error("no");
  };
  EXPECT_THROW(in_temporary_folder(fail), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(used));
}

}  // namespace
}  // namespace qb
