// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/cpu/call_checks.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/gemm.h"

namespace qb {
namespace {

// Throws Unsupported, naming the kernels that support the type, where this one does not.
void require_type(Kernel kernel, DType dtype, std::string_view where,
                  std::string_view KernelRow::*types) {
  const std::string_view taken = row_of(kernel).*types;
  if (KernelRow::lists(taken, word(dtype))) return;
  std::vector<std::string_view> others;
  for (const KernelRow& row : kKernelRows)
    if (KernelRow::lists(row.*types, word(dtype))) others.push_back(row.name);
  const std::string nearest = others.empty() ? fmt::format("no kernel takes {} there", word(dtype))
                                             : fmt::format("these kernels take {} there: {}",
                                                           word(dtype), join(others, ", "));
  throw Unsupported(fmt::format("kernel {} takes inputs of type {} {}, not {}; {}", word(kernel),
                                taken, where, word(dtype), nearest));
}

std::string text(const Extent& extent) {
  return fmt::format("[{}, {}, {}, {}]", extent.batch, extent.heads, extent.length,
                     extent.head_dim);
}

}  // namespace

namespace cpu {

const CpuKernel& kernel_of(Kernel kernel) {
#define QB_KERNEL_POINTER(word, ...) &word##_kernel,
  static constexpr const CpuKernel* kKernels[] = {QB_KERNELS(QB_KERNEL_POINTER)};
#undef QB_KERNEL_POINTER
  return *kKernels[static_cast<std::size_t>(kernel)];
}

void require_cpu_kernel(Kernel kernel, DType dtype) {
  require_type(kernel, dtype, "on the CPU", &KernelRow::cpu_types);
  if (row_of(kernel).products == Products::gemm)
    require_gemm(fmt::format("kernel {}", word(kernel)));
}

void require_extent(std::string_view who, std::string_view name, const Extent& found,
                    const Extent& expected) {
  if (found != expected)
    throw std::invalid_argument(
        fmt::format("{}: {} is {} and should be {}", who, name, text(found), text(expected)));
}

void require_lse(std::string_view who, const Extent& found, Extent rows, bool two_numbers) {
  rows.head_dim = two_numbers && found.head_dim == 2 ? 2 : 1;
  require_extent(who, "lse", found, rows);
}

void check_inputs(std::string_view who, const TensorView& q, const TensorView& k,
                  const TensorView& v) {
  if (k.dtype != q.dtype || v.dtype != q.dtype)
    throw std::invalid_argument(fmt::format("{}: q, k and v have different types: {}, {}, {}", who,
                                            word(q.dtype), word(k.dtype), word(v.dtype)));
  for (const std::int64_t dim : {q.extent.head_dim, v.extent.head_dim})
    if (dim < 1 || dim > kMaxHeadDim)
      throw Unsupported(
          fmt::format("{}: head_dim {} is outside the range 1..{}", who, dim, kMaxHeadDim));
  if (k.extent.heads < 1 || q.extent.heads % k.extent.heads != 0)
    throw std::invalid_argument(
        fmt::format("{}: {} query heads are not a multiple of {} key-value heads", who,
                    q.extent.heads, k.extent.heads));
  Extent keys{q.extent.batch, k.extent.heads, k.extent.length, q.extent.head_dim};
  require_extent(who, "k", k.extent, keys);
  keys.head_dim = v.extent.head_dim;
  require_extent(who, "v", v.extent, keys);
}

void check_schedule(std::string_view who, Kernel kernel, const TileSchedule* schedule,
                    const Extent& q, const Extent& k) {
  if (schedule == nullptr)
    throw std::invalid_argument(fmt::format("{}: there is no tile schedule", who));
  if (schedule->n_queries != q.length || schedule->n_keys != k.length)
    throw std::invalid_argument(
        fmt::format("{}: the tile schedule has {} queries and {} keys, the tensors have {} and {}",
                    who, schedule->n_queries, schedule->n_keys, q.length, k.length));
  schedule->validate();
  if (!schedule->classes.empty() && !kernel_tiles(kernel, q.head_dim).residue_classes)
    throw std::invalid_argument(
        fmt::format("{}: kernel {} takes no schedule of residue classes", who, word(kernel)));
}

void require_threads(std::string_view who, int threads) {
  if (threads < 1)
    throw std::invalid_argument(fmt::format("{}: {} threads cannot compute it", who, threads));
}

}  // namespace cpu

void check_tensors(std::string_view who, const AttentionArguments& a, bool two_numbers) {
  const Extent& q = a.q.extent;
  cpu::check_inputs(who, a.q, a.k, a.v);
  if (a.out.dtype != DType::f32 || a.lse.dtype != DType::f32)
    throw std::invalid_argument(fmt::format("{}: out and lse must be f32", who));
  cpu::require_extent(who, "out", a.out.extent, {q.batch, q.heads, q.length, a.v.extent.head_dim});
  cpu::require_lse(who, a.lse.extent, q, two_numbers);
}

void require_gpu_kernel(Kernel kernel, DType dtype) {
  require_type(kernel, dtype, "on a GPU", &KernelRow::gpu_types);
}

KernelTiles kernel_tiles(Kernel kernel, std::int64_t head_dim) {
  return cpu::kernel_of(kernel).tiles(head_dim);
}

std::int64_t kernel_workspace_bytes(Kernel kernel, const Extent& q, const Extent& k, DType dtype,
                                    int threads, std::int64_t value_dim,
                                    std::int64_t stored_pairs) {
  return cpu::kernel_of(kernel).workspace_bytes(
      {q, k, value_dim == 0 ? q.head_dim : value_dim, dtype, threads, stored_pairs});
}

void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context) {
  cpu::require_cpu_kernel(kernel, arguments.q.dtype);
  check_tensors("attention", arguments, true);
  cpu::check_schedule("attention", kernel, arguments.schedule, arguments.q.extent,
                      arguments.k.extent);
  if (arguments.resumes && !kernel_tiles(kernel, arguments.q.extent.head_dim).resumes)
    throw std::invalid_argument(
        fmt::format("attention: kernel {} cannot go on from other keys", word(kernel)));
  cpu::require_threads("attention", context.threads);
  cpu::kernel_of(kernel).attend(arguments, context);
}

std::string_view kernel_isa(Kernel kernel) { return cpu::kernel_of(kernel).isa(); }

}  // namespace qb
