// Computes the backward passes of the parts in layer_parts.h. A call divides its work among
// `threads`. 16-bit matrices are widened to float32 and d_x and d_y are rounded, as in the forward
// pass: a product widens its weight whole and of x, d_x and d_y some hundred rows at a time.
//
// Sums over rows are made of the sums of short runs of rows, whose lengths follow from the shape:
// a long sequence is no less exact, and add_norm_backward() and bias_gelu_backward() give the same
// bits with any number of threads.
#pragma once

#include "kernels/allocator.h"
#include "kernels/layer_call.h"

namespace qb::cpu {

void linear_backward(const LinearBackwardCall& call, int threads, Allocator& workspace);
// The error is at most (10 + x^2) float32 roundoffs of Phi(x) + |x| phi(x). NaN stays NaN.
void bias_gelu_backward(const GeluBackwardCall& call, int threads);
void add_norm_backward(const NormBackwardCall& call, int threads, Allocator& workspace);

// These return the most bytes that the calls take from the workspace, exactly.
[[nodiscard]] std::int64_t linear_backward_workspace_bytes(const LinearBackwardCall& call);
[[nodiscard]] std::int64_t add_norm_backward_workspace_bytes(const NormBackwardCall& call);

}  // namespace qb::cpu
