// SPDX-License-Identifier: Apache-2.0
// Checks the gradients of a backward pass against float64.
//
// The reference begins with Q, K, V and dO, never with the O and LSE of the tested pass, so that it
// takes a whole forward pass in float64. Of a large problem, whose pairs of queries and keys are
// more than 2^31 over all query heads, only some heads are therefore compared: each head of keys
// that is taken, in even steps and with the last, has all query heads that share it. A gradient
// passes two limits, both of them 1.5 x the error of naive gradients in the inputs' precision, the
// factor that Stream-CQSA takes for gradients of several tasks, plus a floor:
//
//   largest error      1.5 naive + u max|dX| + 1e-4 s
//   relative L2 error  1.5 naive + u + 1e-4
//
// s is how large a gradient is where nothing cancels, by the root mean squares r of the inputs:
// r(dO) of dV, and scale sqrt(e) r(dO) r(V) times r(K) of dQ, times r(Q) of dK.
// u, the unit roundoff of the inputs, is for plans that send finished gradients in their type;
// where sums travel in 16 bits because the case asks for it, their roundings are added to it. The
// elements of a gradient shrink as sequences grow. So the first limit would in the end miss a part
// that was lost, which the second finds at any length. The second does not judge errors below 1e-5
// s: where a gradient is 0 (a row that sees one key), roundings are all there is. The gradient of a
// sink is one sum over all rows of a head, which may cancel: it passes the first limit only, and s
// and max|dX| are at least the root of the sum of the squares of its terms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/verify/verify.h"
#include "kernels/reference_gradients.h"

namespace qb {

// The gradients that a backward pass wrote, f32.
struct GradientViews {
  TensorView d_q;
  TensorView d_k;
  TensorView d_v;
  TensorView d_sinks{};  // [b,h,1,1], where the problem has sinks and they were computed
};

// The tensors of a pass; its problem must outlive this.
[[nodiscard]] inline GradientProblem gradient_problem(const Problem& problem, const TensorView& q,
                                                      const TensorView& k, const TensorView& v,
                                                      const TensorView& d_out) {
  return {q, k, v, d_out, problem.mask, problem.scale, {}, {}, problem.sinks};
}

inline constexpr std::int64_t kMostGradientPairs = std::int64_t{1} << 31;

// Returns which heads of keys are compared, ascending: batch * g + head. Of all query heads that
// share them there are at most most_pairs pairs of a query and a key, unless one head has more.
[[nodiscard]] std::vector<std::int64_t> groups_to_verify(const GradientProblem& problem,
                                                         std::int64_t most_pairs);

// Adds the errors of the gradients to the verification of their forward pass, and what is wrong
// with them: an element that is not finite, or dQ in one of the rows, or dK and dV in one of the
// keys, of groups_to_verify(). asked_roundings: by how much, relative to its size, a sum may be
// rounded on its way. rounds_lse: see verify_output().
void verify_gradients(const GradientProblem& problem, const GradientViews& found,
                      std::span<const std::int64_t> rows, std::span<const std::int64_t> keys,
                      int threads, Verification& verification, double asked_roundings = 0.0,
                      bool rounds_lse = false, std::int64_t most_pairs = kMostGradientPairs);

}  // namespace qb
