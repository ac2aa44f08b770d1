// SPDX-License-Identifier: Apache-2.0
// The work of one worker under any executor. Executors differ only in when they call this, on which
// device and with which transport.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "harness/plan/blocks.h"
#include "harness/plan/tiling.h"
#include "harness/run/device/sinks.h"
#include "harness/run/device/stopwatch.h"
#include "harness/run/runner/executor.h"
#include "harness/run/runner/kept_calls.h"
#include "harness/run/runner/run_workers.h"
#include "harness/run/transport/transport.h"

namespace qb {

// A tensor that a worker has when it begins: rows of a resident or a saved block. O goes by the
// name `partial`.
struct Piece {
  int block = 0;
  TensorRole what = TensorRole::q;
};
[[nodiscard]] std::vector<Piece> pieces_of(const Plan& plan, const Worker& worker);

// What a worker has when it has finished: O and LSE of its queries, or dQ of its queries and dK and
// dV of its keys, and its part of the gradients of sinks if it has made D. A tensor without rows
// has no data.
using WorkerResult = std::vector<TensorView>;

// Returns the shapes of a worker's result.
[[nodiscard]] std::vector<Extent> result_extents(const Plan& plan, const Worker& worker);

// Runs one worker of a plan. Memory comes from the allocator with these labels:
//   q_local, k_local, v_local        the shard
//   out_partial, lse_partial         results, also for queries of other workers
//   message_in, message_out          buffers of messages; p2p tensors are used in place
//   q_block, k_block, v_block        the joined parts of a collective
//   out_step, lse_step               a kernel's result before it is merged
//   row_max, denominator             for tree decoding and helix
//   sinks                            where the worker has whole rows
//   out_owned, lse_owned             of the heads that it owns, if it computed more
// and in a backward pass
//   d_out_local, out_local, lse_local, delta_local   the shard's; O until D is made of it
//   q_saved and so on                what the forward pass left of a share of the heads
//   d_out_block and so on            the joined parts of a collective
//   d_q_sum, d_k_sum, d_v_sum        sums of a block's gradients, if not in the message they came
//   in
//   d_sinks                          its part of the gradients of sinks
// plan_memory() (device_rehearsal.h) predicts its peak to the byte.
class WorkerRunner : public StepWorker {
 public:
  struct Tools {
    AttentionDevice& device;
    Stopwatch& watch;                // fills the times of the worker when it stops
    Transport* transport = nullptr;  // may be null if the plan does not communicate
    StageTimes* stages = nullptr;    // sums of the stage times of kernel staged
    KeptCalls* kept = nullptr;       // shared by all executions; null: no call is kept
  };
  // The references must outlive it.
  WorkerRunner(const Plan& plan, int index, const ExecutionArguments& arguments, const Tools& tools,
               WorkerTime& time);

  [[nodiscard]] int steps() const final { return static_cast<int>(worker_.steps.size()); }
  // Takes the shard from the caller's tensors; this counts as gather_s if the plan scatters.
  void prepare() override;
  // If pieces come as messages, these make all of them without contents, take one from the caller's
  // tensors, and return one.
  void make_room();
  void take(const Piece& piece);
  [[nodiscard]] TensorView piece(const Piece& piece) const;
  // Returns a piece of another worker of the plan, in a tensor of the root's.
  [[nodiscard]] Tensor piece_of(int worker, const Piece& piece) const;
  void begin_step() final;
  void compute_step() final;
  void end_step() override;
  void finish() override;  // waits for sends, turns the partial into a result
  [[nodiscard]] const WorkerTime& time() const final { return time_; }

  [[nodiscard]] WorkerResult result() const;  // after finish(), as long as the runner exists
  [[nodiscard]] const Worker& worker() const { return worker_; }

