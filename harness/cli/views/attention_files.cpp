#include "harness/cli/views/tensor_job.h"

#include <fmt/format.h>

#include "base/status.h"

namespace qb {
namespace {

// [b, h, n, d]
Extent extent_of(const NpyArray& named) {
  const std::vector<std::int64_t>& shape = named.shape;
  if (shape.size() < 2 || shape.size() > 4)
    throw UsageError(fmt::format("{} has shape {}; it must be [n, d], [h, n, d] or [b, h, n, d]",
                                 named.name, shape_text(shape)));
  for (const std::int64_t size : shape)
    if (size < 1)
      throw UsageError(fmt::format("{} has shape {}: it is empty", named.name, shape_text(shape)));
  std::vector<std::int64_t> full(4 - shape.size(), 1);
  full.insert(full.end(), shape.begin(), shape.end());
  return {full[0], full[1], full[2], full[3]};
}

void require_equal(const NpyArray& a, std::int64_t of_a, const NpyArray& b, std::int64_t of_b,
                   std::string_view what) {
  if (of_a != of_b)
    throw UsageError(fmt::format("{} {} has {} {} and {} {} has {}; they must be equal", a.name,
                                 shape_text(a.shape), of_a, what, b.name, shape_text(b.shape),
                                 of_b));
}

}  // namespace

Shape shape_of(const NpyArray& q, const NpyArray& k, const NpyArray& v) {
  const Extent of_q = extent_of(q);
  const Extent of_k = extent_of(k);
  const Extent of_v = extent_of(v);
  require_equal(q, of_q.batch, k, of_k.batch, "batches");
  require_equal(k, of_k.batch, v, of_v.batch, "batches");
  require_equal(k, of_k.heads, v, of_v.heads, "heads");
  require_equal(k, of_k.length, v, of_v.length, "tokens");
  require_equal(q, of_q.head_dim, k, of_k.head_dim, "elements a token");
  if (of_q.heads % of_k.heads != 0)
    throw UsageError(
        fmt::format("{} has {} heads and {} has {}; query heads must be a multiple of "
                    "key-value heads, which they share evenly",
                    q.name, of_q.heads, k.name, of_k.heads));
  return {of_q.batch,  of_q.heads,    of_k.heads,   of_q.length,
          of_k.length, of_q.head_dim, of_v.head_dim};
}

DType common_dtype(const NpyArray& q, const NpyArray& k, const NpyArray& v) {
  for (const NpyArray* other : {&k, &v})
    if (other->dtype != q.dtype)
      throw UsageError(fmt::format("{} is {} and {} is {}; convert them to one type", q.name,
                                   word(q.dtype), other->name, word(other->dtype)));
  return q.dtype;
}

}  // namespace qb
