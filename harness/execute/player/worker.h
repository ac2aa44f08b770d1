// What one worker does, whoever plays it: holds its share, passes messages, calls the kernel,
// merges. The executors differ only in who calls this when, and in the transport.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "harness/execute/player/executor.h"
#include "harness/execute/player/worker_device.h"
#include "harness/execute/transport/transport.h"
#include "harness/plan/blocks.h"
#include "harness/plan/work/tiling.h"

namespace qb {

// The output of some queries over the keys that were seen so far.
struct Partial {
  Tensor out;
  Tensor lse;
  bool begun = false;  // else its contents are unspecified
};

// Plays one worker, a step at a time. Memory comes from the allocator with these labels:
//   q_local, k_local, v_local        the shard
//   out_partial, lse_partial         what the worker answers, also for queries that only pass by
//   message_in, message_out          buffers of messages; what came p2p is computed with in place
//   q_block, k_block, v_block        what a collective brought, put together
//   out_step, lse_step               a kernel's result before it is merged
//   row_max, denominator             of tree decoding
// and worker_peak_bytes() (harness/plan) predicts its peak to the byte.
class WorkerPlayer {
 public:
  // transport: may be null where the plan does not communicate. The references must outlive it.
  WorkerPlayer(const Plan& plan, int index, const ExecutionArguments& arguments,
               WorkerDevice& device, Transport* transport, WorkerTime& time);

  // Takes the shard from the caller's tensors: the scatter where the plan has one (timed as
  // gather_s), else preparation.
  void prepare();
  // For a shard that comes as messages: its tensors, unfilled, and each of them.
  void make_room();
  [[nodiscard]] TensorView shard(TensorRole what) const;
  // The rows of Q, K or V that another worker of the plan holds, in a tensor of the root's.
  [[nodiscard]] Tensor shard_of(int worker, TensorRole what, const TensorView& whole) const;
  // In this order for each step.
  void begin_step();
  void compute_step();
  void end_step();
  // After the last step: waits for the last sends, makes the partial a result.
  void finish();
  // All of the above but prepare().
  void play();

  // What the worker has for the rows of its q groups. Without tokens: empty.
  [[nodiscard]] const Partial& partial() const { return resident_; }
  [[nodiscard]] const Worker& worker() const { return worker_; }
  // True where prepare() is a scatter from the root, which is part of the work.
  [[nodiscard]] bool is_scattered() const;

 private:
  // A block's tensors: Q, or K and V, in tensors of their own or in a message.
  struct Held {
    std::shared_ptr<Buffer> message;
    Tensor first_owned;
    Tensor second_owned;
    TensorView first;
    TensorView second;
  };
  struct Incoming {
    Message message;
    std::shared_ptr<Buffer> buffer;
    Ticket ticket;
  };
  struct Outgoing {
    std::shared_ptr<Buffer> buffer;
    Ticket ticket;
  };

  [[nodiscard]] StepTime& step_time() { return time_.steps[step_]; }
  [[nodiscard]] Partial make_partial(std::int64_t rows, const HeadRange& heads,
                                     const char* out_label, const char* lse_label) const;
  [[nodiscard]] Extent extent(TensorRole what, std::int64_t rows, const HeadRange& heads) const;
  void wait(const Ticket& ticket);
  void hold_back(const Ticket& ticket);
  // Accounts for the time since begin_s.
  void add_wait(double begin_s, double started_s);

  void fill(TensorRole what, const TensorView& whole, const Block& block,
            const TensorView& local) const;
  void await_messages();
  void end_sends();
  [[nodiscard]] double check_header(const Incoming& incoming) const;
  void take_up_blocks();
  void take_up(const Block& block, TensorRole what, const char* label,
               std::shared_ptr<Buffer>& message, Tensor& owned, TensorView& view);
  void merge_messages();
  void merge_partial_part(const Transfer& part, std::byte* data);
  void reduce_part(const Transfer& part, std::byte* data, bool whole);
  void post_receives();
  void post_sends(bool late);
  void pack(const Message& message, Buffer& buffer);
  void pack_input(const Transfer& part, std::byte* data);
  void pack_partial(const Transfer& part, std::byte* data);
  void pack_reduced(const Transfer& part, std::byte* data);
  void write_header(const Message& message, Buffer& buffer) const;
  void forget_sent_partials(const std::vector<Message>& sends);

  void compute(const KernelCall& call);
  void begin_partial(Partial& partial);
  void begin_reduction();
  [[nodiscard]] const TensorView& reduced(TensorRole what);
  void begin_denominator();
  void finish_reduction();

  const Plan& plan_;
  const int index_;
  const Worker& worker_;
  const ExecutionArguments& arguments_;
  WorkerDevice& device_;
  Transport* transport_;
  WorkerTime& time_;
  BlockTracker blocks_;
  std::size_t step_ = 0;
  std::map<int, Held> held_;        // by block
  Partial resident_;                // of the worker's own queries
  std::map<int, Partial> passing_;  // of others, by block
  std::vector<Incoming> incoming_;  // of the next step, then of this one
  std::vector<Outgoing> sent_;      // of the step, until they have gone
  Tensor row_max_;
  Tensor denominator_;
  bool reducing_ = false;
  bool has_denominator_ = false;
};

// One step's kernel straight from and into the caller's tensors, for works_in_place() plans.
void play_in_place(const Plan& plan, const ExecutionArguments& arguments, WorkerTime& time);

// Merges the rows of one q group, which is the `position`-th of the worker's, into the output. The
// `first` partial of a group is copied: what the output held before does not matter.
void deliver_group(const Plan& plan, const Worker& worker, const LocalLayout& layout,
                   std::size_t position, const Partial& partial, bool first,
                   const ExecutionArguments& arguments, WorkerDevice& device);

// Copies a result that needs no merging, rows and all, into the output.
void deliver_whole(const Plan& plan, const Worker& worker, const Partial& partial,
                   const ExecutionArguments& arguments, WorkerDevice& device);

// True where workers hold some heads of their queries only: the first partial of a group is not
// all of it.
[[nodiscard]] bool splits_heads(const Plan& plan);

// O = 0, LSE = -inf for a q group that no worker holds.
void clear_group(const Plan& plan, int group, const ExecutionArguments& arguments,
                 WorkerDevice& device);

// Threads that copying or merging `bytes` is worth: starting one costs as much as copying about
// 100 KiB.
[[nodiscard]] int threads_for_bytes(std::int64_t bytes, int threads);

// See Execution::critical_path_s.
[[nodiscard]] double composed_critical_path_s(const Plan& plan,
                                              const std::vector<WorkerTime>& workers);

// Fills in worker_sum_s and longest_subsequence_s from the times of the workers.
void add_sums(const Plan& plan, Execution& execution);

// One file each. arguments have been checked by execute().
[[nodiscard]] Execution execute_serial(const Plan& plan, const ExecutionArguments& arguments);
[[nodiscard]] Execution execute_threads(const Plan& plan, const ExecutionArguments& arguments);
// Collective: every rank of the MpiWorld calls it with the same plan. The execution is rank 0's to
// have, as is what is thrown for any rank; the others return empty-handed.
[[nodiscard]] Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments);

}  // namespace qb
