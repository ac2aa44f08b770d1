// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/tensor_job.h"

#include <fmt/format.h>

#include "harness/cli/options.h"

namespace qb {
namespace {

constexpr std::int64_t kVerifiedRows = 256;

// [b, h, n, d]
Extent extent_of(const NpyHeader& named) {
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

void require_equal(const NpyHeader& a, std::int64_t of_a, const NpyHeader& b, std::int64_t of_b,
                   std::string_view what) {
  if (of_a != of_b)
    throw UsageError(fmt::format("{} {} has {} {} and {} {} has {}; they must be equal", a.name,
                                 shape_text(a.shape), of_a, what, b.name, shape_text(b.shape),
                                 of_b));
}

}  // namespace

void add_tensor_job(Verb verb, TensorJob& job, const std::string& dtype_of,
                    const std::string& rows) {
  add_parameters(verb, job.c, {"mask", "kernel", "scale", "threads", "memory_budget"});
  add_word(verb, "--out-dtype", job.out_dtype,
           "Sets the type of " + dtype_of + "; bf16 is not possible");
  verb.add_flag(
      "--verify", job.verify,
      fmt::format(
          "Compares up to {} {} with a float64 reference; the exit code is 4 if they differ.",
          kVerifiedRows, rows));
}

void check_out_dtype(const TensorJob& job) {
  if (job.out_dtype == DType::bf16)
    throw UsageError("--out-dtype bf16: NPY files have no bf16; choose f16, f32 or f64");
}

std::int64_t rows_to_compare(const TensorJob& job) { return job.verify ? kVerifiedRows : 0; }

void require_correct(const Verification& verification) {
  if (!verification.correct)
    throw ExitError(ExitCode::regression, fmt::format("the output is wrong and was not written: {}",
                                                      verification.message));
}

std::string error_text(const TensorJob& job, double max_error, double tolerance, std::int64_t count,
                       const std::string& rows) {
  if (!job.verify) return "not asked for (--verify)";
  return fmt::format("{:.3g} (tolerance {:.3g}, {} {})", max_error, tolerance, count, rows);
}

Shape shape_of(const NpyHeader& q, const NpyHeader& k, const NpyHeader& v) {
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

DType common_dtype(const NpyHeader& q, const NpyHeader& k, const NpyHeader& v) {
  for (const NpyHeader* other : {&k, &v})
    if (other->dtype != q.dtype)
      throw UsageError(fmt::format("{} is {} and {} is {}; convert them to one type", q.name,
                                   word(q.dtype), other->name, word(other->dtype)));
  return q.dtype;
}

}  // namespace qb
