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
#include <numeric>
#include <stdexcept>

#include "base/integers.h"
#include "kernels/cpu/plain_loops.h"
#include "kernels/parallel.h"
#include "kernels/reference.h"

namespace qb {
namespace {

constexpr double kLseWithoutKeys = -std::numeric_limits<double>::infinity();
constexpr std::int64_t kTokensAtOnce = 8;    // tokens that share one pass over the other side
constexpr std::int64_t kOthersAtOnce = 512;  // of a pass, so that they stay in the cache

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

// Holds one head of a tensor in T: rows [count, dim] and their transpose [dim, count].
template <class T>
struct Rows {
  std::int64_t count;
  std::int64_t dim;
  std::vector<T> rows;
  std::vector<T> transposed;

  [[nodiscard]] const T* row(std::int64_t index) const { return rows.data() + index * dim; }
};

template <class T>
Rows<T> load_rows(const TensorView& view, std::int64_t b, std::int64_t head) {
  Rows<T> loaded{view.extent.length, view.extent.head_dim, {}, {}};
  loaded.rows.resize(size(loaded.count * loaded.dim));
  loaded.transposed.resize(loaded.rows.size());
  for (std::int64_t i = 0; i < loaded.count; ++i) {
    T* const row = loaded.rows.data() + i * loaded.dim;
    convert(view.row(b, head, i), view.dtype, row, cpu::kTypeOf<T>, loaded.dim);
    for (std::int64_t x = 0; x < loaded.dim; ++x)
      loaded.transposed[size(x * loaded.count + i)] = row[x];
  }
  return loaded;
}

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
// and what is rounded.
template <class T>
struct Weights {
  const GradientProblem& problem;
  const Statistics& statistics;
  std::int64_t first;
  DType rounding;

  // Turns score = Q.K and product = dO.V of a pair into P and dS, both 0 where it is not allowed.
  void operator()(std::int64_t row, std::int64_t key, T& score, T& product) const {
    const std::size_t at = size(first + row);
    if (statistics.maximum[at] == kLseWithoutKeys || !problem.mask.allows(row, key)) {
      score = product = T{0};
      return;
    }
    const T p =
        std::exp(static_cast<T>(problem.scale) * score - static_cast<T>(statistics.maximum[at])) /
        static_cast<T>(statistics.sum[at]);
    product = cpu::rounded(p * (product - static_cast<T>(statistics.delta[at])), rounding);
    score = cpu::rounded(p, rounding);
  }
};

template <class T>
void add(const std::vector<T>& sum, double factor, std::int64_t count, double* to) {
  for (std::int64_t x = 0; x < count; ++x) to[x] += factor * static_cast<double>(sum[size(x)]);
}

// Adds what all tokens of `other` give to the gradients of these tokens of `own`: token i of the
// list to first + i * dim and, unless it is null, to second + i * dim. weigh(token, token of the
// other side, score, product) makes P and dS of the last two.
template <class T, class Weigh>
void add_gradients(const Side<T>& own, const Side<T>& other, std::span<const std::int64_t> tokens,
                   double scale, Weigh weigh, double* first, double* second) {
  const std::int64_t m = other.first.count;
  const std::int64_t d = other.first.dim;
  const std::int64_t e = other.second.dim;
  const auto count = static_cast<std::int64_t>(tokens.size());
  std::vector<T> scores(size(count * m));
  std::vector<T> products(scores.size());
  for (std::int64_t j = 0; j < m; j += kOthersAtOnce)
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t token = tokens[size(i)];
      const std::int64_t n = std::min(kOthersAtOnce, m - j);
      cpu::add_products(own.first.row(token), other.first.transposed.data() + j, m, d, n,
                        scores.data() + i * m + j);
      cpu::add_products(own.second.row(token), other.second.transposed.data() + j, m, e, n,
                        products.data() + i * m + j);
    }
  std::vector<T> sum(size(std::max(d, e)));
  for (std::int64_t i = 0; i < count; ++i) {
    T* const p = scores.data() + i * m;
    T* const d_score = products.data() + i * m;
    for (std::int64_t j = 0; j < m; ++j) weigh(tokens[size(i)], j, p[j], d_score[j]);
    std::ranges::fill(sum, T{0});
    cpu::add_weighted_rows(d_score, other.first.rows.data(), m, d, sum.data());
    add(sum, scale, d, first + i * d);
    if (second == nullptr) continue;
    std::ranges::fill(sum, T{0});
    cpu::add_weighted_rows(p, other.second.rows.data(), m, e, sum.data());
    add(sum, 1.0, e, second + i * e);
  }
}

// Returns O and LSE of the rows, in double.
template <class T>
ReferenceRows forward_rows(const GradientProblem& problem, std::span<const std::int64_t> rows,
                           int threads) {
  if (problem.lse.data == nullptr) {
    if constexpr (sizeof(T) == 8)
      return reference_rows(problem.q, problem.k, problem.v, problem.mask, problem.scale, rows,
                            threads);
    else
      return naive_rows(problem.q, problem.k, problem.v, problem.mask, problem.scale, rows,
                        threads);
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
                            std::vector<double>(size(q.batch * k.heads * n_keys * e)), 0.0};
  for (const double maximum : statistics.maximum)
    if (std::isfinite(maximum))
      result.largest_score = std::max(result.largest_score, std::abs(maximum));
  for (std::int64_t b = 0; b < q.batch; ++b)
    for (std::int64_t h = 0; h < q.heads; ++h) {
      const std::int64_t kv_head = h / (q.heads / k.heads);
      const Side<T> queries{load_rows<T>(problem.q, b, h), load_rows<T>(problem.d_out, b, h)};
      const Side<T> others{load_rows<T>(problem.k, b, kv_head),
                           load_rows<T>(problem.v, b, kv_head)};
      const std::int64_t head = b * q.heads + h;
      const std::int64_t kv = b * k.heads + kv_head;
      const Weights<T> weights{problem, statistics, head * q.length, rounding};
      const auto of_keys = [&](std::int64_t key, std::int64_t row, T& score, T& product) {
        weights(row, key, score, product);
      };
      const auto add_side = [&](const Side<T>& own, const Side<T>& other,
                                std::span<const std::int64_t> tokens, const auto& weigh,
                                double* first, double* second) {
        parallel_for(std::ssize(tokens), threads, kTokensAtOnce,
                     [&](std::int64_t begin, std::int64_t end, int /*thread*/) {
                       add_gradients(own, other, tokens.subspan(size(begin), size(end - begin)),
                                     problem.scale, weigh, first + begin * d,
                                     second == nullptr ? nullptr : second + begin * e);
                     });
      };
      add_side(queries, others, rows, weights, result.d_q.data() + head * n_rows * d, nullptr);
      add_side(others, queries, keys, of_keys, result.d_k.data() + kv * n_keys * d,
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
