// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/blas.h"

#include "base/status.h"
#include "kernels/cuda/blas/staged_work.h"
#include "kernels/cuda/runtime/runtime.h"

namespace qb::cuda {
namespace {

class StagedCall {
 public:
  StagedCall(const AttentionArguments& arguments, const StagedWork& work,
             const LaunchContext& context, Blas& blas)
      : a_(arguments),
        work_(work),
        stream_(context.stream),
        blas_(blas),
        blas_workspace_(take(context, kBlasWorkspaceBytes, "cublas_workspace")),
        schedule_(take(context, work.schedule_bytes(), "schedule")),
        addresses_(take(context, work.addresses_bytes(), "addresses")),
        scores_(take(context, work.scores_bytes(), "sparse_scores")) {
    blas_.use_workspace(blas_workspace_);
    const std::vector<std::uintptr_t> addresses = work_.addresses(a_, scores_.data());
    copy_to_device(addresses.data(), addresses_.data(), addresses_.bytes(), stream_);
    tiles_ = static_cast<const StagedTile*>(upload(work_.tiles()));
    spans_ = static_cast<const KeySpan*>(upload(a_.schedule->spans));
    words_ = static_cast<const std::uint64_t*>(upload(a_.schedule->words));
  }

  void multiply_keys() const {
    for (const StagedWork::Batch& batch : work_.batches()) {
      const StagedWork::Addresses at = work_.addresses_of(batch, addresses_.data());
      blas_.multiply_each(batch.rows, batch.keys, a_.q.extent.head_dim,
                          {at.q, a_.q.dtype, a_.q.token_stride},
                          {at.k, a_.k.dtype, a_.k.token_stride}, true,
                          {at.scores, DType::f32, batch.stride}, false, products(batch));
    }
  }

  void soften() const {
    staged_softmax({.tiles = tiles_,
                    .n_tiles = static_cast<std::int64_t>(work_.tiles().size()),
                    .n_short = static_cast<std::int64_t>(work_.n_short()),
                    .rows_of_a_tile = work_.most_rows(),
                    .spans = spans_,
                    .words = words_,
                    .scores = scores_.as<float>(),
                    .scores_of_a_head = work_.scores_of_a_head(),
                    .scale = static_cast<float>(a_.scale),
                    .dtype = a_.q.dtype,
                    .lse = a_.lse},
                   stream_);
  }

  void multiply_values() const {
    // Rows of weights replace rows of scores in place.
    const std::int64_t weights_of_a_score = size_of(DType::f32) / size_of(a_.q.dtype);
    for (const StagedWork::Batch& batch : work_.batches()) {
      const StagedWork::Addresses at = work_.addresses_of(batch, addresses_.data());
      blas_.multiply_each(batch.rows, a_.v.extent.head_dim, batch.keys,
                          {at.weights, a_.q.dtype, batch.stride * weights_of_a_score},
                          {at.v, a_.v.dtype, a_.v.token_stride}, false,
                          {at.out, DType::f32, a_.out.token_stride}, batch.adds, products(batch));
    }
  }

 private:
  [[nodiscard]] static Buffer take(const LaunchContext& context, std::size_t bytes,
                                   std::string_view label) {
    return {context.workspace, bytes, label, context.worker};
  }
  [[nodiscard]] std::int64_t products(const StagedWork::Batch& batch) const {
    return static_cast<std::int64_t>(batch.n_blocks) * work_.slices();
  }

  // Copies the values to the end of what is uploaded already.
  template <class Value>
  const void* upload(const std::vector<Value>& values) {
    std::byte* const to = schedule_.as<std::byte>() + uploaded_bytes_;
    copy_to_device(values.data(), to, values.size() * sizeof(Value), stream_);
    uploaded_bytes_ += values.size() * sizeof(Value);
    return to;
  }

  const AttentionArguments& a_;
  const StagedWork& work_;
  void* const stream_;
  Blas& blas_;
  const Buffer blas_workspace_;
  const Buffer schedule_;
  const Buffer addresses_;
  const Buffer scores_;
  std::size_t uploaded_bytes_ = 0;
  const StagedTile* tiles_ = nullptr;
  const KeySpan* spans_ = nullptr;
  const std::uint64_t* words_ = nullptr;
};

}  // namespace

void staged(const AttentionArguments& a, const LaunchContext& context, Blas& blas,
            const OnStage& on_stage) {
  if (a.q.dtype == DType::f64)
    throw Unsupported("kernel staged takes no f64 inputs on a GPU; the nearest is f32");
  clear_partial(a.out, a.lse, context);  // rows without a tile
  const StagedWork work(a.q.extent, *a.schedule);
  if (work.workspace_bytes() == 0) return;
  const StagedCall call(a, work, context, blas);
  const auto enter = [&](KernelStage stage) {
    if (on_stage) on_stage(stage);
  };
  enter(KernelStage::scores);
  call.multiply_keys();
  enter(KernelStage::softmax);
  call.soften();
  enter(KernelStage::values);
  call.multiply_values();
  enter(KernelStage::done);
}

}  // namespace qb::cuda
