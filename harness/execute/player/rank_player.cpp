// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/player/rank_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/status.h"
#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/transport/mpi_world.h"

namespace qb {
namespace {

// The step numbers of the messages from and to the root: its scatter, of at most six pieces of a
// worker, and its gather, of the tensors of a result.
constexpr int kScatter[] = {-1, -2, -3, -4, -5, -6};
constexpr int kGather[] = {-7, -8, -9};
constexpr const char* kGatheredLabels[2][3] = {{"out_gathered", "lse_gathered", ""},
                                               {"d_q_gathered", "d_k_gathered", "d_v_gathered"}};

// The forward pass leaves O and LSE at rank 0, from where they come to the other ranks.
bool is_of_forward_pass(const Piece& piece) {
  return piece.what == TensorRole::partial || piece.what == TensorRole::lse;
}

std::span<std::byte> bytes_of(const TensorView& view) {
  return {static_cast<std::byte*>(view.data), static_cast<std::size_t>(view.bytes())};
}

class Rank {
 public:
  Rank(const Plan& plan, const ExecutionArguments& arguments, AttentionDevice& device,
       Transport& messages, RankTransport& ranks, int rank, KeptCalls* kept)
      : plan_(plan),
        arguments_(arguments),
        device_(device),
        messages_(messages),
        ranks_(ranks),
        run_(ranks),
        rank_(rank),
        watch_(device),
        player_(std::make_unique<WorkerPlayer>(
            plan, rank, arguments_, WorkerPlayer::Tools{device, watch_, &messages, nullptr, kept},
            report().time)) {}

  RankReport play() {
    const bool at_root = plan_.result == Result::root;
    const bool scattered = is_scattered(player_->worker());
    run_.attempt([&] {
      if (rank_ == 0) delta_ = room_for_root_delta(plan_, arguments_);
      if (!scattered) prepare();
      messages_.settle();
    });
    run_.attempt_always([&] { ranks_.meet(); });
    const double start_s = now_s();
    run_.attempt([&] { watch_.start(start_s); });
    if (scattered) run_.attempt([&] { scatter(); });
    run_.attempt([&] { player_->play(); });
    if (at_root) run_.attempt([&] { gather(); });
    run_.attempt([&] { messages_.settle(); });
    run_.attempt([&] { stop(); });
    if (!at_root) run_.attempt([&] { collect(); });
    close();
    if (const auto* ledger = dynamic_cast<const MemoryLedger*>(arguments_.allocator))
      report().time.active_peak_bytes = static_cast<std::int64_t>(ledger->worker_peak_bytes(rank_));
    return std::move(report());
  }

 private:
  void stop() {
    watch_.stop();
    report().duration_s = watch_.wall_s();
    report().device_s = watch_.device_s();
    sum_steps(report().time);
  }

  // Messages end on all ranks before their buffers are freed. If a rank does not come, buffers must
  // outlive this run, which is then the last one.
  void close() {
    if (report().status != Status::ok) messages_.abandon();
    run_.attempt_always([&] { ranks_.close(); });
    if (!ranks_.is_closed()) (void)player_.release();
    buffers_.clear();
    player_.reset();
  }

  // A rank makes its own shard, and in a backward pass gets from rank 0 what the forward pass left.
  void prepare() {
    if (plan_.pass == Pass::forward) return player_->prepare();
    const std::vector<Ticket> tickets = distribute(is_of_forward_pass);
    if (rank_ == 0) player_->prepare();
    for (const Piece& piece : pieces_of(plan_, player_->worker()))
      if (rank_ != 0 && !is_of_forward_pass(piece)) player_->take(piece);
    await(tickets);
    buffers_.clear();
  }

  void scatter() {
    watch_.charge(&report().time.gather_s);
    if (rank_ == 0 && arguments_.delta.data != nullptr)
      device_.compute_delta(arguments_.out, arguments_.d_out, arguments_.delta);
    const std::vector<Ticket> tickets = distribute([](const Piece&) { return true; });
    if (rank_ == 0) player_->prepare();
    watch_.charge(&report().time.gather_s);
    await(tickets);
    buffers_.clear();
    watch_.charge(nullptr);
  }

