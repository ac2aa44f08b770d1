// SPDX-License-Identifier: Apache-2.0
#include "kernels/merge.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/cpu/score_rows.h"
#include "kernels/lse.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/merge.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// This include must come after foreach_target.h.
#include <hwy/contrib/math/math-inl.h>

#include "kernels/cpu/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr std::int64_t kRows = 64;  // rows whose weights are computed together

// The two numbers of the LSE of some rows (lse.h).
struct Statistics {
  alignas(64) float maximum[kRows];
  alignas(64) float rest[kRows];

  HWY_INLINE void set(std::int64_t row, RowLse lse) {
    maximum[row] = lse.maximum;
    rest[row] = lse.rest;
  }
};

struct Weights {
  Statistics acc_lse;
  Statistics part_lse;
  alignas(64) float acc[kRows];
  alignas(64) float part[kRows];
};

// With M the larger maximum, each sum is 2^x relative to it, x = (maximum - M) + rest, and t =
// 2^(smaller x - larger x): weights 1 / (1 + t) and t / (1 + t), LSE = M, larger x + log2(1 + t).
// acc_lse becomes the merged LSE. Weights are at most 1, so that nothing overflows.
HWY_INLINE void weigh(Weights& w) {
  constexpr float kLog2E = 1.44269504088896340736f;
  const hn::ScalableTag<float> d;
  const auto minus_infinity = hn::Set(d, kMinusInfinity);
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < kRows; i += hn::Lanes(d)) {
    const auto acc_maximum = hn::Load(d, w.acc_lse.maximum + i);
    const auto part_maximum = hn::Load(d, w.part_lse.maximum + i);
    const auto maximum = hn::Max(acc_maximum, part_maximum);
    const auto a = hn::Add(hn::Sub(acc_maximum, maximum), hn::Load(d, w.acc_lse.rest + i));
    const auto p = hn::Add(hn::Sub(part_maximum, maximum), hn::Load(d, w.part_lse.rest + i));
    const auto distance = hn::Abs(hn::Sub(a, p));  // NaN in either gives NaN
    const auto t = cpu::HWY_NAMESPACE::exp2_fast(d, hn::Neg(distance));
    const auto larger_weight = hn::Div(one, hn::Add(one, t));
    const auto smaller_weight = hn::Mul(t, larger_weight);
    const auto acc_larger = hn::Ge(a, p);
    hn::Store(hn::IfThenElse(acc_larger, larger_weight, smaller_weight), d, w.acc + i);
    hn::Store(hn::IfThenElse(acc_larger, smaller_weight, larger_weight), d, w.part + i);
    const auto rest =
        hn::Add(hn::IfThenElse(acc_larger, a, p), hn::Mul(hn::Log1p(d, t), hn::Set(d, kLog2E)));
    // Without keys x is NaN. Max() may lose a NaN, which must stay.
    const auto empty =
        hn::And(hn::Eq(acc_maximum, minus_infinity), hn::Eq(part_maximum, minus_infinity));
    const auto kept = hn::IfThenElse(hn::IsNaN(distance), distance, maximum);
    hn::Store(hn::IfThenElse(empty, minus_infinity, kept), d, w.acc_lse.maximum + i);
    hn::Store(hn::IfThenZeroElse(empty, rest), d, w.acc_lse.rest + i);
  }
}

HWY_INLINE void add_weighted(float* HWY_RESTRICT acc, float acc_weight,
                             const float* HWY_RESTRICT part, float part_weight, std::int64_t dim) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto a = hn::Set(d, acc_weight);
  const auto p = hn::Set(d, part_weight);
  std::int64_t x = 0;
  for (; x + lanes <= dim; x += lanes)
    hn::StoreU(hn::MulAdd(hn::LoadU(d, part + x), p, hn::Mul(hn::LoadU(d, acc + x), a)), d,
               acc + x);
  for (; x < dim; ++x) acc[x] = acc[x] * acc_weight + part[x] * part_weight;
}

// Rows of one head of a partial.
struct PartialRows {
  const TensorView& out;
  const TensorView& lse;
  std::int64_t batch;
  std::int64_t head;

  [[nodiscard]] float* out_of(std::int64_t row) const {
    return out.row_as<float>(batch, head, row);
  }
  [[nodiscard]] RowLse lse_of(std::int64_t row) const { return load_lse(lse, batch, head, row); }
};

// acc := merge(acc, part) for `count` rows. O is not read where a row's LSE is -inf.
void merge_rows(const PartialRows& acc, const PartialRows& part, std::int64_t count,
                std::int64_t dim) {
  Weights w;
  for (std::int64_t first = 0; first < count; first += kRows) {
    const std::int64_t rows = std::min(kRows, count - first);
    bool was_empty[kRows];
    for (std::int64_t i = 0; i < kRows; ++i) {
      const std::int64_t row = first + std::min(i, rows - 1);
      const RowLse before = acc.lse_of(row);
      was_empty[i] = before.is_empty();
      w.acc_lse.set(i, before);
      w.part_lse.set(i, part.lse_of(row));
    }
    weigh(w);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (w.part_lse.maximum[i] == kMinusInfinity) continue;
      if (was_empty[i])
        std::copy_n(part.out_of(first + i), dim, acc.out_of(first + i));
      else
        add_weighted(acc.out_of(first + i), w.acc[i], part.out_of(first + i), w.part[i], dim);
      store_lse(acc.lse, acc.batch, acc.head, first + i, {w.acc_lse.maximum[i], w.acc_lse.rest[i]});
    }
  }
}

