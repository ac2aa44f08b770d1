// SPDX-License-Identifier: Apache-2.0
// This is the contract of the flash kernels on one CUDA device. This host header needs no CUDA.
//
// Reading order: this file (contract); flash/flash_work.h (from plans to lists, with flash_groups.h
// for its parts); flash/flash_layout.h (which lane holds which element); flash/ptx.cuh and
// flash/ptx_sm90.cuh (every instruction); flash/flash_softmax.cuh; then flash/flash_sm80.cuh, or
// flash/flash_sm90_shared.cuh and flash/flash_sm90.cuh; last merge/merge.cuh. flash/flash.cpp
// launches them. The backward pass is flash/backward_parameters.h (its two sides),
// flash/backward_work.h, flash/backward_step.cuh, flash/backward_weights.cuh, then
// flash/backward_sm80.cuh or flash/backward_sm90.cuh; flash/backward.cpp launches it. NOTES.md says
// what was tried and why.
//
// Every plan is computed as a GroupedCall: it lists workers, each with a tile schedule over its own
// local rows and the groups of tokens that these are in the original tensors. So all workers of a
// CQS plan, or of a round of a ring, are one launch that reads Q, K and V where they lie, and one
// merge that recomposes the output. Attention on one device has one worker and one group.
//
// Everything is asynchronous on the stream. Device memory comes from the context's allocator, which
// must be ordered with the stream: freed memory may be reused only by later work of the stream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/attention.h"
#include "kernels/attention_backward.h"
#include "kernels/merge.h"

namespace qb::cuda {

struct LaunchContext {
  Allocator& workspace;         // every temporary in device memory comes from here, with a label
  void* stream = nullptr;       // a cudaStream_t
  int compute_capability = 80;  // 10 * major + minor of the current device
  int n_sms = 1;                // number of its multiprocessors
  int worker = 0;               // the ledger counts the memory for this worker
  bool force_sm80 = false;      // uses mma.sync and cp.async even where wgmma and TMA are available
};

enum class FlashPath { sm80, sm90 };

template <class Context>
[[nodiscard]] constexpr FlashPath flash_path(const Context& context) {
  return context.compute_capability == 90 && !context.force_sm80 ? FlashPath::sm90
                                                                 : FlashPath::sm80;
}

// Returns the tiles that schedules should be cut to. The kernel cuts larger tiles of a schedule;
// smaller ones waste rows. Throws Unsupported for a head_dim above 256.
[[nodiscard]] KernelTiles flash_tiles(std::int64_t head_dim, FlashPath path);

// Attends over views of device memory; q, k, v are f16 or bf16 with any head_dim up to 256. Lowers
// and uploads the schedule in each call: where a call is repeated, keep a FlashLaunch. Throws
// Unsupported for other inputs, OutOfMemory from the workspace, EnvironmentError where CUDA fails.
void flash(const AttentionArguments& device_views, const LaunchContext& context);

enum class KernelStage { scores, softmax, values, done };  // of kernel staged, in this order
// Called between the stages, when the work before it is enqueued; may be empty.
using OnStage = std::function<void(KernelStage)>;

// Describes one worker's share. Its local query rows are those of q_groups, one group after
// another, its local keys those of kv_groups; the schedule is over local rows.
struct GroupedWorker {
  int worker = 0;
  std::vector<TokenGroup> q_groups;
  std::vector<TokenGroup> kv_groups;
  const TileSchedule* schedule = nullptr;  // must outlive only the construction of FlashLaunch
  std::int64_t head_begin = 0;             // query heads [head_begin, head_end)
  std::int64_t head_end = 0;               // 0 means all

