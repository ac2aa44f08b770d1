// Products of batches of matrices with cuBLAS, which is loaded when the first is made. A plain host
// header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "kernels/allocator.h"
#include "kernels/dtype.h"

namespace qb::cuda {

// Row-major matrices [rows, columns] in device memory, `stride` elements from one of the batch to
// the next (0: the same for all) and `row_stride` from row to row.
struct MatrixBatch {
  void* data = nullptr;
  DType dtype = DType::f32;
  std::int64_t row_stride = 0;
  std::int64_t stride = 0;
};

// The same anywhere in device memory: as many addresses, in device memory too.
struct MatrixAddresses {
  const void* const* data = nullptr;
  DType dtype = DType::f32;
  std::int64_t row_stride = 0;
};

class Blas {
 public:
  // stream: a cudaStream_t on which everything is enqueued. Throws EnvironmentError where there is
  // no cuBLAS.
  explicit Blas(void* stream);
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  // What cuBLAS may use besides operands from here on; it must live until the work is done.
  void use_workspace(const Buffer& buffer);

  // C[i] = A[i] B[i], or A[i] B[i]^T. A is [n, k], B [k, m] (transposed: [m, k]), C [n, m]. A and B
  // of one type; accumulated in float32. 16-bit inputs go to the tensor cores, float32 ones do not
  // (no TF32).
  void multiply(std::int64_t n, std::int64_t m, std::int64_t k, const MatrixBatch& a,
                const MatrixBatch& b, bool transposed, const MatrixBatch& c,
                std::int64_t batch) const;
  // Likewise of matrices that lie anywhere; with `adds` C[i] += what is multiplied. Of C the
  // pointers are const, the matrices are not.
  void multiply_each(std::int64_t n, std::int64_t m, std::int64_t k, const MatrixAddresses& a,
                     const MatrixAddresses& b, bool transposed, const MatrixAddresses& c, bool adds,
                     std::int64_t batch) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// For the isa column.
[[nodiscard]] std::string_view blas_isa(DType dtype);

}  // namespace qb::cuda
