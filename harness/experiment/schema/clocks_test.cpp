// SPDX-License-Identifier: Apache-2.0
// The picture of data/README.md that says what the clocks of a case measure.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/source_root.h"

namespace qb {
namespace {

struct Picture {
  std::vector<std::string> lives;  // letters of each worker, serial ones first
  std::vector<std::size_t> milliseconds;
  std::vector<std::size_t> bars;  // lengths
};

Picture read_picture() {
  Picture picture;
  const std::string page = read_file(source_path("data/README.md"));
  const std::size_t begin = page.find("## The clocks of a case");
  std::istringstream lines(page.substr(begin, page.find("\n## ", begin) - begin));
  const std::regex life("  (worker [0-9]|root) +([gCm]+)");
  const std::regex bar("  [a-z_]+ +(\\|-+\\|) +([0-9]+) ms.*");
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    if (std::regex_match(line, found, life)) picture.lives.push_back(found[2]);
    if (std::regex_match(line, found, bar)) {
      picture.bars.push_back(static_cast<std::size_t>(found[1].length()));
      picture.milliseconds.push_back(std::stoul(found[2]));
    }
  }
  return picture;
}

std::size_t count(const std::string& life, char letter) {
  return static_cast<std::size_t>(std::ranges::count(life, letter));
}

TEST(ClocksPicture, DrawsEveryTimeAsLongAsItSays) {
  const Picture picture = read_picture();
  ASSERT_EQ(picture.bars.size(), 5u);
  EXPECT_EQ(picture.bars, picture.milliseconds);
}

TEST(ClocksPicture, AgreesWithTheDefinitionsOfTheClocks) {
  const Picture picture = read_picture();
  ASSERT_EQ(picture.lives.size(), 7u);  // three serial workers, three threads and the root
  std::size_t sum = 0;
  std::size_t slowest = 0;
  std::size_t merges = 0;
  for (std::size_t w = 0; w < 3; ++w) {
    const std::string& life = picture.lives[w];
    sum += life.size();
    slowest = std::max(slowest, count(life, 'g') + count(life, 'C'));
    merges += count(life, 'm');
    EXPECT_EQ(picture.lives[w + 3], life.substr(0, life.find('m')));
  }
  EXPECT_EQ(picture.lives[6], std::string(merges, 'm'));
  // serial: wall_time, worker_sum, critical_path; threads: wall_time, worker_sum
  EXPECT_EQ(picture.milliseconds,
            (std::vector<std::size_t>{sum, sum, slowest + merges, slowest + merges, sum}));
}

}  // namespace
}  // namespace qb
