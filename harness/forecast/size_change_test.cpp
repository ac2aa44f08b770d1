// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/forecast/advice.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Searched {
  std::optional<Advice::Change> change;
  std::vector<std::int64_t> asked;
};

// The answer is another one on the far side of `threshold`, and at it.
Searched searched(const SizeSearch& search, std::int64_t threshold) {
  Searched result;
  result.change = size_change(search, [&](std::int64_t size) {
    result.asked.push_back(size);
    const bool beyond = search.up ? size >= threshold : size <= threshold;
    return std::string(beyond ? "other" : "");
  });
  return result;
}

TEST(SizeChange, IsSoughtByDoublingsUpToTheLargestSize) {
  const SizeSearch search{.given = 5, .up = true, .doublings = 10, .most = 40};
  EXPECT_THAT(searched(search, 1000).asked, ElementsAre(10, 20, 40));
  EXPECT_FALSE(searched(search, 1000).change);
  const Searched last = searched(search, 40);
  ASSERT_TRUE(last.change);
  EXPECT_EQ(last.change->at, 40);
  EXPECT_EQ(last.change->scheme, "other");
  EXPECT_THAT(searched({.given = 5, .doublings = 10, .most = 39}, 1000).asked, ElementsAre(10, 20));
  EXPECT_THAT(searched({.given = 5, .doublings = 2, .most = 40}, 1000).asked, ElementsAre(10, 20));
  EXPECT_THAT(searched({.given = 21, .doublings = 2, .most = 41}, 1).asked, IsEmpty());
}

TEST(SizeChange, IsSoughtByHalvingsDownToOne) {
  const SizeSearch search{.given = 11, .up = false, .doublings = 10, .most = 1};
  EXPECT_THAT(searched(search, 0).asked, ElementsAre(5, 2, 1));
  EXPECT_FALSE(searched(search, 0).change);
  ASSERT_TRUE(searched(search, 1).change);
  EXPECT_EQ(searched(search, 1).change->at, 1);
  EXPECT_THAT(searched({.given = 11, .up = false, .doublings = 2}, 0).asked, ElementsAre(5, 2));
  EXPECT_THAT(searched({.given = 1, .up = false, .doublings = 2}, 0).asked, IsEmpty());
}

TEST(SizeChange, IsRefinedToTwoPercentAndNoFurther) {
  for (const bool up : {true, false})
    for (const std::int64_t given : {3, 64, 100, 999, 1500, 40'000})
      for (std::int64_t eighth = 1; eighth <= 64; ++eighth) {
        const SizeSearch search{given, up, 10, 1'000'000, true};
        const std::int64_t threshold =
            up ? given + std::max<std::int64_t>(1, given * eighth / 8) : given * (65 - eighth) / 66;
        const auto [change, asked] = searched(search, threshold);
        if (threshold == 0) {
          EXPECT_FALSE(change);
          continue;
        }
        ASSERT_TRUE(change) << given << ' ' << threshold;
        EXPECT_EQ(change->scheme, "other");
        // The sizes on either side of the change that are nearest to it, without the last question.
        std::int64_t near = given;
        std::int64_t far = up ? 1'000'000 : 0;
        const auto apart = [&] { return std::abs(far - near); };
        const auto allowed = [&] {
          return std::max(1.0, std::floor(static_cast<double>(std::min(near, far)) * 0.02));
        };
        for (const std::int64_t size : asked) {
          EXPECT_GT(apart(), allowed()) << "asked about more sizes than it needs";
          EXPECT_TRUE(near < far ? near < size && size < far : far < size && size < near);
          ((up ? size >= threshold : size <= threshold) ? far : near) = size;
        }
        EXPECT_LE(apart(), allowed()) << given << ' ' << threshold;
        EXPECT_EQ(change->at, far);
      }
}

TEST(SizeChange, NamesTheSchemeOfItsOwnSize) {
  const auto change =
      size_change({.given = 100, .up = true, .doublings = 3, .most = 1000, .refine = true},
                  [](std::int64_t size) {
                    return size < 310 ? "" : size < 350 ? "middle" : "far";
                  });
  ASSERT_TRUE(change);
  EXPECT_EQ(change->scheme, "middle");
  EXPECT_EQ(change->at, 312);
  const auto coarse = size_change({.given = 100, .up = true, .doublings = 3, .most = 1000},
                                  [](std::int64_t size) { return size < 310 ? "" : "far"; });
  EXPECT_EQ(coarse->at, 400);
}

}  // namespace
}  // namespace qb
