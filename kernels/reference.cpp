// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/plain_loops.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

using cpu::kTypeOf;
using cpu::rounded;

constexpr std::int64_t kRowsAtOnce = 8;    // rows that share one pass over the keys
constexpr std::int64_t kKeysAtOnce = 512;  // keys of a pass, so that they stay in the cache

// Holds one key-value head in T: keys transposed [d, m], values [m, e].
template <class T>
struct Head {
  std::vector<T> k_t;
  std::vector<T> v;
};

template <class T>
Head<T> load_head(const TensorView& k, const TensorView& v, std::int64_t b, std::int64_t head) {
  const std::int64_t m = k.extent.length;
  const std::int64_t d = k.extent.head_dim;
  const std::int64_t e = v.extent.head_dim;
  Head<T> loaded{std::vector<T>(static_cast<std::size_t>(d * m)),
                 std::vector<T>(static_cast<std::size_t>(m * e))};
  std::vector<T> row(static_cast<std::size_t>(d));
  for (std::int64_t j = 0; j < m; ++j) {
    convert(k.row(b, head, j), k.dtype, row.data(), kTypeOf<T>, d);
    for (std::int64_t x = 0; x < d; ++x)
      loaded.k_t[static_cast<std::size_t>(x * m + j)] = row[static_cast<std::size_t>(x)];
    convert(v.row(b, head, j), v.dtype, loaded.v.data() + j * e, kTypeOf<T>, e);
  }
  return loaded;
}

// naive_rows rounds weights to the inputs' type, and if it is eager scores too.
struct Rounding {
  DType weights = DType::f64;
  DType scores = DType::f64;
};

// Computes the softmax of one row of scores in place, masked; returns the largest and the log of
// the sum relative to it.
template <class T>
std::pair<T, T> softmax_row(T* scores, std::int64_t m, const Mask& mask, std::int64_t row, T scale,
                            const Rounding& rounding) {
  constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();
  T largest = kMinusInfinity;
  for (std::int64_t j = 0; j < m; ++j) {
    scores[j] = mask.allows(row, j)
                    ? rounded(rounded(scores[j], rounding.scores) * scale, rounding.scores)
                    : kMinusInfinity;
    largest = std::max(scores[j], largest);
  }
  T total = 0;
  for (std::int64_t j = 0; j < m; ++j) {
    scores[j] = scores[j] == kMinusInfinity ? T{0} : std::exp(scores[j] - largest);
    total += scores[j];
  }
  if (total == T{0}) return {kMinusInfinity, T{0}};
  for (std::int64_t j = 0; j < m; ++j) scores[j] = rounded(scores[j] / total, rounding.weights);
  return {largest, std::log(total)};
}

struct Work {
  const TensorView& q;
  const Mask& mask;
  double scale;
  std::span<const std::int64_t> rows;
  Rounding rounding;
  std::int64_t m;
  std::int64_t e;
};

// Computes rows [begin, end) of work.rows for one query head.
template <class T>
void attend_rows(const Work& work, const Head<T>& head, std::int64_t b, std::int64_t h,
                 std::int64_t begin, std::int64_t end, std::int64_t first, ReferenceRows& result) {
  const std::int64_t d = work.q.extent.head_dim;
  const std::int64_t m = work.m;
  const auto row_of = [&](std::int64_t i) { return work.rows[static_cast<std::size_t>(i)]; };
  std::vector<T> query(static_cast<std::size_t>((end - begin) * d));
  std::vector<T> scores(static_cast<std::size_t>((end - begin) * m));
  std::vector<T> sum(static_cast<std::size_t>(work.e));
  for (std::int64_t i = begin; i < end; ++i)
    convert(work.q.row(b, h, row_of(i)), work.q.dtype, query.data() + (i - begin) * d, kTypeOf<T>,
            d);
  for (std::int64_t j = 0; j < m; j += kKeysAtOnce)
    for (std::int64_t i = 0; i < end - begin; ++i)
      cpu::add_products(query.data() + i * d, head.k_t.data() + j, m, d,
                        std::min(kKeysAtOnce, m - j), scores.data() + i * m + j);
  for (std::int64_t i = begin; i < end; ++i) {
    T* const row = scores.data() + (i - begin) * m;
    const auto [maximum, log_sum] =
        softmax_row(row, m, work.mask, row_of(i), static_cast<T>(work.scale), work.rounding);
    const auto at = static_cast<std::size_t>(first + i);
    result.lse[at] = static_cast<double>(maximum + log_sum);
    result.maximum[at] = static_cast<double>(maximum);
    result.log_sum[at] = static_cast<double>(log_sum);
    std::ranges::fill(sum, T{0});
    cpu::add_weighted_rows(row, head.v.data(), m, work.e, sum.data());
    std::copy(sum.begin(), sum.end(), result.out.data() + (first + i) * work.e);
  }
}

template <class T>
ReferenceRows compute(const TensorView& q, const TensorView& k, const TensorView& v,
                      const Mask& mask, double scale, std::span<const std::int64_t> rows,
                      const Rounding& rounding, int threads) {
  const Extent& shape = q.extent;
  const std::int64_t heads_of_group = k.extent.heads == 0 ? 0 : shape.heads / k.extent.heads;
  for (const std::int64_t row : rows)
    if (row < 0 || row >= shape.length)
      throw std::invalid_argument("reference: row " + std::to_string(row) + " is not among the " +
                                  std::to_string(shape.length) + " there are");
  const Work work{q, mask, scale, rows, rounding, k.extent.length, v.extent.head_dim};
  const auto n_rows = static_cast<std::int64_t>(rows.size());
  const auto n_out = static_cast<std::size_t>(shape.batch * shape.heads * n_rows);
  ReferenceRows result{{rows.begin(), rows.end()},
                       std::vector<double>(n_out * static_cast<std::size_t>(work.e)),
                       std::vector<double>(n_out),
                       std::vector<double>(n_out),
                       std::vector<double>(n_out)};
  if (rows.empty()) return result;  // without the copies of K and V
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t kv_head = 0; kv_head < k.extent.heads; ++kv_head) {
      const Head<T> head = load_head<T>(k, v, b, kv_head);
      for (std::int64_t h = kv_head * heads_of_group; h < (kv_head + 1) * heads_of_group; ++h) {
        const std::int64_t first = (b * shape.heads + h) * n_rows;
        parallel_for(n_rows, threads, kRowsAtOnce,
                     [&](std::int64_t begin, std::int64_t end, int /*thread*/) {
                       attend_rows(work, head, b, h, begin, end, first, result);
                     });
      }
    }
  return result;
}

}  // namespace

ReferenceRows reference_rows(const TensorView& q, const TensorView& k, const TensorView& v,
                             const Mask& mask, double scale, std::span<const std::int64_t> rows,
                             int threads) {
  return compute<double>(q, k, v, mask, scale, rows, {}, threads);
}

ReferenceRows naive_rows(const TensorView& q, const TensorView& k, const TensorView& v,
                         const Mask& mask, double scale, std::span<const std::int64_t> rows,
                         int threads, bool eager) {
  const Rounding rounding{.weights = q.dtype, .scores = eager ? q.dtype : DType::f64};
  return compute<float>(q, k, v, mask, scale, rows, rounding, threads);
}

}  // namespace qb
