#include "kernels/cuda/testing/cudnn_fake.h"

#include <algorithm>

namespace qb::cuda {

FakeCudnn& fake_cudnn() {
  static FakeCudnn fake;
  return fake;
}

namespace {

struct FakeDescriptor {
  cudnnBackendDescriptorType_t type;
  cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;  // mode of the heuristics, an engine or a plan
  int engine = 0;
};

FakeDescriptor& of(cudnnBackendDescriptor_t handle) {
  return *static_cast<FakeDescriptor*>(handle);
}

cudnnStatus_t plan_status(const FakeDescriptor& plan) {
  fake_cudnn().tried.emplace_back(plan.mode, plan.engine);
  return fake_cudnn().engines.at(plan.mode).at(static_cast<std::size_t>(plan.engine));
}

cudnnStatus_t heuristics_status(const FakeDescriptor& heuristics) {
  const auto found = fake_cudnn().heuristics.find(heuristics.mode);
  return found == fake_cudnn().heuristics.end() ? CUDNN_STATUS_SUCCESS : found->second;
}

}  // namespace
}  // namespace qb::cuda

using namespace qb::cuda;  // NOLINT: the library's functions have no namespace

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = nullptr;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) { return CUDNN_STATUS_SUCCESS; }
size_t cudnnGetVersion() { return CUDNN_VERSION; }
const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_NOT_SUPPORTED_SHAPE ? "CUDNN_STATUS_NOT_SUPPORTED_SHAPE"
                                                    : "CUDNN_STATUS_OF_THE_FAKE";
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* handle) {
  *handle = new FakeDescriptor{type};
  ++fake_cudnn().live_descriptors;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t handle) {
  delete &of(handle);
  --fake_cudnn().live_descriptors;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
  const FakeDescriptor& descriptor = of(handle);
  if (descriptor.type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) return heuristics_status(descriptor);
  if (descriptor.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) return plan_status(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t, std::int64_t count,
                                       const void* values) {
  FakeDescriptor& descriptor = of(handle);
  if (name == CUDNN_ATTR_ENGINEHEUR_MODE) {
    descriptor.mode = *static_cast<const cudnnBackendHeurMode_t*>(values);
  } else if (name == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG) {
    const FakeDescriptor& engine = of(*static_cast<const cudnnBackendDescriptor_t*>(values));
    descriptor.mode = engine.mode;
    descriptor.engine = engine.engine;
  } else if (name == CUDNN_ATTR_OPERATIONGRAPH_OPS) {
    fake_cudnn().n_operations = static_cast<std::size_t>(count);
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t, std::int64_t room,
                                       std::int64_t* count, void* values) {
  const FakeDescriptor& descriptor = of(handle);
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) {
    *count = 1;
    *static_cast<std::int64_t*>(values) = fake_workspace_bytes(descriptor.mode, descriptor.engine);
    return CUDNN_STATUS_SUCCESS;
  }
  if (name != CUDNN_ATTR_ENGINEHEUR_RESULTS) return CUDNN_STATUS_BAD_PARAM;
  *count = static_cast<std::int64_t>(fake_cudnn().engines[descriptor.mode].size());
  for (int i = 0; i < std::min(room, *count); ++i) {
    FakeDescriptor& engine = of(static_cast<cudnnBackendDescriptor_t*>(values)[i]);
    engine.mode = descriptor.mode;
    engine.engine = i;
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t,
                                  cudnnBackendDescriptor_t) {
  return CUDNN_STATUS_SUCCESS;
}
