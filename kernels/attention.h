// SPDX-License-Identifier: Apache-2.0
// Every attention kernel is called by one function: (Q, K, V, tile schedule) -> (O, LSE).
//
// Notation: b batch, h query heads, g key-value heads (h a multiple of g: grouped-query attention,
// query head i reads key-value head i / (h / g)), n queries, m keys, d head_dim, e value head_dim.
//   O[i]   = sum_j exp(s_ij - LSE_i) V[j],  s_ij = scale * Q[i].K[j],  LSE_i = log sum_j exp(s_ij)
// over the keys j that the schedule allows for query i. K and V of other keys, NaN and infinities
// too, do not change the row (the GPU kernels promise this for K only). A row without keys, or with
// scores of -inf only, yields O = 0 and LSE = -inf; a score of NaN or +inf yields NaN for both.
// Statistics and accumulators are float32 (float64 in reference) whatever the inputs are.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/schema/kernels.h"
#include "kernels/allocator.h"
#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb {

// Shapes: q [b,h,n,d], k [b,g,m,d], v [b,g,m,e] of one dtype (f16, bf16, f32; reference also f64);
// out [b,h,n,e] f32, lse [b,h,n,1] f32 (natural logarithm), on the CPU also [b,h,n,2] (lse.h).
// schedule.n_queries == n, n_keys == m. out and lse are written whole, also for rows without keys.
// With `resumes` they hold the attention to other keys already, and become that to these as well:
// only kernels whose KernelTiles say so can go on.
struct AttentionArguments {
  TensorView q;
  TensorView k;
  TensorView v;
  const TileSchedule* schedule = nullptr;
  double scale = 1.0;
  TensorView out;
  TensorView lse;
  bool resumes = false;
};

// The seconds that each stage of `staged` took, summed over calls.
struct StageTimes {
  double scores_s = 0.0;
  double softmax_s = 0.0;
  double values_s = 0.0;
};

struct KernelContext {
  Allocator& workspace;  // the kernel takes every temporary from here, with a label
  int threads = 1;
  int worker = 0;  // the ledger counts the memory for this worker
  StageTimes* stages = nullptr;
  // false: functions of mixer.h take their memory, compute nothing and touch no tensor, so that the
  // allocator counts what a call takes.
  bool computes = true;
};

[[nodiscard]] KernelTiles kernel_tiles(Kernel kernel, std::int64_t head_dim);

// Returns the peak bytes of the kernel's temporaries, exactly as the ledger will count them.
// value_dim 0 means head_dim. `staged` stores stored_pairs pairs of a head; below 0 it stores all.
[[nodiscard]] std::int64_t kernel_workspace_bytes(Kernel kernel, const Extent& q, const Extent& k,
                                                  DType dtype, int threads,
                                                  std::int64_t value_dim = 0,
                                                  std::int64_t stored_pairs = -1);

// Runs the kernel on the CPU. Throws as check_tensors() does, Unsupported also for a dtype or a
// device that the kernel is not made for, OutOfMemory from the workspace.
void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context);

inline constexpr std::int64_t kMaxHeadDim = 256;

// Throws, with `who` first, std::invalid_argument for types or shapes that do not fit together and
// Unsupported for a head_dim outside 1..kMaxHeadDim. It does not check the schedule. LSE may have
// two numbers a row where the caller says so.
void check_tensors(std::string_view who, const AttentionArguments& arguments,
                   bool two_numbers = false);

// Throws Unsupported where the kernel does not run on a GPU with inputs of this type.
void require_gpu_kernel(Kernel kernel, DType dtype);

// Returns the kernel's instruction set on this CPU, for the isa column (cpu/instruction_set.h).
[[nodiscard]] std::string_view kernel_isa(Kernel kernel);

}  // namespace qb
