// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "base/integers.h"
#include "base/status.h"
#include "harness/verify/worst_error.h"
#include "kernels/lse.h"
#include "kernels/parallel.h"
#include "kernels/reference.h"

namespace qb {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// Tolerance = kNaiveFactor * naive error + floor. The floor is for rows whose naive error is 0 by
// luck (one key, few elements): it allows a rounding to the inputs' type, and the float32 roundings
// of sums, rescaling and merges.
constexpr double kInputRoundoffs = 1.0;
constexpr double kStatisticsRoundoffs = 16.0;
// In a class of so few elements the naive error and the largest output may both be small by luck,
// while the summed values are not: then the floor has roundings of the largest value too.
constexpr std::int64_t kFewElements = 64;
constexpr double kValueRoundoffs = 4.0;

double roundoffs_of(DType inputs) {
  return kInputRoundoffs * unit_roundoff(inputs) + kStatisticsRoundoffs * unit_roundoff(DType::f32);
}

// Returns what is wrong with a row whatever its exact values are; nullopt if nothing is.
std::optional<std::string> flaw_of_row(const float* out, std::int64_t value_dim,
                                       std::optional<float> lse, bool has_keys, bool has_sink,
                                       const RowPlace& place) {
  const std::int64_t x =
      has_keys ? first_not_finite(out, value_dim)
               : std::find_if(out, out + value_dim, [](float o) { return o != 0.0f; }) - out;
  if (x < value_dim)
    return fmt::format("O at {}, element {} is {}{}", place.text(), x, out[x],
                       !has_keys            ? ", want 0: the row has no keys"
                       : std::isnan(out[x]) ? ": never written, or not a number"
                                            : ": overflow");
  const bool is_finite = has_keys || has_sink;
  if (!lse || (is_finite ? std::isfinite(*lse) : *lse == kMinusInfinity)) return std::nullopt;
  return fmt::format("LSE at {} is {}{}", place.text(), *lse,
                     is_finite ? ", want a finite number" : ", want -inf: the row has no keys");
}

// Returns the first flaw of the whole output; throws Unsupported where scores are out of range.
std::optional<std::string> scan(const Problem& problem, const TensorView& out,
                                const TensorView& lse, int threads,
                                const std::function<ReferenceRows(std::int64_t row)>& reference) {
  return first_flaw(out.extent, threads, [&](const RowPlace& place) {
    std::optional<float> of_row;
    if (lse.data != nullptr)
      of_row = static_cast<float>(natural_lse(lse, place.batch, place.head, place.row));
    const bool has_keys = problem.mask.keys_of(place.row, problem.shape.kv_len) > 0;
    auto flaw = flaw_of_row(out.row_as<float>(place.batch, place.head, place.row),
                            out.extent.head_dim, of_row, has_keys, !problem.sinks.empty(), place);
    if (flaw && has_keys) {
      const auto head = static_cast<std::size_t>(place.batch * out.extent.heads + place.head);
      if (const double score = reference(place.row).maximum[head]; std::abs(score) > kMostScore)
        throw Unsupported(fmt::format(
            "the scores of {} are up to {:.3g}, and float32 holds them up to {:.3g} (its "
            "largest number / log2 e); scale Q or K down",
            place.text(), score, kMostScore));
    }
    return flaw;
  });
}

// The largest errors of a class of rows.
struct RowClass {
  WorstError out;
  WorstError lse;
};

// By class_of_row().
using RowClasses = std::map<int, RowClass>;

struct Comparison {
  RowClasses classes;
  RelativeL2 out;  // of all rows
};

Comparison compare(const Problem& problem, const TensorView& out, const TensorView& lse,
                   const ReferenceRows& reference, const ReferenceRows& naive) {
  Comparison comparison;
  std::size_t statistic = 0;
  std::size_t element = 0;
  for (std::int64_t b = 0; b < out.extent.batch; ++b) {
    for (std::int64_t h = 0; h < out.extent.heads; ++h) {
      for (const std::int64_t row : reference.rows) {
        const std::int64_t keys = problem.mask.keys_of(row, problem.shape.kv_len);
        RowClass& rows = comparison.classes[class_of_row(keys)];
        const float* values = out.row_as<float>(b, h, row);
        for (std::int64_t x = 0; x < out.extent.head_dim; ++x, ++element) {
          const auto value = static_cast<double>(values[x]);
          rows.out.add({b, h, row}, x, value, naive.out[element], reference.out[element]);
          comparison.out.add(value, reference.out[element]);
        }
        // scan() has checked that a row without keys is -inf.
        if ((keys > 0 || !problem.sinks.empty()) && lse.data != nullptr)
          rows.lse.add({b, h, row}, 0, natural_lse(lse, b, h, row), naive.lse[statistic],
                       reference.lse[statistic]);
        ++statistic;
      }
    }
  }
  return comparison;
}

double largest_of(const TensorView& view) {
  double largest = 0.0;
  for_each_finite(view, [&](double value) { largest = std::max(largest, std::abs(value)); });
  return largest;
}

// LSE is a float32 statistic whatever the inputs are; near 0 its error is that of log's argument.
double lse_tolerance(const WorstError& worst) {
  return kNaiveFactor * worst.naive_error +
         kStatisticsRoundoffs * unit_roundoff(DType::f32) * std::max(worst.magnitude, 1.0);
}

// a / b > c / d without dividing by a tolerance of 0.
bool nearer(double a, double b, double c, double d) { return a * d > c * b; }

void judge(const RowClasses& classes, const TensorView& v, bool rounds_lse,
           double partial_roundings, Verification& verification) {
  std::optional<double> largest;  // of V, found once and only if it is needed
  const auto of_largest = [&](double part) {
    if (part > 0.0 && !largest) largest = largest_of(v);
    return part > 0.0 ? part * *largest : 0.0;
  };
  bool first = true;
  for (const auto& [width, rows] : classes) {
    const double rounding = rounds_lse ? unit_roundoff(DType::f32) * rows.lse.magnitude : 0.0;
    const bool is_weighed = rounding <= kMostLseRounding;
    const bool are_few = rows.out.elements < kFewElements;
    const double tolerance =
        out_tolerance(rows.out, v.dtype) + partial_roundings * rows.out.magnitude +
        of_largest(are_few ? kValueRoundoffs * unit_roundoff(DType::f32) : 0.0) +
        of_largest(is_weighed ? 2.0 * rounding : 0.0);
    const double of_lse = lse_tolerance(rows.lse);
    if (first ||
        nearer(rows.out.error, tolerance, verification.max_error, verification.tolerance)) {
      verification.max_error = rows.out.error;
      verification.naive_error = rows.out.naive_error;
      verification.tolerance = tolerance;
    }
    if (first ||
        nearer(rows.lse.error, of_lse, verification.lse_max_error, verification.lse_tolerance)) {
      verification.lse_max_error = rows.lse.error;
      verification.lse_tolerance = of_lse;
    }
    first = false;
    if (!verification.message.empty()) continue;
    if (!(rows.out.error <= tolerance))
      verification.message = rows.out.text("O", tolerance) + (is_weighed ? "" : kLostWeights);
    else if (auto why = rows.out.error <= roundoffs_of(v.dtype) * rows.out.magnitude
                            ? std::string()
                            : unrepresentable(rows.lse.magnitude, rows.out.naive_error,
                                              rows.out.magnitude);
             !why.empty())
      verification.message = std::move(why);
    else if (!(rows.lse.error <= of_lse))
      verification.message = rows.lse.text("LSE", of_lse);
  }
}

std::set<std::int64_t> edges_of(const std::vector<TokenGroup>& groups) {
  std::set<std::int64_t> edges;
  for (const TokenGroup& group : groups)
    if (group.count > 0) edges.insert({group.first, group.token(group.count - 1)});
  return edges;
}

}  // namespace

