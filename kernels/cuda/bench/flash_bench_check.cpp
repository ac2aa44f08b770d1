#include "kernels/cuda/bench/flash_bench_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/reference.h"

namespace qb::cuda {
namespace {

std::vector<std::int64_t> some_rows(std::int64_t length) {
  const std::set<std::int64_t> rows{0, length / 2, length - 1};
  return {rows.begin(), rows.end()};
}

}  // namespace

RowCheck::RowCheck(const TensorView& q, const TensorView& k, const TensorView& v, const Mask& mask,
                   double scale)
    : rows_(some_rows(q.extent.length)), exact_(reference_rows(q, k, v, mask, scale, rows_).out) {
  const std::vector<double> naive = naive_rows(q, k, v, mask, scale, rows_).out;
  const auto width = static_cast<std::size_t>(v.extent.head_dim);
  for (std::size_t begin = 0; begin < exact_.size(); begin += width) {
    double error = 0.0;
    double magnitude = 0.0;
    for (std::size_t i = begin; i < begin + width; ++i) {
      error = std::max(error, std::abs(naive[i] - exact_[i]));
      magnitude = std::max(magnitude, std::abs(exact_[i]));
    }
    // The output may be rounded to the inputs' type.
    const double rounding = unit_roundoff(q.dtype) + 16.0 * unit_roundoff(DType::f32);
    tolerance_.push_back(4.0 * error + rounding * magnitude);
  }
}

std::string RowCheck::flaw(const std::vector<float>& got) const {
  if (got.size() != exact_.size()) return "the output has another size";
  const std::size_t width = exact_.size() / tolerance_.size();
  for (std::size_t i = 0; i < exact_.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - exact_[i]);
    const double allowed = tolerance_[i / width];
    if (!(error <= allowed))
      return fmt::format("the output of query {} is off by {:.3g}, tolerance {:.3g}",
                         rows_[i / width % rows_.size()], error, allowed);
  }
  return {};
}

}  // namespace qb::cuda
