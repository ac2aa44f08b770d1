#include "kernels/attention.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/gemm.h"

namespace qb {
namespace {

const cpu::CpuKernel* cpu_kernel(Kernel kernel) {
  switch (kernel) {
#define QB_KERNEL_CASE(word, ...) \
  case Kernel::word:              \
    return &cpu::word##_kernel;
    QB_CPU_KERNELS(QB_KERNEL_CASE)
#undef QB_KERNEL_CASE
    default:
      return nullptr;
  }
}

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
  if (taken.empty())
    throw Unsupported(fmt::format("kernel {} does not run {}; {}", word(kernel), where, nearest));
  throw Unsupported(fmt::format("kernel {} takes inputs of type {} {}, not {}; {}", word(kernel),
                                taken, where, word(dtype), nearest));
}

std::string text(const Extent& extent) {
  return fmt::format("[{}, {}, {}, {}]", extent.batch, extent.heads, extent.length,
                     extent.head_dim);
}

void require_extent(std::string_view who, std::string_view name, const Extent& found,
                    const Extent& expected) {
  if (found != expected)
    throw std::invalid_argument(
        fmt::format("{}: {} is {} and should be {}", who, name, text(found), text(expected)));
}

void check_schedule(Kernel kernel, const AttentionArguments& a) {
  if (a.schedule == nullptr) throw std::invalid_argument("attention: there is no tile schedule");
  const Extent& q = a.q.extent;
  const std::int64_t n_keys = a.k.extent.length;
  if (a.schedule->n_queries != q.length || a.schedule->n_keys != n_keys)
    throw std::invalid_argument(
        fmt::format("attention: the tile schedule has {} queries and {} keys, the tensors have {} "
                    "and {}",
                    a.schedule->n_queries, a.schedule->n_keys, q.length, n_keys));
  a.schedule->validate();
  if (!a.schedule->classes.empty() && !kernel_tiles(kernel, q.head_dim).residue_classes)
    throw std::invalid_argument(
        fmt::format("attention: kernel {} takes no schedule of residue classes", word(kernel)));
}

}  // namespace

void check_tensors(std::string_view who, const AttentionArguments& a) {
  const Extent& q = a.q.extent;
  const Extent& k = a.k.extent;
  const std::int64_t e = a.v.extent.head_dim;
  if (a.k.dtype != a.q.dtype || a.v.dtype != a.q.dtype)
    throw std::invalid_argument(fmt::format("{}: q, k and v have different types: {}, {}, {}", who,
                                            word(a.q.dtype), word(a.k.dtype), word(a.v.dtype)));
  if (a.out.dtype != DType::f32 || a.lse.dtype != DType::f32)
    throw std::invalid_argument(fmt::format("{}: out and lse must be f32", who));
  for (const std::int64_t dim : {q.head_dim, e})
    if (dim < 1 || dim > kMaxHeadDim)
      throw Unsupported(
          fmt::format("{}: head_dim {} is outside the range 1..{}", who, dim, kMaxHeadDim));
  if (k.heads < 1 || q.heads % k.heads != 0)
    throw std::invalid_argument(fmt::format(
        "{}: {} query heads are no multiple of {} key-value heads", who, q.heads, k.heads));
  require_extent(who, "k", k, {q.batch, k.heads, k.length, q.head_dim});
  require_extent(who, "v", a.v.extent, {q.batch, k.heads, k.length, e});
  require_extent(who, "out", a.out.extent, {q.batch, q.heads, q.length, e});
  require_extent(who, "lse", a.lse.extent, {q.batch, q.heads, q.length, 1});
}

void require_gpu_kernel(Kernel kernel, DType dtype) {
  require_type(kernel, dtype, "on a GPU", &KernelRow::gpu_types);
}

KernelTiles kernel_tiles(Kernel kernel, std::int64_t head_dim) {
  const cpu::CpuKernel* const known = cpu_kernel(kernel);
  return known == nullptr ? KernelTiles{256, 1} : known->tiles(head_dim);
}

std::int64_t kernel_workspace_bytes(Kernel kernel, const Extent& q, const Extent& k, DType dtype,
                                    int threads, std::int64_t value_dim,
                                    std::int64_t stored_pairs) {
  const cpu::CpuKernel* const known = cpu_kernel(kernel);
  if (known == nullptr) return 0;
  return known->workspace_bytes(
      {q, k, value_dim == 0 ? q.head_dim : value_dim, dtype, threads, stored_pairs});
}

void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context) {
  require_type(kernel, arguments.q.dtype, "on the CPU", &KernelRow::cpu_types);
  if (row_of(kernel).products == Products::gemm)
    cpu::require_gemm(fmt::format("kernel {}", word(kernel)));
  check_tensors("attention", arguments);
  check_schedule(kernel, arguments);
  if (context.threads < 1)
    throw std::invalid_argument(
        fmt::format("attention: {} threads cannot compute it", context.threads));
  cpu_kernel(kernel)->attend(arguments, context);
}

std::string_view kernel_isa(Kernel kernel) {
  const cpu::CpuKernel* const known = cpu_kernel(kernel);
  return known == nullptr ? "?" : known->isa();
}

}  // namespace qb
