// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "harness/plan/plan.h"

namespace qb {
namespace {

void require_range(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    throw UsageError(fmt::format("{} is {}; it must be between {} and {}", name, value, low, high));
}

PairCounts pattern_pairs(const Problem& problem) {
  return count_pairs(problem.mask, {0, problem.shape.q_len, 1}, {0, problem.shape.kv_len, 1},
                     kCoarseTiles);
}

}  // namespace

Problem make_problem(const Shape& shape, const MaskSpec& mask, DType dtype, std::uint64_t seed) {
  require_range("batch", shape.batch, 1, 1'000'000);
  require_range("q_heads", shape.q_heads, 1, 1'000'000);
  require_range("kv_heads", shape.kv_heads, 1, 1'000'000);
  require_range("n_tokens", shape.q_len, 1, kMaxTokens);
  require_range("kv_len", shape.kv_len, 1, kMaxTokens);
  require_range("head_dim", shape.head_dim, 1, 256);
  require_range("value_dim", shape.value_dim, 1, 256);
  if (shape.q_heads % shape.kv_heads != 0)
    throw UsageError(
        fmt::format("{} query heads cannot share {} key-value heads evenly; make "
                    "q_heads a multiple of kv_heads",
                    shape.q_heads, shape.kv_heads));
  Problem problem;
  problem.shape = shape;
  problem.mask = mask.mask(shape.q_len, shape.kv_len);
  problem.dtype = dtype;
  problem.scale = 1.0 / std::sqrt(static_cast<double>(shape.head_dim));
  problem.seed = seed;
  return problem;
}

Problem make_packed_problem(Shape shape, const MaskSpec& mask, DType dtype, std::uint64_t seed,
                            const std::vector<Sequence>& sequences) {
  if (sequences.empty()) throw UsageError("a packed batch needs at least one sequence");
  if (sequences.size() > 1 && mask.kind() == MaskKind::pattern)
    throw Unsupported(
        "a sparse pattern says where tokens stand in one sequence, and this batch packs several; "
        "run them one by one, or take mask: causal");
  shape.batch = 1;
  shape.q_len = 0;
  shape.kv_len = 0;
  std::vector<Segment> segments;
  for (const Sequence& sequence : sequences) {
    require_range("the number of new tokens of a sequence", sequence.new_tokens, 1, kMaxTokens);
    require_range("the number of cached tokens of a sequence", sequence.cached_tokens, 0,
                  kMaxTokens);
    const std::int64_t q_end = shape.q_len + sequence.new_tokens;
    const std::int64_t k_end = shape.kv_len + sequence.cached_tokens + sequence.new_tokens;
    segments.push_back({shape.q_len, q_end, shape.kv_len, k_end});
    shape.q_len = q_end;
    shape.kv_len = k_end;
  }
  Problem problem = make_problem(shape, mask, dtype, seed);
  if (mask.kind() != MaskKind::pattern) problem.mask.segments = std::move(segments);
  return problem;
}

std::vector<Segment> segments_of(const Problem& problem) {
  if (!problem.mask.segments.empty()) return problem.mask.segments;
  return {{0, problem.shape.q_len, 0, problem.shape.kv_len}};
}

std::int64_t unmasked_pairs(const Problem& problem) {
  if (problem.mask.kind == MaskKind::pattern) return pattern_pairs(problem).unmasked;
  std::int64_t pairs = 0;
  for (const Segment& s : segments_of(problem)) {
    const std::int64_t n_queries = s.q_end - s.q_begin;
    const std::int64_t n_keys = s.k_end - s.k_begin;
    // Without segments a mask may have its own alignment.
    const std::int64_t offset =
        problem.mask.segments.empty() ? problem.mask.offset : n_keys - n_queries;
    pairs += problem.mask.kind == MaskKind::full ? n_queries * n_keys
                                                 : causal_pairs(n_queries, n_keys, offset);
  }
  return pairs;
}

std::int64_t rows_without_keys(const Problem& problem) {
  if (problem.mask.kind == MaskKind::pattern) return pattern_pairs(problem).empty_rows;
  if (problem.mask.kind == MaskKind::full) return 0;
  std::int64_t rows = 0;
  for (const Segment& s : segments_of(problem)) {
    const std::int64_t offset =
        problem.mask.segments.empty() ? problem.mask.offset : s.k_end - s.q_end;
    // Row q sees the keys up to q + offset.
    rows += std::clamp<std::int64_t>(s.k_begin - offset - s.q_begin, 0, s.q_end - s.q_begin);
  }
  return rows;
}

}  // namespace qb
