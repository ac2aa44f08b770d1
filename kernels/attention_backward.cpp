// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention_backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/status.h"
#include "kernels/cpu/call_checks.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/lse.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Returns nullptr where the kernel has no backward pass.
const cpu::CpuBackward* backward_of(Kernel kernel) { return cpu::kernel_of(kernel).backward; }

// A sum of the products has eight parts, so that additions do not wait for each other.
double dot(const std::byte* a, DType a_type, const std::byte* b, DType b_type, std::int64_t count) {
  constexpr std::int64_t kAtOnce = 256;
  constexpr std::int64_t kParts = 8;
  double x[kAtOnce];
  double y[kAtOnce];
  double part[kParts] = {};
  for (std::int64_t begin = 0; begin < count; begin += kAtOnce) {
    const std::int64_t n = std::min(kAtOnce, count - begin);
    convert(a + begin * size_of(a_type), a_type, x, DType::f64, n);
    convert(b + begin * size_of(b_type), b_type, y, DType::f64, n);
    std::int64_t i = 0;
    for (; i + kParts <= n; i += kParts)
      for (std::int64_t p = 0; p < kParts; ++p) part[p] += x[i + p] * y[i + p];
    for (; i < n; ++i) part[0] += x[i] * y[i];
  }
  double sum = 0.0;
  for (const double value : part) sum += value;
  return sum;
}

}  // namespace

void compute_delta(const TensorView& out, const TensorView& d_out, const TensorView& delta,
                   int threads) {
  const Extent& extent = out.extent;
  cpu::require_threads("compute_delta", threads);
  cpu::require_extent("compute_delta", "d_out", d_out.extent, extent);
  cpu::require_extent("compute_delta", "delta", delta.extent,
                      {extent.batch, extent.heads, extent.length, 1});
  if (delta.dtype != DType::f32)
    throw std::invalid_argument(
        fmt::format("compute_delta: delta must be f32, not {}", word(delta.dtype)));
  constexpr std::int64_t kRowsAtOnce = 64;
  cpu::for_each_row(
      extent, threads_for_bytes(out.bytes() + d_out.bytes(), threads), kRowsAtOnce,
      [&](std::int64_t b, std::int64_t h, std::int64_t row, int /*thread*/) {
        *delta.row_as<float>(b, h, row) = static_cast<float>(
            dot(out.row(b, h, row), out.dtype, d_out.row(b, h, row), d_out.dtype, extent.head_dim));
      });
}

void sink_gradients(const TensorView& lse, const TensorView& delta, const TensorView& sinks,
                    const TensorView& d_sinks) {
  cpu::for_each_row(d_sinks.extent, 1, 1, [&](std::int64_t b, std::int64_t h, std::int64_t, int) {
    const double sink = *sinks.row_as<float>(b, h, 0);
    double sum = 0.0;
    for (std::int64_t row = 0; row < lse.extent.length; ++row)
      sum += std::exp(sink - natural_lse(lse, b, h, row)) * *delta.row_as<float>(b, h, row);
    *d_sinks.row_as<float>(b, h, 0) = static_cast<float>(-sum);
  });
}

void check_backward_tensors(std::string_view who, const BackwardArguments& a, bool two_numbers) {
  cpu::check_inputs(who, a.q, a.k, a.v);
  if (a.d_out.dtype != a.q.dtype)
    throw std::invalid_argument(fmt::format("{}: d_out and q have different types: {}, {}", who,
                                            word(a.d_out.dtype), word(a.q.dtype)));
  for (const TensorView* const view : {&a.lse, &a.delta, &a.d_q, &a.d_k, &a.d_v})
    if (view->dtype != DType::f32)
      throw std::invalid_argument(fmt::format("{}: lse, delta, d_q, d_k and d_v must be f32", who));
  Extent rows = a.q.extent;
  cpu::require_extent(who, "d_q", a.d_q.extent, rows);
  rows.head_dim = a.v.extent.head_dim;
  cpu::require_extent(who, "d_out", a.d_out.extent, rows);
  cpu::require_lse(who, a.lse.extent, rows, two_numbers);
  rows.head_dim = 1;
  cpu::require_extent(who, "delta", a.delta.extent, rows);
  cpu::require_extent(who, "d_k", a.d_k.extent, a.k.extent);
  cpu::require_extent(who, "d_v", a.d_v.extent, a.v.extent);
}

void require_backward_kernel(Kernel kernel, DType dtype) {
  cpu::require_cpu_kernel(kernel, dtype);
  if (backward_of(kernel) != nullptr) return;
  std::vector<std::string_view> others;
  for (const KernelRow& row : kKernelRows)
    if (backward_of(row.kernel) != nullptr) others.push_back(row.name);
  throw Unsupported(fmt::format("kernel {} has no backward pass on the CPU; these kernels have: {}",
                                word(kernel), join(others, ", ")));
}

std::int64_t backward_workspace_bytes(Kernel kernel, const Extent& q, const Extent& k, DType dtype,
                                      int threads, std::int64_t value_dim) {
  require_backward_kernel(kernel, dtype);
  return backward_of(kernel)->workspace_bytes(
      {q, k, value_dim == 0 ? q.head_dim : value_dim, dtype, threads});
}

void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                        const KernelContext& context) {
  require_backward_kernel(kernel, arguments.q.dtype);
  constexpr std::string_view kWho = "attention_backward";
  check_backward_tensors(kWho, arguments, true);
  cpu::check_schedule(kWho, kernel, arguments.schedule, arguments.q.extent, arguments.k.extent);
  cpu::require_threads(kWho, context.threads);
  backward_of(kernel)->accumulate(arguments, context);
}

}  // namespace qb
