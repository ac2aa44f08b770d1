// SPDX-License-Identifier: Apache-2.0
// Tests the order in which blocks take the items of a launch.
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {
namespace {

// Two sequences have 6 heads, of which three share keys; one of 5 tiles belongs to heads 3 to 5.
TEST(OrderItems, GoesSectionBySectionAndHeavyFirstWithinOne) {
  std::vector<TileWork> tiles(5);
  for (int i = 0; i < 5; ++i) {
    tiles[static_cast<std::size_t>(i)].n_full = i;
    tiles[static_cast<std::size_t>(i)].head_end = 6;
  }
  tiles[2].head_begin = 3;
  for (const int at_once : {1, 3, 6, 9, 12}) {
    const std::vector<WorkItem> items =
        order_items(tiles, {.batch = 2, .per_batch = 6, .per_kv = 3, .at_once = at_once});
    std::set<std::tuple<int, int, int>> seen;
    // With 4 key-value heads there are 1, 1, 2, 2 (not 3 + 1) and 4 at once.
    const int width = at_once < 6 ? 3 : at_once < 12 ? 6 : 12;
    int section = 0;
    int steps = 4;
    for (const WorkItem& item : items) {
      EXPECT_TRUE(seen.insert({item.tile, item.batch, item.q_head}).second);
      EXPECT_TRUE(item.tile != 2 || item.q_head >= 3);
      EXPECT_EQ(item.kv_head, item.q_head / 3);
      const int of_item = (6 * item.batch + item.q_head) / width;
      if (of_item != section) steps = 4;
      EXPECT_GE(of_item, section);
      section = of_item;
      EXPECT_LE(item.tile, steps);
      steps = item.tile;
    }
    EXPECT_EQ(seen.size(), 4u * 12u + 6u);
  }
}

TEST(OrderItems, APackIsAllQueryHeadsOfAKeyValueHead) {
  std::vector<TileWork> one(1);
  one[0].head_end = 8;
  const std::vector<WorkItem> items =
      order_items(one, {.batch = 2, .per_batch = 2, .per_kv = 1, .at_once = 4, .pack = 4});
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[3].batch, 1);
  EXPECT_EQ(items[3].q_head, 4);
  EXPECT_EQ(items[3].kv_head, 1);
}

}  // namespace
}  // namespace qb::cuda
