#include "kernels/attention.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/status.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/instruction_set.h"

namespace qb {
namespace {

constexpr std::int64_t kMaxHeadDim = 256;

std::string text(const Extent& extent) {
  return fmt::format("[{}, {}, {}, {}]", extent.batch, extent.heads, extent.length,
                     extent.head_dim);
}

void require_extent(std::string_view name, const Extent& found, const Extent& expected) {
  if (found != expected)
    throw std::invalid_argument(
        fmt::format("attention: {} is {}, expected {}", name, text(found), text(expected)));
}

void check_shapes(Kernel kernel, const AttentionArguments& a) {
  const Extent& q = a.q.extent;
  const Extent& k = a.k.extent;
  const std::int64_t e = a.v.extent.head_dim;
  if (k.heads < 1 || q.heads % k.heads != 0)
    throw std::invalid_argument(fmt::format(
        "attention: {} query heads are no multiple of {} key-value heads", q.heads, k.heads));
  require_extent("k", k, {q.batch, k.heads, k.length, q.head_dim});
  require_extent("v", a.v.extent, {q.batch, k.heads, k.length, e});
  require_extent("out", a.out.extent, {q.batch, q.heads, q.length, e});
  require_extent("lse", a.lse.extent, {q.batch, q.heads, q.length, 1});
  if (a.schedule == nullptr) throw std::invalid_argument("attention: no tile schedule");
  if (a.schedule->n_queries != q.length || a.schedule->n_keys != k.length)
    throw std::invalid_argument(
        fmt::format("attention: the tile schedule is of {} queries and {} keys, the tensors of {} "
                    "and {}",
                    a.schedule->n_queries, a.schedule->n_keys, q.length, k.length));
  a.schedule->validate();
  if (!a.schedule->classes.empty() && kernel != Kernel::flash)
    throw std::invalid_argument(
        fmt::format("attention: kernel {} takes no schedule of residue classes", word(kernel)));
}

void check_types(Kernel kernel, const AttentionArguments& a) {
  if (a.k.dtype != a.q.dtype || a.v.dtype != a.q.dtype)
    throw std::invalid_argument(
        fmt::format("attention: q, k and v are of different types: {}, {}, {}", word(a.q.dtype),
                    word(a.k.dtype), word(a.v.dtype)));
  if (a.out.dtype != DType::f32 || a.lse.dtype != DType::f32)
    throw std::invalid_argument("attention: out and lse must be f32");
  if (a.q.dtype == DType::f64 && kernel != Kernel::reference)
    throw Unsupported(
        fmt::format("kernel {} takes no f64 inputs; only reference does", word(kernel)));
  if (kernel == Kernel::materialized || kernel == Kernel::staged)
    cpu::require_gemm(fmt::format("kernel {}", word(kernel)));
  for (const std::int64_t dim : {a.q.extent.head_dim, a.v.extent.head_dim})
    if (dim < 1 || dim > kMaxHeadDim)
      throw Unsupported(
          fmt::format("head_dim {} is outside the kernels' range 1..{}", dim, kMaxHeadDim));
}

}  // namespace

KernelTiles kernel_tiles(Kernel kernel, std::int64_t head_dim) {
  switch (kernel) {
    case Kernel::reference:
      return {64, 1, 1, 1};
    case Kernel::materialized:
      return cpu::materialized_tiles();
    case Kernel::flash:
      return cpu::flash_tiles(head_dim);
    case Kernel::staged:
      return cpu::staged_tiles();
    case Kernel::cudnn:
      return {256, 1};
  }
  return {};
}

std::int64_t kernel_workspace_bytes(Kernel kernel, const Extent& q, const Extent& k, DType dtype,
                                    int threads, std::int64_t value_dim,
                                    std::int64_t stored_pairs) {
  const cpu::WorkspaceShape shape{q,     k,       value_dim == 0 ? q.head_dim : value_dim,
                                  dtype, threads, stored_pairs};
  switch (kernel) {
    case Kernel::reference:
      return cpu::reference_workspace_bytes(shape);
    case Kernel::materialized:
      return cpu::materialized_workspace_bytes(shape);
    case Kernel::flash:
      return cpu::flash_workspace_bytes(shape);
    case Kernel::staged:
      return cpu::staged_workspace_bytes(shape);
    case Kernel::cudnn:
      break;
  }
  return 0;
}

void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context) {
  check_types(kernel, arguments);
  check_shapes(kernel, arguments);
  if (context.threads < 1)
    throw std::invalid_argument(fmt::format("attention: {} threads", context.threads));
  switch (kernel) {
    case Kernel::reference:
      return cpu::reference_attention(arguments, context);
    case Kernel::materialized:
      return cpu::materialized_attention(arguments, context);
    case Kernel::flash:
      return cpu::flash_attention(arguments, context);
    case Kernel::staged:
      return cpu::staged_attention(arguments, context);
    case Kernel::cudnn:
      throw Unsupported("kernel cudnn is of device: cuda; the nearest on the CPU is flash");
  }
}

std::string_view kernel_isa(Kernel kernel) {
  switch (kernel) {
    case Kernel::reference:
      return "scalar";
    case Kernel::materialized:
    case Kernel::staged:
      return cpu::materialized_isa();
    case Kernel::flash:
      return word(instruction_set());
    case Kernel::cudnn:
      break;
  }
  return "?";
}

}  // namespace qb
