// SPDX-License-Identifier: Apache-2.0
// Closed forms of the rounds and of the critical path of each scheme, beside sent_bytes.h, which
// has those of bytes. They plan nothing; a test compares them with plans. They hold where the
// workers' shards are equal; elsewhere there is no form.
//
// c = T / W new tokens and m = (P + T) / W keys of a worker. Under a causal mask, without cached
// tokens, a block of a shard's own keys has t = c (c + 1) / 2 pairs; one of two shards has c^2 or
// none if shards are contiguous, t or t - c if they are striped, and c^2 / 2 if they are two chunks
// i and 2W - 1 - i, whichever comes first. Without a mask it has c m pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/plan/pass.h"
#include "harness/plan/problem.h"
#include "harness/plan/worker_group.h"

namespace qb {

struct PathForms {
  std::optional<std::int64_t> rounds;  // steps of the worker that has most
  std::string rounds_formula;
  std::optional<std::int64_t> critical_path_pairs;  // per head, as Work counts them
  std::string pairs_formula;
  std::string missing;  // why there is no form of the critical path; else empty
};

// grid: for grid, usp and mesh. Throws Unsupported if there is no such grid.
[[nodiscard]] PathForms path_forms(std::string_view scheme, const Problem& problem, int workers,
                                   Pass pass = Pass::forward, const GridShape& grid = {});

}  // namespace qb
