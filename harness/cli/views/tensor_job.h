// What the verbs that compute on a user's own tensors (attend, layer) ask for alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/cli/command_line.h"
#include "harness/execute/verify/verify.h"
#include "kernels/attention.h"
#include "kernels/mask/mask_spec.h"

namespace qb {

struct TensorJob {
  std::string out;  // path of the NPY file to write
  MaskSpec mask;
  Kernel kernel = Kernel::flash;
  std::optional<double> scale;  // 1/sqrt(head_dim)
  int threads = 0;              // 0: all cores
  DType out_dtype = DType::f32;
  bool verify = false;
  std::int64_t memory_budget_bytes = 0;  // 0: the machine's own
};

// Adds the options but --out. `mask_default` and `dtype_of` stand in the help of theirs, `rows` in
// that of --verify.
void add_tensor_job(Verb verb, TensorJob& job, const std::string& mask_default,
                    const std::string& dtype_of, const std::string& rows);

// Throws UsageError on values that cannot be, EnvironmentError where `out` cannot be written.
void check_tensor_job(const TensorJob& job);

// Rows that a verb holds against float64; without --verify it only looks at every element.
[[nodiscard]] std::int64_t rows_to_hold(const TensorJob& job);

// Throws ExitError(regression): what is wrong is not written.
void require_correct(const Verification& verification);

// The cell of a summary. `rows`: what verification.rows counts, such as "rows a head".
[[nodiscard]] std::string error_text(const TensorJob& job, const Verification& verification,
                                     const std::string& rows);

}  // namespace qb
