// SPDX-License-Identifier: Apache-2.0
// Tests that the graphs which kernel cudnn makes are attention and its gradients: a library that
// has cuDNN's name evaluates them, operation by operation, over float32.
#include "kernels/cuda/blas/cudnn_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/cuda/testing/cudnn_fake.h"
#include "kernels/testing/backward_support.h"

namespace qb::cuda {
namespace {

using testing_support::BackwardCall;
using testing_support::brute_force_gradients;
using testing_support::random_tensor;

// Plans the operations and evaluates them over what a call binds.
void evaluate(const std::vector<Descriptor>& operations, double scale, WholeMask mask,
              const Bindings& bindings) {
  fake_cudnn() = {};
  fake_cudnn().engines[CUDNN_HEUR_MODE_A] = {CUDNN_STATUS_SUCCESS};
  execute(nullptr, make_plan(nullptr, operations), bindings, scale, mask, nullptr);
}

struct GraphProblem {
  std::int64_t n;
  std::int64_t m;
  WholeMask mask;

  [[nodiscard]] bool causal() const { return mask == WholeMask::causal; }
};

void PrintTo(const GraphProblem& p, std::ostream* out) {
  *out << p.n << " x " << p.m << (p.causal() ? " causal" : "");
}

class CudnnGraphs : public testing::TestWithParam<GraphProblem> {
 protected:
  CudnnGraphs() {
    set_forward(call_, problem_.causal() ? Mask::causal(problem_.n, problem_.m) : Mask::full());
  }
  static Tensor made(std::int64_t length, std::uint64_t seed) {
    return random_tensor(DType::f32, {2, 3, length, 24}, seed);
  }
  const GraphProblem problem_ = GetParam();
  BackwardCall call_{
      made(problem_.n, 1), made(problem_.m, 2), made(problem_.m, 3), made(problem_.n, 4), {}};
};

TEST_P(CudnnGraphs, AreTheGradientsOfAttention) {
  BackwardArguments a = call_.arguments();
  a.out = call_.out.view();
  Tensor d_q_sum(heap_allocator(), DType::f32, a.d_q.extent, "d_q_sum");
  const NarrowTensors narrow{a.out, d_q_sum.view(), a.d_q, a.d_k, a.d_v};
  std::fill_n(static_cast<float*>(narrow.d_q_sum.data), a.d_q.extent.elements(), 0.0F);
  evaluate(gradient_operations(a, narrow, problem_.mask), a.scale, problem_.mask,
           gradient_bindings(a, narrow));
  const auto allowed = [&](std::int64_t i, std::int64_t j) { return !problem_.causal() || j <= i; };
  expect_close(call_, call_.gradients(), brute_force_gradients<double>(call_, allowed),
               brute_force_gradients<float>(call_, allowed));
}

// The graph without a mask is one node, which cuDNN alone can evaluate.
TEST_P(CudnnGraphs, AreAttentionUnderTheCausalMask) {
  if (!problem_.causal()) return;
  const Tensor out(heap_allocator(), DType::f32, call_.out.view().extent, "out");
  const Tensor lse(heap_allocator(), DType::f32, call_.lse.view().extent, "lse");
  AttentionArguments a;
  a.q = call_.q.view();
  a.k = call_.k.view();
  a.v = call_.v.view();
  a.lse = lse.view();
  evaluate(attention_operations(a, out.view(), problem_.mask), call_.scale, problem_.mask,
           {{kQ, a.q.data},
            {kK, a.k.data},
            {kV, a.v.data},
            {kO, out.view().data},
            {kStatistics, lse.view().data}});
  using testing_support::max_difference;
  using testing_support::values;
  EXPECT_LE(max_difference(values(out.view()), values(call_.out.view())), 1e-6);
  EXPECT_LE(max_difference(values(lse.view()), values(call_.lse.view())), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Problems, CudnnGraphs,
                         testing::Values(GraphProblem{37, 53, WholeMask::none},
                                         GraphProblem{29, 29, WholeMask::causal},
                                         GraphProblem{1, 1, WholeMask::causal}));

}  // namespace
}  // namespace qb::cuda
