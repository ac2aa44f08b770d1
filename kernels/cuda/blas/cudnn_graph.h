// Attention as an operation graph of cuDNN. Private to cudnn_*.cpp.
#pragma once

#include <vector>

#include "kernels/attention.h"
#include "kernels/cuda/blas/cudnn_library.h"
#include "kernels/cuda/blas/whole_mask.h"

namespace qb::cuda {

// The tensors that are bound at execution. The two scalars are float32 on the host.
enum TensorId : std::int64_t { kQ = 1, kK, kV, kO, kStatistics, kScale, kMasked, kFirstVirtual };

// The operations of softmax(scale Q K^T) V with the statistics of its rows; out in the inputs'
// type. Without a mask one node; with the causal one cuDNN 9.19 has no attribute in that node, so
// the pattern that its engines know is spelt out: product, scale, select by row and column number,
// softmax, product.
[[nodiscard]] std::vector<Descriptor> attention_operations(const AttentionArguments& a,
                                                           const TensorView& out, WholeMask mask);

}  // namespace qb::cuda
