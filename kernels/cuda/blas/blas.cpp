// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/blas.h"

#include <cublas_v2.h>

#include <algorithm>
#include <string>

#include "base/status.h"
#include "kernels/cuda/runtime/loaded_library.h"

namespace qb::cuda {
namespace {

struct Cublas : LoadedLibrary {
  Cublas()
      : LoadedLibrary(NvidiaLibrary::cublas,
                      "kernels materialized and staged and products need cuBLAS") {}
  decltype(&cublasCreate_v2) create = function("cublasCreate_v2");
  decltype(&cublasDestroy_v2) destroy = function("cublasDestroy_v2");
  decltype(&cublasSetStream_v2) set_stream = function("cublasSetStream_v2");
  decltype(&cublasSetWorkspace_v2) set_workspace = function("cublasSetWorkspace_v2");
  decltype(&cublasGemmStridedBatchedEx_64) multiply = function("cublasGemmStridedBatchedEx_64");
  decltype(&cublasGemmBatchedEx_64) multiply_each = function("cublasGemmBatchedEx_64");
  decltype(&cublasGetStatusString) text = function("cublasGetStatusString");
};

const Cublas& blas() { return loaded<Cublas>(); }

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = std::string(what) + " failed: " + blas().text(status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw CaseError(Status::oom, text);
  if (status == CUBLAS_STATUS_EXECUTION_FAILED)
    throw CaseError(Status::crashed, "the GPU was lost, " + text);
  throw EnvironmentError(text);
}

cudaDataType_t native(DType dtype) {
  return dtype == DType::f16 ? CUDA_R_16F : dtype == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

}  // namespace

Blas::Blas(void* stream) {
  cublasHandle_t handle = nullptr;
  check(blas().create(&handle), "cublasCreate");
  handle_ = {handle, [](void* made) { (void)blas().destroy(static_cast<cublasHandle_t>(made)); }};
  check(blas().set_stream(handle, static_cast<cudaStream_t>(stream)), "cublasSetStream");
}

void Blas::use_workspace(const Buffer& buffer) {
  check(blas().set_workspace(static_cast<cublasHandle_t>(handle_.get()), buffer.data(),
                             buffer.bytes()),
        "cublasSetWorkspace");
}

void Blas::multiply(std::int64_t n, std::int64_t m, std::int64_t k, const Batch& a, const Batch& b,
                    bool transposed, const Batch& c, std::int64_t batch) const {
  // cuBLAS is column-major, where a row-major matrix is its transpose: C^T [m, n] = B^T A^T.
  const float one = 1.0f;
  const float zero = 0.0f;
  check(blas().multiply(static_cast<cublasHandle_t>(handle_.get()),
                        transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, b.data,
                        native(b.dtype), b.row_stride, b.stride, a.data, native(a.dtype),
                        a.row_stride, a.stride, &zero, c.data, native(c.dtype), c.row_stride,
                        c.stride, batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "a product of cuBLAS");
}

void Blas::multiply_each(std::int64_t n, std::int64_t m, std::int64_t k, const Addresses& a,
                         const Addresses& b, bool transposed, const Addresses& c, bool adds,
                         std::int64_t batch) const {
  constexpr std::int64_t kAtOnce = 1 << 15;  // less than a grid's most blocks in its last extent
  const float one = 1.0f;
  const float beta = adds ? 1.0f : 0.0f;
  for (std::int64_t first = 0; first < batch; first += kAtOnce)
    check(blas().multiply_each(
              static_cast<cublasHandle_t>(handle_.get()), transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
              CUBLAS_OP_N, m, n, k, &one, b.data + first, native(b.dtype), b.row_stride,
              a.data + first, native(a.dtype), a.row_stride, &beta,
              const_cast<void* const*>(c.data + first), native(c.dtype), c.row_stride,
              std::min(kAtOnce, batch - first), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "a batch of products of cuBLAS");
}

std::string_view blas_isa(DType dtype) {
  return dtype == DType::f16    ? "cublas f16 tensor cores"
         : dtype == DType::bf16 ? "cublas bf16 tensor cores"
                                : "cublas f32, no tensor cores";
}

}  // namespace qb::cuda