 private:
  // The output of some queries over the keys seen so far.
  struct Partial {
    Tensor out;
    Tensor lse;
    bool begun = false;  // false: its contents are unspecified
    [[nodiscard]] bool exists() const { return out.view().data != nullptr; }
  };
  // A block's inputs. They are separate tensors or lie in a message.
  struct Held {
    std::shared_ptr<Buffer> message;
    std::map<TensorRole, Tensor> owned;
    std::map<TensorRole, TensorView> views;
    [[nodiscard]] const TensorView& view(TensorRole what) const { return views.at(what); }
  };
  // The sum of a gradient over the pairs seen so far, for the rows of a block.
  struct Sum {
    Tensor owned;
    std::shared_ptr<Buffer> message;  // in place of `owned`: it is added to where it came
    Message form;                     // of `message`
    TensorView view;
    std::vector<char> begun;  // by place of the group in the block; 0: zero, whatever is in memory
  };
  struct Incoming {
    Message message;
    std::shared_ptr<Buffer> buffer;
    Ticket ticket;
    [[nodiscard]] std::byte* part(std::size_t index) const {
      return buffer->as<std::byte>() + message.at[index];
    }
  };
  struct Outgoing {
    std::shared_ptr<Buffer> buffer;
    Ticket ticket;
    std::size_t step = 0;
    double posted_s = 0.0;
    std::size_t due = 0;  // the step in which it is received
  };

  [[nodiscard]] StepTime& step_time() { return time_.steps[step_]; }
  [[nodiscard]] Partial make_partial(std::int64_t rows, const Range& heads, const char* out_label,
                                     const char* lse_label) const;
  void narrow_lse();
  void keep_owned_heads();
  [[nodiscard]] Range heads_of(TensorRole what, const Range& heads) const;
  [[nodiscard]] Extent extent(TensorRole what, std::int64_t rows, const Range& heads) const {
    return tensor_extent(plan_.problem, what, rows, heads);
  }
  [[nodiscard]] Extent shard_extent(const Worker& worker, TensorRole what,
                                    const Block& block) const;
  const Tensor& own(const Block& block, TensorRole what, const Extent& extent);
  // These take of a tensor of the block's what belongs to these query heads: of all its rows, or of
  // a group's. The next two take what a call reads or writes.
  [[nodiscard]] TensorView heads_in(const Block& block, TensorRole what, const TensorView& rows,
                                    const Range& heads) const;
  [[nodiscard]] TensorView rows_in(const Block& block, TensorRole what, const TensorView& view,
                                   int group, const Range& heads) const;
  [[nodiscard]] TensorView rows_of_call(const KernelCall& call, TensorRole what,
                                        const TensorView& view) const;
  [[nodiscard]] TensorView input_of(const KernelCall& call, TensorRole what) const;
  void wait(const Outgoing& outgoing);
  void hold_back(const Ticket& ticket);

  [[nodiscard]] const std::vector<TokenGroup>& groups_for(TensorRole what) const;
  void fill(TensorRole what, const Block& block, const TensorView& local) const;
  void make_delta(int block);
  void await_messages();
  void end_sends(std::size_t due);
  [[nodiscard]] double check_header(const Incoming& incoming) const;
  void hold_arrived_blocks();
  void hold_arrived(const Block& block, TensorRole what);
  void join_arrived(const Block& block, TensorRole what);
  void merge_messages();
  // The tensor of a part that lies at `data` in a message: the rows of its groups, in order. Of a
  // partial, O and then LSE.
  [[nodiscard]] TensorView tensor_in(const Transfer& part, std::byte* data) const;
  [[nodiscard]] TensorView lse_in(const Transfer& part, std::byte* data) const;
  // Calls visit(group, first row in the message, count) for each group of the part.
  template <class Visit>
  void for_each_group(const Transfer& part, const Visit& visit) const {
    std::int64_t at = 0;
    for (const int group : plan_.groups_of(part)) {
      const std::int64_t count = groups_for(part.what)[static_cast<std::size_t>(group)].count;
      visit(group, at, count);
      at += count;
    }
  }
  void merge_partial_part(const Transfer& part, std::byte* data);
  void reduce_part(const Transfer& part, std::byte* data, bool whole);
  [[nodiscard]] const Block& block_of_share(const Transfer& part) const {
    return blocks_.block_of(true, plan_.groups_of(part).front());
  }
  [[nodiscard]] Partial& partial_of(const Block& block);
  void weigh_partials();
  void add_weighted_part(const Transfer& part, std::byte* data);
  void post_receives(int delay);
  void fetch(const Transfer& part, std::byte* data) const;
  void write_back(const Message& message);
  void post_sends(bool late);
  [[nodiscard]] std::shared_ptr<Buffer> whole_buffer(const Message& message);
  void pack(const Message& message, Buffer& buffer);
  void pack_input(const Transfer& part, std::byte* data);
  void pack_partial(const Transfer& part, std::byte* data);
  void pack_share(const Transfer& part, std::byte* data);
  void pack_reduced(const Transfer& part, std::byte* data);
  void write_header(const Message& message, Buffer& buffer) const;
  void forget_sent_partials(const std::vector<Message>& sends);

