// SPDX-License-Identifier: Apache-2.0
// For tests: a backward plan with its inputs, the forward pass in float64, and poisoned gradients.
#pragma once

#include <string>
#include <utility>

#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/inputs_of.h"
#include "kernels/merge.h"
#include "kernels/testing/backward_support.h"

namespace qb {

struct GradientTrial {
  explicit GradientTrial(Plan given) : plan(std::move(given)), call(call_of(plan.problem)) {
    call.scale = plan.problem.scale;
    if (!plan.problem.sinks.empty())
      d_sinks = Tensor(heap_allocator(), DType::f32, plan.problem.shape.d_sinks(), "d_sinks");
    testing_support::set_forward(call, plan.problem.mask, plan.problem.sinks);
    forget_gradients();
  }

  void forget_gradients() const {
    for (const Tensor* const tensor : {&call.d_q, &call.d_k, &call.d_v})
      testing_support::fill(tensor->view(), std::nan(""));
    if (d_sinks.view().data != nullptr) testing_support::fill(d_sinks.view(), std::nan(""));
  }

  // Returns the arguments with this trial's tensors.
  [[nodiscard]] ExecutionArguments with_tensors(ExecutionArguments arguments) const {
    arguments.q = call.q.view();
    arguments.k = call.k.view();
    arguments.v = call.v.view();
    arguments.out = call.out.view();
    arguments.lse = call.lse.view();
    arguments.d_out = call.d_out.view();
    arguments.d_q = call.d_q.view();
    arguments.d_k = call.d_k.view();
    arguments.d_v = call.d_v.view();
    arguments.d_sinks = d_sinks.view();
    return arguments;
  }

  [[nodiscard]] Execution run(Ranks ranks, Kernel kernel, int threads, Allocator& memory) const {
    ExecutionArguments arguments = with_tensors({});
    arguments.kernel = kernel;
    arguments.threads = threads;
    arguments.allocator = &memory;
    arguments.guard_messages = true;
    return execute(ranks, plan, arguments);
  }

  void expect_exact() const {
    GradientProblem problem = testing_support::problem_of(call, plan.problem.mask);
    problem.sinks = plan.problem.sinks;
    const ReferenceGradients exact = reference_gradients(problem);
    const ReferenceGradients naive = naive_gradients(problem);
    testing_support::expect_close(call, call.gradients(), testing_support::gradients_of(exact),
                                  testing_support::gradients_of(naive), plan.gradients);
    if (problem.sinks.empty()) return;
    // O of the forward pass is rounded to f32, and its error is that of each term.
    const std::vector<double> found = testing_support::values(d_sinks.view());
    ASSERT_EQ(found.size(), exact.d_sinks.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], exact.d_sinks[i], 1e-6 + 1e-5 * exact.sink_size);
  }

  // Returns dQ, dK and dV, bit for bit.
  [[nodiscard]] std::string gradient_bytes() const {
    std::string all;
    for (const Tensor* const tensor : {&call.d_q, &call.d_k, &call.d_v, &d_sinks})
      all.append(static_cast<const char*>(tensor->view().data),
                 static_cast<std::size_t>(tensor->view().bytes()));
    return all;
  }

  // Returns the gradients of serial ranks on the host, bit for bit, and forgets them.
  [[nodiscard]] std::string serial_bytes(Kernel kernel) const {
    (void)run(Ranks::serial, kernel, 1, heap_allocator());
    std::string bytes = gradient_bytes();
    forget_gradients();
    return bytes;
  }

  // Fills what shard_source() does, and dO, on every rank alike.
  [[nodiscard]] ShardSource shards() const {
    return [this](TensorRole what, const TokenGroup& tokens, const Range& heads,
                  const TensorView& view) {
      const TensorView& whole = what == TensorRole::q   ? call.q.view()
                                : what == TensorRole::k ? call.k.view()
                                : what == TensorRole::v ? call.v.view()
                                                        : call.d_out.view();
      copy_rows(rows_of(whole, tokens).heads(heads.begin, heads.end - heads.begin), view);
    };
  }

  Plan plan;
  testing_support::BackwardCall call;
  Tensor d_sinks;  // of problems with sinks

 private:
  static testing_support::BackwardCall call_of(const Problem& problem) {
    Inputs inputs = make_inputs(problem, heap_allocator(), 1);
    Tensor d_out(heap_allocator(), problem.dtype, problem.shape.out(), "d_out");
    fill_normal(d_out.view(), problem.seed + 17, 1);
    return {std::move(inputs.q), std::move(inputs.k), std::move(inputs.v), std::move(d_out), {}};
  }
};

}  // namespace qb
