#include "harness/workload/matrix_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "harness/execute/player/worker.h"
#include "harness/execute/verify/inputs.h"
#include "harness/execute/verify/worst_error.h"
#include "kernels/cpu/gemm.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// The tolerance has these units even where the naive error is 0 by chance.
constexpr double kProductRoundoffs = 4.0;

Tensor matrix(Allocator& allocator, std::int64_t rows, std::int64_t columns, const char* label) {
  return {allocator, DType::f32, {1, 1, rows, columns}, label};
}

float* values(const Tensor& tensor) { return static_cast<float*>(tensor.view().data); }

// One row of C in float64, with the unit of its errors.
struct ReferenceRow {
  std::vector<double> exact;
  std::vector<double> unit;  // unit roundoff x sum of magnitudes
  std::vector<float> naive;
};

ReferenceRow reference_row(const ProductMatrices& matrices, std::int64_t row) {
  const auto columns = static_cast<std::size_t>(matrices.columns);
  ReferenceRow reference{std::vector<double>(columns), std::vector<double>(columns),
                         std::vector<float>(columns)};
  for (std::int64_t k = 0; k < matrices.depth; ++k) {
    const float a = values(matrices.a)[row * matrices.depth + k];
    const float* const b = values(matrices.b) + k * matrices.columns;
    for (std::size_t j = 0; j < columns; ++j) {
      const double term = static_cast<double>(a) * static_cast<double>(b[j]);
      reference.exact[j] += term;
      reference.unit[j] += std::abs(term);
      reference.naive[j] += a * b[j];
    }
  }
  // Products below the least number of the type are rounded to a multiple of it.
  const double least = static_cast<double>(matrices.depth) *
                       static_cast<double>(std::numeric_limits<float>::denorm_min());
  for (double& unit : reference.unit) unit = unit * unit_roundoff(DType::f32) + least;
  return reference;
}

}  // namespace

ProductMatrices::ProductMatrices(std::int64_t n_rows, std::int64_t n_columns, std::int64_t n_depth,
                                 Allocator& allocator)
    : rows(n_rows),
      columns(n_columns),
      depth(n_depth),
      a(matrix(allocator, rows, depth, "a")),
      b(matrix(allocator, depth, columns, "b")),
      c(matrix(allocator, rows, columns, "output")) {}

void ProductMatrices::fill(std::uint64_t seed, int threads) {
  fill_normal(a.view(), 2 * seed, threads);
  fill_normal(b.view(), 2 * seed + 1, threads);
  std::fill_n(values(c), rows * columns, std::numeric_limits<float>::quiet_NaN());
}

std::int64_t product_bytes(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return (rows * depth + depth * columns + rows * columns) * size_of(DType::f32);
}

ProductPlan whole_product(std::int64_t rows, std::int64_t columns) {
  return {1, rows, columns, {{{0, rows, 0, columns}}}};
}

double multiply_blocks(const ProductPlan& plan, std::size_t worker,
                       const ProductMatrices& matrices) {
  const double begin_s = now_s();
  for (const ProductBlock& block : plan.workers[worker])
    cpu::gemm(block.row_end - block.row_begin, block.column_end - block.column_begin,
              matrices.depth,
              {values(matrices.a) + block.row_begin * matrices.depth, matrices.depth, false},
              {values(matrices.b) + block.column_begin, matrices.columns, false},
              values(matrices.c) + block.row_begin * matrices.columns + block.column_begin,
              matrices.columns);
  return now_s() - begin_s;
}

std::vector<std::int64_t> product_rows_to_verify(const ProductPlan& plan, std::int64_t max_rows,
                                                 std::uint64_t seed) {
  std::set<std::int64_t> edges = {0, plan.rows - 1};
  for (const auto& blocks : plan.workers)
    for (const ProductBlock& block : blocks)
      for (const std::int64_t line : {block.row_begin, block.row_end}) {
        if (line > 0) edges.insert(line - 1);
        if (line < plan.rows) edges.insert(line);
      }
  return rows_to_verify(plan.rows, edges, max_rows, seed);
}

Verification verify_product(const ProductMatrices& matrices, const std::vector<std::int64_t>& rows,
                            int threads) {
  const auto place = [](std::int64_t row, std::int64_t column) {
    return fmt::format("C at row {}, column {}", row, column);
  };
  Verification verification = verify_finite(
      {values(matrices.c), static_cast<std::size_t>(matrices.rows * matrices.columns)}, rows.size(),
      [&](std::int64_t i) { return place(i / matrices.columns, i % matrices.columns); });
  if (verification.correct || !verification.message.empty()) return verification;
  // The element of a row with the most units, and the most units of the naive loop.
  struct Worst {
    double units = -1.0;
    double naive_units = 0.0;
    double error = 0.0;
    double unit = 0.0;
    double want = 0.0;
    std::int64_t column = 0;
    RelativeL2 l2;
  };
  std::vector<Worst> worst_of(rows.size());
  parallel_for(std::ssize(rows), threads, 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = rows[static_cast<std::size_t>(i)];
      const ReferenceRow reference = reference_row(matrices, row);
      Worst& worst = worst_of[static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < reference.exact.size(); ++j) {
        const double want = reference.exact[j];
        const double unit = reference.unit[j];
        const double naive = std::abs(static_cast<double>(reference.naive[j]) - want);
        // An overflow of the loop must not make the tolerance infinite.
        if (std::isfinite(naive)) worst.naive_units = std::max(worst.naive_units, naive / unit);
        const auto value = static_cast<double>(
            values(matrices.c)[row * matrices.columns + static_cast<std::int64_t>(j)]);
        const double error = std::abs(value - want);
        worst.l2.add(value, want);
        if (error / unit <= worst.units) continue;
        worst.units = error / unit;
        worst.error = error;
        worst.unit = unit;
        worst.want = want;
        worst.column = static_cast<std::int64_t>(j);
      }
    }
  });
  double naive_units = 0.0;
  RelativeL2 l2;
  std::size_t at = 0;
  for (std::size_t i = 0; i < worst_of.size(); ++i) {
    naive_units = std::max(naive_units, worst_of[i].naive_units);
    l2.add(worst_of[i].l2);
    if (!(worst_of[i].units <= worst_of[at].units)) at = i;
  }
  const Worst& worst = worst_of[at];
  verification.max_error = worst.error;
  verification.relative_l2_error = l2.error();
  verification.naive_error = naive_units * worst.unit;
  verification.tolerance = (kNaiveFactor * naive_units + kProductRoundoffs) * worst.unit;
  conclude(verification, place(rows[at], worst.column),
           values(matrices.c)[rows[at] * matrices.columns + worst.column], worst.want);
  return verification;
}

}  // namespace qb
