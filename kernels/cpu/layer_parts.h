// Computes the parts of a transformer layer besides attention, on float32 matrices of the host. A
// call divides its rows among `threads`. A product's bias is fused into the norm or GELU after it,
// since a pass over memory costs more than the arithmetic in it.
#pragma once

#include "kernels/layer_call.h"

namespace qb::cpu {

void linear(const LinearCall& call, int threads);
// The relative error is at most (8 + x^2) float32 roundoffs. NaN stays NaN.
void bias_gelu(const GeluCall& call, int threads);
void add_norm(const NormCall& call, int threads);

}  // namespace qb::cpu
