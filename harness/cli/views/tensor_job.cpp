#include "harness/cli/views/tensor_job.h"

#include <fmt/format.h>

#include "harness/cli/options.h"

namespace qb {
namespace {

constexpr std::int64_t kVerifiedRows = 256;

}  // namespace

void add_tensor_job(Verb verb, TensorJob& job, const std::string& dtype_of,
                    const std::string& rows) {
  add_parameters(verb, job.c, {"mask", "kernel", "scale", "threads", "memory_budget"});
  add_word(verb, "--out-dtype", job.out_dtype,
           "the type of " + dtype_of + ", f32 by default; bf16 is not possible");
  verb.flag("--verify", job.verify,
            fmt::format("compare up to {} {} with float64; exit 4 where they differ", kVerifiedRows,
                        rows));
}

void check_tensor_job(const TensorJob& job) {
  if (job.out_dtype == DType::bf16)
    throw UsageError("--out-dtype bf16: NPY files have no bf16; choose f16, f32 or f64");
  require_writable(job.out);
}

std::int64_t rows_to_compare(const TensorJob& job) { return job.verify ? kVerifiedRows : 0; }

void require_correct(const Verification& verification) {
  if (!verification.correct)
    throw ExitError(ExitCode::regression, fmt::format("the output is wrong and was not written: {}",
                                                      verification.message));
}

std::string error_text(const TensorJob& job, const Verification& verification,
                       const std::string& rows) {
  if (!job.verify) return "not asked for (--verify)";
  return fmt::format("{:.3g} (tolerance {:.3g}, {} {})", verification.max_error,
                     verification.tolerance, verification.rows, rows);
}

}  // namespace qb