  // Rank 0 begins to send the other ranks their pieces of these kinds.
  template <class IsSent>
  [[nodiscard]] std::vector<Ticket> distribute(const IsSent& is_sent) {
    std::vector<Ticket> tickets;
    if (rank_ != 0) {
      player_->make_room();
      const std::vector<Piece> pieces = pieces_of(plan_, player_->worker());
      for (std::size_t i = 0; i < pieces.size(); ++i)
        if (is_sent(pieces[i]))
          tickets.push_back(
              messages_.receive({0, rank_, kScatter[i]}, bytes_of(player_->piece(pieces[i]))));
    }
    for (int w = 1; rank_ == 0 && w < n_workers(); ++w) {
      const std::vector<Piece> pieces =
          pieces_of(plan_, plan_.workers[static_cast<std::size_t>(w)]);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!is_sent(pieces[i])) continue;
        buffers_.push_back(player_->piece_of(w, pieces[i]));
        tickets.push_back(messages_.send({0, w, kScatter[i]}, bytes_of(buffers_.back().view())));
      }
    }
    messages_.flush(false);
    return tickets;
  }

  // A worker's result on its way to rank 0.
  struct Gathered {
    std::size_t worker = 0;
    std::vector<Tensor> tensors{};
    std::vector<Ticket> tickets{};
    [[nodiscard]] WorkerResult result() const {
      WorkerResult views;
      for (const Tensor& tensor : tensors) views.push_back(tensor.view());
      return views;
    }
  };

  [[nodiscard]] Gathered make_room_for(std::size_t w) const {
    Gathered gathered{.worker = w};
    const auto& labels = kGatheredLabels[plan_.pass == Pass::forward ? 0 : 1];
    for (const Extent& extent : result_extents(plan_, plan_.workers[w])) {
      const char* const label = labels[gathered.tensors.size()];
      gathered.tensors.push_back(
          extent.elements() == 0 ? Tensor()
                                 : Tensor(*arguments_.allocator, DType::f32, extent, label, kRoot));
    }
    return gathered;
  }

  void await(const std::vector<Ticket>& tickets) {
    for (const Ticket& ticket : tickets) (void)messages_.wait(ticket);
  }

  // Sends the worker's result to rank 0, which merges those of all workers in worker order.
  void merge_results(OutputMerge& output) {
    const auto post = [&](int from, const WorkerResult& result) {
      std::vector<Ticket> tickets;
      for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i].bytes() == 0) continue;  // a worker without such rows
        const MessageKey key{from, 0, kGather[i]};
        const std::span<std::byte> bytes = bytes_of(result[i]);
        tickets.push_back(rank_ == 0 ? messages_.receive(key, bytes) : messages_.send(key, bytes));
      }
      return tickets;
    };
    if (rank_ != 0) {
      const std::vector<Ticket> tickets = post(rank_, player_->result());
      messages_.flush(false);
      return await(tickets);
    }
    std::vector<Gathered> gathered;
    for (int w = 1; w < n_workers(); ++w) {
      gathered.push_back(make_room_for(static_cast<std::size_t>(w)));
      gathered.back().tickets = post(w, gathered.back().result());
    }
    messages_.flush(false);
    output.add(player_->worker(), player_->result());
    for (Gathered& one : gathered) {
      await(one.tickets);
      output.add(plan_.workers[one.worker], one.result());
      one.tensors.clear();
    }
  }

  void gather() {
    OutputMerge output(plan_, arguments_, device_);
    if (rank_ == 0) watch_.charge(&report().time.merge_s);
    merge_results(output);
    if (rank_ != 0) return;
    output.finish();
    watch_.charge(nullptr);
  }

  void collect() {
    if (!arguments_.collect_output) return;
    OutputMerge output(plan_, arguments_, device_);
    if (plan_.result != Result::everyone)
      merge_results(output);
    else if (rank_ == 0)
      output.add(player_->worker(), player_->result());
    messages_.settle();
  }

  [[nodiscard]] RankReport& report() { return run_.report(); }
  [[nodiscard]] int n_workers() const { return static_cast<int>(plan_.workers.size()); }

  const Plan& plan_;
  ExecutionArguments arguments_;
  Tensor delta_;  // at rank 0, if it scatters D
  AttentionDevice& device_;
  Transport& messages_;
  RankTransport& ranks_;
  RankRun run_;
  const int rank_;
  Stopwatch watch_;
  std::vector<Tensor> buffers_;  // for the scatter
  std::unique_ptr<WorkerPlayer> player_;
};

