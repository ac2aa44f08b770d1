// SPDX-License-Identifier: Apache-2.0
// Every kernel's backward pass is called by one function: (Q, K, V, dO, LSE, D, tile schedule) adds
// to (dQ, dK, dV).
//
// Notation as in kernels/attention.h; dX is the gradient of a loss with respect to X. Two numbers
// of each row come from its forward pass: LSE_i over all keys that the row sees, in this call or in
// others, and D_i = sum_x dO[i][x] O[i][x] of the whole output. Over the pairs (i, j) that the
// schedule allows,
//   P_ij  = exp(s_ij - LSE_i),  s_ij = scale * Q[i].K[j]
//   dS_ij = P_ij (dO[i].V[j] - D_i)
//   dV[j] += sum_i P_ij dO[i]
//   dQ[i] += scale sum_j dS_ij K[j]
//   dK[j] += scale sum_i dS_ij Q[i]
// (FlashAttention-2, arXiv 2307.08691: algorithm 2, and section 3.2 for the division by blocks of
// keys). With grouped queries dK and dV also sum over the query heads of the group. Given LSE and D
// no pair depends on another, so that calls over disjoint pairs add up to the gradient of all of
// them. The useful work is 10 d FLOP a pair and head where d = e: five products.
//
// A pair that the schedule leaves out adds nothing, whatever its rows of Q, K, V and dO hold, and
// neither does a row with LSE = -inf. NaN in a row reaches the pairs that it has.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/attention.h"

namespace qb {

// Shapes: q [b,h,n,d], k [b,g,m,d], v [b,g,m,e] and d_out [b,h,n,e] of one dtype (f16, bf16, f32;
// reference also f64); lse and delta (the D above) [b,h,n,1] f32, lse as in kernels/attention.h.
// schedule.n_queries == n, n_keys == m; it is made as for the forward pass (kernel_tiles). The sums
// d_q [b,h,n,d], d_k [b,g,m,d] and d_v [b,g,m,e] are f32: the caller clears them before the first
// call, and elements to which no pair adds keep their value.
struct BackwardArguments {
  TensorView q;
  TensorView k;
  TensorView v;
  TensorView d_out;
  TensorView lse;
  TensorView delta;
  const TileSchedule* schedule = nullptr;
  double scale = 1.0;
  TensorView d_q;
  TensorView d_k;
  TensorView d_v;
};

// delta[b,h,n,1] := sum over x of d_out[b,h,n,x] out[b,h,n,x], in one pass over both, which may
// have different dtypes; summed in float64, rounded to f32. Throws std::invalid_argument where the
// shapes do not fit together or delta is not f32.
void compute_delta(const TensorView& out, const TensorView& d_out, const TensorView& delta,
                   int threads = 1);

// d_sinks[b,h,1,1] := -sum over the rows of exp(sink - LSE) D, the gradient of a head's sink, whose
// exp is part of exp(LSE); summed in float64. lse [b,h,n,1 or 2], delta [b,h,n,1], sinks [b,h,1,1].
void sink_gradients(const TensorView& lse, const TensorView& delta, const TensorView& sinks,
                    const TensorView& d_sinks);

// Throws, with `who` first, std::invalid_argument for types or shapes that do not fit together and
// Unsupported for a head_dim outside 1..kMaxHeadDim. It does not check the schedule. LSE may have
// two numbers a row where the caller says so.
void check_backward_tensors(std::string_view who, const BackwardArguments& arguments,
                            bool two_numbers = false);

// Throws Unsupported where the kernel has no backward pass on the CPU for inputs of this type.
void require_backward_kernel(Kernel kernel, DType dtype);

// Returns the peak bytes of the temporaries of a backward pass, exactly as the ledger will count
// them. value_dim 0 means head_dim. Throws Unsupported where the kernel has no backward pass.
[[nodiscard]] std::int64_t backward_workspace_bytes(Kernel kernel, const Extent& q, const Extent& k,
                                                    DType dtype, int threads,
                                                    std::int64_t value_dim = 0);

// Runs the kernel's backward pass on the CPU. `reference` and `flash` make every sum in an order
// that follows from the shapes and the schedule, so that the results have the same bits for any
// number of threads. Throws as attention() does; context.stages is not used.
void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                        const KernelContext& context);

}  // namespace qb
