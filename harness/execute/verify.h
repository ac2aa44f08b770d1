// Holds an output against float64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "kernels/tensor.h"

namespace qb {

struct Verification {
  bool correct = false;
  double max_error = 0.0;      // largest |O - O_ref|, and |LSE - LSE_ref| folded in by its own bound
  double naive_error = 0.0;    // the same of a naive implementation in the inputs' precision
  double tolerance = 0.0;      // what max_error was held against
  double lse_max_error = 0.0;
  std::int64_t rows = 0;       // query rows held against float64 (of each head)
  std::string message;         // where and how it is wrong; empty when correct
};

// Fills an output before a run with a NaN pattern, so that an unwritten element shows.
void poison(const TensorView& out, const TensorView& lse);

// The rows to hold against float64: all when q_len <= max_rows, else the edges of every q group and
// seeded random rows, max_rows in all. Ascending.
[[nodiscard]] std::vector<std::int64_t> rows_to_verify(const Plan& plan, std::int64_t max_rows);

// Every element is first looked at for NaN (poison or overflow); then the rows are compared.
[[nodiscard]] Verification verify_output(const Problem& problem, const TensorView& q,
                                         const TensorView& k, const TensorView& v,
                                         const TensorView& out, const TensorView& lse,
                                         const std::vector<std::int64_t>& rows, int threads);

}  // namespace qb
