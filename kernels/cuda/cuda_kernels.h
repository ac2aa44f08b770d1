// Attention kernels on one CUDA device: the contract. A plain host header that needs no CUDA.
//
// Whatever the plan, what is computed is a GroupedCall: workers, each with a tile schedule over its
// own local rows, and for each the groups of tokens that those rows are in the original tensors. So
// all workers of a CQS plan, or of one round of a ring, are one launch that reads Q, K and V where
// they lie, and one merge that recomposes the output. Attention on one device is the same with one
// worker and one group.
//
// Everything is asynchronous on the stream. Device memory comes from the context's allocator, which
// must be ordered with the stream: what is given back may be reused only by later work of the
// stream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/attention.h"

namespace qb::cuda {

struct LaunchContext {
  Allocator& workspace;         // device memory; every temporary comes from here, labelled
  void* stream = nullptr;       // a cudaStream_t
  int compute_capability = 80;  // 10 * major + minor of the current device
  int n_sms = 1;                // its multiprocessors
  int worker = 0;               // for the labels of the ledger
  bool force_sm80 = false;      // mma.sync and cp.async also where wgmma and TMA are there
  // On sm_90a, a block of the grid for each item, dealt by the hardware, in place of one a
  // multiprocessor that takes items until there are none: to compare the two.
  bool block_per_item = false;
};

// The two code paths of flash.
enum class FlashPath { sm80, sm90 };

template <class Context>
[[nodiscard]] constexpr FlashPath flash_path(const Context& context) {
  return context.compute_capability == 90 && !context.force_sm80 ? FlashPath::sm90
                                                                 : FlashPath::sm80;
}

// Tiles that schedules should be cut to: query_tile rows, and key_block keys masked together.
// Larger tiles of a schedule are cut by the kernel, smaller ones waste rows. Throws Unsupported
// above 256.
[[nodiscard]] KernelTiles flash_tiles(std::int64_t head_dim, FlashPath path);

// As AttentionArguments, with views of device memory: q, k, v f16 or bf16, any head_dim up to 256,
// out and lse f32 and written whole. Lowers and uploads the schedule in each call: where a call is
// repeated, keep a FlashLaunch. Throws Unsupported for other types, OutOfMemory from the workspace,
// EnvironmentError where a CUDA call fails.
void flash(const AttentionArguments& device_views, const LaunchContext& context);

// The stages of kernel staged, in this order.
enum class KernelStage { scores, softmax, values, done };
// Called between them, when what came before is enqueued; may be empty.
using OnStage = std::function<void(KernelStage)>;

// Tokens first, first + stride, … (count of them) of the original tensors.
struct RowGroup {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;
  friend bool operator==(const RowGroup&, const RowGroup&) = default;
};

// One worker's share. Its local query rows are those of q_groups, one group after another, its
// local keys those of kv_groups; the schedule is over local rows.
struct GroupedWorker {
  int worker = 0;
  std::vector<RowGroup> q_groups;
  std::vector<RowGroup> kv_groups;
  const TileSchedule* schedule = nullptr;  // must outlive the construction of FlashLaunch only
  std::int64_t head_begin = 0;             // query heads [head_begin, head_end)
  std::int64_t head_end = 0;               // 0: all
};

// q [b,h,n,d], k [b,g,m,d], v [b,g,m,e], out [b,h,n,e], lse [b,h,n,1]: whole tensors. Two groups of
// query rows, of whichever workers, are equal or disjoint. A worker's partial is the identity where
// its schedule has no key; rows that no worker computes come out as 0 and -inf.
struct GroupedCall {
  TensorView q;
  TensorView k;
  TensorView v;
  double scale = 1.0;
  std::vector<GroupedWorker> workers;
  TensorView out;
  TensorView lse;
  // out and lse already hold a partial (earlier rounds), which is merged with what is computed.
  bool accumulate = false;
};

// What lowering makes of a call, on the device: the lists of its tiles. They follow from its
// schedules and the shapes, strides and alignment of its tensors, so any number of calls that
// differ in their data only can be launched with them, one after another on the context's stream
// (blocks of a launch count in the lists' memory what they have taken).
class FlashLists {
 public:
  // Checks, lowers and uploads; of the tensors nothing is read. Throws as flash().
  FlashLists(const GroupedCall& call, const LaunchContext& context);
  FlashLists(FlashLists&&) noexcept;
  FlashLists& operator=(FlashLists&&) noexcept;
  ~FlashLists();

 private:
  friend class FlashLaunch;
  struct State;
  std::unique_ptr<State> state_;
};

// A call that can be launched any number of times: lowered, uploaded, its partials allocated, its
// tensor maps encoded. Launching it is kernels only, so it can be timed and captured into a CUDA
// graph.
class FlashLaunch {
 public:
  // Checks, lowers and uploads. Throws as flash().
  FlashLaunch(const GroupedCall& call, const LaunchContext& context);
  // With lists that are there already, and must outlive it; schedules are not looked at. Throws
  // std::invalid_argument where the tensors are shaped or aligned otherwise than those of the
  // lists.
  FlashLaunch(const GroupedCall& call, const FlashLists& lists, const LaunchContext& context);
  FlashLaunch(FlashLaunch&&) noexcept;
  FlashLaunch& operator=(FlashLaunch&&) noexcept;
  ~FlashLaunch();

  // All workers in one kernel: partials, or the output itself where no merge is needed.
  void attend() const;
  // One kernel: partials to output. Nothing where needs_merge() is false.
  void merge() const;
  [[nodiscard]] bool needs_merge() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// attend() and merge() of a FlashLaunch.
void flash_groups(const GroupedCall& call, const LaunchContext& context);

// Bytes that a FlashLaunch of this call takes from the workspace at its peak, exactly as the ledger
// will count them. The data pointers of the views may be null.
[[nodiscard]] std::int64_t flash_workspace_bytes(const GroupedCall& call, FlashPath path,
                                                 int n_sms);

// acc := merge(acc, part), row by row over device views of equal extent (f32), as merge_partial().
void merge(const TensorView& acc_out, const TensorView& acc_lse, const TensorView& part_out,
           const TensorView& part_lse, const LaunchContext& context);

// Sets device views to O = 0, LSE = -inf.
void clear_partial(const TensorView& out, const TensorView& lse, const LaunchContext& context);

}  // namespace qb::cuda
