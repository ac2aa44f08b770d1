// SPDX-License-Identifier: Apache-2.0
// Queries and keys play the same part here: the gradient of a query row is a sum over keys, that of
// a key a sum over query rows, and both weigh the other side's rows by dS. So one function computes
// the sums of some tokens of a side over all tokens of the other:
//   first:  sum dS * other first       (dQ from K, dK from Q)
//   second: sum P * other second       (dV from dO; for query rows this would be O and is left out)
#include "kernels/reference_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/integers.h"
#include "kernels/cpu/plain_loops.h"
#include "kernels/parallel.h"
#include "kernels/reference.h"

namespace qb {
namespace {

constexpr double kLseWithoutKeys = -std::numeric_limits<double>::infinity();

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

// Holds one head of a tensor in T: rows [count, dim], and their transpose in panels.
template <class T>
struct Rows {
  Rows(const TensorView& view, std::int64_t b, std::int64_t head, int threads)
      : count(view.extent.length),
        dim(view.extent.head_dim),
        rows(cpu::load_head<T>(view, b, head, false, threads)),
        transposed(cpu::load_head<T>(view, b, head, true, threads)) {}

  std::int64_t count;
  std::int64_t dim;
  std::unique_ptr<T[]> rows;
  std::unique_ptr<T[]> transposed;
};

// Holds one head of Q and dO, or of K and V.
template <class T>
struct Side {
  Rows<T> first;
  Rows<T> second;
};

// The largest score, the sum of the weights relative to it, and D of query rows [b, h, n]; those
// that nobody asked for stay 0.
struct Statistics {
  std::vector<double> maximum;
  std::vector<double> sum;
  std::vector<double> delta;
};

// Says how the pairs of one query head weigh: the statistics of its rows, which begin at `first`,
// and what is rounded. A pair is a token of one side, which is a key or a row, and one of the
// other.
template <class T>
struct Weights {
  const GradientProblem& problem;
  const Statistics& statistics;
  std::int64_t first;
  DType rounding;
  bool of_keys;