  [[nodiscard]] std::int64_t end_of_heads(std::int64_t n_heads) const {
    return head_end == 0 ? n_heads : head_end;
  }
};

// q [b,h,n,d], k [b,g,m,d], v [b,g,m,e], out [b,h,n,e], lse [b,h,n,1]: whole tensors. Two groups of
// query rows are equal or disjoint, also across workers. A worker's partial is the identity where
// its schedule has no key; rows that no worker computes become 0 and -inf.
struct GroupedCall {
  TensorView q;
  TensorView k;
  TensorView v;
  double scale = 1.0;
  std::vector<GroupedWorker> workers;
  TensorView out;
  TensorView lse;
  bool accumulate = false;  // merges with the partial of earlier rounds in out and lse
};

// Holds the lists of a call's tiles on the device. They depend on its schedules and on the shapes,
// strides and alignment of its tensors: calls that differ only in data can be launched with them,
// one after another on the context's stream (the blocks of a launch count the items that they have
// taken in the lists' memory).
class FlashLists {
 public:
  // Checks, lowers and uploads. It does not read the tensors. Throws as flash() does.
  FlashLists(const GroupedCall& call, const LaunchContext& context);

 private:
  friend class FlashLaunch;
  struct State;
  std::shared_ptr<const State> state_;
};

// A call that is lowered, uploaded and allocated once and can be launched any number of times. A
// launch consists of kernels only, so it can be timed and captured into a CUDA graph.
class FlashLaunch {
 public:
  // Checks, lowers and uploads. Throws as flash() does.
  FlashLaunch(const GroupedCall& call, const LaunchContext& context);
  // Uses lists that exist already and must outlive it; it does not read schedules. Throws
  // std::invalid_argument where the tensors have other shapes or alignments than the lists.
  FlashLaunch(const GroupedCall& call, const FlashLists& lists, const LaunchContext& context);

  // Computes all workers in one kernel: partials, or the output itself where no merge is needed.
  void attend() const;
  // Merges the partials into the output in one kernel; does nothing where attend() wrote it.
  void merge() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// ---- The backward pass (kernels/attention_backward.h) -------------------------------------------

// Throws Unsupported where a GPU has no backward pass of the kernel for inputs of this type.
void require_gpu_backward(Kernel kernel, DType dtype);

// Adds to dQ, dK and dV over views of device memory, which may have any strides; q, k, v and d_out
// are f16 or bf16 with any head_dim up to 256. Lowers and uploads the schedule in each call. The
// workspace also takes 8 bytes for each query row and head, some flags, and copies of inputs whose
// rows do not begin at multiples of 16 bytes. Blocks of keys add to dQ atomically, so that its last
// bits (not those of dK and dV) differ from run to run. Throws as flash() does, and
// std::invalid_argument for shapes that do not fit together.
void flash_backward(const BackwardArguments& device_views, const LaunchContext& context);

// Holds the lists of a backward call on the device, as FlashLists holds those of a forward call.
class BackwardDeviceLists {
 public:
  // Checks, lowers and uploads. It does not read the tensors, which may have no memory yet. Throws
  // as flash_backward() does.
  BackwardDeviceLists(const BackwardArguments& device_views, const LaunchContext& context);

 private:
  friend class BackwardLaunch;
  struct State;
  std::shared_ptr<const State> state_;  // none where the schedule has no pair
};

// A backward call that is lowered, uploaded and allocated once and can be run any number of times.
// A run consists of kernels only, and adds to the sums once more.
class BackwardLaunch {
 public:
  // Throws as flash_backward() does. The schedule must outlive only the construction.
  BackwardLaunch(const BackwardArguments& device_views, const LaunchContext& context);
  // Uses lists that exist already and must outlive it; it does not read the schedule. Throws
  // std::invalid_argument where the inputs have other shapes or alignments than the lists.
  BackwardLaunch(const BackwardArguments& device_views, const BackwardDeviceLists& lists,
                 const LaunchContext& context);
  void run() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;  // none where the schedule has no pair
};

// -------------------------------------------------------------------------------------------------

// These do what kernels/merge.h does, over device views.
void merge(const TensorView& acc_out, const TensorView& acc_lse, const TensorView& part_out,
           const TensorView& part_lse, const LaunchContext& context);

void clear_partial(const TensorView& out, const TensorView& lse, const LaunchContext& context);

// These do what kernels/merge.h does for tree decoding, over device views. stream is a
// cudaStream_t.
void combine(const TensorView& target, const TensorView& source, Combine how, void* stream);
void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                   const TensorView& denominator, void* stream);
void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                       const TensorView& denominator, void* stream);

}  // namespace qb::cuda
