#include "kernels/reduction.h"

#include <algorithm>

#include "kernels/cuda/merge/reduction_row.h"

namespace qb {
namespace {

float* floats(const TensorView& view) { return static_cast<float*>(view.data); }

// Calls visit(pointer, index) for the first element of each row.
template <class Visit>
void visit_rows(const TensorView& out, const Visit& visit) {
  const std::int64_t rows = out.extent.batch * out.extent.heads * out.extent.length;
  for (std::int64_t row = 0; row < rows; ++row) visit(floats(out) + row * out.extent.head_dim, row);
}

}  // namespace

void combine(const TensorView& target, const TensorView& source, Combine how) {
  float* const values = floats(target);
  const float* const come = floats(source);
  const std::int64_t n = target.extent.elements();
  for (std::int64_t i = 0; i < n; ++i)
    values[i] = how == Combine::sum ? values[i] + come[i] : std::max(values[i], come[i]);
}

void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                   const TensorView& denominator) {
  visit_rows(out, [&](float* values, std::int64_t row) {
    const float weight = row_weight(floats(lse)[row], floats(maximum)[row]);
    floats(denominator)[row] = weight;
    for (std::int64_t x = 0; x < out.extent.head_dim; ++x) values[x] *= weight;
  });
}

void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                       const TensorView& denominator) {
  visit_rows(out, [&](float* values, std::int64_t row) {
    const float sum = floats(denominator)[row];
    floats(lse)[row] = row_lse(floats(maximum)[row], sum);
    for (std::int64_t x = 0; x < out.extent.head_dim; ++x) values[x] = row_output(values[x], sum);
  });
}

}  // namespace qb
