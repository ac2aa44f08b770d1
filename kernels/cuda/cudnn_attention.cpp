// The graph API by its C interface: five tensors and a scalar, one operation, the plan that the
// heuristics put first. A descriptor is a typed bag of attributes, sealed by finalize.
#include "kernels/cuda/cudnn_attention.h"

#include <cudnn.h>

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "harness/base/status.h"
#include "kernels/cuda/dynamic_library.h"
#include "kernels/cuda/rows.h"

namespace qb::cuda {
namespace {

struct Functions {
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnGetVersion) version = nullptr;
  decltype(&cudnnGetErrorString) text = nullptr;
  decltype(&cudnnBackendCreateDescriptor) make = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) drop = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendSetAttribute) set = nullptr;
  decltype(&cudnnBackendGetAttribute) get = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;
};

Functions load_functions() {
  const DynamicLibrary library({"libcudnn.so." + std::to_string(CUDNN_MAJOR)}, toolkit_folders());
  if (!library) throw Unsupported("kernel cudnn: there is no cuDNN here: " + library.reason());
  Functions f;
  library.load(f.create, "cudnnCreate");
  library.load(f.destroy, "cudnnDestroy");
  library.load(f.set_stream, "cudnnSetStream");
  library.load(f.version, "cudnnGetVersion");
  library.load(f.text, "cudnnGetErrorString");
  library.load(f.make, "cudnnBackendCreateDescriptor");
  library.load(f.drop, "cudnnBackendDestroyDescriptor");
  library.load(f.finalize, "cudnnBackendFinalize");
  library.load(f.set, "cudnnBackendSetAttribute");
  library.load(f.get, "cudnnBackendGetAttribute");
  library.load(f.execute, "cudnnBackendExecute");
  return f;
}

const Functions& dnn() {
  static const Functions functions = load_functions();
  return functions;
}

// What cuDNN cannot is a row that says so.
void check(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string text = "cuDNN, " + what + ": " + dnn().text(status);
  const int kind = static_cast<int>(status) / 1000;
  if (kind == static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED) / 1000) throw Unsupported(text);
  if (kind == static_cast<int>(CUDNN_STATUS_EXECUTION_FAILED) / 1000)
    throw CaseError(Status::crashed, "the GPU was lost, " + text);
  throw CaseError(Status::error, text);
}

class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(cudnnBackendDescriptorType_t type, const char* name) : name_(name) {
    check(dnn().make(type, &handle_), std::string("making ") + name);
  }
  Descriptor(Descriptor&& other) noexcept { *this = std::move(other); }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~Descriptor() {
    if (handle_ != nullptr) (void)dnn().drop(handle_);
  }

  void set(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type,
           std::int64_t count, const void* values) const {
    check(dnn().set(handle_, attribute, type, count, values), std::string("describing ") + name_);
  }
  void set(cudnnBackendAttributeName_t attribute, const Descriptor& value) const {
    set(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.handle_);
  }
  void finalize() const { check(dnn().finalize(handle_), std::string("sealing ") + name_); }
  [[nodiscard]] cudnnBackendDescriptor_t get() const { return handle_; }

 private:
  cudnnBackendDescriptor_t handle_ = nullptr;
  const char* name_ = "";
};

enum TensorId : std::int64_t { kQ = 1, kK, kV, kO, kStatistics, kScale };

cudnnDataType_t native(DType dtype) {
  return dtype == DType::f16 ? CUDNN_DATA_HALF
                             : (dtype == DType::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT);
}

using Four = std::array<std::int64_t, 4>;

Descriptor tensor(TensorId id, cudnnDataType_t type, const Four& extent, const Four& strides,
                  bool by_value = false) {
  Descriptor result(CUDNN_BACKEND_TENSOR_DESCRIPTOR, "a tensor");
  const std::int64_t number = id;
  const std::int64_t alignment = by_value ? 4 : 16;
  result.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number);
  result.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  result.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, extent.data());
  result.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides.data());
  result.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
  if (by_value) result.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
  result.finalize();
  return result;
}

Descriptor tensor(TensorId id, const TensorView& view) {
  const Extent& e = view.extent;
  return tensor(id, native(view.dtype), {e.batch, e.heads, e.length, e.head_dim},
                {view.batch_stride, view.head_stride, view.token_stride, 1});
}

// A shape that is planned: the strides are part of it.
using Key = std::tuple<DType, Four, Four, Four, Four, Four, std::int64_t>;

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

Descriptor attention_operation(const AttentionArguments& a, const TensorView& out) {
  const Descriptor q = tensor(kQ, a.q);
  const Descriptor k = tensor(kK, a.k);
  const Descriptor v = tensor(kV, a.v);
  const Descriptor o = tensor(kO, out);
  const Descriptor statistics = tensor(kStatistics, a.lse);
  const Descriptor scale = tensor(kScale, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}, true);
  Descriptor operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, "attention");
  operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, q);
  operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, k);
  operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, v);
  operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, o);
  operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, statistics);
  operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, scale);
  operation.finalize();
  return operation;
}

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

Plan make_plan(cudnnHandle_t handle, const AttentionArguments& a, const TensorView& out) {
  const Descriptor operation = attention_operation(a, out);
  Plan plan;
  plan.graph = Descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "a graph");
  plan.graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  plan.graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  plan.graph.finalize();
  choose_engine(handle, plan);
  return plan;
}

void require_supported(const AttentionArguments& a) {
  if (a.q.dtype != DType::f16 && a.q.dtype != DType::bf16)
    throw Unsupported("kernel cudnn takes f16 and bf16; the nearest for others is materialized");
  const std::int64_t pairs = a.q.extent.length * a.k.extent.length;
  if (a.schedule->unmasked_pairs() != pairs)
    throw Unsupported(
        "kernel cudnn is for whole blocks: its attention node has no causal mask and leaves no "
        "pair "
        "out; the nearest is kernel flash");
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
  require_supported(a);
  if (a.q.extent.length == 0) return;
  const Tensor narrow(context.workspace, a.q.dtype, a.out.extent, "out_16_bit", context.worker);
  const Key key{a.q.dtype,       extent_of(a.q),  extent_of(a.v),   strides_of(a.q),
                strides_of(a.k), strides_of(a.v), a.lse.head_stride};
  auto found = state_->plans.find(key);
  if (found == state_->plans.end())
    found = state_->plans.emplace(key, make_plan(state_->handle, a, narrow.view())).first;
  const Plan& plan = found->second;
  const Buffer workspace(context.workspace, static_cast<std::size_t>(plan.workspace_bytes),
                         "cudnn_workspace", context.worker);

  auto scale = static_cast<float>(a.scale);
  constexpr std::int64_t kIds[] = {kQ, kK, kV, kO, kStatistics, kScale};
  void* const pointers[] = {a.q.data, a.k.data, a.v.data, narrow.view().data, a.lse.data, &scale};
  void* const scratch = workspace.data();
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "the pointers");
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, std::size(kIds), kIds);
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::size(pointers),
           pointers);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &scratch);
  pack.finalize();
  check(dnn().execute(state_->handle, plan.plan.get(), pack.get()), "computing attention");
  widen_rows(narrow.view(), a.out, state_->stream);
}

}  // namespace qb::cuda
