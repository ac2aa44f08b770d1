#include "harness/plan/problem.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/base/status.h"
#include "harness/plan/plan.h"

namespace qb {
namespace {

void require_range(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    throw UsageError(fmt::format("{} is {}; it must be between {} and {}", name, value, low, high));
}

}  // namespace

Problem make_problem(const Shape& shape, MaskKind mask, DType dtype, std::uint64_t seed) {
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
  problem.mask = mask == MaskKind::full ? Mask::full() : Mask::causal(shape.q_len, shape.kv_len);
  problem.dtype = dtype;
  problem.scale = 1.0 / std::sqrt(static_cast<double>(shape.head_dim));
  problem.seed = seed;
  return problem;
}

std::int64_t unmasked_pairs(const Problem& problem) {
  const Shape& shape = problem.shape;
  if (problem.mask.kind == MaskKind::full) return shape.q_len * shape.kv_len;
  return causal_pairs(shape.q_len, shape.kv_len, problem.mask.offset);
}

}  // namespace qb
