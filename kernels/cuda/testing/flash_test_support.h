// SPDX-License-Identifier: Apache-2.0
// Makes random problems of several workers over token groups, and their expected results.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/testing/test_support.h"

namespace qb::cuda::flash_support {

struct ProblemShape {
  DType dtype = DType::bf16;
  Extent q;
  std::int64_t kv_heads = 1;
  std::int64_t n_keys = 1;
  std::int64_t value_dim = 0;  // 0: same as head_dim
  double deviation = 1.0;
  int outlier_every = 0;
};

// Holds the inputs, poisoned outputs and the schedules of all workers, on the host.
struct Problem {
  Tensor q;
  Tensor k;
  Tensor v;
  Tensor out;
  Tensor lse;
  double scale = 1.0;
  std::vector<std::unique_ptr<TileSchedule>> schedules;
  std::vector<GroupedWorker> workers;

  Problem(const ProblemShape& shape, std::uint64_t seed) {
    const Extent& x = shape.q;
    const std::int64_t e = shape.value_dim == 0 ? x.head_dim : shape.value_dim;
    const Extent keys{x.batch, shape.kv_heads, shape.n_keys, x.head_dim};
    const auto draw = [&](const Extent& extent, std::uint64_t salt) {
      return qb::testing_support::random_tensor(shape.dtype, extent, 3 * seed + salt,
                                                shape.deviation, shape.outlier_every);
    };
    q = draw(x, 0);
    k = draw(keys, 1);
    v = draw({x.batch, shape.kv_heads, shape.n_keys, e}, 2);
    scale = 1.0 / std::sqrt(static_cast<double>(x.head_dim));
    out = Tensor(heap_allocator(), DType::f32, {x.batch, x.heads, x.length, e}, "out");
    lse = Tensor(heap_allocator(), DType::f32, {x.batch, x.heads, x.length, 1}, "lse");
    poison();
  }
  void poison() const {
    qb::testing_support::fill(out.view(), std::nan(""));
    qb::testing_support::fill(lse.view(), std::nan(""));
  }
  void add_worker(std::vector<TokenGroup> q_groups, std::vector<TokenGroup> kv_groups,
                  TileSchedule schedule, std::int64_t head_begin = 0, std::int64_t head_end = 0) {
    schedules.push_back(std::make_unique<TileSchedule>(std::move(schedule)));
    workers.push_back({static_cast<int>(workers.size()), std::move(q_groups), std::move(kv_groups),
                       schedules.back().get(), head_begin, head_end});
  }
  // Adds one worker with the whole sequences.
  void add_whole(std::vector<ScheduleBlock> blocks, std::int64_t query_tile = 128) {
    const std::int64_t n = q.view().extent.length;
    const std::int64_t m = k.view().extent.length;
    add_worker({{0, n, 1}}, {{0, m, 1}}, build_schedule(n, m, std::move(blocks), query_tile));
  }
  [[nodiscard]] GroupedCall call() const {
    return {q.view(), k.view(), v.view(), scale, workers, out.view(), lse.view(), false};
  }
};

// Calls visit(worker, query token, key token) for each pair that a worker computes.
template <class Visit>
void for_each_pair(const std::vector<GroupedWorker>& workers, Visit visit) {
  const auto tokens = [](const std::vector<TokenGroup>& groups) {
    std::vector<std::int64_t> result;
    for (const TokenGroup& group : groups)
      for (std::int64_t i = 0; i < group.count; ++i)
        result.push_back(group.first + i * group.stride);
    return result;
  };
  for (const GroupedWorker& worker : workers) {
    const std::vector<std::int64_t> queries = tokens(worker.q_groups);
    const std::vector<std::int64_t> keys = tokens(worker.kv_groups);
    const TileSchedule& schedule = *worker.schedule;
    for (const QueryTile& tile : schedule.tiles)
      for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s)
        for (std::int64_t row = tile.begin; row < tile.end; ++row)
          schedule.for_each_run(schedule.spans[static_cast<std::size_t>(s)], row,
                                [&](std::int64_t begin, std::int64_t end) {
                                  for (std::int64_t key = begin; key < end; ++key)
                                    visit(worker, queries[static_cast<std::size_t>(row)],
                                          keys[static_cast<std::size_t>(key)]);
                                });
  }
}

// Computes attention in float64 over the pairs of all workers, head by head.
inline qb::testing_support::Attended expected(const Problem& problem) {
  const Extent& x = problem.q.view().extent;
  const std::int64_t m = problem.k.view().extent.length;
  std::vector<bool> allowed(static_cast<std::size_t>(x.heads * x.length * m));
  for_each_pair(problem.workers, [&](const GroupedWorker& worker, std::int64_t i, std::int64_t j) {
    const std::int64_t end = worker.head_end == 0 ? x.heads : worker.head_end;
    for (std::int64_t head = worker.head_begin; head < end; ++head)
      allowed[static_cast<std::size_t>((head * x.length + i) * m + j)] = true;
  });
  qb::testing_support::Attended all;
  const std::int64_t group = x.heads / problem.k.view().extent.heads;
  const auto batch_of = [](TensorView view, std::int64_t b) {
    view.data = view.row(b, 0, 0);
    view.extent.batch = 1;
    return view;
  };
  for (std::int64_t b = 0; b < x.batch; ++b)
    for (std::int64_t head = 0; head < x.heads; ++head) {
      const auto part = qb::testing_support::brute_force<double>(
          batch_of(problem.q.view(), b).heads(head, 1),
          batch_of(problem.k.view(), b).heads(head / group, 1),
          batch_of(problem.v.view(), b).heads(head / group, 1), problem.scale,
          [&](std::int64_t i, std::int64_t j) {
            return allowed[static_cast<std::size_t>((head * x.length + i) * m + j)];
          });
      all.out.insert(all.out.end(), part.out.begin(), part.out.end());
      all.lse.insert(all.lse.end(), part.lse.begin(), part.lse.end());
    }
  return all;
}

