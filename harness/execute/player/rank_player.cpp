#include "harness/execute/player/rank_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/status.h"
#include "harness/execute/memory/memory_ledger.h"

namespace qb {
namespace {

// The step numbers of the root's scatter and gather.
constexpr int kScatter[] = {-1, -2, -3};  // Q, K, V
constexpr int kGather[] = {-4, -5};       // O, LSE

std::span<std::byte> bytes_of(const TensorView& view) {
  return {static_cast<std::byte*>(view.data), static_cast<std::size_t>(view.bytes())};
}

class Rank {
 public:
  Rank(const Plan& plan, const ExecutionArguments& arguments, const RankTools& tools, int rank)
      : plan_(plan),
        arguments_(arguments),
        device_(tools.device),
        messages_(tools.messages),
        ranks_(tools.ranks),
        rank_(rank),
        n_workers_(static_cast<int>(plan.workers.size())),
        watch_(device_),
        player_(std::make_unique<WorkerPlayer>(
            plan, rank, arguments, PlayerTools{device_, watch_, &messages_, nullptr, tools.kept},
            report_.time)) {}

  RankReport run() {
    const bool at_root = plan_.result == Result::root;
    attempt([&] {
      if (!player_->is_scattered()) player_->prepare();
      messages_.settle();
    });
    attempt_always([&] { ranks_.meet(); });
    const double start_s = now_s();
    attempt([&] { watch_.start(start_s); });
    if (player_->is_scattered()) attempt([&] { scatter(); });
    attempt([&] { player_->play(); });
    if (at_root) attempt([&] { gather(); });
    attempt([&] { messages_.settle(); });
    report_.duration_s = now_s() - start_s;
    attempt([&] { stop(); });
    if (!at_root) attempt([&] { collect(); });
    close();
    if (const auto* ledger = dynamic_cast<const MemoryLedger*>(arguments_.allocator))
      report_.time.active_peak_bytes = static_cast<std::int64_t>(ledger->worker_peak_bytes(rank_));
    return std::move(report_);
  }

 private:
  template <class Body>
  void attempt_always(const Body& body) {
    try {
      body();
    } catch (const CaseError& error) {
      fail(error.status(), error.what());
    } catch (const std::bad_alloc&) {
      fail(Status::oom, "the heap has no more memory");
    } catch (const std::exception& error) {
      fail(Status::error, error.what());
    }
  }

  template <class Body>
  void attempt(const Body& body) {
    if (report_.status == Status::ok) attempt_always(body);
  }

  void fail(Status status, const std::string& message) {
    if (report_.status != Status::ok) return;
    report_.status = status;
    report_.message = message;
    report_.told = ranks_.has_failed();
    ranks_.fail(status, message);
  }

  void stop() {
    watch_.stop();
    report_.device_s = watch_.device_s();
    sum_steps(report_.time);
  }

  // Messages end on all ranks before their buffers are freed. If a rank does not come, buffers must
  // outlive this run, which is then the last one.
  void close() {
    if (report_.status != Status::ok) messages_.abandon();
    attempt_always([&] { ranks_.close(); });
    if (!ranks_.is_closed()) (void)player_.release();
    buffers_.clear();
    player_.reset();
  }

  [[nodiscard]] TensorView whole(TensorRole what) const {
    return what == TensorRole::q ? arguments_.q
                                 : (what == TensorRole::k ? arguments_.k : arguments_.v);
  }

  void scatter() {
    watch_.charge(&report_.time.gather_s);
    constexpr TensorRole kRoles[] = {TensorRole::q, TensorRole::k, TensorRole::v};
    std::vector<Ticket> tickets;
    if (rank_ == 0) {
      for (int w = 1; w < n_workers_; ++w)
        for (int i = 0; i < 3; ++i) {
          buffers_.push_back(player_->shard_of(w, kRoles[i], whole(kRoles[i])));
          tickets.push_back(messages_.send({0, w, kScatter[i]}, bytes_of(buffers_.back().view())));
        }
      messages_.flush(false);
      player_->prepare();
    } else {
      player_->make_room();
      for (int i = 0; i < 3; ++i)
        tickets.push_back(
            messages_.receive({0, rank_, kScatter[i]}, bytes_of(player_->shard(kRoles[i]))));
      messages_.flush(false);
    }
    watch_.charge(&report_.time.gather_s);
    for (const Ticket& ticket : tickets) (void)messages_.wait(ticket);
    buffers_.clear();
    watch_.charge(nullptr);
  }

  struct Answer {
    Tensor out;
    Tensor lse;
    Ticket out_ticket;
    Ticket lse_ticket;
  };

