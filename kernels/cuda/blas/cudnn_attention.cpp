// A cuDNN graph is planned once for a shape.
#include "kernels/cuda/blas/cudnn_attention.h"

#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "base/status.h"
#include "kernels/cuda/blas/cudnn_graph.h"
#include "kernels/cuda/runtime/runtime.h"

namespace qb::cuda {
namespace {

// Identifies a planned shape: the strides are part of it.
using Four = std::array<std::int64_t, 4>;
using Key = std::tuple<WholeMask, DType, Four, Four, Four, Four, Four, std::int64_t>;

Four strides_of(const TensorView& view) {
  return {view.batch_stride, view.head_stride, view.token_stride, view.extent.head_dim};
}
Four extent_of(const TensorView& view) {
  return {view.extent.batch, view.extent.heads, view.extent.length, view.extent.head_dim};
}

WholeMask supported_mask(const AttentionArguments& a) {
  if (a.q.dtype != DType::f16 && a.q.dtype != DType::bf16)
    throw Unsupported("kernel cudnn takes f16 and bf16; the nearest for others is materialized");
  const WholeMask mask = whole_mask(*a.schedule);
  if (mask == WholeMask::other)
    throw Unsupported(
        "kernel cudnn is for whole blocks and for the causal mask of as many queries as keys, and "
        "leaves out no other pair; the nearest is kernel flash");
  return mask;
}

}  // namespace

struct CudnnAttention::State {
  void* stream = nullptr;
  cudnnHandle_t handle = nullptr;
  std::map<Key, CudnnPlan> plans;
  std::string isa;

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
  const WholeMask mask = supported_mask(a);
  if (a.q.extent.length == 0) return;
  const Tensor narrow(context.workspace, a.q.dtype, a.out.extent, "out_16_bit", context.worker);
  const Key key{mask,
                a.q.dtype,
                extent_of(a.q),
                extent_of(a.v),
                strides_of(a.q),
                strides_of(a.k),
                strides_of(a.v),
                a.lse.head_stride};
  auto found = state_->plans.find(key);
  if (found == state_->plans.end())
    found =
        state_->plans
            .emplace(key, make_plan(state_->handle, attention_operations(a, narrow.view(), mask)))
            .first;
  const CudnnPlan& plan = found->second;
  const Buffer workspace(context.workspace, static_cast<std::size_t>(plan.workspace_bytes),
                         "cudnn_workspace", context.worker);

  auto scale = static_cast<float>(a.scale);
  float masked = -std::numeric_limits<float>::infinity();
  constexpr std::int64_t kIds[] = {kQ, kK, kV, kO, kStatistics, kScale, kMasked};
  void* const pointers[] = {a.q.data,   a.k.data, a.v.data, narrow.view().data,
                            a.lse.data, &scale,   &masked};
  const std::int64_t n_pointers = mask == WholeMask::causal ? 7 : 6;
  void* const scratch = workspace.data();
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "the pointers");
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, n_pointers, kIds);
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, n_pointers, pointers);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &scratch);
  pack.finalize();
  check(dnn().execute(state_->handle, plan.plan.get(), pack.get()), "computing attention");
  copy_rows(narrow.view(), a.out, state_->stream);
}

}  // namespace qb::cuda
