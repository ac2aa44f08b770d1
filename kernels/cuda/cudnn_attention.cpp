// A graph of cuDNN's is planned once for a shape: the plan that its heuristics put first.
#include "kernels/cuda/cudnn_attention.h"

#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "harness/base/status.h"
#include "kernels/cuda/cudnn_graph.h"
#include "kernels/cuda/rows.h"

namespace qb::cuda {
namespace {

// A shape that is planned: the strides are part of it.
using Four = std::array<std::int64_t, 4>;
using Key = std::tuple<WholeMask, DType, Four, Four, Four, Four, Four, std::int64_t>;

Four strides_of(const TensorView& view) {
  return {view.batch_stride, view.head_stride, view.token_stride, view.extent.head_dim};
}
Four extent_of(const TensorView& view) {
  return {view.extent.batch, view.extent.heads, view.extent.length, view.extent.head_dim};
}

struct Plan {
  Descriptor graph;
  Descriptor engine;
  Descriptor plan;
  std::int64_t workspace_bytes = 0;
};

// The first of the heuristics' proposals that becomes a plan.
void choose_engine(cudnnHandle_t handle, Plan& plan) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, "the heuristics");
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, plan.graph);
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  heuristics.finalize();
  std::int64_t count = 0;
  plan.engine = Descriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, "an engine");
  cudnnBackendDescriptor_t first = plan.engine.get();
  check(dnn().get(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                  &count, &first),
        "asking the heuristics");
  if (count < 1) throw Unsupported("cuDNN has no attention kernel for this shape on this GPU");
  plan.plan = Descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, "a plan");
  plan.plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  plan.plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, plan.engine);
  plan.plan.finalize();
  check(dnn().get(plan.plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                  &count, &plan.workspace_bytes),
        "asking a plan for its workspace");
}

Plan make_plan(cudnnHandle_t handle, const AttentionArguments& a, const TensorView& out,
               WholeMask mask) {
  Plan plan;
  plan.graph = Descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "a graph");
  plan.graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  plan.graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, attention_operations(a, out, mask));
  plan.graph.finalize();
  choose_engine(handle, plan);
  return plan;
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
  std::map<Key, Plan> plans;
  std::string isa;

  ~State() {
    plans.clear();
    if (handle != nullptr) (void)dnn().destroy(handle);
  }
};

CudnnAttention::CudnnAttention(void* stream) : state_(std::make_unique<State>()) {
  state_->stream = stream;
  check(dnn().create(&state_->handle), "making a handle");
  check(dnn().set_stream(state_->handle, static_cast<cudaStream_t>(stream)), "taking a stream");
  const std::size_t version = dnn().version();
  state_->isa = "cudnn " + std::to_string(version / 10000) + '.' +
                std::to_string(version / 100 % 100) + '.' + std::to_string(version % 100);
}

CudnnAttention::~CudnnAttention() = default;

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
    found = state_->plans.emplace(key, make_plan(state_->handle, a, narrow.view(), mask)).first;
  const Plan& plan = found->second;
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
  widen_rows(narrow.view(), a.out, state_->stream);
}

}  // namespace qb::cuda
