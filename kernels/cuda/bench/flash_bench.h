// SPDX-License-Identifier: Apache-2.0
// flash_bench times an attention call, or its backward pass, over random inputs by any kernel that
// can compute it. With --serve it times on request, so that another program can time its own on the
// same GPU in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "kernels/cuda/blas/cudnn_attention.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/runtime/device.h"
#include "kernels/cuda/runtime/runtime.h"
#include "kernels/reference_gradients.h"

namespace qb {

namespace cuda {

enum class BenchKernel {
  flash,                // by the newest path that the GPU has
  flash_grid,           // the same forward pass, one grid block for each item
  flash_deterministic,  // the same backward pass, dQ without atomic sums
  flash_sm80,
  cudnn,
};

}  // namespace cuda

QB_WORDS(cuda::BenchKernel, "kernel", flash, flash_grid, flash_deterministic, flash_sm80, cudnn);

namespace cuda {

struct BenchShape {
  bool backward = false;  // queries, keys and their heads are then as many
  DType dtype = DType::bf16;
  std::int64_t d = 128;
  bool causal = false;
  std::int64_t queries = 16384;
  std::int64_t keys = 16384;
  std::int64_t batch = 1;
  std::int64_t heads = 16;
  std::int64_t kv_heads = 16;
  friend bool operator==(const BenchShape&, const BenchShape&) = default;
};

// Owns a GPU's stream and a pool of its memory. The pool reuses freed memory at once, without the
// wait of cudaFree, which would count as cuDNN's time.
class BenchDevice final : public Allocator {
 public:
  BenchDevice();  // throws EnvironmentError where there is no GPU
  [[nodiscard]] const CudaDevice& facts() const { return facts_; }
  [[nodiscard]] const Stream& stream() const { return stream_; }
  [[nodiscard]] LaunchContext context(BenchKernel kernel);
  [[nodiscard]] CudnnAttention& cudnn();  // throws Unsupported where there is none

  // Returns the seconds of each of `repeats` runs, by events, after `warm_ups`. They are enqueued
  // one after another, so that the host's launches are not in the time.
  [[nodiscard]] std::vector<double> seconds(int warm_ups, int repeats,
                                            const std::function<void()>& enqueue) const;

  void* allocate(std::size_t bytes, std::string_view label, int worker) override;
  void deallocate(void* pointer) noexcept override { pool_.release(pointer); }

 private:
  CudaDevice facts_;
  Stream stream_;
  Pool pool_{stream_};
  std::unique_ptr<CudnnAttention> cudnn_;
};

// Compares a few rows of O, or of dQ where the problem has dO, with float64, by the rule of every
// test (a factor times the error of a naive computation in the inputs' type). dK and dV are left to
// the tests: one row of theirs needs a forward pass of every query.
class RowCheck {
 public:
  // The tensors lie on the host, hold standard normal numbers, and have as many query heads as key
  // heads. The first, the middle and
  // the last query of each head are checked.
  explicit RowCheck(const GradientProblem& problem);

  [[nodiscard]] const std::vector<std::int64_t>& rows() const { return rows_; }
  // `got` is [heads][rows][head_dim]. Returns an empty text where it is right, else a sentence.
  [[nodiscard]] std::string flaw(const std::vector<float>& got) const;

 private:
  std::vector<std::int64_t> rows_;
  std::vector<double> exact_;
  std::vector<double> tolerance_;  // tolerance of each row
};

class BenchCall {
 public:
  // Fills the inputs with normal random numbers of that seed: zeros run faster than data.
  BenchCall(const BenchShape& shape, BenchDevice& device, unsigned seed);

  // The first call of a kernel prepares it before anything is timed. Throws Unsupported.
  [[nodiscard]] std::vector<double> seconds(BenchKernel kernel, int warm_ups, int repeats);
  // Returns RowCheck::flaw() for a few rows of two heads of what the kernel computes. There must be
  // as many query heads as key heads.
  [[nodiscard]] std::string flaw(BenchKernel kernel);
  // 4 · pairs · heads · d of unmasked pairs, or 10 · pairs · heads · d of the backward pass
  [[nodiscard]] double flop() const;
  [[nodiscard]] double key_bytes() const;

 private:
  [[nodiscard]] TileSchedule schedule(BenchKernel kernel) const;
  [[nodiscard]] const std::function<void()>& prepared(BenchKernel kernel);
  [[nodiscard]] std::function<void()> prepare(BenchKernel kernel);
  [[nodiscard]] std::function<void()> prepare_backward(BenchKernel kernel);
  [[nodiscard]] RowCheck make_check() const;

  BenchShape shape_;
  BenchDevice& device_;
  Tensor q_;
  Tensor k_;
  Tensor v_;
  Tensor out_;
  Tensor lse_;
  struct Gradients {
    Tensor d_out;
    Tensor delta;
    Tensor d_q;
    Tensor d_k;
    Tensor d_v;
  };
  std::optional<Gradients> gradients_;  // of a backward pass
  std::map<BenchKernel, std::function<void()>> prepared_;
  std::optional<RowCheck> check_;
};

struct BenchRequest {  // one request of --serve
  BenchKernel kernel = BenchKernel::flash;
  BenchShape shape;
  int warm_ups = 0;
  int repeats = 1;
};

// Parses `flash backward bf16 128 causal 16384 16 2 5`: kernel, pass, type, head_dim, mask, N,
// heads, warm-ups, repeats. Throws UsageError.
[[nodiscard]] BenchRequest parse_request(const std::string& line);

// Answers each line of `requests` with a line: `ok SECONDS…`, `incorrect FLAW` or `unsupported
// REASON`. Inputs are drawn anew where the shape differs from that of the line before, and a
// kernel's output is checked before it is timed over them. Throws on every other error.
void serve_rounds(BenchDevice& device, std::istream& requests, std::ostream& answers);

}  // namespace cuda
}  // namespace qb
