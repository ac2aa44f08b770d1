// The passes between the products of a transformer layer, on device matrices. A plain host header;
// stream: a cudaStream_t.
#pragma once

#include "kernels/layer_call.h"

namespace qb::cuda {

// y [rows, out] += bias, of a product whose call has one.
void add_bias(const LinearCall& call, void* stream);
void bias_gelu(const GeluCall& call, void* stream);
void add_norm(const NormCall& call, void* stream);

}  // namespace qb::cuda