  void compute(const KernelCall& call);
  void compute_gradients(const KernelCall& call);
  void begin_partial(Partial& partial);

  [[nodiscard]] Sum& sum_of(const Block& block, TensorRole what);
  void begin_sum(const Block& block, TensorRole what, int group);
  void add_gradient_part(const Incoming& incoming, const Transfer& part, std::byte* data);
  void pack_gradient(const Transfer& part, std::byte* data);
  [[nodiscard]] std::shared_ptr<Buffer> summed_in_place(const Message& message) const;
  void forget_sent_sums(const std::vector<Message>& sends);
  void finish_gradients();

  void begin_reduction();
  [[nodiscard]] const TensorView& reduced(TensorRole what);
  void begin_denominator();
  void finish_reduction();

 protected:
  const Plan& plan_;
  const int index_;
  const Worker worker_;
  const ExecutionArguments& arguments_;
  const Tools tools_;
  AttentionDevice& device_;
  WorkerTime& time_;

 private:
  BlockTracker blocks_;
  std::size_t step_ = 0;
  std::map<int, Held> held_;                        // by block
  Partial resident_;                                // for the worker's own queries
  Sinks sinks_;                                     // those of problems without them are none
  Tensor d_sinks_;                                  // a part of their gradients
  std::map<int, Partial> passing_;                  // for queries of others, by block
  std::map<std::pair<int, TensorRole>, Sum> sums_;  // of a backward pass, by block
  std::map<std::size_t, std::vector<Incoming>> expected_;  // posted, by the step that receives them
  std::vector<Incoming> incoming_;                         // receives of this step
  std::vector<Outgoing> sent_;                             // sends until they have left
  int longest_delay_ = 1;                                  // of any message that it receives
  bool fetches_at_once_ = false;                           // some message has no delay
  Tensor row_max_;
  Tensor denominator_;
  bool reducing_ = false;
  bool has_denominator_ = false;
};

// The device, clock and times of a worker that has its own: a base before WorkerRunner, which
// refers to them.
struct OwnTools {
  explicit OwnTools(std::shared_ptr<AttentionDevice> of_worker)
      : device(std::move(of_worker)), watch(*device) {}
  const std::shared_ptr<AttentionDevice> device;
  Stopwatch watch;
  WorkerTime times;
};

// Opens the device that runs workers in this process.
[[nodiscard]] std::unique_ptr<AttentionDevice> open_device(const ExecutionArguments& arguments,
                                                           int threads);

// Returns true if WorkerRunner::prepare() is a scatter from the root, which is part of the work.
[[nodiscard]] bool is_scattered(const Worker& worker);
// Returns true if rank 0 holds the inputs when the work begins, and scatters them.
[[nodiscard]] bool is_scattered(const Plan& plan);

// The root makes D of all rows before a backward plan that scatters. Returns that tensor without
// contents and puts it into the arguments; of other plans it returns an empty one.
[[nodiscard]] Tensor room_for_root_delta(const Plan& plan, ExecutionArguments& arguments);
// Makes D of all rows, and the gradients of sinks, which follow from it.
void make_root_delta(const Plan& plan, const ExecutionArguments& arguments,
                     AttentionDevice& device);

// Says whether workers have the rows of O, or D of the rows, as they are in the end; else the root
// has them.
[[nodiscard]] bool finishes_rows(const Plan& plan);

// Returns the schedule that the device's kernel reads for a call; nullopt: it reads none.
[[nodiscard]] std::optional<TileSchedule> call_schedule_for(const Plan& plan,
                                                            const BlockTracker& blocks,
                                                            const KernelCall& call, Kernel kernel,
                                                            const AttentionDevice& device);

// Makes a worker's backward call. A device that keeps schedules gets this one before the time
// counts: to lower and upload it is not work of the device.
void attend_backward(const WorkerRunner::Tools& tools, const ExecutionArguments& arguments,
                     const BackwardArguments& call, int worker, double* compute_s);

// Runs one step's kernel directly on the caller's tensors, for works_in_place() plans.
void run_in_place(const Plan& plan, const ExecutionArguments& arguments,
                  const WorkerRunner::Tools& tools, WorkerTime& time);
// Keeps the call of such a plan's backward pass, ahead of it. Returns false if there is none, or if
// the device reads no schedule.
[[nodiscard]] bool keep_in_place(const Plan& plan, const ExecutionArguments& arguments,
                                 AttentionDevice& device, KeptCalls& kept);

// Merges the workers' results into the caller's output, or adds them to the caller's gradients. A
// group's first result is copied, so earlier contents do not matter. Sinks are merged where a root
// makes whole rows.
class OutputMerge {
 public:
  // A group of queries, or of keys, of the first, second or third tensor of a result. LSE comes
  // with O.
  struct Part {
    std::size_t tensor = 0;
    int group = 0;
  };