  // Sends the worker's partial to rank 0, which receives those of the others.
  std::vector<Answer> exchange_partials() {
    std::vector<Answer> answers(static_cast<std::size_t>(n_workers_));
    const Partial& own = player_->partial();
    if (rank_ != 0) {
      if (own.out.view().data == nullptr) return answers;
      const Ticket out = messages_.send({rank_, 0, kGather[0]}, bytes_of(own.out.view()));
      const Ticket lse = messages_.send({rank_, 0, kGather[1]}, bytes_of(own.lse.view()));
      messages_.flush(false);
      (void)messages_.wait(out);
      (void)messages_.wait(lse);
      return answers;
    }
    for (int w = 1; w < n_workers_; ++w) {
      const Worker& worker = plan_.workers[static_cast<std::size_t>(w)];
      const HeadRange heads = plan_.heads_of(worker);
      Extent extent = plan_.problem.shape.out();
      extent.heads = heads.end - heads.begin;
      extent.length = tokens_of(plan_.q_groups, worker.q_groups);
      if (extent.length == 0) continue;
      Answer& answer = answers[static_cast<std::size_t>(w)];
      answer.out = Tensor(*arguments_.allocator, DType::f32, extent, "out_gathered", kRoot);
      extent.head_dim = 1;
      answer.lse = Tensor(*arguments_.allocator, DType::f32, extent, "lse_gathered", kRoot);
      answer.out_ticket = messages_.receive({w, 0, kGather[0]}, bytes_of(answer.out.view()));
      answer.lse_ticket = messages_.receive({w, 0, kGather[1]}, bytes_of(answer.lse.view()));
    }
    messages_.flush(false);
    return answers;
  }

  void await(const Answer& answer) {
    (void)messages_.wait(answer.out_ticket);
    (void)messages_.wait(answer.lse_ticket);
  }

  // Merges the partials of all workers into the output, in worker order.
  void gather() {
    if (rank_ == 0) watch_.charge(&report_.time.merge_s);
    std::vector<Answer> answers = exchange_partials();
    if (rank_ != 0) return;
    OutputMerge output(plan_, arguments_, device_);
    output.add(player_->worker(), player_->partial());
    add_answers(answers, output);
    output.finish();
    watch_.charge(nullptr);
  }

  // Adds them in worker order.
  void add_answers(std::vector<Answer>& answers, OutputMerge& output) {
    for (int w = 1; w < n_workers_; ++w) {
      Answer& answer = answers[static_cast<std::size_t>(w)];
      if (answer.out.view().data == nullptr) continue;
      await(answer);
      output.add(plan_.workers[static_cast<std::size_t>(w)],
                 {std::move(answer.out), std::move(answer.lse), true});
    }
  }

  // Collects the sharded output on rank 0.
  void collect() {
    if (!arguments_.collect_output) return;
    deliver();
    messages_.settle();
  }

  void deliver() {
    OutputMerge output(plan_, arguments_, device_);
    if (plan_.result == Result::everyone) {
      if (rank_ == 0) output.add(player_->worker(), player_->partial());
      return;
    }
    std::vector<Answer> answers = exchange_partials();
    if (rank_ != 0) return;
    output.add(player_->worker(), player_->partial());
    add_answers(answers, output);
  }

  const Plan& plan_;
  const ExecutionArguments& arguments_;
  ComputeDevice& device_;
  Transport& messages_;
  RankTransport& ranks_;
  const int rank_;
  const int n_workers_;
  RankReport report_;
  Stopwatch watch_;
  std::vector<Tensor> buffers_;  // for the scatter
  std::unique_ptr<WorkerPlayer> player_;
};

// Throws a rank's own failure, or else one that came to it from another rank.
void throw_failure(const std::vector<RankReport>& reports) {
  for (const bool told : {false, true})
    for (std::size_t r = 0; r < reports.size(); ++r) {
      const RankReport& report = reports[r];
      if (report.status == Status::ok || report.told != told) continue;
      throw CaseError(report.status,
                      told ? report.message : fmt::format("rank {}: {}", r, report.message));
    }
}

}  // namespace

std::string pack(const RankReport& report) {
  std::vector<double> numbers = {static_cast<double>(report.status),
                                 report.told ? 1.0 : 0.0,
                                 report.duration_s,
                                 report.device_s,
                                 report.time.gather_s,
                                 report.time.compute_s,
                                 report.time.merge_s,
                                 static_cast<double>(report.time.active_peak_bytes),
                                 static_cast<double>(report.time.steps.size())};
  for (const StepTime& step : report.time.steps)
    numbers.insert(numbers.end(), {step.start_s, step.compute_s, step.communication_s,
                                   step.exposed_communication_s, step.idle_s});
  std::string text(numbers.size() * sizeof(double), '\0');
  std::memcpy(text.data(), numbers.data(), text.size());
  return text + report.message;
}

RankReport unpack(const std::string& text) {
  std::size_t at = 0;
  const auto next = [&] {
    double number = 0.0;
    std::memcpy(&number, text.data() + at, sizeof(number));
    at += sizeof(number);
    return number;
  };
  RankReport report;
  report.status = static_cast<Status>(static_cast<int>(next()));
  report.told = next() != 0.0;
  report.duration_s = next();
  report.device_s = next();
  report.time.gather_s = next();
  report.time.compute_s = next();
  report.time.merge_s = next();
  report.time.active_peak_bytes = static_cast<std::int64_t>(next());
  report.time.steps.resize(static_cast<std::size_t>(next()));
  for (StepTime& step : report.time.steps) step = {next(), next(), next(), next(), next()};
  report.message = text.substr(at);
  return report;
}

bool is_scattered(const Plan& plan) {
  return std::ranges::any_of(plan.workers, [](const Worker& worker) {
    return !worker.steps.empty() &&
           std::ranges::any_of(worker.steps[0].receives, [](const Transfer& transfer) {
             return transfer.kind == TransferKind::scatter;
           });
  });
}

RankReport play_rank(const Plan& plan, const ExecutionArguments& arguments, const RankTools& tools,
                     int rank) {
  return Rank(plan, arguments, tools, rank).run();
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
