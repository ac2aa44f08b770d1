// SPDX-License-Identifier: Apache-2.0
// Attention sinks (GPT-OSS): each query head has a learnt number that takes part in the softmax of
// every row as the score of a key without a value. So a sink is a partial with O = 0 and LSE = sink
// for every row, and who holds the whole row merges it, once: LSE := log(exp(LSE) + exp(sink)), and
// a row without keys has O = 0 and LSE = sink. Merged into each of several partials it would count
// as often. Given this LSE a backward pass has no other formulas for dQ, dK and dV, and that of the
// sink is -Σ exp(sink - LSE) D over the rows (kernels/attention_backward.h).
#pragma once

#include <optional>

#include "harness/plan/plan.h"
#include "harness/run/device/attention_device.h"

namespace qb {

// The sinks of a problem in the memory of a device. Without any it holds no memory, and its
// functions do nothing.
class Sinks {
 public:
  Sinks() = default;
  // The problem must outlive it.
  Sinks(const Problem& problem, Allocator& memory, ComputeDevice& device, int worker) {
    if (problem.sinks.empty()) return;
    const Shape& shape = problem.shape;
    tensor_ = Tensor(memory, DType::f32, extent(problem), "sinks", worker);
    const TensorView& all = tensor_.view();
    const auto bytes = static_cast<std::size_t>(shape.value_dim * size_of(DType::f32));
    device.fill(all.data, 0, bytes);
    values_ = contiguous_view(static_cast<std::byte*>(all.data) + bytes, DType::f32,
                              {1, shape.q_heads, 1, 1});
    device.upload(
        contiguous_view(const_cast<float*>(problem.sinks.data()), DType::f32, values_.extent),
        values_);
  }

  [[nodiscard]] static std::int64_t bytes(const Problem& problem) {
    return problem.sinks.empty() ? 0 : extent(problem).elements() * size_of(DType::f32);
  }
  [[nodiscard]] explicit operator bool() const { return values_.data != nullptr; }
  // Merges the sinks of these heads, or of all, into whole rows of O and LSE.
  void merge_into(ComputeDevice& device, const TensorView& out, const TensorView& lse,
                  std::optional<Range> heads = {}) const {
    if (!*this || out.extent.elements() == 0) return;
    device.merge_partial(out, lse, {tensor_.view().data, DType::f32, out.extent, 0, 0, 0},
                         of(heads, {out.extent.batch, out.extent.heads, out.extent.length, 1}));
  }
  // Sets their gradients, one number for each sequence and head.
  void set_gradients(AttentionDevice& device, const TensorView& lse, const TensorView& delta,
                     const TensorView& d_sinks, std::optional<Range> heads = {}) const {
    if (!*this) return;
    const TensorView to = heads ? d_sinks.heads(heads->begin, heads->count()) : d_sinks;
    device.sink_gradients(lse, delta, of(heads, to.extent), to);
  }

 private:
  [[nodiscard]] static Extent extent(const Problem& problem) {
    return {1, 1, 1, problem.shape.value_dim + problem.shape.q_heads};
  }
  // The same number for each row and sequence.
  [[nodiscard]] TensorView of(const std::optional<Range>& heads, const Extent& extent) const {
    return {values_.row(0, heads ? heads->begin : 0, 0), DType::f32, extent, 0, 1, 0};
  }

  Tensor tensor_;  // a row of O that is 0, then the values
  TensorView values_;
};

}  // namespace qb
