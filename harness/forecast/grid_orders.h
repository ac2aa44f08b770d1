// SPDX-License-Identifier: Apache-2.0
// The grids that a forecast compares, and how they can be placed on hosts.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/problem.h"
#include "harness/plan/strategies/grid_order.h"
#include "harness/run/transport/link_model.h"

namespace qb {

// On hosts all that differ; else one.
inline std::vector<GridOrder> orders_of(const GridShape& shape, const Hosts& hosts) {
  if (hosts.workers_per_host == 0) return {GridOrder::hrc};
  std::vector<GridOrder> orders;
  std::set<std::vector<int>> seen;
  for (const auto& row : kWords<GridOrder>.rows) {
    std::vector<int> slots = grid_slots(row.first, shape);
    if (slots.empty()) {
      slots.resize(static_cast<std::size_t>(shape.heads * shape.rows * shape.columns));
      std::iota(slots.begin(), slots.end(), 0);
    }
    if (seen.insert(std::move(slots)).second) orders.push_back(row.first);
  }
  return orders;
}

// `usp 8x1x2`, heads x rows x columns; with the order where it is not heads before rows before
// columns.
inline std::string grid_name(const GridShape& shape, GridOrder order) {
  return fmt::format("{} {}x{}x{}{}{}",
                     shape.rows == 1    ? "usp"
                     : shape.heads == 1 ? "mesh"
                                        : "grid",
                     shape.heads, shape.rows, shape.columns, order == GridOrder::hrc ? "" : " ",
                     order == GridOrder::hrc ? "" : word(order));
}

// The shapes that no other scheme has.
inline std::vector<GridShape> other_grids(const Shape& shape, int workers) {
  std::vector<GridShape> shapes;
  for (int heads = 1; heads <= std::min<std::int64_t>(workers, shape.q_heads); ++heads)
    for (int rows = 1; workers % heads == 0 && rows <= workers / heads; ++rows) {
      if (workers / heads % rows != 0) continue;
      const GridShape grid{heads, rows, workers / heads / rows};
      const bool is_ulysses =
          heads == workers && shape.kv_heads % heads == 0 && shape.q_heads % heads == 0;
      const bool is_ring = heads == 1 && (rows == 1 || rows == workers);
      if (!is_ulysses && !is_ring) shapes.push_back(grid);
    }
  return shapes;
}

}  // namespace qb
