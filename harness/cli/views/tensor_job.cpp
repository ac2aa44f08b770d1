// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/tensor_job.h"

#include <fmt/format.h>

#include "harness/cli/options.h"

namespace qb {
namespace {

constexpr std::int64_t kVerifiedRows = 256;

}  // namespace

void add_tensor_job(Verb verb, TensorJob& job, const std::string& dtype_of,
                    const std::string& rows) {
  for (const std::string_view key : kTensorParameters) (void)add_parameter(verb, job.c, key);
  add_word(verb, "--out-dtype", job.out_dtype, "Sets the type of " + dtype_of + ": f16 or f32");
  verb.add_flag(
      "--verify", job.verify,
      fmt::format(
          "Compares up to {} {} with a float64 reference; the exit code is 4 if they differ.",
          kVerifiedRows, rows));
}

Option add_file_form(Verb verb, AttendRequest& request) {
  add_word(verb, "--layout", request.layout,
           "Says in which order the files have batch, heads, n tokens and d elements, O and LSE "
           "too; auto is bhnd, hnd or nd");
  // NPY has no bfloat16; ml_dtypes saves its bits.
  return verb.add_text(
      "--dtype", "WORD",
      "Reads 2-byte elements without a type, as Python's ml_dtypes saves bfloat16, as "
      "this type: bf16.",
      [&request](const std::string& text) {
        if (text != word(DType::bf16))
          throw UsageError(fmt::format(
              "--dtype {}: it says bf16 of files without a type; others have theirs", text));
        request.untyped = DType::bf16;
      });
}

void check_out_dtype(const TensorJob& job) {
  if (job.out_dtype == DType::bf16)
    throw UsageError("--out-dtype bf16: NPY files have no bf16; choose f16 or f32");
  if (job.out_dtype == DType::f64)
    throw UsageError(
        "--out-dtype f64: what is computed is float32, whose digits an f64 would have; choose f16 "
        "or "
        "f32");
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

}  // namespace qb
