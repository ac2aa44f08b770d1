// SPDX-License-Identifier: Apache-2.0
// What `qb attend` is asked to do, and its files: which it reads and which it writes, whether they
// fit together, and the tensors that they hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/verb.h"
#include "harness/workload/attend.h"
#include "kernels/allocator.h"

namespace qb {

struct AttendRequest {
  Case c;           // its shape and type are those of the files
  std::string out;  // path of the NPY file of O; a backward pass may have none
  DType out_dtype = DType::f32;
  bool verify = false;
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

// Adds --layout, and --dtype for NPY files without a type, which it returns.
[[nodiscard]] Option add_file_form(Verb verb, AttendRequest& request);

// The tensors of files.
struct AttendFiles {
  AttendJob job;
  // The shapes of the files, heads before tokens.
  std::vector<std::int64_t> q_shape;
  std::vector<std::int64_t> k_shape;
  std::vector<std::int64_t> v_shape;
};

// Throws UsageError for names that are missing or lead to one file, and EnvironmentError for a file
// that cannot be written. It reads no file.
void check_attend_files(const AttendRequest& request);

// Reads the headers, and the elements only where there is memory for the job. Throws as attend()
// does before it computes.
[[nodiscard]] AttendFiles read_attend_files(const AttendRequest& request, Allocator& memory,
                                            int threads);

// Reads the inputs, and from the files that `out`, `lse`, `d_q`, `d_k` and `d_v` name what another
// program computed; the arguments of the others have no data. Gives the coarsest type of those.
// Throws as read_attend_files() does.
[[nodiscard]] AttendFiles read_found_files(AttendRequest request, Allocator& memory, int threads,
                                           DType& coarsest);

// Writes everything that was computed and has a name, and returns the names. A failure leaves every
// file as it was, except that renaming one may fail after others, or writing a device: the sentence
// then says which files are written.
[[nodiscard]] std::string write_attend_files(const AttendRequest& request,
                                             const AttendFiles& tensors);

}  // namespace qb