// Says how far a kernel may be off: probabilities are rounded to the inputs' type before the second
// product, so the output errs by at most one unit roundoff of the largest |V|; scores are sums of
// head_dim products in float32, of which the largest (before cancellation) sets the error of the
// exponent. With half of these bounds the tests would fail.
struct Tolerance {
  double out = 0.0;
  double lse = 0.0;
};
inline Tolerance tolerance(const Problem& problem) {
  const auto largest = [](const Tensor& tensor) {
    double value = 0.0;
    for (const double x : qb::testing_support::values(tensor.view()))
      value = std::max(value, std::abs(x));
    return value;
  };
  const double score = std::abs(problem.scale) * largest(problem.q) * largest(problem.k) *
                       static_cast<double>(problem.q.view().extent.head_dim);
  const double exponent = 4e-7 * (1.0 + score);
  const double values = largest(problem.v);
  return {(unit_roundoff(problem.q.view().dtype) + exponent) * values, exponent + 4e-6};
}

// ---- Random problems ----------------------------------------------------------------------------

// Turns every other span into one of random bits.
inline void draw_bits(TileSchedule& schedule, std::mt19937& engine) {
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
      KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
      if (engine() % 2 == 0) continue;
      span = {span.begin, span.end, SpanKind::bits, 0, 0, 0};
      const auto first = static_cast<std::int64_t>(schedule.words.size());
      span.words = first - tile.begin * span.row_words();
      const unsigned sparsity = 1 + engine() % 4;
      for (std::int64_t row = tile.begin; row < tile.end; ++row)
        for (std::int64_t w = 0; w < span.row_words(); ++w) {
          std::uint64_t word = 0;
          const std::int64_t n = std::min<std::int64_t>(64, span.end - span.begin - 64 * w);
          for (std::int64_t i = 0; i < n; ++i)
            word |= static_cast<std::uint64_t>(engine() % sparsity == 0) << i;
          schedule.words.push_back(word);
        }
    }
}

// Draws groups that divide [0, n): contiguous ones of random sizes, or every stride-th token.
inline std::vector<TokenGroup> draw_groups(std::int64_t n, int parts, bool strided,
                                           std::mt19937& engine) {
  std::vector<TokenGroup> groups;
  if (strided) {
    for (std::int64_t first = 0; first < parts; ++first)
      groups.push_back({first, (n - first + parts - 1) / parts, parts});
    return groups;
  }
  std::int64_t first = 0;
  for (int part = 0; part < parts; ++part) {
    const std::int64_t even = n / parts;
    const std::int64_t count =
        part + 1 == parts
            ? n - first
            : std::min<std::int64_t>(
                  n - first,
                  static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(2 * even + 1)));
    groups.push_back({first, count, 1});
    first += count;
  }
  return groups;
}

// Gives every pair of groups to one worker or to none, as all, causal, a band or bits.
inline void draw_workers(Problem& problem, int n_workers, const std::vector<TokenGroup>& q_groups,
                         const std::vector<TokenGroup>& kv_groups, std::int64_t query_tile,
                         std::mt19937& engine) {
  const auto below = [&engine](std::int64_t limit) {
    return static_cast<std::int64_t>(engine() %
                                     static_cast<unsigned>(std::max<std::int64_t>(limit, 1)));
  };
  std::vector<std::vector<bool>> taken(q_groups.size(), std::vector<bool>(kv_groups.size()));
  for (int w = 0; w < n_workers; ++w) {
    std::vector<TokenGroup> queries;
    std::vector<TokenGroup> keys;
    for (const TokenGroup& group : q_groups)
      if (n_workers == 1 || below(4) != 0) queries.push_back(group);
    for (const TokenGroup& group : kv_groups)
      if (n_workers == 1 || below(4) != 0) keys.push_back(group);
    std::vector<ScheduleBlock> blocks;
    std::int64_t q_begin = 0;
    for (const TokenGroup& q : queries) {
      std::int64_t k_begin = 0;
      for (const TokenGroup& k : keys) {
        const auto at_q = static_cast<std::size_t>(std::find(q_groups.begin(), q_groups.end(), q) -
                                                   q_groups.begin());
        const auto at_k = static_cast<std::size_t>(
            std::find(kv_groups.begin(), kv_groups.end(), k) - kv_groups.begin());
        if (q.count > 0 && k.count > 0 && !taken[at_q][at_k] && below(4) != 0) {
          taken[at_q][at_k] = true;
          const std::int64_t diagonal = k_begin - q_begin + below(k.count) - k.count / 4;
          KeySpan span{k_begin, k_begin + k.count, SpanKind::full, 0, 0, 0};
          const std::int64_t kind = below(4);
          if (kind == 1) span = {span.begin, span.end, SpanKind::causal, diagonal, 0, 0};
          if (kind == 2)
            span = {span.begin, span.end, SpanKind::band, diagonal, diagonal - below(k.count), 0};
          blocks.push_back({q_begin, q_begin + q.count, span});
        }
        k_begin += k.count;
      }
      q_begin += q.count;
    }
    std::int64_t n_keys = 0;
    for (const TokenGroup& k : keys) n_keys += k.count;
    TileSchedule schedule = build_schedule(q_begin, n_keys, std::move(blocks), query_tile);
    draw_bits(schedule, engine);
    problem.add_worker(std::move(queries), std::move(keys), std::move(schedule));
  }
}

}  // namespace qb::cuda::flash_support
