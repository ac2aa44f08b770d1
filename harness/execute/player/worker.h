// The work of one worker under any executor. Executors differ only in when they call this, on which
// device and with which transport.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "harness/execute/device/stopwatch.h"
#include "harness/execute/player/executor.h"
#include "harness/execute/player/kept_calls.h"
#include "harness/execute/transport/transport.h"
#include "harness/plan/blocks.h"
#include "harness/plan/work/tiling.h"

namespace qb {

// Plays one worker, a step at a time. Memory comes from the allocator with these labels:
//   q_local, k_local, v_local        the shard
//   out_partial, lse_partial         results, also for queries of other workers
//   message_in, message_out          buffers of messages; p2p tensors are used in place
//   q_block, k_block, v_block        the joined parts of a collective
//   out_step, lse_step               a kernel's result before it is merged
//   row_max, denominator             for tree decoding
// plan_memory() (device_rehearsal.h) predicts its peak to the byte.
class WorkerPlayer {
 public:
  struct Tools {
    ComputeDevice& device;
    Stopwatch& watch;                // fills the times of the worker when it stops
    Transport* transport = nullptr;  // may be null if the plan does not communicate
    StageTimes* stages = nullptr;    // sums of the stage times of kernel staged
    KeptCalls* kept = nullptr;       // shared by all executions; null: no call is kept
  };
  // The output of some queries over the keys seen so far.
  struct Partial {
    Tensor out;
    Tensor lse;
    bool begun = false;  // false: its contents are unspecified
    [[nodiscard]] bool exists() const { return out.view().data != nullptr; }
  };

  // The references must outlive it.
  WorkerPlayer(const Plan& plan, int index, const ExecutionArguments& arguments, const Tools& tools,
               WorkerTime& time);

  // Takes the shard from the caller's tensors; this counts as gather_s if the plan scatters.
  void prepare();
  // If the shard comes as messages, these make its tensors without contents, and return one.
  void make_room();
  [[nodiscard]] TensorView shard(TensorRole what) const;
  // Returns the rows of Q, K or V that another worker of the plan holds, in a tensor of the root's.
  [[nodiscard]] Tensor shard_of(int worker, TensorRole what) const;
  // These are called in this order for each step.
  void begin_step();
  void compute_step();
  void end_step();
  void finish();  // after the last step: waits for sends, turns the partial into a result
  void play();    // calls all of the above except prepare()

  // The result for the rows of its q groups; empty without tokens.
  [[nodiscard]] const Partial& partial() const { return resident_; }
  [[nodiscard]] const Worker& worker() const { return worker_; }

 private:
  // A block's tensors: Q, or K and V. They are separate tensors or lie in a message.
  struct Held {
    std::shared_ptr<Buffer> message;
    Tensor owned[2];
    TensorView views[2];
    [[nodiscard]] const TensorView& view(TensorRole what) const {
      return views[what == TensorRole::v ? 1 : 0];
    }
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
  void add_wait(double begin_s, double started_s);

  [[nodiscard]] const std::vector<TokenGroup>& groups_for(TensorRole what) const;
  void fill(TensorRole what, const Block& block, const TensorView& local) const;
  void await_messages();
  void end_sends();
  [[nodiscard]] double check_header(const Incoming& incoming) const;
  void hold_arrived_blocks();
  void hold_arrived(const Block& block, TensorRole what);
  void merge_messages();
  [[nodiscard]] std::pair<TensorView, TensorView> partial_in(const Transfer& part,
                                                             std::byte* data) const;
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
  const Worker worker_;
  const ExecutionArguments& arguments_;
  const Tools tools_;
  ComputeDevice& device_;
  WorkerTime& time_;
  BlockTracker blocks_;
  std::size_t step_ = 0;
  std::map<int, Held> held_;        // by block
  Partial resident_;                // for the worker's own queries
  std::map<int, Partial> passing_;  // for queries of others, by block
  std::vector<Incoming> incoming_;  // receives of the next step, then of this one
  std::vector<Outgoing> sent_;      // sends of the step, until they have left
  Tensor row_max_;
  Tensor denominator_;
  bool reducing_ = false;
  bool has_denominator_ = false;
};

// Opens the device that plays workers in this process.
[[nodiscard]] std::unique_ptr<ComputeDevice> open_device(const ExecutionArguments& arguments,
                                                         int threads);

// Returns true if WorkerPlayer::prepare() is a scatter from the root, which is part of the work.
[[nodiscard]] bool is_scattered(const Worker& worker);

// Runs one step's kernel directly on the caller's tensors, for works_in_place() plans.
void play_in_place(const Plan& plan, const ExecutionArguments& arguments,
                   const WorkerPlayer::Tools& tools, WorkerTime& time);

// Makes a slow worker sleep after busy_s of work: see ExecutionArguments::worker_speeds.
void slow_down(const ExecutionArguments& arguments, int worker, double busy_s);

// Merges the workers' results into the caller's output. A group's first partial is copied, so
// earlier contents of the output do not matter.
class OutputMerge {
 public:
  // The references must outlive it.
  OutputMerge(const Plan& plan, const ExecutionArguments& arguments, ComputeDevice& device,
              int threads = 1);
  // Merges the rows of one q group, which is the worker's `position`-th. Threads may merge
  // different groups at once if the device is on the host.
  void add_group(const Worker& worker, const LocalLayout& layout, std::size_t position,
                 const WorkerPlayer::Partial& partial);
  void add(const Worker& worker, const WorkerPlayer::Partial& partial);  // adds all groups
  // Sets O = 0 and LSE = -inf for a q group to which nothing was added.
  void finish_group(std::size_t group);
  void finish();

 private:
  const Plan& plan_;
  const ExecutionArguments& arguments_;
  ComputeDevice& device_;
  const int threads_;
  const bool splits_heads_;
  std::vector<char> written_;  // q groups that have something in the output
};

// Returns true if workers hold only some heads; a group's first partial is then incomplete.
[[nodiscard]] bool splits_heads(const Plan& plan);

// See Execution::critical_path_s.
[[nodiscard]] double composed_critical_path_s(const Plan& plan,
                                              const std::vector<WorkerTime>& workers);

// These set compute_s; peaks, if there is a ledger; worker_sum_s and longest_subsequence_s.
void sum_steps(WorkerTime& time);
void add_peaks(const ExecutionArguments& arguments, Execution& execution);
void add_sums(const Plan& plan, Execution& execution);

// execute() has checked the arguments. The serial executor plays on any device.
[[nodiscard]] Execution execute_serial(const Plan& plan, const ExecutionArguments& arguments,
                                       ComputeDevice& device);
[[nodiscard]] Execution execute_threads(const Plan& plan, const ExecutionArguments& arguments);
// Collective: every rank of the MpiWorld calls it with the same plan. Rank 0 gets the execution, or
// the exception of any rank; the others get nothing.
[[nodiscard]] Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments);

}  // namespace qb
