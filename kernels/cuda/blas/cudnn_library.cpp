#include "kernels/cuda/blas/cudnn_library.h"

#include "base/status.h"

namespace qb::cuda {

const Cudnn& dnn() {
  try {
    return loaded<Cudnn>();
  } catch (const EnvironmentError& error) {
    throw Unsupported(error.what());
  }
}

void check(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string text = "cuDNN, " + what + ": " + dnn().text(status);
  const int kind = static_cast<int>(status) / 1000;
  if (kind == static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED) / 1000) throw Unsupported(text);
  if (kind == static_cast<int>(CUDNN_STATUS_EXECUTION_FAILED) / 1000)
    throw CaseError(Status::crashed, "the GPU was lost, " + text);
  throw CaseError(Status::error, text);
}

void Descriptor::set(cudnnBackendAttributeName_t attribute,
                     const std::vector<Descriptor>& values) const {
  std::vector<cudnnBackendDescriptor_t> handles;
  handles.reserve(values.size());
  for (const Descriptor& value : values) handles.push_back(value.get());
  set(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(handles.size()),
      handles.data());
}

}  // namespace qb::cuda
