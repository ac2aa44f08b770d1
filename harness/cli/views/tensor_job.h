// SPDX-License-Identifier: Apache-2.0
// The verbs that compute on a user's own tensors: attend and layer, and what they have in common.
#pragma once

#include "harness/cli/verb.h"
#include "harness/execute/verify/verify.h"
#include "harness/workload/attend.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {

struct TensorJob {
  Case c;           // its shape and type are those of the files
  std::string out;  // path of the NPY file to write; attend may have none
  DType out_dtype = DType::f32;
  bool verify = false;
};

// Adds all options except --out. `dtype_of` appears in the help of --out-dtype, `rows` in that of
// --verify.
void add_tensor_job(Verb verb, TensorJob& job, const std::string& dtype_of,
                    const std::string& rows);

// Adds --layout, and --dtype for NPY files without a type, which it returns.
struct AttendRequest;
[[nodiscard]] Option add_file_form(Verb verb, AttendRequest& request);

// Throws UsageError for a type that files do not have.
void check_out_dtype(const TensorJob& job);

// Says how many rows a verb compares with float64; without --verify it only looks at every element.
[[nodiscard]] std::int64_t rows_to_compare(const TensorJob& job);

// Throws ExitError(regression) if the output is wrong, so that it is not written.
void require_correct(const Verification& verification);

// Fills a cell of a summary. `rows` names what `count` counts, such as "rows a head".
[[nodiscard]] std::string error_text(const TensorJob& job, double max_error, double tolerance,
                                     std::int64_t count, const std::string& rows);

struct AttendRequest : TensorJob {
  AxisOrder layout = AxisOrder::automatic;
  std::optional<DType> untyped;  // of NPY files whose header has no type for their 2 bytes
  std::string safetensors;       // path of a file with q, k, v and do, in place of the four
  std::string q;                 // paths of NPY files
  std::string k;
  std::string v;
  std::string lse;       // empty: not written
  std::string save_lse;  // both numbers of LSE (kernels/lse.h); likewise
  // With `backward` O and both numbers of LSE are read where they have names, else computed.
  bool backward = false;
  std::string saved_out;
  std::string saved_lse;
  std::string d_out;  // dO, which is read
  std::string d_q;    // the gradients, which are written
  std::string d_k;
  std::string d_v;
  double softcap = 0.0;  // of the other program, for `qb verify-tensors`
};

// Reads, computes and checks, and only then writes. Returns the summary table. Throws UsageError if
// inputs do not fit, EnvironmentError if an output cannot be written, CaseError as the strategy and
// the executor do (also for a kernel without a backward pass), and ExitError(regression) if an
// output is not finite or, with `verify`, differs from float64. In each case no output file is
// written, unless a file fails after others: the error then names those.
[[nodiscard]] std::string attend(const AttendRequest& request, const Executor& executor = execute);

struct LayerRequest : TensorJob {
  std::string weights;  // a folder, see harness/workload/layer/layer_weights.h
  std::string input;    // path of an NPY file
  std::int64_t heads = 0;
  std::int64_t block_tokens = 0;  // 0: the plain layer
};

// run_layer(), or a fake of it in tests.
using LayerRunner = decltype(run_layer);

// Reads, computes and checks, and only then writes. Returns the summary table. Throws as attend()
// does.
[[nodiscard]] std::string layer_of_files(const LayerRequest& request,
                                         const std::function<LayerRunner>& runner = run_layer);

}  // namespace qb