void poison(const TensorView& view) {
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 0; t < view.extent.length; ++t)  // all bits set is a NaN in any type
        std::memset(view.row(b, h, t), 0xff,
                    static_cast<std::size_t>(view.extent.head_dim * size_of(view.dtype)));
}

void poison(const TensorView& out, const TensorView& lse) {
  poison(out);
  poison(lse);
}

std::vector<std::int64_t> rows_to_verify(std::int64_t n, const std::set<std::int64_t>& edges,
                                         std::int64_t max_rows, std::uint64_t seed) {
  if (n <= max_rows) return integers_below(n);
  if (max_rows == 0) return {};
  std::set<std::int64_t> rows;
  const std::vector<std::int64_t> all(edges.begin(), edges.end());
  const auto n_edges = static_cast<std::int64_t>(all.size());
  const std::int64_t kept = std::min(n_edges, max_rows);
  for (std::int64_t i = 1; i <= kept; ++i)  // the last one is always taken
    rows.insert(all[static_cast<std::size_t>(i * n_edges / kept - 1)]);
  std::mt19937_64 random(seed);
  while (static_cast<std::int64_t>(rows.size()) < max_rows)
    rows.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)));
  return {rows.begin(), rows.end()};
}

std::vector<std::int64_t> rows_to_verify(const Plan& plan, std::int64_t max_rows) {
  return rows_to_verify(plan.problem.shape.q_len, edges_of(plan.q_groups), max_rows,
                        plan.problem.seed);
}

