// SPDX-License-Identifier: Apache-2.0
// Says to the kernels where the elements of a tensor are. This host header needs no CUDA.
#pragma once

#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"
#include "kernels/tensor.h"

namespace qb::cuda {

// Strides are in elements.
struct TensorAddress {
  void* data = nullptr;
  std::int64_t batch_stride = 0;
  std::int64_t head_stride = 0;
  std::int64_t token_stride = 0;

  // Returns the first element of a row.
  template <class Element>
  [[nodiscard]] QB_HOST_DEVICE Element* row(std::int64_t batch, std::int64_t head,
                                            std::int64_t token) const {
    return static_cast<Element*>(data) + batch * batch_stride + head * head_stride +
           token * token_stride;
  }
};

[[nodiscard]] inline TensorAddress address(const TensorView& view) {
  return {view.data, view.batch_stride, view.head_stride, view.token_stride};
}

}  // namespace qb::cuda
