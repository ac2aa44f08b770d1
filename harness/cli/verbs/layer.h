// qb layer: a transformer layer with a user's own weights on a user's own hidden states.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/cli/views/tensor_job.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {

struct LayerRequest : TensorJob {
  std::string weights;  // a folder, see harness/workload/layer/layer_weights.h
  std::string input;    // path of an NPY file
  std::int64_t heads = 0;
  std::int64_t block_tokens = 0;  // 0: the plain layer
};

// run_layer(), or a fake of it in tests.
using LayerRunner = decltype(run_layer);

// Reads, computes and checks, and only then writes. Returns the summary table. Throws as attend()
// does.
[[nodiscard]] std::string layer_of_files(const LayerRequest& request,
                                         const std::function<LayerRunner>& runner = run_layer);

}  // namespace qb
