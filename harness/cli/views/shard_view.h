// SPDX-License-Identifier: Apache-2.0
// How far the shards of a run are.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/sweep/join.h"

namespace qb {

// A table with a row for each shard: who runs it, or what it waits for, and what it takes.
[[nodiscard]] std::string shard_table(const std::string& run,
                                      const std::vector<ShardState>& shards);

}  // namespace qb
