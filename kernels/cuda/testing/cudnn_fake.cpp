// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/testing/cudnn_fake.h"

#include <algorithm>
#include <cstring>

#include "kernels/cuda/testing/cudnn_fake_graph.h"

namespace qb::cuda {

FakeCudnn& fake_cudnn() {
  static FakeCudnn fake;
  return fake;
}

namespace {

// The operations of the last graph.
std::vector<FakeDescriptor>& operations() {
  static std::vector<FakeDescriptor> last;
  return last;
}

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
                                       cudnnBackendAttributeType_t type, std::int64_t count,
                                       const void* values) {
  FakeDescriptor& descriptor = of(handle);
  const auto n = static_cast<std::size_t>(count);
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto* const parts = static_cast<const cudnnBackendDescriptor_t*>(values);
    for (std::size_t i = 0; i < n; ++i) descriptor.parts[name].push_back(of(parts[i]));
  } else if (type == CUDNN_TYPE_VOID_PTR || type == CUDNN_TYPE_HANDLE) {
    const auto* const pointers = static_cast<void* const*>(values);
    descriptor.pointers[name].assign(pointers, pointers + n);
  } else if (type == CUDNN_TYPE_INT64) {
    const auto* const numbers = static_cast<const std::int64_t*>(values);
    descriptor.numbers[name].assign(numbers, numbers + n);
  } else if (type == CUDNN_TYPE_BOOLEAN) {
    descriptor.numbers[name] = {*static_cast<const bool*>(values) ? 1 : 0};
  } else {  // words, all of four bytes
    std::int32_t word = 0;
    std::memcpy(&word, values, sizeof word);
    descriptor.numbers[name] = {word};
  }
  if (name == CUDNN_ATTR_ENGINEHEUR_MODE) {
    descriptor.mode = static_cast<cudnnBackendHeurMode_t>(descriptor.number(name));
  } else if (name == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG) {
    descriptor.mode = descriptor.part(name).mode;
    descriptor.engine = descriptor.part(name).engine;
  } else if (name == CUDNN_ATTR_OPERATIONGRAPH_OPS) {
    operations() = descriptor.parts.at(name);
    fake_cudnn().n_operations = n;
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
                                  cudnnBackendDescriptor_t pack) {
  FakeEvaluation evaluation(of(pack));
  for (const FakeDescriptor& operation : operations()) evaluation.run(operation);
  return CUDNN_STATUS_SUCCESS;
}
