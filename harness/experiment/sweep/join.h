// SPDX-License-Identifier: Apache-2.0
// Makes one run of the shards of a sweep (shards.h). It reads their folders alone, and asks no
// scheduler.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/sweep/shards.h"

namespace qb {

// How far a shard is.
struct ShardState {
  Shard shard;
  std::string folder;
  std::optional<Manifest> manifest;  // none: it has not begun
  std::string writer;                // `PID on HOST`; empty: nobody writes it
  std::vector<std::string> left;     // ids of cases without a row, in the order of the deal
  std::size_t cases = 0;
  double predicted_s = 0.0;
  double measured_s = 0.0;  // of its rows
  [[nodiscard]] bool is_done() const {
    return manifest && !manifest->finished_at.empty() && left.empty();
  }
};

// The shards of OUT/EXPERIMENT/RUN_ID, or of a name such as a folder of one of them. Throws
// UsageError where there is no deal.
[[nodiscard]] std::vector<ShardState> shard_states(const std::string& run);

// Writes the run folder of finished shards, in place of one that was joined before. Rows stand in
// the order in which they were measured. Throws UsageError, and writes nothing, where shards are of
// other builds or specs, where one is not finished, where the folder is no joined run, and unless
// `mixed`, which puts the node into each row, where they are of other machines.
void join_shards(const std::string& run, const std::vector<ShardState>& shards, bool mixed);

}  // namespace qb
