#include "harness/execute/device/cpu_device.h"

#include "kernels/cpu/layer_parts.h"

namespace qb {

cuda::CallCost CpuDevice::Costs::of_call(Kernel kernel, const AttentionArguments& a) const {
  const Extent& q = a.q.extent;
  const Extent& k = a.k.extent;
  return {.workspace_bytes =
              kernel_workspace_bytes(kernel, q, k, a.q.dtype, threads_, a.v.extent.head_dim,
                                     kernel == Kernel::staged ? a.schedule->stored_pairs() : -1),
          .executed_pairs = std::nullopt};
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

void CpuDevice::linear(const LinearCall& call, Allocator&) {
  cpu::linear(call, facts_.host_threads);
}

void CpuDevice::bias_gelu(const GeluCall& call) { cpu::bias_gelu(call, facts_.host_threads); }

void CpuDevice::add_norm(const NormCall& call) { cpu::add_norm(call, facts_.host_threads); }

}  // namespace qb
