// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/player/rank_player.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/execute/memory/memory_ledger.h"

namespace qb {
namespace {

// The step numbers of the messages from and to the root, downwards: its scatter, of at most six
// pieces of a worker, and its gather, of the tensors of a result.
constexpr int kFirstScatter = -1;
constexpr int kFirstGather = -7;
constexpr const char* kGatheredLabels[2][4] = {
    {"out_gathered", "lse_gathered"},
    {"d_q_gathered", "d_k_gathered", "d_v_gathered", "d_sinks_gathered"}};

class Rank {
 public:
  Rank(const Plan& plan, const ExecutionArguments& arguments, AttentionDevice& device,
       Transport& messages, int rank, KeptCalls* kept)
      : plan_(plan),
        arguments_(arguments),
        device_(device),
        messages_(messages),
        rank_(rank),
        watch_(device),
        player_(plan, rank, arguments_, {device, watch_, &messages, nullptr, kept}, time_),
        scattered_(is_scattered(player_.worker())) {}

  std::string play(WorkerTeam& ranks) {
    const bool at_root = plan_.result == Result::root;
    if (rank_ == 0) delta_ = room_for_root_delta(plan_, arguments_);
    if (!scattered_) take_shard();
    messages_.settle();
    watch_.start(ranks.meet());
    if (scattered_) take_shard();
    player_.play();
    watch_.charge(at_root && rank_ == 0 ? &time_.merge_s : nullptr);
    if (at_root) merge_results();
    watch_.charge(nullptr);
    messages_.settle();
    watch_.stop();
    time_.wall_s = watch_.wall_s();
    time_.device_s = watch_.device_s();
    for (std::size_t s = 0; messages_.waits_on_device() && s < time_.steps.size(); ++s)
      time_.steps[s].communication_s = messages_.communication_s(static_cast<int>(s));
    sum_steps(time_);
    if (!at_root && arguments_.collect_output) {
      merge_results();
      messages_.settle();
    }
    if (const auto* ledger = dynamic_cast<const MemoryLedger*>(arguments_.allocator))
      time_.active_peak_bytes = static_cast<std::int64_t>(ledger->worker_peak_bytes(rank_));
    return bytes_of(time_);
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
      const MessageKey key{outgoing ? rank_ : other, outgoing ? other : rank_, step--};
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
    watch_.charge(gather_s);
    if (delta_.view().data != nullptr) make_root_delta(plan_, arguments_, device_);
    for (int w = 1; rank_ == 0 && w < n_workers(); ++w) {
      std::vector<Tensor> pieces;
      for (const Piece& piece : pieces_of(plan_, plan_.workers[static_cast<std::size_t>(w)]))
        pieces.push_back(is_sent(piece) ? player_.piece_of(w, piece) : Tensor());
      post(w, std::move(pieces), {}, kFirstScatter, true);
    }
    if (rank_ != 0) {
      player_.make_room();
      WorkerResult pieces;
      for (const Piece& piece : pieces_of(plan_, player_.worker())) {
        pieces.push_back(is_sent(piece) ? player_.piece(piece) : TensorView());
        if (!is_sent(piece)) player_.take(piece);
      }
      post(0, {}, std::move(pieces), kFirstScatter, false);
    }
    messages_.flush(false);
    if (rank_ == 0) player_.prepare();
    watch_.charge(gather_s);
    await_all();
    watch_.charge(nullptr);
  }

  // Sends the worker's result to rank 0, which merges those of all workers in worker order.
  void merge_results() {
    const int senders = plan_.result == Result::everyone ? 1 : n_workers();
    if (rank_ > 0 && rank_ < senders) post(0, {}, player_.result(), kFirstGather, true);
    const auto& labels = kGatheredLabels[plan_.pass == Pass::forward ? 0 : 1];
    for (int w = 1; rank_ == 0 && w < senders; ++w) {
      std::vector<Tensor> room;
      for (const Extent& extent : result_extents(plan_, plan_.workers[static_cast<std::size_t>(w)]))
        room.push_back(extent.elements() == 0 ? Tensor()
                                              : Tensor(*arguments_.allocator, DType::f32, extent,
                                                       labels[room.size()], kRoot));
      post(w, std::move(room), {}, kFirstGather, false);
    }
    messages_.flush(false);
    if (rank_ != 0) return await_all();
    OutputMerge output(plan_, arguments_, device_);
    output.add(player_.worker(), player_.result());
    for (OnTheWay& one : on_the_way_) {
      await(one);
      output.add(plan_.workers[static_cast<std::size_t>(one.other)], one.views);
      one.owned.clear();
    }
    output.finish();
  }

  [[nodiscard]] int n_workers() const { return static_cast<int>(plan_.workers.size()); }

  const Plan& plan_;
  ExecutionArguments arguments_;
  Tensor delta_;  // at rank 0, if it scatters D
  AttentionDevice& device_;
  Transport& messages_;
  const int rank_;
  WorkerTime time_;
  Stopwatch watch_;
  // Messages may come into these and into the player's until the team is closed.
  std::vector<OnTheWay> on_the_way_;
  WorkerPlayer player_;
  const bool scattered_;
};

}  // namespace

std::string bytes_of(const WorkerTime& time) {
  const auto bytes = [](const auto* values, std::size_t n) {
    return std::string(reinterpret_cast<const char*>(values), n * sizeof(*values));
  };
  return bytes(static_cast<const WorkerTotals*>(&time), 1) +
         bytes(time.steps.data(), time.steps.size());
}

WorkerReport play_rank(const Plan& plan, const ExecutionArguments& arguments,
                       AttentionDevice& device, Transport& messages, WorkerTeam& ranks, int rank,
                       KeptCalls* kept) {
  std::unique_ptr<Rank> part;
  WorkerReport report = run_worker(ranks, messages, [&] {
    part = std::make_unique<Rank>(plan, arguments, device, messages, rank, kept);
    return part->play(ranks);
  });
  if (!ranks.is_closed()) (void)part.release();
  return report;
}

Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments) {
  const auto play = [&](WorkerTeam& ranks, int rank) {
    const auto device = open_device(arguments, arguments.threads);
    return play_rank(plan, arguments, *device, ranks, ranks, rank);
  };
  return execution_of(
      plan, run_over_mpi(static_cast<int>(plan.workers.size()), arguments.message_timeout_s, play));
}

Execution execution_of(const Plan& plan, const std::vector<std::string>& results) {
  Execution execution;
  for (const std::string& bytes : results) {
    WorkerTotals totals;
    std::memcpy(&totals, bytes.data(), sizeof(totals));
    const std::size_t of_steps = bytes.size() - sizeof(totals);
    std::vector<StepTime> steps(of_steps / sizeof(StepTime));
    std::memcpy(steps.data(), bytes.data() + sizeof(totals), of_steps);
    execution.wall_s = std::max(execution.wall_s, totals.wall_s);
    execution.device_s = std::max(execution.device_s, totals.device_s);
    execution.workers.push_back({totals, std::move(steps)});
  }
  for (WorkerTime& worker : execution.workers)
    if (plan.result == Result::root && !worker.steps.empty())
      worker.steps.back().idle_s += execution.wall_s - worker.wall_s;
  return execution;
}

}  // namespace qb