// Calls visit with each number of a report besides those of its steps.
void visit_numbers(auto& report, const auto& visit) {
  const auto visit_all = [&](auto&... numbers) { (visit(numbers), ...); };
  auto& time = report.time;
  visit_all(report.status, report.told, report.duration_s, report.device_s, time.gather_s,
            time.compute_s, time.merge_s, time.active_peak_bytes, time.sent_bytes,
            time.from_root_bytes);
}

// Returns the numbers, the number of steps, the steps, and the text of a failure.
std::string pack(const RankReport& report) {
  std::string text;
  const auto put = [&](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  visit_numbers(report, put);
  put(report.time.steps.size());
  for (const StepTime& step : report.time.steps) put(step);
  return text + report.message;
}

RankReport unpack(const std::string& text) {
  RankReport report;
  std::size_t at = 0;
  const auto take = [&](auto& value) {
    std::memcpy(&value, text.data() + at, sizeof(value));
    at += sizeof(value);
  };
  visit_numbers(report, take);
  std::size_t n_steps = 0;
  take(n_steps);
  report.time.steps.resize(n_steps);
  for (StepTime& step : report.time.steps) take(step);
  report.message = text.substr(at);
  return report;
}

}  // namespace

// A rank's own failure goes before one that came to it from another rank.
void throw_failure(const std::vector<RankReport>& reports) {
  for (const bool told : {false, true})
    for (std::size_t r = 0; r < reports.size(); ++r) {
      const RankReport& report = reports[r];
      if (report.status == Status::ok || report.told != told) continue;
      throw CaseError(report.status,
                      told ? report.message : fmt::format("rank {}: {}", r, report.message));
    }
}

void RankRun::fail(Status status, const std::string& message) {
  if (report_.status != Status::ok) return;
  report_.status = status;
  report_.message = message;
  report_.told = ranks_.has_failed();
  ranks_.fail(status, message);
}

RankReport play_rank(const Plan& plan, const ExecutionArguments& arguments, AttentionDevice& device,
                     Transport& messages, RankTransport& ranks, int rank, KeptCalls* kept) {
  return Rank(plan, arguments, device, messages, ranks, rank, kept).play();
}

void require_ranks(int workers) {
  const MpiWorld* const world = MpiWorld::current();
  if (world == nullptr)
    throw Unsupported(fmt::format(
        "ranks: mpi needs a process for each worker: mpirun -n {} qb run …, or srun --mpi=pmix",
        workers));
  if (workers > world->size())
    throw Unsupported(
        fmt::format("{} workers need as many MPI processes; there are {}", workers, world->size()));
}

std::vector<RankReport> reports_over_mpi(int workers, double timeout_s, const RankPlay& play) {
  MpiWorld& world = *MpiWorld::current();
  const auto transport = world.make_transport(workers, timeout_s);
  RankReport own;
  if (transport) own = play(*transport, world.rank());
  const std::vector<std::string> texts = world.gather(pack(own), 2.0 * timeout_s);
  if (world.rank() != 0) return {};
  std::vector<RankReport> reports;
  for (int w = 0; w < workers; ++w) reports.push_back(unpack(texts[static_cast<std::size_t>(w)]));
  return reports;
}

Execution play_over_mpi(const Plan& plan, int workers, double timeout_s, const RankPlay& play) {
  std::vector<RankReport> reports = reports_over_mpi(workers, timeout_s, play);
  return reports.empty() ? Execution() : execution_of(plan, std::move(reports));
}

Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments) {
  const auto workers = static_cast<int>(plan.workers.size());
  require_ranks(workers);
  return play_over_mpi(plan, workers, arguments.message_timeout_s,
                       [&](RankTransport& ranks, int rank) {
                         const auto device = open_device(arguments, arguments.threads);
                         return play_rank(plan, arguments, *device, ranks, ranks, rank);
                       });
}

Execution execution_of(const Plan& plan, std::vector<RankReport> reports) {
  throw_failure(reports);
  Execution execution;
  for (const RankReport& report : reports) {
    execution.wall_s = std::max(execution.wall_s, report.duration_s);
    execution.device_s = std::max(execution.device_s, report.device_s);
  }
  for (RankReport& report : reports) {
    if (plan.result == Result::root && !report.time.steps.empty())
      report.time.steps.back().idle_s += execution.wall_s - report.duration_s;
    execution.workers.push_back(std::move(report.time));
  }
  return execution;
}

}  // namespace qb
