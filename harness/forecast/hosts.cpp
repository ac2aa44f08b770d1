// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "harness/plan/rotation.h"

namespace qb {

std::vector<std::int64_t> bytes_between_hosts(std::span<const Plan* const> passes,
                                              const Hosts& hosts) {
  const auto n = static_cast<int>(passes.front()->workers.size());
  std::vector<std::int64_t> bytes(passes.front()->workers.size(), 0);
  if (hosts.workers_per_host == 0) return bytes;
  const auto add = [&](int w, int peer, std::int64_t sent_bytes) {
    if (hosts.are_apart(w, peer)) bytes[static_cast<std::size_t>(w)] += sent_bytes;
  };
  for (const Plan* const plan : passes) {
    const Rotation* const rotation = plan->workers.rotation();
    if (rotation != nullptr && rotation->has_equal_messages()) {
      std::vector<std::int64_t> to(bytes.size(), 0);  // by place: what worker 0 sends there
      for (const Rotation::StepOfZero& step : rotation->steps)
        for (const Transfer& sent : step.sends)
          to[static_cast<std::size_t>(sent.peer)] += rotation->turned(sent, 0).bytes;
      for (int place = 0; place < n; ++place)
        for (int w = 0; w < n && to[static_cast<std::size_t>(place)] > 0; ++w)
          add(w, rotation->group.plus(place, w), to[static_cast<std::size_t>(place)]);
      continue;
    }
    Worker scratch;
    for (int w = 0; w < n; ++w)
      for (const Step& step :
           plan->workers.read(static_cast<std::size_t>(w), scratch, Workers::Parts::messages).steps)
        for (const Transfer& sent : step.sends)
          if (sent.peer >= 0) add(w, sent.peer, sent.bytes);
  }
  return bytes;
}

std::vector<GridOrder> orders_of(const GridShape& shape, const Hosts& hosts) {
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

std::string grid_name(const GridShape& shape, GridOrder order) {
  return fmt::format("{} {}x{}x{}{}{}",
                     shape.rows == 1    ? "usp"
                     : shape.heads == 1 ? "mesh"
                                        : "grid",
                     shape.heads, shape.rows, shape.columns, order == GridOrder::hrc ? "" : " ",
                     order == GridOrder::hrc ? "" : word(order));
}

std::vector<GridShape> other_grids(const Shape& shape, int workers) {
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