  [[nodiscard]] bool allows(std::int64_t token, std::int64_t other) const {
    if (of_keys) std::swap(token, other);
    return statistics.maximum[size(first + token)] != kLseWithoutKeys &&
           problem.mask.allows(token, other);
  }
  // Turns score = Q.K and product = dO.V of a pair into P and dS, both 0 where it is not allowed.
  void operator()(std::int64_t token, std::int64_t other, T& score, T& product) const {
    if (!allows(token, other)) {
      score = product = T{0};
      return;
    }
    const std::size_t at = size(first + (of_keys ? other : token));
    const T p =
        std::exp(static_cast<T>(problem.scale) * score - static_cast<T>(statistics.maximum[at])) /
        static_cast<T>(statistics.sum[at]);
    product = cpu::rounded(p * (product - static_cast<T>(statistics.delta[at])), rounding);
    score = cpu::rounded(p, rounding);
  }
};

// Adds what all tokens of `other` give to the gradients of these tokens of `own`: token i of the
// list to first + i * dim and, unless it is null, to second + i * dim.
template <class T>
void add_gradients(const Side<T>& own, const Side<T>& other, std::span<const std::int64_t> tokens,
                   const Weights<T>& weights, double* first, double* second) {
  const std::int64_t m = other.first.count;
  const auto count = std::ssize(tokens);
  const std::vector<cpu::Panel> panels = cpu::needed_panels<T>(
      count, m, [&](std::int64_t i, std::int64_t j) { return weights.allows(tokens[size(i)], j); });
  // Returns [count, m] sums over the elements of each pair of rows.
  const auto multiply = [&](const Rows<T>& left, const Rows<T>& right) {
    const std::int64_t dim = left.dim;
    std::vector<T> rows(size(count * dim));
    std::vector<T> products(size(count * m));
    for (std::int64_t i = 0; i < count; ++i)
      std::copy_n(left.rows.get() + tokens[size(i)] * dim, dim, rows.data() + i * dim);
    for (const auto [j, n] : panels)
      cpu::add_products(cpu::PlainProducts<T>{count, dim, n, rows.data(), dim,
                                              right.transposed.get() + j * dim, n,
                                              products.data() + j, m});
    return products;
  };
  std::vector<T> p = multiply(own.first, other.first);
  std::vector<T> d_scores = multiply(own.second, other.second);
  for (std::int64_t i = 0; i < count; ++i)
    for (const auto [begin, n] : panels)
      for (std::int64_t at = i * m + begin; at < i * m + begin + n; ++at)
        weights(tokens[size(i)], at - i * m, p[size(at)], d_scores[size(at)]);
  const auto add = [&](const std::vector<T>& factors, const Rows<T>& rows, double scale,
                       double* to) {
    std::vector<T> sums(size(count * rows.dim));
    for (const auto [j, n] : panels)
      cpu::add_weighted_rows(cpu::PlainProducts<T>{count, n, rows.dim, factors.data() + j, m,
                                                   rows.rows.get() + j * rows.dim, rows.dim,
                                                   sums.data(), rows.dim});
    for (const T sum : sums) *to++ += scale * static_cast<double>(sum);
  };
  add(d_scores, other.first, weights.problem.scale, first);
  if (second != nullptr) add(p, other.second, 1.0, second);
}

// Returns O and LSE of the rows, in double.
template <class T>
ReferenceRows forward_rows(const GradientProblem& problem, std::span<const std::int64_t> rows,
                           int threads) {
  if (problem.lse.data == nullptr) {
    if constexpr (sizeof(T) == 8)
      return reference_rows(problem.q, problem.k, problem.v, problem.mask, problem.scale, rows,
                            threads, 0.0, problem.sinks);
    else
      return naive_rows(problem.q, problem.k, problem.v, problem.mask, problem.scale, rows, threads,
                        false, 0.0, problem.sinks);
  }
  ReferenceRows known{{rows.begin(), rows.end()}, {}, {}, {}, {}};
  const Extent& extent = problem.out.extent;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (const std::int64_t row : rows) {
        known.maximum.push_back(load_element(problem.lse.row(b, h, row), problem.lse.dtype));
        known.log_sum.push_back(0.0);
        known.out.resize(known.out.size() + size(extent.head_dim));
        convert(problem.out.row(b, h, row), problem.out.dtype,
                known.out.data() + known.out.size() - size(extent.head_dim), DType::f64,
                extent.head_dim);
      }
  return known;
}

template <class T>
Statistics statistics_of(const GradientProblem& problem, std::span<const std::int64_t> rows,
                         int threads) {
  const Extent& extent = problem.d_out.extent;
  const std::int64_t e = extent.head_dim;
  const ReferenceRows known = forward_rows<T>(problem, rows, threads);
  const std::vector<double> zeros(size(extent.batch * extent.heads * extent.length));
  Statistics statistics{zeros, zeros, zeros};
  std::vector<double> d_out(size(e));
  std::size_t next = 0;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (const std::int64_t row : rows) {
        const std::size_t at = size((b * extent.heads + h) * extent.length + row);
        const double* const out = known.out.data() + next * size(e);
        convert(problem.d_out.row(b, h, row), problem.d_out.dtype, d_out.data(), DType::f64, e);
        statistics.delta[at] = std::inner_product(d_out.begin(), d_out.end(), out, 0.0);
        statistics.maximum[at] = known.maximum[next];
        statistics.sum[at] = std::exp(known.log_sum[next++]);
      }
  return statistics;
}

// Adds the gradient of each sink: its weight in a row times -D, over all rows.
void add_sinks(const GradientProblem& problem, const Statistics& of, ReferenceGradients& result) {
  const Extent& q = problem.q.extent;
  for (std::int64_t head = 0; head < q.batch * q.heads; ++head) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::int64_t i = head * q.length; i < (head + 1) * q.length; ++i) {
      const double sink = problem.sinks[size(head % q.heads)];
      const double term =
          std::exp(sink - of.maximum[size(i)]) / of.sum[size(i)] * -of.delta[size(i)];
      sum += term;
      squares += term * term;
    }
    result.d_sinks.push_back(sum);
    result.sink_size = std::max(result.sink_size, std::sqrt(squares));
  }
}

