#include "harness/cli/views/tensor_job.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/cli/options.h"
#include "harness/cli/views/output_file.h"

namespace qb {
namespace {

constexpr std::int64_t kVerifiedRows = 256;
constexpr int kMostThreads = 4096;  // as in a spec

}  // namespace

void add_tensor_job(Verb verb, TensorJob& job, const std::string& mask_default,
                    const std::string& dtype_of, const std::string& rows) {
  add_mask(verb, "--mask", job.mask, mask_default);
  add_word(verb, "--kernel", job.kernel, "default flash");
  verb.option("--scale", job.scale, "of the scores (default 1/sqrt(d))");
  add_integer(verb, "--threads", job.threads, "default: all cores");
  add_word(verb, "--out-dtype", job.out_dtype, "of " + dtype_of + ", default f32; not bf16");
  verb.flag("--verify", job.verify,
            fmt::format("hold up to {} {} against float64; exit 4 where they differ", kVerifiedRows,
                        rows));
  add_integer(verb, "--memory-budget", job.memory_budget_bytes,
              "limit on the tensors' memory, such as 8GiB");
}

void check_tensor_job(const TensorJob& job) {
  if (job.out_dtype == DType::bf16)
    throw UsageError("--out-dtype bf16: NPY files have no bf16; choose f16, f32 or f64");
  if (job.scale && !std::isfinite(*job.scale)) throw UsageError("--scale must be a finite number");
  if (job.threads < 0 || job.memory_budget_bytes < 0)
    throw UsageError("--threads and --memory-budget cannot be negative");
  if (job.threads > kMostThreads)
    throw UsageError(fmt::format("--threads {}: at most {}, and no more than there are cores helps",
                                 job.threads, kMostThreads));
  require_writable(job.out);
}

std::int64_t rows_to_hold(const TensorJob& job) { return job.verify ? kVerifiedRows : 0; }

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
