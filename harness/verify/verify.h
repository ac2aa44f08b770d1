// SPDX-License-Identifier: Apache-2.0
// Checks an output against a float64 reference. Errors of attention shrink with the number of keys
// that a row averages over, so rows are judged among rows that see about as many keys (the same
// power of two). The tolerance of such a class is 4 x the error that a naive implementation makes
// on it, plus a floor of a few unit roundoffs of its largest value (in a class of few elements, of
// V's largest too). So under a causal mask the coarse first rows do not excuse errors in later
// ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "kernels/tensor.h"

namespace qb {

// ||O - O_ref||_2 / ||O_ref||_2 over the elements that were added. Rows of few keys have the
// largest values and weigh most, whereas a tolerance judges every row among its like.
class RelativeL2 {
 public:
  void add(double value, double reference) {
    error_squares_ += (value - reference) * (value - reference);
    reference_squares_ += reference * reference;
  }
  void add(const RelativeL2& part) {
    error_squares_ += part.error_squares_;
    reference_squares_ += part.reference_squares_;
  }
  // 0 where nothing is off, even if all of the reference is 0, as in rows without keys.
  [[nodiscard]] double error() const {
    return error_squares_ == 0.0 ? 0.0 : std::sqrt(error_squares_ / reference_squares_);
  }
  // The two norms that error() divides.
  [[nodiscard]] double error_norm() const { return std::sqrt(error_squares_); }
  [[nodiscard]] double reference_norm() const { return std::sqrt(reference_squares_); }

 private:
  double error_squares_ = 0.0;
  double reference_squares_ = 0.0;
};

// The errors of a gradient: of dQ, dK, dV or sinks, see verify_gradients.h, or of a layer's.
struct GradientErrors {
  TensorRole what = TensorRole::q;  // a layer's have none
  double max_error = 0.0;           // largest |dX - dX_ref|
  double naive_error = 0.0;         // the same for naive gradients in the inputs' precision
  double tolerance = 0.0;           // limit for max_error
  double relative_l2_error = 0.0;   // over all elements that were compared
  bool correct = true;              // within its limits
};

// The largest errors are those of the class of rows whose output is closest to its tolerance.
struct Verification {
  bool correct = false;
  double max_error = 0.0;      // largest |O - O_ref|
  double naive_error = 0.0;    // the same for a naive implementation in the inputs' precision
  double tolerance = 0.0;      // limit for max_error
  double lse_max_error = 0.0;  // largest |LSE - LSE_ref|
  double lse_tolerance = 0.0;
  double relative_l2_error = 0.0;         // of O, over all compared rows
  std::int64_t rows = 0;                  // query rows compared with the reference (of each head)
  std::int64_t keys = 0;                  // keys whose gradients were compared (of each head)
  std::vector<GradientErrors> gradients;  // of dQ, dK and dV, if they were compared
  std::string message;                    // where and how it is wrong; empty when correct
  // of a layer's hidden states, and of its weights, biases and norms, if they were compared
  std::vector<GradientErrors> layer_gradients{};
};

// Fills an output before a run with a NaN pattern, so that an unwritten element shows.
void poison(const TensorView& view);
void poison(const TensorView& out, const TensorView& lse);

// Returns the rows of n to compare, in ascending order: all if n <= max_rows, else the edges
// (thinned out evenly if they are more) and seeded random rows, max_rows in all.
[[nodiscard]] std::vector<std::int64_t> rows_to_verify(std::int64_t n,
                                                       const std::set<std::int64_t>& edges,
                                                       std::int64_t max_rows, std::uint64_t seed);
// Does so for the edges of every q group.
[[nodiscard]] std::vector<std::int64_t> rows_to_verify(const Plan& plan, std::int64_t max_rows);
// Does so for keys and the edges of every kv group.
[[nodiscard]] std::vector<std::int64_t> keys_to_verify(const Plan& plan, std::int64_t max_keys);

// Every element is checked first: O must be finite; LSE too, except in a row without keys, where it
// must be -inf (with sinks the sink) with O exactly 0. Then the given rows are compared. out and
// lse are f32, LSE in one number a row or in two (kernels/lse.h). eager: the kernel keeps its
// scores in the inputs' type, see naive_rows(). rounds_lse: LSE is one float somewhere (plan.h).
// Partials weighed by it are off by 2 u |LSE| max|V| at most, which the tolerance then allows while
// it is below max|V| / 128; beyond that, and where float32 cannot hold the scores at all, the
// message says so. partial_roundings: those of partial_roundings(), relative to the largest value
// of a class. Throws Unsupported for a row that is not finite because its scores are beyond
// kMostScore. An lse without data is not looked at. softcap: see reference_rows().
[[nodiscard]] Verification verify_output(const Problem& problem, const TensorView& q,
                                         const TensorView& k, const TensorView& v,
                                         const TensorView& out, const TensorView& lse,
                                         const std::vector<std::int64_t>& rows, int threads,
                                         bool eager = false, bool rounds_lse = false,
                                         double partial_roundings = 0.0, double softcap = 0.0);

// By how much, relative to the output, the merged partials of a plan may be off because they travel
// in 16 bits: each is rounded once, and the roundings of W partials add up as random ones do.
[[nodiscard]] double partial_roundings(const Plan& plan);

// These two are for an output without LSE, whose error is then NaN. The first fails at a value that
// is not finite and succeeds without rows to compare; otherwise correct is false and the message is
// empty. place(i) names the i-th value.
[[nodiscard]] Verification verify_finite(std::span<const float> values, std::size_t rows,
                                         const std::function<std::string(std::int64_t)>& place);
// Judges the largest error, which is at `place`, by the tolerance.
struct WorstError;
void conclude(Verification& verification, const WorstError& worst, double tolerance,
              const std::string& place);
// The tolerance of a class of rows of attention.
[[nodiscard]] double out_tolerance(const WorstError& worst, DType of_inputs);
// Judges classes of rows. The one that is nearest to its tolerance speaks for all.
void conclude(Verification& verification, const std::map<int, WorstError>& classes,
              const std::function<double(int, const WorstError&)>& tolerance_of,
              const std::function<std::string(int, const WorstError&)>& place_of);

}  // namespace qb
