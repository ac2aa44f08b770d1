// The workers of a ProductPlan compute C = A B one after the other with BLAS; float64 checks C.
//
// The rounding error of a float32 sum grows with the sum of the magnitudes of its terms, not with
// the result. So errors are counted in units of roundoff x that sum, and the tolerance is a
// multiple of the largest error of a plain float32 loop in those units: outliers and cancellation
// do not change the verdict.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/execute/verify/verify.h"
#include "interest_sets/split/product.h"
#include "kernels/allocator.h"

namespace qb {

// The matrices are row-major. a: rows x depth, b: depth x columns, c: rows x columns.
struct ProductMatrices {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  Tensor a;
  Tensor b;
  Tensor c;

  ProductMatrices(std::int64_t n_rows, std::int64_t n_columns, std::int64_t n_depth,
                  Allocator& allocator);
  // Makes A and B standard normal, and every element of C a NaN.
  void fill(std::uint64_t seed, int threads);
};

// Bytes of A, B and C.
[[nodiscard]] std::int64_t product_bytes(std::int64_t rows, std::int64_t columns,
                                         std::int64_t depth);

// The whole product as one worker's only block.
[[nodiscard]] ProductPlan whole_product(std::int64_t rows, std::int64_t columns);

// Writes the worker's blocks of C, on one core. Returns the time in seconds.
double multiply_blocks(const ProductPlan& plan, std::size_t worker,
                       const ProductMatrices& matrices);

// Chooses all rows, or the edges of every block's rows and random ones, max_rows in all.
[[nodiscard]] std::vector<std::int64_t> product_rows_to_verify(const ProductPlan& plan,
                                                               std::int64_t max_rows,
                                                               std::uint64_t seed);

// Every element of C must be finite; the given rows are compared. The error of log-sum-exp is NaN.
[[nodiscard]] Verification verify_product(const ProductMatrices& matrices,
                                          const std::vector<std::int64_t>& rows, int threads);

}  // namespace qb