  // The references must outlive it.
  OutputMerge(const Plan& plan, const ExecutionArguments& arguments, ComputeDevice& device,
              int threads = 1);
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  // Returns the worker's groups that the tensor has rows of.
  [[nodiscard]] const std::vector<int>& groups_of(const Worker& worker, std::size_t tensor) const;
  // Merges the rows of one group, which is the worker's `position`-th. Threads may merge different
  // parts at once if the device is on the host.
  void add_part(const Worker& worker, const LocalLayout& layout, std::size_t tensor,
                std::size_t position, const WorkerResult& result);
  void add(const Worker& worker, const WorkerResult& result);  // adds all parts
  // Sets O = 0 and LSE = -inf, or a gradient to 0, where nothing was added. Called once for each.
  void finish_part(const Part& part);
  void finish();

 private:
  void begin_part(const Part& part);
  [[nodiscard]] char& written(std::size_t tensor, int group);
  [[nodiscard]] TensorView target(std::size_t tensor, int group) const;

  const Plan& plan_;
  const ExecutionArguments& arguments_;
  ComputeDevice& device_;
  const int threads_;
  const bool splits_heads_;
  const Sinks sinks_;
  bool has_d_sinks_ = false;
  std::vector<Part> parts_;
  std::vector<char> written_[3];  // by tensor and group: whether something is in the output
};

// Returns true if workers hold only some heads; a group's first partial is then incomplete.
[[nodiscard]] bool splits_heads(const Plan& plan);

// See Execution::critical_path_s.
[[nodiscard]] double composed_critical_path_s(const Plan& plan,
                                              const std::vector<WorkerTime>& workers);

// These set peaks, if there is a ledger; worker_sum_s and longest_subsequence_s.
void add_peaks(const ExecutionArguments& arguments, Execution& execution);
void add_sums(const Plan& plan, Execution& execution);

// execute() has checked the arguments. The serial executor runs on any device. kept: see
// WorkerRunner::Tools.
[[nodiscard]] Execution execute_serial(const Plan& plan, const ExecutionArguments& arguments,
                                       AttentionDevice& device, KeptCalls* kept = nullptr);
[[nodiscard]] Execution execute_threads(const Plan& plan, const ExecutionArguments& arguments);
// Collective: every rank of the MpiWorld calls it with the same plan. Rank 0 gets the execution, or
// the exception of any rank; the others get an empty one, or a CaseError.
[[nodiscard]] Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments);

}  // namespace qb
