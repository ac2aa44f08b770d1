// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/strategies/grid_order.h"

namespace qb {

std::vector<int> grid_slots(GridOrder order, const GridShape& shape) {
  if (order == GridOrder::hrc) return {};
  std::vector<int> slots;
  for (int x = 0; x < shape.columns; ++x)
    for (int y = 0; y < shape.rows; ++y)
      for (int h = 0; h < shape.heads; ++h) {
        int slot = 0;
        int stride = 1;
        for (const char letter : word(order)) {
          slot += stride * (letter == 'h' ? h : letter == 'r' ? y : x);
          stride *= letter == 'h' ? shape.heads : letter == 'r' ? shape.rows : shape.columns;
        }
        slots.push_back(slot);
      }
  return slots;
}

}  // namespace qb
