// SPDX-License-Identifier: Apache-2.0
// For tests, this is a fake cuDNN: a library of the same name whose heuristics propose what the
// test says.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace qb::cuda {

struct FakeCudnn {
  // Says how planning with each proposed engine ends.
  std::map<cudnnBackendHeurMode_t, std::vector<cudnnStatus_t>> engines;
  // Says how asking for proposals ends, where it fails.
  std::map<cudnnBackendHeurMode_t, cudnnStatus_t> heuristics;

  // Lists the engines (mode, number) that plans were tried with, in order.
  std::vector<std::pair<cudnnBackendHeurMode_t, int>> tried;
  std::size_t n_operations = 0;  // operations of the last graph
  int live_descriptors = 0;
};

// Returns the workspace of a plan with an engine.
inline std::int64_t fake_workspace_bytes(cudnnBackendHeurMode_t mode, int engine) {
  return 1000 * (mode + 1) + engine;
}

// The fake library defines this.
FakeCudnn& fake_cudnn();

}  // namespace qb::cuda
