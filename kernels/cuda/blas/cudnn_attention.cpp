// SPDX-License-Identifier: Apache-2.0
// A cuDNN graph is planned once for a shape.
#include "kernels/cuda/blas/cudnn_attention.h"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "kernels/cuda/blas/cudnn_graph.h"
#include "kernels/cuda/runtime/runtime.h"

namespace qb::cuda {
namespace {

// Identifies a planned shape: the strides are part of it.
using Four = std::array<std::int64_t, 4>;
using Key = std::tuple<WholeMask, DType, Four, Four, std::vector<Four>, std::int64_t>;

Four strides_of(const TensorView& view) {
  return {view.batch_stride, view.head_stride, view.token_stride, view.extent.head_dim};
}
Four extent_of(const TensorView& view) {
  return {view.extent.batch, view.extent.heads, view.extent.length, view.extent.head_dim};
}

WholeMask supported_mask(DType dtype, const TileSchedule& schedule) {
  if (dtype != DType::f16 && dtype != DType::bf16)
    throw Unsupported("kernel cudnn takes f16 and bf16; the nearest for others is materialized");
  const WholeMask mask = whole_mask(schedule);
  if (mask == WholeMask::other)
    throw Unsupported(
        "kernel cudnn is for whole blocks and for the causal mask of as many queries as keys, and "
        "leaves out no other pair; the nearest is kernel flash");
  return mask;
}

WholeMask supported_gradients(const BackwardArguments& a) {
  check_backward_tensors("kernel cudnn", a);
  const WholeMask mask = supported_mask(a.q.dtype, *a.schedule);
  if (a.q.extent.heads != a.k.extent.heads || a.q.extent.head_dim != a.v.extent.head_dim)
    throw Unsupported(
        "the backward pass of kernel cudnn is for as many key-value heads as query heads and one "
        "head_dim; the nearest is kernel flash");
  if (a.out.data == nullptr)
    throw Unsupported(
        "the backward pass of kernel cudnn makes D of the whole output, which only algorithm dense "
        "has beside its inputs; the nearest is kernel flash");
  return mask;
}

}  // namespace

struct CudnnAttention::State {
  void* stream = nullptr;
  cudnnHandle_t handle = nullptr;
  std::map<Key, CudnnPlan> plans;
  std::string isa;

  // Makes the plan of a shape when it is asked for first.
  template <class Operations>
  const CudnnPlan& plan(const Key& key, Operations operations) {
    auto found = plans.find(key);
    if (found == plans.end()) found = plans.emplace(key, make_plan(handle, operations())).first;
    return found->second;
  }

  void execute(const CudnnPlan& plan, const Bindings& bindings, double scale, WholeMask mask,
               const LaunchContext& context) const {
    const Buffer workspace(context.workspace, static_cast<std::size_t>(plan.workspace_bytes),
                           "cudnn_workspace", context.worker);
    cuda::execute(handle, plan, bindings, scale, mask, workspace.data());
  }

  ~State() {
    plans.clear();
    if (handle != nullptr) (void)dnn().destroy(handle);
  }
};

CudnnAttention::CudnnAttention(void* stream) : state_(std::make_shared<State>()) {
  state_->stream = stream;
  check(dnn().create(&state_->handle), "making a handle");
  check(dnn().set_stream(state_->handle, static_cast<cudaStream_t>(stream)), "taking a stream");
  const std::size_t version = dnn().version();
  state_->isa = "cudnn " + std::to_string(version / 10000) + '.' +
                std::to_string(version / 100 % 100) + '.' + std::to_string(version % 100);
}

const std::string& CudnnAttention::isa() const { return state_->isa; }

void CudnnAttention::attend(const AttentionArguments& a, const LaunchContext& context) {
  const WholeMask mask = supported_mask(a.q.dtype, *a.schedule);
  if (a.q.extent.length == 0) return;
  const Tensor narrow(context.workspace, a.q.dtype, a.out.extent, "out_16_bit", context.worker);
  const CudnnPlan& plan =
      state_->plan({mask,
                    a.q.dtype,
                    extent_of(a.q),
                    extent_of(a.v),
                    {strides_of(a.q), strides_of(a.k), strides_of(a.v)},
                    a.lse.head_stride},
                   [&] { return attention_operations(a, narrow.view(), mask); });
  state_->execute(plan,
                  {{kQ, a.q.data},
                   {kK, a.k.data},
                   {kV, a.v.data},
                   {kO, narrow.view().data},
                   {kStatistics, a.lse.data}},
                  a.scale, mask, context);
  copy_rows(narrow.view(), a.out, state_->stream);
}

void CudnnAttention::attend_backward(const BackwardArguments& a, const LaunchContext& context) {
  const WholeMask mask = supported_gradients(a);
  if (a.q.extent.length == 0 || a.k.extent.length == 0) return;
  const auto narrow = [&](const TensorView& wide, const char* label) {
    return Tensor(context.workspace, a.q.dtype, wide.extent, label, context.worker);
  };
  const Tensor out = narrow(a.out, "out_16_bit");
  const Tensor d_q = narrow(a.d_q, "d_q_16_bit");
  const Tensor d_k = narrow(a.d_k, "d_k_16_bit");
  const Tensor d_v = narrow(a.d_v, "d_v_16_bit");
  const Tensor d_q_sum(context.workspace, DType::f32, a.d_q.extent, "d_q_sum", context.worker);
  const NarrowTensors narrowed{out.view(), d_q_sum.view(), d_q.view(), d_k.view(), d_v.view()};
  copy_rows(a.out, narrowed.out, state_->stream);
  clear_rows(narrowed.d_q_sum, state_->stream);
  const CudnnPlan& plan =
      state_->plan({mask,
                    a.q.dtype,
                    extent_of(a.q),
                    extent_of(a.v),
                    {strides_of(a.q), strides_of(a.k), strides_of(a.v), strides_of(a.d_out)},
                    a.lse.head_stride},
                   [&] { return gradient_operations(a, narrowed, mask); });
  state_->execute(plan, gradient_bindings(a, narrowed), a.scale, mask, context);
  add_rows(a.d_q, narrowed.d_q, state_->stream);
  add_rows(a.d_k, narrowed.d_k, state_->stream);
  add_rows(a.d_v, narrowed.d_v, state_->stream);
}

}  // namespace qb::cuda
