// SPDX-License-Identifier: Apache-2.0
// The files of `qb attend`: which it reads and which it writes, whether they fit together, and the
// tensors that they hold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/views/tensor_job.h"
#include "harness/plan/plan.h"
#include "kernels/allocator.h"

namespace qb {

struct AttendJob {
  std::optional<Plan> forward;   // empty: O and LSE were read
  std::optional<Plan> backward;  // empty: nobody asks for gradients
  Shape shape;                   // of the files
  // The shapes of the files, heads before tokens.
  std::vector<std::int64_t> q_shape;
  std::vector<std::int64_t> k_shape;
  std::vector<std::int64_t> v_shape;
  // The tensors that there is room for, by their labels, and with their views what plays a plan.
  // What is to be computed holds NaN, so that an element that is never written shows.
  std::map<std::string_view, Tensor> tensors;
  ExecutionArguments arguments;
  // The most that is held at once: tensors, and what a pass holds beside them.
  std::int64_t predicted_bytes = 0;

  // The plan whose problem and groups are those of the job.
  [[nodiscard]] const Plan& plan() const { return backward ? *backward : *forward; }
};

// Throws UsageError for names that are missing or lead to one file, and EnvironmentError for a file
// that cannot be written. It reads no file.
void check_attend_files(const AttendRequest& request);

// Reads the headers, and the elements only where there is memory for the job. Throws as attend()
// does before it computes.
[[nodiscard]] AttendJob read_attend_files(const AttendRequest& request, Allocator& memory,
                                          int threads);

// Makes room for the gradients. Before, where no file takes O and the plan works in place, it makes
// D, which is all that the backward pass reads of O, and frees O. Returns the seconds that D took.
double begin_backward(const AttendRequest& request, AttendJob& job);

// Writes everything that was computed and has a name, and returns the names. A failure leaves every
// file as it was, except that renaming one may fail after others, or writing a device: the sentence
// then says which files are written.
[[nodiscard]] std::string write_attend_files(const AttendRequest& request, const AttendJob& job);

}  // namespace qb
