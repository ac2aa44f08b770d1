#include "kernels/merge.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/cpu/score_rows.h"

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
  const auto rows = [](const TensorView& out, const TensorView& lse, std::int64_t b,
                       std::int64_t h) -> cpu::PartialRows {
    return {out.row_as<float>(b, h, 0), out.token_stride, lse.row_as<float>(b, h, 0),
            lse.token_stride};
  };
  const Extent& extent = acc_out.extent;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      cpu::merge_rows(rows(acc_out, acc_lse, b, h), rows(part_out, part_lse, b, h), extent.length,
                      extent.head_dim);
}

void copy_rows(const TensorView& source, const TensorView& destination) {
  if (source.extent != destination.extent || source.dtype != destination.dtype)
    throw std::invalid_argument("copy_rows: the views differ in shape or dtype");
  Extent rows = source.extent;
  std::int64_t elements = rows.head_dim;
  // Tokens that follow one another in both views are one long row.
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
