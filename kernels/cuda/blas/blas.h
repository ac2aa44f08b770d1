// Declares what is computed on a GPU with cuBLAS, which is loaded when the first product is made:
// products of matrices, the kernels materialized and staged, the passes of a transformer layer, and
// the ceiling of the machine. This host header needs no CUDA.
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

// cuBLAS gets a workspace of this size for its products, which is what it advises for Hopper.
inline constexpr std::size_t kBlasWorkspaceBytes = 32 << 20;

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

  // Enqueues everything on `stream`, a cudaStream_t. Throws EnvironmentError where there is no
  // cuBLAS.
  explicit Blas(void* stream);

  // cuBLAS may use this buffer from now on, besides its operands; it must live until the work is
  // done.
  void use_workspace(const Buffer& buffer);

  // Computes C[i] = A[i] B[i], or A[i] B[i]^T. A is [n, k], B [k, m] (transposed: [m, k]), C [n,
  // m]. A and B have one type; sums are float32. 16-bit inputs use the tensor cores, float32 ones
  // do not (no TF32).
  void multiply(std::int64_t n, std::int64_t m, std::int64_t k, const Batch& a, const Batch& b,
                bool transposed, const Batch& c, std::int64_t batch) const;
  // Does the same for matrices that lie anywhere; with `adds`, C[i] += the product. The pointers to
  // C are const, the matrices are not.
  void multiply_each(std::int64_t n, std::int64_t m, std::int64_t k, const Addresses& a,
                     const Addresses& b, bool transposed, const Addresses& c, bool adds,
                     std::int64_t batch) const;

 private:
  std::shared_ptr<void> handle_;  // a cublasHandle_t
};

// Returns the text for the isa column.
[[nodiscard]] std::string_view blas_isa(DType dtype);

// These are the passes between the products of a transformer layer, on device matrices. This host
// header needs no CUDA; stream is a cudaStream_t.

// y [rows, out] += bias, for a product whose call has a bias.
void add_bias(const LinearCall& call, void* stream);
void bias_gelu(const GeluCall& call, void* stream);
void add_norm(const NormCall& call, void* stream);

// Rates of kernels on a GPU are compared with the rate of a large cuBLAS product.
//
// A vendor states a rate at a clock that no GPU keeps, so the ceiling is measured, as it is on the
// CPU. It is the rate of the fastest cuBLAS product, not a bound: another kernel may be faster, and
// attention, which has a softmax between its products, is usually slower.

// Returns the FLOP/s of the fastest of a few products of that type, A B and A B^T, by the stream's
// events: 8192 x 8192 matrices in 16-bit types on the tensor cores, 4096 x 4096 in float32 without
// them, of random numbers (zeros take less power and run faster). It takes some tenths of a second
// at most and, during that time, 400 MB of device memory that no ledger counts; where less is free,
// the matrices are smaller. Returns nullopt for f64, without cuBLAS, or where not even small
// matrices fit. Throws where the device is lost.
[[nodiscard]] std::optional<double> product_peak_flop_per_s(DType dtype, const Stream& stream);

// Fills device memory with normal random numbers: one block of the host's, repeated. Its size
// divides no row evenly, so that rows differ.
void fill_random(void* device, DType dtype, std::size_t bytes, unsigned seed, void* stream);

// The materialized kernel is the baseline of the CQS-Attention case studies on a GPU.

// Predicts the memory of its passes.
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

// Staged is sparse attention on a GPU in three stages over a block-compressed matrix of scores.
// Fused attention is compared with it.

// Computes what qb::attention does with kernel staged, on device views of f16, bf16 or f32 with any
// head_dim. cuBLAS computes the products, in one batch for all blocks of one shape; scores are
// float32, weights have the inputs' type. Throws Unsupported for f64, OutOfMemory from the
// workspace.
void staged(const AttentionArguments& device_views, const LaunchContext& context, Blas& blas,
            const OnStage& on_stage);

}  // namespace qb::cuda
