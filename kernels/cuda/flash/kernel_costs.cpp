// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/kernel_costs.h"

#include <algorithm>

#include "base/status.h"
#include "kernels/cuda/blas/blas.h"
#include "kernels/cuda/blas/staged_work.h"
#include "kernels/cuda/flash/backward/backward_work.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

namespace {

[[noreturn]] void refuse_backward_pass() {
  throw Unsupported(
      "on a GPU a transformer layer has no backward pass; the nearest is device: cpu, or attention "
      "alone");
}

}  // namespace

GroupedCall whole_call(const AttentionArguments& a, int worker) {
  GroupedCall call{a.q, a.k, a.v, a.scale, {}, a.out, a.lse, false};
  call.workers.push_back(
      {worker, {{0, a.q.extent.length, 1}}, {{0, a.k.extent.length, 1}}, a.schedule, 0, 0});
  return call;
}

KernelTiles GpuKernelCosts::tiles(Kernel kernel, std::int64_t head_dim) const {
  if (kernel == Kernel::staged) return staged_tiles();
  if (kernel != Kernel::flash) return {256, 1};
  return flash_tiles(head_dim, path_);
}

CallCost GpuKernelCosts::of_call(Kernel kernel, const AttentionArguments& a) const {
  if (kernel == Kernel::flash) return *of_launch(whole_call(a, 0));
  if (kernel == Kernel::staged)
    return {.workspace_bytes = StagedWork(a.q.extent, *a.schedule).workspace_bytes(),
            .executed_pairs = a.q.extent.heads * a.schedule->stored_pairs()};
  const MaterializedMemory memory =
      materialized_memory(a.q.extent, a.k.extent, a.q.dtype, *a.schedule);
  // The products are of whole matrices, whatever is masked afterwards.
  const bool runs = memory.scores_bytes > 0;
  return {.workspace_bytes = memory.peak_bytes(),
          .executed_pairs = runs ? a.q.extent.heads * a.q.extent.length * a.k.extent.length : 0};
}

std::optional<CallCost> GpuKernelCosts::of_launch(const GroupedCall& call) const {
  check_call(call);
  const AlignedInputs inputs = align_inputs(call);
  const GroupedCall aligned = aligned_call(call, inputs);
  const WorkLists lists = lower(aligned, path_, std::max(n_sms_, 1));
  CallCost cost{.workspace_bytes = {}, .executed_pairs = executed_pairs(lists)};
  if (n_sms_ == 0) return cost;
  const Extent partial = partial_extent(call, lists);
  const std::int64_t rows = partial.batch * partial.heads * partial.length;
  cost.list_bytes = static_cast<std::int64_t>(list_bytes(lists));
  cost.workspace_bytes = cost.list_bytes + rows * (partial.head_dim + 1) * size_of(DType::f32) +
                         (inputs.q.copied ? aligned.q.bytes() : 0) +
                         (inputs.k.copied ? aligned.k.bytes() : 0) +
                         (inputs.v.copied ? aligned.v.bytes() : 0);
  return cost;
}

CallCost GpuKernelCosts::of_backward_call(Kernel kernel, const BackwardArguments& a) const {
  require_gpu_backward(kernel, a.q.dtype);
  check_backward_call(a);
  const AlignedInputs inputs = align_inputs(a);
  const BackwardArguments aligned = aligned_call(a, inputs);
  const BackwardWork work = lower_backward(aligned, path_);
  const BackwardMemory memory =
      work.empty() ? BackwardMemory{} : backward_memory(aligned, inputs, work);
  return {.workspace_bytes = memory.total(),
          .list_bytes = memory.list_bytes,
          .executed_pairs = executed_pairs(work, a.q.extent.heads)};
}

std::int64_t GpuKernelCosts::bytes_of_linear(const LinearCall&) const {
  return static_cast<std::int64_t>(kBlasWorkspaceBytes);
}

std::int64_t GpuKernelCosts::bytes_of_linear_backward(const LinearBackwardCall&) const {
  refuse_backward_pass();
}

std::int64_t GpuKernelCosts::bytes_of_norm_backward(const NormBackwardCall&) const {
  refuse_backward_pass();
}

}  // namespace qb::cuda