void check_tokens(const char* what, std::span<const std::int64_t> tokens, std::int64_t count) {
  for (const std::int64_t token : tokens)
    if (token < 0 || token >= count)
      throw std::invalid_argument(fmt::format(
          "reference_gradients: {} {} is not among the {} there are", what, token, count));
}

template <class T>
ReferenceGradients compute_gradients(const GradientProblem& problem,
                                     std::span<const std::int64_t> rows,
                                     std::span<const std::int64_t> keys, DType rounding,
                                     int threads) {
  const Extent& q = problem.q.extent;
  const Extent& k = problem.k.extent;
  const std::int64_t d = q.head_dim;
  const std::int64_t e = problem.v.extent.head_dim;
  const auto n_rows = static_cast<std::int64_t>(rows.size());
  const auto n_keys = static_cast<std::int64_t>(keys.size());
  check_tokens("row", rows, q.length);
  check_tokens("key", keys, k.length);
  const std::vector<std::int64_t> every_row = integers_below(q.length);
  const Statistics statistics =
      statistics_of<T>(problem, keys.empty() ? rows : std::span(every_row), threads);

  ReferenceGradients result{std::vector<double>(size(q.batch * q.heads * n_rows * d)),
                            std::vector<double>(size(q.batch * k.heads * n_keys * d)),
                            std::vector<double>(size(q.batch * k.heads * n_keys * e))};
  if (!problem.sinks.empty() && !keys.empty()) add_sinks(problem, statistics, result);
  for (const double maximum : statistics.maximum)
    if (std::isfinite(maximum))
      result.largest_score = std::max(result.largest_score, std::abs(maximum));
  for (std::int64_t b = 0; b < q.batch; ++b)
    for (std::int64_t h = 0; h < q.heads; ++h) {
      const std::int64_t kv_head = h / (q.heads / k.heads);
      const Side<T> queries{{problem.q, b, h, threads}, {problem.d_out, b, h, threads}};
      const Side<T> others{{problem.k, b, kv_head, threads}, {problem.v, b, kv_head, threads}};
      const std::int64_t head = b * q.heads + h;
      const std::int64_t kv = b * k.heads + kv_head;
      const auto add_side = [&](const Side<T>& own, const Side<T>& other,
                                std::span<const std::int64_t> tokens, bool of_keys, double* first,
                                double* second) {
        const Weights<T> weights{problem, statistics, head * q.length, rounding, of_keys};
        parallel_for(std::ssize(tokens), threads, cpu::rows_at_once(std::ssize(tokens), threads),
                     [&](std::int64_t begin, std::int64_t end, int /*thread*/) {
                       add_gradients(own, other, tokens.subspan(size(begin), size(end - begin)),
                                     weights, first + begin * d,
                                     second == nullptr ? nullptr : second + begin * e);
                     });
      };
      add_side(queries, others, rows, false, result.d_q.data() + head * n_rows * d, nullptr);
      add_side(others, queries, keys, true, result.d_k.data() + kv * n_keys * d,
               result.d_v.data() + kv * n_keys * e);
    }
  return result;
}

}  // namespace

ReferenceGradients reference_gradients(const GradientProblem& problem,
                                       std::span<const std::int64_t> rows,
                                       std::span<const std::int64_t> keys, int threads) {
  return compute_gradients<double>(problem, rows, keys, DType::f64, threads);
}

ReferenceGradients reference_gradients(const GradientProblem& problem, int threads) {
  return reference_gradients(problem, integers_below(problem.q.extent.length),
                             integers_below(problem.k.extent.length), threads);
}

ReferenceGradients naive_gradients(const GradientProblem& problem,
                                   std::span<const std::int64_t> rows,
                                   std::span<const std::int64_t> keys, int threads) {
  return compute_gradients<float>(problem, rows, keys, problem.q.dtype, threads);
}

ReferenceGradients naive_gradients(const GradientProblem& problem, int threads) {
  return naive_gradients(problem, integers_below(problem.q.extent.length),
                         integers_below(problem.k.extent.length), threads);
}

}  // namespace qb
