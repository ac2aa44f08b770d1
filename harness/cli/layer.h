// qb layer: a transformer layer with a user's own weights on a user's own hidden states.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/layer/transformer_layer.h"

namespace qb {

struct LayerRequest {
  std::string weights;  // a folder, see harness/layer/layer_weights.h
  std::string input;    // paths of NPY files
  std::string out;
  std::int64_t heads = 0;
  MaskKind mask = MaskKind::full;
  Kernel kernel = Kernel::flash;
  std::optional<double> scale;    // 1/sqrt(head_dim)
  std::int64_t block_tokens = 0;  // 0: the plain layer
  int threads = 0;                // 0: all cores
  DType out_dtype = DType::f32;
  bool verify = false;
  std::int64_t memory_budget_bytes = 0;  // 0: the machine's own
};

// run_layer(), or a fake of it in tests.
using LayerRunner = decltype(run_layer);

// Reads, computes, checks, and only then writes. Returns the summary table. Throws as attend()
// does.
[[nodiscard]] std::string layer_of_files(const LayerRequest& request,
                                         const std::function<LayerRunner>& runner = run_layer);

}  // namespace qb
