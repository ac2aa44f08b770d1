#include "harness/execute/device/cpu_device.h"

#include <cstring>

#include "base/clock.h"
#include "kernels/cpu/layer_parts.h"
#include "kernels/merge.h"

namespace qb {

cuda::CallCost CpuKernelCosts::of_call(Kernel kernel, const AttentionArguments& a) const {
  const Extent& q = a.q.extent;
  const Extent& k = a.k.extent;
  return {.workspace_bytes =
              kernel_workspace_bytes(kernel, q, k, a.q.dtype, threads_, a.v.extent.head_dim,
                                     kernel == Kernel::staged ? a.schedule->stored_pairs() : -1),
          .executed_pairs = std::nullopt};
}

cuda::CallCost CpuKernelCosts::of_launch(const cuda::GroupedCall&) const {
  throw Unsupported("the CPU computes one worker in a launch");
}

void CpuDevice::attention(Kernel kernel, const AttentionArguments& arguments,
                          const KernelContext& context, const cuda::OnStage&) {
  qb::attention(kernel, arguments,
                {context.workspace, facts_.host_threads, context.worker, context.stages});
}

void CpuDevice::copy_rows(const TensorView& source, const TensorView& destination) {
  if (source.dtype == destination.dtype) return qb::copy_rows(source, destination);
  const Extent& extent = source.extent;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (std::int64_t t = 0; t < extent.length; ++t)
        convert(source.row(b, h, t), source.dtype, destination.row(b, h, t), destination.dtype,
                extent.head_dim);
}

void CpuDevice::clear_partial(const TensorView& out, const TensorView& lse) {
  qb::clear_partial(out, lse);
}

void CpuDevice::merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                              const TensorView& part_out, const TensorView& part_lse) {
  qb::merge_partial(acc_out, acc_lse, part_out, part_lse);
}

void CpuDevice::combine(const TensorView& target, const TensorView& source, Combine how) {
  qb::combine(target, source, how);
}

void CpuDevice::weigh_partial(const TensorView& out, const TensorView& lse,
                              const TensorView& maximum, const TensorView& denominator) {
  qb::weigh_partial(out, lse, maximum, denominator);
}

void CpuDevice::normalise_partial(const TensorView& out, const TensorView& lse,
                                  const TensorView& maximum, const TensorView& denominator) {
  qb::normalise_partial(out, lse, maximum, denominator);
}

void CpuDevice::linear(const LinearCall& call, Allocator&) {
  cpu::linear(call, facts_.host_threads);
}

void CpuDevice::bias_gelu(const GeluCall& call) { cpu::bias_gelu(call, facts_.host_threads); }

void CpuDevice::add_norm(const NormCall& call) { cpu::add_norm(call, facts_.host_threads); }

void CpuDevice::upload(const TensorView& host, const TensorView& device) {
  qb::copy_rows(host, device);
}

void CpuDevice::download(const TensorView& device, const TensorView& host) {
  qb::copy_rows(device, host);
}

void CpuDevice::fill(void* device, unsigned char value, std::size_t bytes) {
  std::memset(device, value, bytes);
}

int CpuDevice::mark() {
  marks_s_.push_back(now_s());
  return static_cast<int>(marks_s_.size()) - 1;
}

double CpuDevice::seconds(int from, int to, ClockKind) const {
  return marks_s_[static_cast<std::size_t>(to)] - marks_s_[static_cast<std::size_t>(from)];
}

}  // namespace qb
