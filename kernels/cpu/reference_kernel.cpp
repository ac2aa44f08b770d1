// SPDX-License-Identifier: Apache-2.0
// Computes attention in float64 through the tile schedule, in an obvious and slow way. Each row
// takes three passes over its keys: scores, exponentials, weighted sum of values.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/score_rows.h"

namespace qb::cpu {
namespace {

// Each thread needs the scores of a row, a query row, a key or value row, and the output row.
std::int64_t doubles_of_thread(std::int64_t n_keys, std::int64_t head_dim, std::int64_t value_dim) {
  return n_keys + head_dim + std::max(head_dim, value_dim) + value_dim;
}

void attend_row(const AttentionArguments& a, std::int64_t b, std::int64_t h, std::int64_t row,
                double* scratch) {
  const std::int64_t d = a.q.extent.head_dim;
  const std::int64_t e = a.v.extent.head_dim;
  const std::int64_t kv_head = h / (a.q.extent.heads / a.k.extent.heads);
  double* const scores = scratch;
  double* const query = scores + a.k.extent.length;
  double* const loaded = query + d;
  double* const sum = loaded + std::max(d, e);
  const Range keys{0, a.k.extent.length};

  convert(a.q.row(b, h, row), a.q.dtype, query, DType::f64, d);
  double largest = kMinusInfinity;
  std::int64_t count = 0;
  for_each_key(*a.schedule, row, keys, [&](std::int64_t key) {
    convert(a.k.row(b, kv_head, key), a.k.dtype, loaded, DType::f64, d);
    double product = 0.0;
    for (std::int64_t x = 0; x < d; ++x) product += query[x] * loaded[x];
    scores[count] = a.scale * product;
    largest = std::max(largest, scores[count++]);
  });
  double total = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    scores[i] = scores[i] == kMinusInfinity ? 0.0 : std::exp(scores[i] - largest);
    total += scores[i];
  }

  std::fill_n(sum, e, 0.0);
  for_each_key(*a.schedule, row, keys, [&, p = scores](std::int64_t key) mutable {
    convert(a.v.row(b, kv_head, key), a.v.dtype, loaded, DType::f64, e);
    for (std::int64_t x = 0; x < e; ++x) sum[x] += *p * loaded[x];
    ++p;
  });
  float* const out = a.out.row_as<float>(b, h, row);
  for (std::int64_t x = 0; x < e; ++x)
    out[x] = total == 0.0 ? 0.0f : static_cast<float>(sum[x] / total);
  const double lse = total == 0.0 ? kMinusInfinity : largest + std::log(total);
  if (a.lse.extent.head_dim == 1)
    *a.lse.row_as<float>(b, h, row) = static_cast<float>(lse);
  else
    store_lse(a.lse, b, h, row, total == 0.0 ? RowLse{} : split_lse(lse * std::numbers::log2e));
}

std::int64_t workspace_bytes(const CpuKernel::Shape& shape) {
  return shape.threads * 8 * doubles_of_thread(shape.k.length, shape.q.head_dim, shape.value_dim);
}

void attend(const AttentionArguments& a, const KernelContext& context) {
  const std::int64_t doubles =
      doubles_of_thread(a.k.extent.length, a.q.extent.head_dim, a.v.extent.head_dim);
  const Buffer scratch(context.workspace, static_cast<std::size_t>(context.threads * 8 * doubles),
                       "reference_rows", context.worker);
  for_each_row(a.q.extent, context.threads, 16,
               [&](std::int64_t b, std::int64_t h, std::int64_t row, int thread) {
                 attend_row(a, b, h, row, scratch.as<double>() + thread * doubles);
               });
}

}  // namespace

const CpuKernel reference_kernel{
    .tiles =
        [](std::int64_t) {
          return KernelTiles{64, 1, 1, 1};
        },
    .workspace_bytes = workspace_bytes,
    .attend = attend,
    .isa = [] { return std::string_view("scalar"); },
    .backward = &reference_backward,
};

}  // namespace qb::cpu
