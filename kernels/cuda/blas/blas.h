// SPDX-License-Identifier: Apache-2.0
// Declares what a GPU computes with cuBLAS, which the first product loads: products, the kernels
// materialized and staged, the passes of a layer, and the ceiling. This host header needs no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "kernels/allocator.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/runtime/runtime.h"
#include "kernels/dtype.h"
#include "kernels/layer_call.h"

namespace qb::cuda {

inline constexpr std::size_t kBlasWorkspaceBytes = 32 << 20;  // what cuBLAS advises for Hopper

class Blas {
 public:
  // Row-major matrices [rows, columns] in device memory, `stride` elements from one of the batch to
  // the next (0: the same for all) and `row_stride` from row to row.
  struct Batch {
    void* data = nullptr;
    DType dtype = DType::f32;
    std::int64_t row_stride = 0;
    std::int64_t stride = 0;
  };

  // Matrices may lie anywhere in device memory; their addresses lie in device memory too.
  struct Addresses {
    const void* const* data = nullptr;
    DType dtype = DType::f32;
    std::int64_t row_stride = 0;
  };

  // Enqueues on `stream`, a cudaStream_t. Throws EnvironmentError where there is no cuBLAS.
  explicit Blas(void* stream);

  // From now on cuBLAS may use this buffer, which must live until the work is done.
  void use_workspace(const Buffer& buffer);

  // Computes C[i] = A[i] B[i], or A[i] B[i]^T. A is [n, k], B [k, m] (transposed: [m, k]), C [n,
  // m]. A and B have one type; sums are float32. 16-bit inputs use the tensor cores, float32 ones
  // do not (no TF32).
  void multiply(std::int64_t n, std::int64_t m, std::int64_t k, const Batch& a, const Batch& b,
                bool transposed, const Batch& c, std::int64_t batch) const;
  // Does the same for matrices that lie anywhere; with `adds`, C[i] += the product.
  void multiply_each(std::int64_t n, std::int64_t m, std::int64_t k, const Addresses& a,
                     const Addresses& b, bool transposed, const Addresses& c, bool adds,
                     std::int64_t batch) const;

 private:
  std::shared_ptr<void> handle_;  // a cublasHandle_t
};

[[nodiscard]] std::string_view blas_isa(DType dtype);  // the text for the isa column

// These are the passes between a layer's products, on device matrices; stream is a cudaStream_t.

// y [rows, out] += bias, for a product whose call has a bias.
void add_bias(const LinearCall& call, void* stream);
void bias_gelu(const GeluCall& call, void* stream);
void add_norm(const NormCall& call, void* stream);

// Rates of kernels are compared with that of the fastest of a few large cuBLAS products, because a
// vendor states a rate at a clock that no GPU keeps. This is not a bound: another kernel may be
// faster, and attention, which has a softmax between its products, is usually slower.

// Returns the FLOP/s of the fastest of a few products A B and A B^T of random numbers (zeros take
// less power and run faster), by the stream's events: 8192 x 8192 in 16-bit types on the tensor
// cores, 4096 x 4096 in float32 without them. It takes some tenths of a second at most and 400 MB
// of memory that no ledger counts; where less is free, the matrices are smaller. Returns nullopt
// for f64, without cuBLAS, or where not even small ones fit. Throws where the device is lost.
[[nodiscard]] std::optional<double> product_peak_flop_per_s(DType dtype, const Stream& stream);

// Fills device memory with normal random numbers: one block of the host's, repeated. Its size
// divides no row evenly, so that rows differ.
void fill_random(void* device, DType dtype, std::size_t bytes, unsigned seed, void* stream);

// Predicts the memory of kernel materialized, the baseline of the CQS-Attention case studies.
struct MaterializedMemory {
  std::size_t blas_workspace_bytes = 0;
  std::size_t bias_bytes = 0;
  std::size_t scores_bytes = 0;    // bytes of one score matrix, all heads
  std::size_t schedule_bytes = 0;  // bytes of the schedule; 0 where no pair is masked

  // Bias and cuBLAS's workspace are held throughout; at most two score matrices are held at a time,
  // and the schedule too while the second one is masked.
  [[nodiscard]] std::int64_t peak_bytes() const;
};

// q is [b,h,n,d], k is [b,g,m,d]. All sizes are 0 where there is no query or no key, or no tile has
// any: then no pass runs.
[[nodiscard]] MaterializedMemory materialized_memory(const Extent& q, const Extent& k, DType dtype,
                                                     const TileSchedule& schedule);

// Computes what qb::attention does with kernel materialized, on device views of f16, bf16 or f32
// with any head_dim. Throws Unsupported for f64, OutOfMemory from the workspace.
void materialized(const AttentionArguments& device_views, const LaunchContext& context, Blas& blas);

// Does the same with kernel staged: sparse attention in three stages over a block-compressed matrix
// of scores. cuBLAS computes the products, in one batch for all blocks of one shape; scores are
// float32, weights have the inputs' type.
void staged(const AttentionArguments& device_views, const LaunchContext& context, Blas& blas,
            const OnStage& on_stage);

}  // namespace qb::cuda
