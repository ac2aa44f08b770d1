// SPDX-License-Identifier: Apache-2.0
// Plans on hosts: what crosses the network between them, and how grids can be placed there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/plan/problem.h"
#include "harness/plan/strategies/grid_order.h"
#include "harness/run/transport/link_model.h"

namespace qb {

// What each worker sends, and what of it goes to workers of other hosts.
struct SentBytes {
  std::vector<std::int64_t> all{};
  std::vector<std::int64_t> between_hosts{};

  explicit SentBytes(int workers = 0)
      : all(static_cast<std::size_t>(workers), 0), between_hosts(all) {}
  void add(const Hosts& hosts, int from, int to, std::int64_t bytes) {
    all[static_cast<std::size_t>(from)] += bytes;
    if (hosts.are_apart(from, to)) between_hosts[static_cast<std::size_t>(from)] += bytes;
  }
};

// Returns the bytes that workers send to those of other hosts in these passes. What a root scatters
// and gathers is not counted: it stands on no host.
[[nodiscard]] std::vector<std::int64_t> bytes_between_hosts(std::span<const Plan* const> passes,
                                                            const Hosts& hosts);

// The orders of a grid that a forecast compares: on hosts all that differ; else one.
[[nodiscard]] std::vector<GridOrder> orders_of(const GridShape& shape, const Hosts& hosts);

// `usp 8x1x2`, heads x rows x columns; with the order where it is not heads before rows before
// columns.
[[nodiscard]] std::string grid_name(const GridShape& shape, GridOrder order);

// The shapes that no other scheme has.
[[nodiscard]] std::vector<GridShape> other_grids(const Shape& shape, int workers);

}  // namespace qb
