// One MPI process a worker. Rank 0 is the root too: it holds the whole sequence, scatters and
// gathers where the plan does, and puts the output together. Where tokens start and end sharded,
// every rank makes its own shard, and the output is collected outside the measured time.
//
// A failure on one rank reaches the others through their waits; all of them then end the run
// together, so that the next one finds no stray messages.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "harness/base/status.h"
#include "harness/execute/memory_ledger.h"
#include "harness/execute/mpi_world.h"
#include "harness/execute/worker.h"

namespace qb {
namespace {

// What the root sends and gathers, in place of a step.
constexpr int kScatter[] = {-1, -2, -3};  // Q, K, V
constexpr int kGather[] = {-4, -5};       // O, LSE

std::span<std::byte> bytes_of(const TensorView& view) {
  return {static_cast<std::byte*>(view.data), static_cast<std::size_t>(view.bytes())};
}

// What a rank answers: numbers, then the text of a failure.
struct Report {
  Status status = Status::ok;
  bool told = false;  // the failure is another rank's
  double duration_s = 0.0;
  WorkerTime time;
  std::string message;
};

std::string pack(const Report& report) {
  std::vector<double> numbers = {static_cast<double>(report.status),
                                 report.told ? 1.0 : 0.0,
                                 report.duration_s,
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

Report unpack(const std::string& text) {
  std::size_t at = 0;
  const auto next = [&] {
    double number = 0.0;
    std::memcpy(&number, text.data() + at, sizeof(number));
    at += sizeof(number);
    return number;
  };
  Report report;
  report.status = static_cast<Status>(static_cast<int>(next()));
  report.told = next() != 0.0;
  report.duration_s = next();
  report.time.gather_s = next();
  report.time.compute_s = next();
  report.time.merge_s = next();
  report.time.active_peak_bytes = static_cast<std::int64_t>(next());
  report.time.steps.resize(static_cast<std::size_t>(next()));
  for (StepTime& step : report.time.steps) step = {next(), next(), next(), next(), next()};
  report.message = text.substr(at);
  return report;
}

class Rank {
 public:
  Rank(const Plan& plan, const ExecutionArguments& arguments, MpiTransport& transport, int rank)
      : plan_(plan),
        arguments_(arguments),
        transport_(transport),
        rank_(rank),
        n_workers_(static_cast<int>(plan.workers.size())),
        player_(std::make_unique<WorkerPlayer>(plan, rank, arguments, arguments.threads, &transport,
                                               report_.time)) {}

  Report run() {
    const bool at_root = plan_.result == Result::root;
    if (!player_->is_scattered()) attempt([&] { player_->prepare(); });
    attempt_always([&] { transport_.meet(); });
    const double start_s = now_s();
    player_->set_start(start_s);
    if (player_->is_scattered()) attempt([&] { scatter(); });
    attempt([&] { player_->play(); });
    if (at_root) attempt([&] { gather(); });
    report_.duration_s = now_s() - start_s;
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
    report_.told = transport_.has_failed();
    transport_.fail(status, message);
  }

  // Messages end on all ranks before their buffers do. Where a rank does not come, buffers must
  // outlive this run: it is the last one.
  void close() {
    attempt_always([&] { transport_.close(); });
    if (!transport_.is_closed()) (void)player_.release();
    buffers_.clear();
    player_.reset();
  }

  [[nodiscard]] TensorView whole(TensorRole what) const {
    return what == TensorRole::q ? arguments_.q
                                 : (what == TensorRole::k ? arguments_.k : arguments_.v);
  }

  void scatter() {
    const double start_s = now_s();
    constexpr TensorRole kRoles[] = {TensorRole::q, TensorRole::k, TensorRole::v};
    std::vector<Ticket> tickets;
    if (rank_ == 0) {
      for (int w = 1; w < n_workers_; ++w)
        for (int i = 0; i < 3; ++i) {
          buffers_.push_back(player_->shard_of(w, kRoles[i], whole(kRoles[i])));
          tickets.push_back(transport_.send({0, w, kScatter[i]}, bytes_of(buffers_.back().view())));
        }
      player_->prepare();
    } else {
      player_->make_room();
      for (int i = 0; i < 3; ++i)
        tickets.push_back(
            transport_.receive({0, rank_, kScatter[i]}, bytes_of(player_->shard(kRoles[i]))));
    }
    for (const Ticket& ticket : tickets) (void)transport_.wait(ticket);
    buffers_.clear();
    report_.time.gather_s = now_s() - start_s;
  }

  struct Answer {
    Tensor out;
    Tensor lse;
    Ticket out_ticket;
    Ticket lse_ticket;
  };

  // Sends the worker's partial to rank 0; there, awaits those of the others.
  std::vector<Answer> exchange_partials() {
    std::vector<Answer> answers(static_cast<std::size_t>(n_workers_));
    const Partial& own = player_->partial();
    if (rank_ != 0) {
      if (own.out.view().data == nullptr) return answers;
      const Ticket out = transport_.send({rank_, 0, kGather[0]}, bytes_of(own.out.view()));
      const Ticket lse = transport_.send({rank_, 0, kGather[1]}, bytes_of(own.lse.view()));
      (void)transport_.wait(out);
      (void)transport_.wait(lse);
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
      answer.out_ticket = transport_.receive({w, 0, kGather[0]}, bytes_of(answer.out.view()));
      answer.lse_ticket = transport_.receive({w, 0, kGather[1]}, bytes_of(answer.lse.view()));
    }
    return answers;
  }

  void await(const Answer& answer) {
    (void)transport_.wait(answer.out_ticket);
    (void)transport_.wait(answer.lse_ticket);
  }

  // Merges the partials of all workers into the output, in worker order.
  void gather() {
    const double start_s = now_s();
    std::vector<Answer> answers = exchange_partials();
    if (rank_ != 0) return;
    std::vector<char> written(plan_.q_groups.size(), 0);
    if (splits_heads(plan_)) clear_all(written);
    for (int w = 0; w < n_workers_; ++w) {
      const Worker& worker = plan_.workers[static_cast<std::size_t>(w)];
      Answer& answer = answers[static_cast<std::size_t>(w)];
      if (w > 0 && answer.out.view().data == nullptr) continue;
      if (w > 0) await(answer);
      const Partial come{std::move(answer.out), std::move(answer.lse), true};
      const Partial& partial = w == 0 ? player_->partial() : come;
      if (partial.out.view().data == nullptr) continue;
      const LocalLayout layout = local_layout(plan_, worker);
      for (std::size_t i = 0; i < worker.q_groups.size(); ++i) {
        char& held = written[static_cast<std::size_t>(worker.q_groups[i])];
        deliver_group(plan_, worker, layout, i, partial, held == 0, arguments_);
        held = 1;
      }
    }
    for (std::size_t group = 0; group < written.size(); ++group)
      if (written[group] == 0) clear_group(plan_, static_cast<int>(group), arguments_);
    report_.time.merge_s = now_s() - start_s;
  }

  void clear_all(std::vector<char>& written) {
    for (std::size_t group = 0; group < written.size(); ++group) {
      clear_group(plan_, static_cast<int>(group), arguments_);
      written[group] = 1;
    }
  }

  // The sharded output, on rank 0.
  void collect() {
    if (!arguments_.collect_output) return;
    if (plan_.result == Result::everyone) {
      if (rank_ == 0) deliver_whole(plan_, player_->worker(), player_->partial(), arguments_);
      return;
    }
    std::vector<Answer> answers = exchange_partials();
    if (rank_ != 0) return;
    deliver_whole(plan_, player_->worker(), player_->partial(), arguments_);
    for (int w = 1; w < n_workers_; ++w) {
      Answer& answer = answers[static_cast<std::size_t>(w)];
      if (answer.out.view().data == nullptr) continue;
      await(answer);
      const Partial partial{std::move(answer.out), std::move(answer.lse), true};
      deliver_whole(plan_, plan_.workers[static_cast<std::size_t>(w)], partial, arguments_);
    }
  }

  const Plan& plan_;
  const ExecutionArguments& arguments_;
  MpiTransport& transport_;
  const int rank_;
  const int n_workers_;
  Report report_;
  std::vector<Tensor> buffers_;  // of the scatter
  std::unique_ptr<WorkerPlayer> player_;
};

// The failure of all ranks' that came first hand, as rank 0 tells it.
void throw_failure(const std::vector<Report>& reports) {
  for (const bool told : {false, true})
    for (std::size_t r = 0; r < reports.size(); ++r) {
      const Report& report = reports[r];
      if (report.status == Status::ok || report.told != told) continue;
      throw CaseError(report.status,
                      told ? report.message : fmt::format("rank {}: {}", r, report.message));
    }
}

}  // namespace

Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments) {
  MpiWorld* const world = MpiWorld::current();
  if (world == nullptr)
    throw Unsupported(
        fmt::format("ranks: mpi needs a process for each worker: mpirun -n {} qb run …, or srun",
                    plan.workers.size()));
  if (static_cast<int>(plan.workers.size()) > world->size())
    throw Unsupported(fmt::format("{} workers need as many MPI processes; there are {}",
                                  plan.workers.size(), world->size()));
  const auto transport =
      world->make_transport(static_cast<int>(plan.workers.size()), arguments.message_timeout_s);
  Report own;
  if (transport) own = Rank(plan, arguments, *transport, world->rank()).run();
  const std::vector<std::string> texts =
      world->gather(pack(own), 2.0 * arguments.message_timeout_s);
  if (world->rank() != 0) return {};
  std::vector<Report> reports;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) reports.push_back(unpack(texts[w]));
  throw_failure(reports);
  Execution execution;
  for (const Report& report : reports)
    execution.wall_s = std::max(execution.wall_s, report.duration_s);
  for (Report& report : reports) {
    if (plan.result == Result::root && !report.time.steps.empty())
      report.time.steps.back().idle_s += execution.wall_s - report.duration_s;
    execution.workers.push_back(std::move(report.time));
  }
  return execution;
}

}  // namespace qb
