// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/rank_worker.h"

#include "harness/run/memory/memory_ledger.h"

namespace qb {
namespace {

// The step numbers of the messages from and to the root, downwards: its scatter, of at most six
// pieces of a worker, and its gather, of the tensors of a result.
constexpr int kFirstScatter = -1;
constexpr int kFirstGather = -7;
constexpr const char* kGatheredLabels[2][4] = {
    {"out_gathered", "lse_gathered"},
    {"d_q_gathered", "d_k_gathered", "d_v_gathered", "d_sinks_gathered"}};

class RankWorker final : OwnTools, public WorkerRunner {
 public:
  RankWorker(const Plan& plan, const ExecutionArguments& arguments,
             std::shared_ptr<AttentionDevice> of_rank, Transport& messages, int rank,
             KeptCalls* kept)
      : OwnTools(std::move(of_rank)),
        WorkerRunner(plan, rank, own_arguments_, {*device, watch, &messages, nullptr, kept}, times),
        own_arguments_(arguments),
        messages_(messages),
        scattered_(is_scattered(worker())) {}

  void prepare() override {
    if (index_ == 0) delta_ = room_for_root_delta(plan_, own_arguments_);
    if (!scattered_) take_shard();
    messages_.settle();
  }
  void begin(double begin_s) override {
    watch.start(begin_s);
    if (scattered_) take_shard();
  }
  void finish() override {
    WorkerRunner::finish();
    const bool at_root = plan_.result == Result::root;
    watch.charge(at_root && index_ == 0 ? &time_.merge_s : nullptr);
    if (at_root) merge_results();
    watch.charge(nullptr);
    messages_.settle();
    watch.stop();
    time_.wall_s = watch.wall_s();
    time_.device_s = watch.device_s();
    for (std::size_t s = 0; messages_.waits_on_device() && s < time_.steps.size(); ++s)
      time_.steps[s].communication_s = messages_.communication_s(static_cast<int>(s));
    time_.compute_s = time_.sum_s(&StepTime::compute_s);
    if (!at_root && arguments_.collect_output) {
      merge_results();
      messages_.settle();
    }
    if (const auto* ledger = dynamic_cast<const MemoryLedger*>(arguments_.allocator))
      time_.active_peak_bytes = static_cast<std::int64_t>(ledger->worker_peak_bytes(index_));
  }

 private:
  // Tensors between this rank and another one; one of the two is rank 0.
  struct OnTheWay {
    int other;
    std::vector<Tensor> owned;
    WorkerResult views;
    std::vector<Ticket> tickets{};
  };

  // Begins to move tensors that have rows: those that it is to own, or others of these views.
  void post(int other, std::vector<Tensor> owned, WorkerResult views, int step, bool outgoing) {
    for (const Tensor& tensor : owned) views.push_back(tensor.view());
    OnTheWay& moved = on_the_way_.emplace_back(OnTheWay{other, std::move(owned), std::move(views)});
    for (const TensorView& view : moved.views) {
      const MessageKey key{outgoing ? index_ : other, outgoing ? other : index_, step--};
      if (view.bytes() == 0) continue;
      moved.tickets.push_back(outgoing ? messages_.send(key, bytes_of(view))
                                       : messages_.receive(key, bytes_of(view)));
    }
  }

  void await(const OnTheWay& tensors) {
    for (const Ticket& ticket : tensors.tickets) (void)messages_.wait(ticket);
  }
  void await_all() {
    for (const OnTheWay& tensors : on_the_way_) await(tensors);
    on_the_way_.clear();
  }

  // Rank 0 sends the other ranks their pieces if it scatters, and else what the forward pass left
  // at it. Of the rest each makes its own shard.
  [[nodiscard]] bool is_sent(const Piece& piece) const {
    return scattered_ || piece.what == TensorRole::partial || piece.what == TensorRole::lse;
  }
  void take_shard() {
    double* const gather_s = scattered_ ? &time_.gather_s : nullptr;
    watch.charge(gather_s);
    if (delta_.view().data != nullptr) make_root_delta(plan_, arguments_, device_);
    for (int w = 1; index_ == 0 && w < n_workers(); ++w) {
      std::vector<Tensor> pieces;
      for (const Piece& piece : pieces_of(plan_, plan_.workers[static_cast<std::size_t>(w)]))
        pieces.push_back(is_sent(piece) ? piece_of(w, piece) : Tensor());
      post(w, std::move(pieces), {}, kFirstScatter, true);
    }
    if (index_ != 0) {
      make_room();
      WorkerResult pieces;
      for (const Piece& one : pieces_of(plan_, worker())) {
        pieces.push_back(is_sent(one) ? piece(one) : TensorView());
        if (!is_sent(one)) take(one);
      }
      post(0, {}, std::move(pieces), kFirstScatter, false);
    }
    messages_.flush(false);
    if (index_ == 0) WorkerRunner::prepare();
    watch.charge(gather_s);
    await_all();
    watch.charge(nullptr);
  }

  // Sends the worker's result to rank 0, which merges those of all workers in worker order.
  void merge_results() {
    const int senders = plan_.result == Result::everyone ? 1 : n_workers();
    if (index_ > 0 && index_ < senders) post(0, {}, result(), kFirstGather, true);
    const auto& labels = kGatheredLabels[plan_.pass == Pass::forward ? 0 : 1];
    for (int w = 1; index_ == 0 && w < senders; ++w) {
      std::vector<Tensor> room;
      for (const Extent& extent : result_extents(plan_, plan_.workers[static_cast<std::size_t>(w)]))
        room.push_back(extent.elements() == 0 ? Tensor()
                                              : Tensor(*arguments_.allocator, DType::f32, extent,
                                                       labels[room.size()], kRoot));
      post(w, std::move(room), {}, kFirstGather, false);
    }
    messages_.flush(false);
    if (index_ != 0) return await_all();
    OutputMerge output(plan_, arguments_, device_);
    output.add(worker(), result());
    for (OnTheWay& one : on_the_way_) {
      await(one);
      output.add(plan_.workers[static_cast<std::size_t>(one.other)], one.views);
      one.owned.clear();
    }
    output.finish();
  }

  [[nodiscard]] int n_workers() const { return static_cast<int>(plan_.workers.size()); }

  ExecutionArguments own_arguments_;
  Tensor delta_;  // at rank 0, if it scatters D
  Transport& messages_;
  // Messages may come into these and into the plan's until the group is closed.
  std::vector<OnTheWay> on_the_way_;
  const bool scattered_;
};

}  // namespace

std::shared_ptr<StepWorker> make_rank_worker(const Plan& plan, const ExecutionArguments& arguments,
                                             std::shared_ptr<AttentionDevice> device,
                                             Transport& messages, int rank, KeptCalls* kept) {
  return std::make_shared<RankWorker>(plan, arguments, std::move(device), messages, rank, kept);
}

Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments) {
  return with_waits_at_root(plan, run_workers(Ranks::mpi,
                                              {.timeout_s = arguments.message_timeout_s,
                                               .workers = static_cast<int>(plan.workers.size())},
                                              [&](int rank, WorkerTeam& ranks) {
                                                return make_rank_worker(
                                                    plan, arguments,
                                                    open_device(arguments, arguments.threads),
                                                    ranks, rank);
                                              }));
}

Execution with_waits_at_root(const Plan& plan, Execution execution) {
  for (WorkerTime& worker : execution.workers)
    if (plan.result == Result::root && !worker.steps.empty())
      worker.steps.back().idle_s += execution.wall_s - worker.wall_s;
  return execution;
}

}  // namespace qb
