// Holds an output against float64.
//
// Errors of attention shrink with the number of keys that a row averages over, so rows are judged
// among rows that see about as many keys (the same power of two): the tolerance of such a class is
// 4 x the error that a naive implementation makes on it, plus a floor of a few unit roundoffs of
// its largest value, in a class of few elements of V's largest too. Under a causal mask the coarse
// first rows thus excuse nothing further down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "kernels/tensor.h"

namespace qb {

// The errors are those of the class of rows whose output comes nearest to its tolerance.
struct Verification {
  bool correct = false;
  double max_error = 0.0;      // largest |O - O_ref|
  double naive_error = 0.0;    // the same of a naive implementation in the inputs' precision
  double tolerance = 0.0;      // what max_error was held against
  double lse_max_error = 0.0;  // likewise |LSE - LSE_ref|
  double lse_tolerance = 0.0;
  std::int64_t rows = 0;  // query rows held against float64 (of each head)
  std::string message;    // where and how it is wrong; empty when correct
};

// Fills an output before a run with a NaN pattern, so that an unwritten element shows.
void poison(const TensorView& out, const TensorView& lse);

// The rows to hold against float64: all when q_len <= max_rows, else the edges of every q group and
// seeded random rows, max_rows in all (edges evenly thinned out where they alone are more).
// Ascending.
[[nodiscard]] std::vector<std::int64_t> rows_to_verify(const Plan& plan, std::int64_t max_rows);

// Every element is first looked at: O must be finite; LSE too, but -inf, with O exactly 0, in a row
// without keys. Then the given rows are compared. out and lse are f32.
// eager: the kernel keeps its scores in the inputs' type, see eager_rows().
[[nodiscard]] Verification verify_output(const Problem& problem, const TensorView& q,
                                         const TensorView& k, const TensorView& v,
                                         const TensorView& out, const TensorView& lse,
                                         const std::vector<std::int64_t>& rows, int threads,
                                         bool eager = false);

}  // namespace qb
