// SPDX-License-Identifier: Apache-2.0
// A kernel to copy: attention with an online softmax, one key after the other. To add it, put the
// part between the two lines into kernels/cpu/one_pass.cpp and its entry into
// base/schema/kernels.h.
// ---- kernels/cpu/one_pass.cpp -------------------------------------------------------------------
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/cpu_kernels.h"

namespace qb::cpu {
namespace {

// A row keeps m, the largest score so far, the sum of exp(s - m), and the sum of exp(s - m) V.
void attend_row(const AttentionArguments& a, std::int64_t b, std::int64_t h, std::int64_t row,
                double* sum) {
  const std::int64_t kv_head = h / (a.q.extent.heads / a.k.extent.heads);
  const float* const query = a.q.row_as<float>(b, h, row);
  const std::int64_t e = a.v.extent.head_dim;
  double largest = -std::numeric_limits<double>::infinity();
  double total = 0.0;
  std::fill_n(sum, e, 0.0);
  for (const KeySpan& span : a.schedule->spans_of(row))
    a.schedule->for_each_run(span, row, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t key = begin; key < end; ++key) {
        double score = 0.0;
        for (std::int64_t x = 0; x < a.q.extent.head_dim; ++x)
          score += static_cast<double>(query[x]) * a.k.row_as<float>(b, kv_head, key)[x];
        score *= a.scale;
        if (score == -std::numeric_limits<double>::infinity()) continue;  // its weight is 0
        const double higher = std::max(largest, score);
        const double old = total == 0.0 ? 0.0 : std::exp(largest - higher);
        const double weight = std::exp(score - higher);
        total = total * old + weight;
        for (std::int64_t x = 0; x < e; ++x)
          sum[x] = sum[x] * old + weight * a.v.row_as<float>(b, kv_head, key)[x];
        largest = higher;
      }
    });
  for (std::int64_t x = 0; x < e; ++x)
    a.out.row_as<float>(b, h, row)[x] = total == 0.0 ? 0.0f : static_cast<float>(sum[x] / total);
  *a.lse.row_as<float>(b, h, row) = static_cast<float>(largest + std::log(total));
}

void attend(const AttentionArguments& a, const KernelContext& context) {
  const Buffer sum(context.workspace, static_cast<std::size_t>(8 * a.v.extent.head_dim), "row_sum");
  for (std::int64_t b = 0; b < a.q.extent.batch; ++b)
    for (std::int64_t h = 0; h < a.q.extent.heads; ++h)
      for (std::int64_t row = 0; row < a.q.extent.length; ++row)
        attend_row(a, b, h, row, sum.as<double>());
}

}  // namespace

extern const CpuKernel one_pass_kernel;
const CpuKernel one_pass_kernel{
    .tiles =
        [](std::int64_t) {
          return KernelTiles{64, 1};
        },
    .workspace_bytes = [](const CpuKernel::Shape& shape) { return 8 * shape.value_dim; },
    .attend = attend,
    .isa = [] { return std::string_view("scalar"); },
};

}  // namespace qb::cpu
// ---- what its test may ask ----------------------------------------------------------------------
#include <cstdio>
#include <numeric>
#include <vector>

#include "harness/execute/verify/inputs.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/reference.h"

int main() {
  const qb::Extent rows{.heads = 4, .length = 70, .head_dim = 16};
  const qb::Extent keys{.heads = 2, .length = 70, .head_dim = 16};
  const qb::Tensor q(qb::heap_allocator(), qb::DType::f32, rows, "q");
  const qb::Tensor k(qb::heap_allocator(), qb::DType::f32, keys, "k");
  const qb::Tensor v(qb::heap_allocator(), qb::DType::f32, keys, "v");
  const qb::Tensor out(qb::heap_allocator(), qb::DType::f32, rows, "out");
  const qb::Tensor lse(qb::heap_allocator(), qb::DType::f32, {1, 4, 70, 1}, "lse");
  for (const qb::Tensor* tensor : {&q, &k, &v}) qb::fill_normal(tensor->view(), 7, 1);
  std::vector<std::int64_t> every_row(70);
  std::iota(every_row.begin(), every_row.end(), 0);
  const qb::Mask mask = qb::Mask::causal(70, 70);
  const qb::TokenGroup all{0, 70, 1};
  const qb::TileSchedule tiles = qb::build_mask_schedule(mask, 70, 70, {{0, 0, all, all}}, 64);
  qb::cpu::one_pass_kernel.attend(
      {q.view(), k.view(), v.view(), &tiles, 0.25, out.view(), lse.view()}, {qb::heap_allocator()});
  const auto exact = qb::reference_rows(q.view(), k.view(), v.view(), mask, 0.25, every_row);
  const auto naive = qb::naive_rows(q.view(), k.view(), v.view(), mask, 0.25, every_row);
  double error = 0.0;
  double naive_error = 0.0;
  for (std::size_t i = 0; i < exact.out.size(); ++i) {
    error =
        std::fmax(error, std::abs(static_cast<const float*>(out.view().data)[i] - exact.out[i]));
    naive_error = std::fmax(naive_error, std::abs(naive.out[i] - exact.out[i]));
  }
  std::printf("error %g, of a naive computation %g\n", error, naive_error);
  return error > 0.0 && error <= 4 * naive_error ? 0 : 1;
}
