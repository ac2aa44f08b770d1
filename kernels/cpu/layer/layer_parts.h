// SPDX-License-Identifier: Apache-2.0
// Computes the parts of a transformer layer besides attention, on matrices of the host of f16, bf16
// or f32. A call divides its rows among `threads`. A product's bias is fused into the norm or GELU
// after it, since a pass over memory costs more than the arithmetic in it. 16-bit matrices are
// widened to float32, and results rounded: a product widens its weight whole and of x and y some
// hundred rows at a time, in the workspace; the others widen a row at a time.
#pragma once

#include "kernels/allocator.h"
#include "kernels/layer_call.h"

namespace qb::cpu {

void linear(const LinearCall& call, int threads, Allocator& workspace);
// Returns the most bytes that linear() takes from the workspace, exactly.
[[nodiscard]] std::int64_t linear_workspace_bytes(const LinearCall& call);
// The relative error is at most (8 + x^2) float32 roundoffs. NaN stays NaN.
void bias_gelu(const GeluCall& call, int threads);
void add_norm(const NormCall& call, int threads);

// The backward passes round d_x and d_y as the forward pass rounds its results. Sums over rows are
// made of the sums of short runs of rows, whose lengths follow from the shape: a long sequence is
// no less exact, and add_norm_backward() and bias_gelu_backward() give the same bits with any
// number of threads.
void linear_backward(const LinearBackwardCall& call, int threads, Allocator& workspace);
// The error is at most (10 + x^2) float32 roundoffs of Phi(x) + |x| phi(x). NaN stays NaN.
void bias_gelu_backward(const GeluBackwardCall& call, int threads);
void add_norm_backward(const NormBackwardCall& call, int threads, Allocator& workspace);

// These return the most bytes that the calls take from the workspace, exactly.
[[nodiscard]] std::int64_t linear_backward_workspace_bytes(const LinearBackwardCall& call);
[[nodiscard]] std::int64_t add_norm_backward_workspace_bytes(const NormBackwardCall& call);

}  // namespace qb::cpu
