#include "kernels/merge.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace qb {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

void check_partial(const TensorView& out, const TensorView& lse, const char* what) {
  Extent statistics = out.extent;
  statistics.head_dim = 1;
  if (out.dtype != DType::f32 || lse.dtype != DType::f32 || lse.extent != statistics)
    throw std::invalid_argument(std::string(what) +
                                ": O must be f32 [b,h,n,e] and LSE f32 [b,h,n,1]");
}

template <class Function>
void for_each_row(const Extent& extent, Function function) {
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (std::int64_t t = 0; t < extent.length; ++t) function(b, h, t);
}

// One row; e elements of O. Weights are at most 1, so that nothing overflows.
void merge_row(float* __restrict acc, float& acc_lse, const float* __restrict part, float part_lse,
               std::int64_t e) {
  if (part_lse == kMinusInfinity) return;
  if (acc_lse == kMinusInfinity) {
    std::copy_n(part, e, acc);
    acc_lse = part_lse;
    return;
  }
  const double a = static_cast<double>(acc_lse);
  const double p = static_cast<double>(part_lse);
  const double largest = std::max(a, p);
  const double sum = std::exp(a - largest) + std::exp(p - largest);
  const auto acc_weight = static_cast<float>(std::exp(a - largest) / sum);
  const auto part_weight = static_cast<float>(std::exp(p - largest) / sum);
  for (std::int64_t x = 0; x < e; ++x) acc[x] = acc[x] * acc_weight + part[x] * part_weight;
  acc_lse = static_cast<float>(largest + std::log(sum));
}

}  // namespace

void clear_partial(const TensorView& out, const TensorView& lse) {
  check_partial(out, lse, "clear_partial");
  for_each_row(out.extent, [&](std::int64_t b, std::int64_t h, std::int64_t t) {
    std::fill_n(out.row_as<float>(b, h, t), out.extent.head_dim, 0.0f);
    *lse.row_as<float>(b, h, t) = kMinusInfinity;
  });
}

void merge_partial(const TensorView& acc_out, const TensorView& acc_lse, const TensorView& part_out,
                   const TensorView& part_lse) {
  check_partial(acc_out, acc_lse, "merge_partial");
  check_partial(part_out, part_lse, "merge_partial");
  if (acc_out.extent != part_out.extent)
    throw std::invalid_argument("merge_partial: the two partials differ in shape");
  for_each_row(acc_out.extent, [&](std::int64_t b, std::int64_t h, std::int64_t t) {
    merge_row(acc_out.row_as<float>(b, h, t), *acc_lse.row_as<float>(b, h, t),
              part_out.row_as<float>(b, h, t), *part_lse.row_as<float>(b, h, t),
              acc_out.extent.head_dim);
  });
}

void copy_rows(const TensorView& source, const TensorView& destination) {
  if (source.extent != destination.extent || source.dtype != destination.dtype)
    throw std::invalid_argument("copy_rows: the views differ in shape or dtype");
  Extent rows = source.extent;
  std::int64_t elements = rows.head_dim;
  // Tokens that follow one another in both are one long row.
  if (source.token_stride == rows.head_dim && destination.token_stride == rows.head_dim) {
    elements *= rows.length;
    rows.length = std::min<std::int64_t>(rows.length, 1);
  }
  const auto bytes = static_cast<std::size_t>(elements * size_of(source.dtype));
  for_each_row(rows, [&](std::int64_t b, std::int64_t h, std::int64_t t) {
    std::memcpy(destination.row(b, h, t), source.row(b, h, t), bytes);
  });
}

}  // namespace qb
