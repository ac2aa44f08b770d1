// SPDX-License-Identifier: Apache-2.0
// The files of `qb attend`: which it reads and which it writes, whether they fit together, and the
// tensors that they hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/views/tensor_job.h"
#include "kernels/allocator.h"

namespace qb {

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
