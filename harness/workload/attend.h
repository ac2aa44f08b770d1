// SPDX-License-Identifier: Apache-2.0
// Attention on tensors that are already there: files that `qb attend` reads, or arrays of a
// program. A job is planned from the sizes of the tensors, gets the memory that it lacks, and is
// run and checked. Whoever has the tensors puts their views into the job's arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/run/runner/executor.h"
#include "harness/verify/tensor_file.h"
#include "harness/verify/verify.h"
#include "harness/workload/case.h"

namespace qb {

// The order of the axes in a caller's tensors: batch, heads, n tokens, d elements. Without the
// first two a tensor is one head; `automatic` takes heads before tokens, as many axes as there are.
enum class AxisOrder { automatic, bhnd, bnhd, hnd, nhd };

template <>
inline constexpr auto kWords<AxisOrder> = word_table<AxisOrder>("layout",
                                                                {{AxisOrder::automatic, "auto"},
                                                                 {AxisOrder::bhnd, "bhnd"},
                                                                 {AxisOrder::bnhd, "bnhd"},
                                                                 {AxisOrder::hnd, "hnd"},
                                                                 {AxisOrder::nhd, "nhd"}});

[[nodiscard]] bool has_tokens_first(AxisOrder order);

// Puts the axes of a shape with heads before tokens and a last axis into the order, or back.
[[nodiscard]] std::vector<std::int64_t> in_order(std::vector<std::int64_t> shape, AxisOrder order);

// Throws UsageError, which names the tensor, unless it has the axes of the order.
void require_axes(const NpyHeader& tensor, AxisOrder order);

// Gives the shape of arrays [n,d], [h,n,d] or [b,h,n,d]; missing leading dimensions are 1. Throws
// UsageError, which names the tensor and both sizes, if an array is empty, has another rank, or
// does not fit the others.
[[nodiscard]] Shape shape_of(const NpyHeader& q, const NpyHeader& k, const NpyHeader& v);

// Throws UsageError unless q, k and v have one type.
[[nodiscard]] DType common_dtype(const NpyHeader& q, const NpyHeader& k, const NpyHeader& v);

// The same shape with another last axis.
[[nodiscard]] std::vector<std::int64_t> with_last(std::vector<std::int64_t> shape,
                                                  std::int64_t last);

// Throws UsageError, which names the tensor and both shapes, unless it has the shape of `name`.
void require_shape(const NpyHeader& tensor, std::string_view name,
                   const std::vector<std::int64_t>& shape);

// Plans a pass of a case; whoever has a plan of its own gives it here.
using PlanSource = std::function<Plan(const Case&, Pass)>;

// The parameters of a case that have an effect on given tensors, by their keys in a spec: how the
// tensors are split over workers, and how anything is computed on them.
inline constexpr std::string_view kSplitParameters[] = {"algorithm", "workers", "interest_set",
                                                        "distillation", "ranks"};
inline constexpr std::string_view kTensorParameters[] = {"mask", "kernel", "scale", "threads",
                                                         "memory_budget"};

struct AttendTask {
  Case c;                       // its shape and type are those of the tensors
  bool computes_output = true;  // else O and both numbers of LSE are given
  bool backward = false;        // computes dQ, dK and dV of dO too
  bool keeps_out = true;        // else O may be freed once a backward pass needs it no longer
  PlanSource plan = checked_plan;
  std::vector<float> sinks{};  // of each query head; empty: none
  bool tokens_first = false;   // how what is computed lies in memory: [b,n,h,d], else [b,h,n,d]
};

struct AttendJob {
  AttendTask task;
  std::optional<Plan> forward;   // empty: O and LSE are given
  std::optional<Plan> backward;  // empty: nobody asks for gradients
  // The tensors that there is room for, by their labels, and with their views what runs a plan.
  // What is to be computed holds NaN, so that an element that is never written shows.
  std::map<std::string_view, Tensor> tensors;
  ExecutionArguments arguments;
  // The most that is held at once: tensors, and what a pass holds beside them.
  std::int64_t predicted_bytes = 0;

  // The plan whose problem and groups are those of the job.
  [[nodiscard]] const Plan& plan() const { return backward ? *backward : *forward; }
};

// Plans a job. Throws UsageError where the case asks for what would have no effect, and as the
// strategy does, also for a kernel without a backward pass. memory: what all tensors come from; it
// must outlive the job.
[[nodiscard]] AttendJob plan_attend(const AttendTask& task, Allocator& memory, int threads);

// Returns what plan_attend() would for the same task, of a job as it returned it: nothing of a plan
// depends on what the tensors hold, nor on where they are.
[[nodiscard]] AttendJob planned_again(const AttendJob& job, Allocator& memory);

// Makes room for the tensors that have no view yet. Throws EnvironmentError with the sizes where
// the machine has less memory than the job needs besides the given tensors.
void make_room(AttendJob& job);

// execute(), or a fake of it in tests.
using Executor = std::function<Execution(Ranks, const Plan&, const ExecutionArguments&)>;

struct AttendRun {
  std::optional<Execution> forward;
  std::optional<Execution> backward;
  Verification verification;
};

// Runs the job, and looks at every element of what was computed; up to `rows` rows of each head
// are compared with float64. Where the output is wrong no gradient is computed. For the backward
// pass it makes room for the gradients; where nobody keeps O and the plan works in place, it first
// makes D, which is all that the pass reads of O, and frees O.
[[nodiscard]] AttendRun run_attend(AttendJob& job, std::int64_t rows,
                                   const Executor& executor = execute);

// Outputs in float64, contiguous [b, h, n, elements]: those of the passes that the job has.
struct ExactOutputs {
  std::vector<double> out;
  std::vector<double> d_q;
  std::vector<double> d_k;
  std::vector<double> d_v;
  std::vector<double> d_sinks;
};
// Throws UsageError unless kernel reference computes the case in one piece. Everything else hands
// out float32, whose digits an output of type f64 would not have.
void require_exact(const Case& c);
[[nodiscard]] ExactOutputs exact_outputs(const AttendJob& job);

// These compare up to `rows` rows of each head with float64, as run_attend() does. Given O and LSE
// may be off by what the same algorithm rounds. The second adds the errors of the gradients.
[[nodiscard]] Verification verify_attend(const AttendJob& job, std::int64_t rows);
void verify_attend_gradients(const AttendJob& job, std::int64_t rows, Verification& verification);

}  // namespace qb