std::vector<std::int64_t> keys_to_verify(const Plan& plan, std::int64_t max_keys) {
  return rows_to_verify(plan.problem.shape.kv_len, edges_of(plan.kv_groups), max_keys,
                        plan.problem.seed);
}

Verification verify_output(const Problem& problem, const TensorView& q, const TensorView& k,
                           const TensorView& v, const TensorView& out, const TensorView& lse,
                           const std::vector<std::int64_t>& rows, int threads, bool eager,
                           bool rounds_lse, double partial_roundings, double softcap) {
  Verification verification;
  verification.rows = static_cast<std::int64_t>(rows.size());
  const auto of_row = [&](std::int64_t row) {
    return reference_rows(q, k, v, problem.mask, problem.scale, std::array{row}, 1, softcap,
                          problem.sinks);
  };
  auto flaw = scan(problem, out, {}, threads, of_row);
  const bool is_of_lse = !flaw && (flaw = scan(problem, out, lse, threads, of_row));
  if (flaw) verification.message = std::move(*flaw);
  if (flaw && !is_of_lse) {
    verification.max_error = std::numeric_limits<double>::quiet_NaN();
    verification.relative_l2_error = verification.max_error;
    return verification;
  }
  const ReferenceRows reference =
      reference_rows(q, k, v, problem.mask, problem.scale, rows, threads, softcap, problem.sinks);
  const ReferenceRows naive = naive_rows(q, k, v, problem.mask, problem.scale, rows, threads, eager,
                                         softcap, problem.sinks);
  const Comparison comparison = compare(problem, out, lse, reference, naive);
  judge(comparison.classes, v, rounds_lse, partial_roundings, verification);
  if (is_of_lse) verification.lse_max_error = std::numeric_limits<double>::quiet_NaN();
  verification.relative_l2_error = comparison.out.error();
  verification.correct = verification.message.empty();
  return verification;
}

double partial_roundings(const Plan& plan) {
  if (plan.problem.partials == DType::f32) return 0.0;
  constexpr double kFactor = 2.0;
  return kFactor * unit_roundoff(plan.problem.partials) *
         std::sqrt(static_cast<double>(plan.workers.size()));
}

Verification verify_finite(std::span<const float> values, std::size_t rows,
                           const std::function<std::string(std::int64_t)>& place) {
  Verification verification;
  verification.rows = static_cast<std::int64_t>(rows);
  verification.lse_max_error = std::numeric_limits<double>::quiet_NaN();
  const auto flaw = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  verification.correct = flaw == values.end() && rows == 0;
  if (flaw == values.end()) return verification;
  verification.max_error = std::numeric_limits<double>::quiet_NaN();
  verification.relative_l2_error = verification.max_error;
  verification.message =
      fmt::format("{} is {}: never written, or not a number", place(flaw - values.begin()), *flaw);
  return verification;
}

void conclude(Verification& verification, const WorstError& worst, double tolerance,
              const std::string& place) {
  verification.max_error = worst.error;
  verification.naive_error = worst.naive_error;
  verification.tolerance = tolerance;
  verification.correct = worst.error <= tolerance;
  if (!verification.correct)
    verification.message =
        fmt::format("{} is {}, want {}: error {:.3g}, tolerance {:.3g}", place,
                    static_cast<float>(worst.got), worst.want, worst.error, tolerance);
}

double out_tolerance(const WorstError& worst, DType of_inputs) {
  return kNaiveFactor * worst.naive_error + roundoffs_of(of_inputs) * worst.magnitude;
}

void conclude(Verification& verification, const std::map<int, WorstError>& classes,
              const std::function<double(int, const WorstError&)>& tolerance_of,
              const std::function<std::string(int, const WorstError&)>& place_of) {
  const auto* nearest = &*classes.begin();
  double limit = tolerance_of(nearest->first, nearest->second);
  for (const auto& one : classes) {
    const double tolerance = tolerance_of(one.first, one.second);
    // NaN is nearer than any number.
    if (one.second.error * limit <= nearest->second.error * tolerance) continue;
    nearest = &one;
    limit = tolerance;
  }
  conclude(verification, nearest->second, limit, place_of(nearest->first, nearest->second));
}

}  // namespace qb