// sum += part. Parts of another type are converted in pieces.
void add_to_rows(const TensorView& sum, const TensorView& part) {
  const Extent& extent = sum.extent;
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr std::int64_t kPiece = 256;
  float converted[kPiece];
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (std::int64_t t = 0; t < extent.length; ++t)
        for (std::int64_t first = 0; first < extent.head_dim; first += kPiece) {
          const std::int64_t count = std::min(kPiece, extent.head_dim - first);
          float* const to = sum.row_as<float>(b, h, t) + first;
          const float* from = converted;
          const auto* const row = static_cast<const std::byte*>(part.row(b, h, t));
          if (part.dtype == DType::f32)
            from = reinterpret_cast<const float*>(row) + first;
          else
            convert(row + first * size_of(part.dtype), part.dtype, converted, DType::f32, count);
          std::int64_t x = 0;
          for (; x + lanes <= count; x += lanes)
            hn::StoreU(hn::Add(hn::LoadU(d, to + x), hn::LoadU(d, from + x)), d, to + x);
          for (; x < count; ++x) to[x] += from[x];
        }
}

void merge(const TensorView& acc_out, const TensorView& acc_lse, const TensorView& part_out,
           const TensorView& part_lse) {
  const Extent& extent = acc_out.extent;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      merge_rows({acc_out, acc_lse, b, h}, {part_out, part_lse, b, h}, extent.length,
                 extent.head_dim);
}

}  // namespace
}  // namespace qb::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb {
namespace {

HWY_EXPORT(add_to_rows);
HWY_EXPORT(merge);

void check_partial(const TensorView& out, const TensorView& lse, const char* what) {
  Extent statistics = out.extent;
  statistics.head_dim = lse.extent.head_dim == 2 ? 2 : 1;
  if (out.dtype != DType::f32 || lse.dtype != DType::f32 || lse.extent != statistics)
    throw std::invalid_argument(std::string(what) +
                                ": O must be f32 [b,h,n,e] and LSE f32 [b,h,n,1 or 2]");
}

// Between LSE of one number a row and of two.
void copy_lse(const TensorView& source, const TensorView& destination) {
  Extent rows = source.extent;
  rows.head_dim = destination.extent.head_dim;
  if (rows != destination.extent || source.extent.head_dim + rows.head_dim != 3 ||
      source.dtype != DType::f32 || destination.dtype != DType::f32)
    throw std::invalid_argument("copy_rows: the views differ in shape");
  cpu::for_each_row(rows, 1, 64, [&](std::int64_t b, std::int64_t h, std::int64_t t, int) {
    store_lse(destination, b, h, t, load_lse(source, b, h, t));
  });
}

}  // namespace

void clear_partial(const TensorView& out, const TensorView& lse) {
  TensorView of_any_type = out;
  of_any_type.dtype = DType::f32;
  check_partial(of_any_type, lse, "clear_partial");
  const auto row_bytes = static_cast<std::size_t>(out.extent.head_dim * size_of(out.dtype));
  cpu::for_each_row(out.extent, 1, 64, [&](std::int64_t b, std::int64_t h, std::int64_t t, int) {
    std::memset(out.row(b, h, t), 0, row_bytes);
    store_lse(lse, b, h, t, {});
  });
}

void merge_partial(const TensorView& acc_out, const TensorView& acc_lse, const TensorView& part_out,
                   const TensorView& part_lse) {
  check_partial(acc_out, acc_lse, "merge_partial");
  check_partial(part_out, part_lse, "merge_partial");
  if (acc_out.extent != part_out.extent)
    throw std::invalid_argument("merge_partial: the two partials differ in shape");
  HWY_DYNAMIC_DISPATCH(merge)(acc_out, acc_lse, part_out, part_lse);
}

void copy_rows(const TensorView& source, const TensorView& destination, int threads) {
  if (source.extent != destination.extent) return copy_lse(source, destination);
  Extent rows = source.extent;
  // Tokens that follow one another in both views are one long row.
  if (threads == 1 && source.token_stride == rows.head_dim &&
      destination.token_stride == rows.head_dim) {
    rows.head_dim *= rows.length;
    rows.length = std::min<std::int64_t>(rows.length, 1);
  }
  const bool same = source.dtype == destination.dtype;
  const auto bytes = same ? static_cast<std::size_t>(rows.head_dim * size_of(source.dtype)) : 0;
  cpu::for_each_row(rows, threads, 64, [&](std::int64_t b, std::int64_t h, std::int64_t t, int) {
    if (bytes > 0)
      std::memcpy(destination.row(b, h, t), source.row(b, h, t), bytes);
    else
      convert(source.row(b, h, t), source.dtype, destination.row(b, h, t), destination.dtype,
              rows.head_dim);
  });
}

void clear_rows(const TensorView& rows) {
  if (rows.dtype != DType::f32) throw std::invalid_argument("clear_rows: sums are f32");
  cpu::for_each_row(rows.extent, 1, 64, [&](std::int64_t b, std::int64_t h, std::int64_t t, int) {
    std::fill_n(rows.row_as<float>(b, h, t), rows.extent.head_dim, 0.0f);
  });
}

void add_rows(const TensorView& sum, const TensorView& part) {
  if (sum.dtype != DType::f32 || sum.extent != part.extent)
    throw std::invalid_argument("add_rows: the sum is f32 and has the shape of the part");
  HWY_DYNAMIC_DISPATCH(add_to_rows)(sum, part);
}

}  // namespace qb
#endif  // HWY_ONCE
