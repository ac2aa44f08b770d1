// What a layer will take and compute on a device, found by running it on one that computes nothing.
#pragma once

#include "harness/execute/device/device_rehearsal.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {

// Weights, states and output are there before the layer begins, as in a case. Pairs are those of
// one head and sequence. Throws as the layer does where the kernels take no such call.
[[nodiscard]] Rehearsal rehearse_layer(const LayerShape& shape, DType dtype,
                                       const LayerOptions& options, const cuda::KernelCosts& costs);

}  // namespace qb
