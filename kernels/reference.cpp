// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/plain_loops.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

using cpu::kTypeOf;
using cpu::PlainProducts;
using cpu::rounded;

// Holds one key-value head in T: keys transposed in panels, values [m, e].
template <class T>
struct Head {
  std::unique_ptr<T[]> k_t;
  std::unique_ptr<T[]> v;
};

// naive_rows rounds weights to the inputs' type, and if it is eager scores too; softcap caps them.
struct Rounding {
  DType weights = DType::f64;
  DType scores = DType::f64;
  double softcap = 0.0;
};

// Computes the softmax of the scores of one row in these panels in place, masked, with a sink,
// which is -inf where there is none; returns the largest and the log of the sum relative to it.
template <class T>
std::pair<T, T> softmax_row(T* scores, const std::vector<cpu::Panel>& panels, const Mask& mask,
                            std::int64_t row, T scale, T sink, const Rounding& rounding) {
  constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();
  const auto each = [&](auto change) {
    for (const cpu::Panel& panel : panels)
      for (std::int64_t j = panel.begin; j < panel.begin + panel.count; ++j) change(j, scores[j]);
  };
  T largest = sink;
  each([&](std::int64_t j, T& score) {
    score = mask.allows(row, j) ? rounded(rounded(score, rounding.scores) * scale, rounding.scores)
                                : kMinusInfinity;
    if (const T cap = static_cast<T>(rounding.softcap); cap > T{0} && score != kMinusInfinity)
      score = rounded(cap * std::tanh(score / cap), rounding.scores);
    largest = std::max(score, largest);
  });
  T total = sink == kMinusInfinity ? T{0} : std::exp(sink - largest);
  each([&](std::int64_t, T& score) {
    score = score == kMinusInfinity ? T{0} : std::exp(score - largest);
    total += score;
  });
  if (total == T{0}) return {kMinusInfinity, T{0}};
  each([&](std::int64_t, T& score) { score = rounded(score / total, rounding.weights); });
  return {largest, std::log(total)};
}

struct Work {
  const TensorView& q;
  const Mask& mask;
  double scale;
  std::span<const std::int64_t> rows;
  Rounding rounding;
  std::span<const float> sinks;
  std::int64_t m;
  std::int64_t e;
};

// Computes rows [begin, end) of those that share a head of keys: for each of its query heads, from
// first_head on, work.rows.
template <class T>
void attend_rows(const Work& work, const Head<T>& head, std::int64_t b, std::int64_t first_head,
                 std::int64_t begin, std::int64_t end, ReferenceRows& result) {
  const std::int64_t d = work.q.extent.head_dim;
  const std::int64_t m = work.m;
  const std::int64_t e = work.e;
  const std::int64_t count = end - begin;
  const auto n_rows = std::ssize(work.rows);
  const std::int64_t first = (b * work.q.extent.heads + first_head) * n_rows;
  const auto row_of = [&](std::int64_t i) {
    return work.rows[static_cast<std::size_t>((begin + i) % n_rows)];
  };
  std::vector<T> query(static_cast<std::size_t>(count * d));
  std::vector<T> scores(static_cast<std::size_t>(count * m));
  std::vector<T> out(static_cast<std::size_t>(count * e));
  for (std::int64_t i = 0; i < count; ++i)
    convert(work.q.row(b, first_head + (begin + i) / n_rows, row_of(i)), work.q.dtype,
            query.data() + i * d, kTypeOf<T>, d);
  const std::vector<cpu::Panel> panels = cpu::needed_panels<T>(
      count, m, [&](std::int64_t i, std::int64_t j) { return work.mask.allows(row_of(i), j); });
  for (const auto [j, n] : panels)
    cpu::add_products(PlainProducts<T>{count, d, n, query.data(), d, head.k_t.get() + j * d, n,
                                       scores.data() + j, m});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t query_head = first_head + (begin + i) / n_rows;
    const T sink = work.sinks.empty()
                       ? -std::numeric_limits<T>::infinity()
                       : static_cast<T>(work.sinks[static_cast<std::size_t>(query_head)]);
    const auto [maximum, log_sum] = softmax_row(scores.data() + i * m, panels, work.mask, row_of(i),
                                                static_cast<T>(work.scale), sink, work.rounding);
    const auto at = static_cast<std::size_t>(first + begin + i);
    result.lse[at] = static_cast<double>(maximum + log_sum);
    result.maximum[at] = static_cast<double>(maximum);
    result.log_sum[at] = static_cast<double>(log_sum);
  }
  for (const auto [j, n] : panels)
    cpu::add_weighted_rows(PlainProducts<T>{count, n, e, scores.data() + j, m, head.v.get() + j * e,
                                            e, out.data(), e});
  std::ranges::copy(out, result.out.data() + (first + begin) * e);
}

template <class T>
ReferenceRows compute(const TensorView& q, const TensorView& k, const TensorView& v,
                      const Mask& mask, double scale, std::span<const std::int64_t> rows,
                      const Rounding& rounding, std::span<const float> sinks, int threads) {
  const Extent& shape = q.extent;
  const std::int64_t heads_of_group = k.extent.heads == 0 ? 0 : shape.heads / k.extent.heads;
  for (const std::int64_t row : rows)
    if (row < 0 || row >= shape.length)
      throw std::invalid_argument("reference: row " + std::to_string(row) + " is not among the " +
                                  std::to_string(shape.length) + " there are");
  const Work work{q, mask, scale, rows, rounding, sinks, k.extent.length, v.extent.head_dim};
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
      const Head<T> head{cpu::load_head<T>(k, b, kv_head, true, threads),
                         cpu::load_head<T>(v, b, kv_head, false, threads)};
      const std::int64_t shared = heads_of_group * n_rows;
      parallel_for(shared, threads, cpu::rows_at_once(shared, threads),
                   [&](std::int64_t begin, std::int64_t end, int /*thread*/) {
                     attend_rows(work, head, b, kv_head * heads_of_group, begin, end, result);
                   });
    }
  return result;
}

}  // namespace

ReferenceRows reference_rows(const TensorView& q, const TensorView& k, const TensorView& v,
                             const Mask& mask, double scale, std::span<const std::int64_t> rows,
                             int threads, double softcap, std::span<const float> sinks) {
  return compute<double>(q, k, v, mask, scale, rows, {.softcap = softcap}, sinks, threads);
}

ReferenceRows naive_rows(const TensorView& q, const TensorView& k, const TensorView& v,
                         const Mask& mask, double scale, std::span<const std::int64_t> rows,
                         int threads, bool eager, double softcap, std::span<const float> sinks) {
  const Rounding rounding{
      .weights = q.dtype, .scores = eager ? q.dtype : DType::f64, .softcap = softcap};
  return compute<float>(q, k, v, mask, scale, rows, rounding, sinks, threads);
}

}  // namespace qb
