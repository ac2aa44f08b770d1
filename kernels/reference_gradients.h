// SPDX-License-Identifier: Apache-2.0
// This reference computes the gradients of attention in float64 from the global mask, in an obvious
// and slow way. It does not know plans, schedules or tiles, so that it cannot share their mistakes.
// kernels/attention_backward.h has the formulas and the notation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/tensor.h"

namespace qb {

// Shapes: q [b,h,n,d], k [b,g,m,d], v [b,g,m,e], d_out [b,h,n,e], of any dtype.
struct GradientProblem {
  TensorView q;
  TensorView k;
  TensorView v;
  TensorView d_out;
  Mask mask{};
  double scale = 1.0;
  // The gradient of one key needs LSE and D of every row that sees it, which takes a whole forward
  // pass in float64. With O [b,h,n,e] and LSE [b,h,n,1] of such a pass, both f64, this is saved.
  // Those of a tested program do not belong here: its gradients would be compared with themselves.
  TensorView out{};
  TensorView lse{};
  std::span<const float> sinks{};  // of each query head, see reference_rows()
};

// Holds the gradients of some query rows and of some keys, in double.
struct ReferenceGradients {
  std::vector<double> d_q;     // [b, h, rows, d]
  std::vector<double> d_k;     // [b, g, keys, d]
  std::vector<double> d_v;     // [b, g, keys, e]
  double largest_score = 0.0;  // of the rows' largest ones, the one furthest from 0
  // dSinks [b, h], where there are sinks and keys are asked for, sums over all rows of a head. The
  // root of the sum of the squares of its terms says how large it is where nothing cancels, at
  // most.
  std::vector<double> d_sinks{};
  double sink_size = 0.0;
};

// Computes the gradients of the given global query rows and keys over all allowed pairs. threads >
// 1 splits the rows and the keys. Throws std::invalid_argument for one that is not there.
[[nodiscard]] ReferenceGradients reference_gradients(const GradientProblem& problem,
                                                     std::span<const std::int64_t> rows,
                                                     std::span<const std::int64_t> keys,
                                                     int threads = 1);

// Computes those of every row and every key.
[[nodiscard]] ReferenceGradients reference_gradients(const GradientProblem& problem,
                                                     int threads = 1);

// Shows how far a straightforward implementation in the inputs' own precision may be off: products,
// statistics and sums in float32; P and dS rounded to the inputs' type before they are multiplied
// again. Tolerances are a factor times its error against reference_gradients, never a constant.
[[nodiscard]] ReferenceGradients naive_gradients(const GradientProblem& problem,
                                                 std::span<const std::int64_t> rows,
                                                 std::span<const std::int64_t> keys,
                                                 int threads = 1);
[[nodiscard]] ReferenceGradients naive_gradients(const GradientProblem& problem, int threads = 1);

}  // namespace qb
