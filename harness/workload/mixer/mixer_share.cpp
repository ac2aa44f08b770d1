// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/status.h"

namespace qb {
namespace {

ExchangePlan scan_of(const Case& c, const MixerProblem& mixer) {
  const auto workers = static_cast<std::size_t>(c.workers);
  const ExchangePlan none{.held = std::vector<std::vector<Part>>(workers),
                          .wanted = std::vector<std::vector<Part>>(workers, {Part{}})};
  if (c.workers == 1 || c.mixer.kind == Mixer::axial) return none;
  if (c.workers > c.shape.q_len)
    throw Unsupported(
        fmt::format("{} tokens are too few for {} workers; the nearest is workers: {}",
                    c.shape.q_len, c.workers, c.shape.q_len));
  const Extent state = mixer_state_extents(mixer.options, mixer.shape(1)).matrix;
  if (c.mixer.blocks > state.heads)
    throw Unsupported(
        fmt::format("a state of {} heads has no {} blocks; the nearest is mixer.blocks: {}",
                    state.heads, c.mixer.blocks, state.heads));
  if (c.mixer.scan == ScanKind::all_reduce && !mixer.options.causal && c.workers > state.length)
    throw Unsupported(
        fmt::format("heads of {} rows have no part for each of {} workers; the nearest is "
                    "mixer.scan: all_gather",
                    state.length, c.workers));
  return plan_scan(c.mixer.scan, c.workers,
                   c.mixer.blocks == 0 ? static_cast<int>(state.heads) : c.mixer.blocks,
                   mixer.options.causal);
}

std::optional<AxialTensor> axial_of(const Case& c) {
  if (c.workers == 1 || c.mixer.kind != Mixer::axial) return std::nullopt;
  return plan_axial(c.mixer.rows, c.shape.q_len / c.mixer.rows, c.workers);
}

double pairs(const AxialTensor& plan, std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows * plan.columns * plan.columns + columns * plan.rows * plan.rows);
}

// Counts what is asked of it, and gives no memory.
class CountingAllocator final : public Allocator {
 public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::string_view, int) override {
    bytes_ += static_cast<double>(bytes);
    return nullptr;
  }
  void deallocate(void*) noexcept override {}
  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  double bytes_ = 0.0;
};

double product_flop_per_s(const DeviceModel& device, DType dtype) {
  if (device.product_flop_per_s.value == 0.0 || size_of(dtype) != 2)
    throw Unsupported(
        fmt::format("the device {} has no product_flop_per_s of inputs in {}, which bounds "
                    "operators; the nearest is model.device: h100 with dtype: bf16",
                    device.name, word(dtype)));
  return device.product_flop_per_s.value;
}

// The backward pass of an operator on one worker, from the inputs and dO alone: mix_backward()
// keeps nothing of a forward pass.
class MixerBackward final : public OperatorWorker {
 public:
  using OperatorWorker::OperatorWorker;

 private:
  void compute(int /*round*/) override {
    timed([&] { device().mix_backward(problem_.options, arguments_, gradients_, context()); });
  }
};

}  // namespace

MixerShare::MixerShare(const Case& c, const MixerProblem& problem)
    : problem_(problem),
      passes_(passes_of(c.pass)),
      scan_(scan_of(c, problem)),
      axial_(axial_of(c)),
      exchanges_{make_exchanges(Pass::forward), make_exchanges(Pass::backward)} {}

ExchangeMessages MixerShare::make_exchanges(Pass pass) const {
  if (workers() == 1) return {};
  ExchangeMessages exchanges;
  if (!axial_) {
    for (int e = 0; e < mixer_exchanges(problem_.options.kind); ++e)
      for (std::vector<SizedMessage>& messages = exchanges.emplace_back();
           const ExchangeMessage& m : scan_.messages)
        messages.push_back({m.round, m.from, m.to,
                            block_bytes(problem_, scan_, e, m.part.columns.begin), m.part, e});
    return exchanges;
  }
  Extent token = problem_.problem.shape.out();
  token.length = 1;
  std::vector<SizedMessage>& messages = exchanges.emplace_back();
  int round = 0;
  for (const int change : axial_rounds(pass, problem_.has_pair_bias)) {
    if (change == kGatherBias)
      for (int step = 1; step < axial_->workers; ++step)
        for (int from = 0; from < axial_->workers; ++from)
          messages.push_back({round,
                              from,
                              (from + step) % axial_->workers,
                              token.heads * axial_->columns_of(from).columns.count() *
                                  axial_->columns * size_of(problem_.problem.dtype),
                              {},
                              round});
    else
      for (const ExchangeMessage& m : axial_->changes[change].messages)
        messages.push_back({round, m.from, m.to,
                            m.part.count() * token.elements() * size_of(problem_.problem.dtype),
                            m.part, round});
    ++round;
  }
  return exchanges;
}

Range MixerShare::tokens(int worker) const {
  if (!axial_) return part_of(problem_.problem.shape.q_len, workers(), worker);
  const Range rows = axial_->rows_of(worker).rows;
  return {rows.begin * axial_->columns, rows.end * axial_->columns};
}

double MixerShare::flop(int worker, Pass pass) const {
  const auto of = [&](std::int64_t n_tokens) {
    const MixerShape shape = problem_.shape(n_tokens);
    return pass == Pass::forward ? mixer_flop(problem_.options, shape)
                                 : mixer_backward_flop(problem_.options, shape);
  };
  if (!axial_) return of(tokens(worker).count());
  return of(problem_.problem.shape.q_len) *
         pairs(*axial_, axial_->rows_of(worker).rows.count(),
               axial_->columns_of(worker).columns.count()) /
         pairs(*axial_, axial_->rows, axial_->columns);
}

CaseWorker MixerShare::worker(int index, Allocator& memory) const {
  const bool goes_back = passes_.back() == Pass::backward;
  CaseWorker made{tensors(index, goes_back, memory)};
  const ExchangeMessages& forward = exchanges(Pass::forward);
  const ExchangeMessages& backward = exchanges(Pass::backward);
  if (axial_) {
    std::tie(made.forward, made.backward) = make_axial_workers(
        problem_, made.tensors, forward, goes_back ? &backward : nullptr, *axial_, index, memory);
    return made;
  }
  made.forward = make_state_worker(problem_, made.tensors, forward, scan_, index, memory);
  if (goes_back)
    made.backward =
        std::make_unique<MixerBackward>(problem_, made.tensors, backward, index, memory);
  return made;
}

int MixerShare::rounds() const {
  int rounds = 0;
  for (const Pass pass : passes_)
    for (const std::vector<SizedMessage>& messages : exchanges(pass))
      rounds += messages.back().round + 1;
  return rounds;
}

double MixerShare::links_s(const Network& network) const {
  double seconds = 0.0;
  for (const Pass pass : passes_)
    for (const std::vector<SizedMessage>& messages : exchanges(pass))
      seconds += rounds_time_s(messages, workers(), network);
  return seconds;
}

std::optional<std::int64_t> MixerShare::state_bytes() const {
  if (axial_ || workers() == 1) return std::nullopt;
  std::int64_t bytes = 0;
  for (int e = 0; e < mixer_exchanges(problem_.options.kind); ++e)
    for (int block = 0; block < blocks_of(scan_); ++block)
      bytes += block_bytes(problem_, scan_, e, block);
  return bytes;
}

std::optional<std::string> MixerShare::flaw() const {
  if (!axial_) return check(scan_);
  const std::optional<std::string> error = check(axial_->changes[0]);
  return error ? error : check(axial_->changes[1]);
}

MixerBound mixer_bound(const MixerShare& share, const DeviceModel& device, const Network& network) {
  const double flop_per_s = product_flop_per_s(device, share.problem().problem.dtype);
  MixerBound bound{.scan_s = share.links_s(network)};
  for (int w = 0; w < share.workers(); ++w) {
    double seconds = 0.0;
    for (const Pass pass : share.passes()) {
      CountingAllocator memory;
      const MixerTensors tensors = share.tensors(w, pass == Pass::backward, memory);
      // A backward pass needs no output.
      const double bytes =
          memory.bytes() -
          (pass == Pass::backward ? static_cast<double>(tensors.arguments().out.bytes()) : 0.0);
      const double products_s = share.flop(w, pass) / flop_per_s;
      const double rate = device.memory_byte_per_s.value;
      seconds += rate > 0.0 ? std::max(products_s, bytes / rate) : products_s;
    }
    bound.compute_s = std::max(bound.compute_s, seconds);
    bound.worker_sum_s += seconds;
  }
  return bound;
}

MixerGroup::MixerGroup(const MixerShare& share, Ranks ranks, MemoryLedger& memory)
    : share_(share), ranks_(ranks), memory_(memory) {
  for (int w = 0; ranks != Ranks::mpi && w < share.workers(); ++w) add_worker(w);
}

void MixerGroup::add_worker(int index) {
  const std::uint64_t before = memory_.active_bytes();
  CaseWorker& worker =
      *workers_.emplace_back(std::make_shared<CaseWorker>(share_.worker(index, memory_)));
  worker.held_bytes = static_cast<std::int64_t>(memory_.active_bytes() - before);
  device_peak_bytes_ = std::max(device_peak_bytes_, worker.held_bytes);
}

void MixerGroup::fill(int threads) {
  for (const auto& worker : workers_) worker->fill(threads);
}

Execution MixerGroup::run(Pass pass, MixerDevice& device, int threads,
                          const MemoryTransport::Options& links, bool collects) {
  const bool is_rank = ranks_ == Ranks::mpi;
  const auto make = [&](int w, WorkerTeam& team) -> std::shared_ptr<StepWorker> {
    if (workers_.empty()) {
      add_worker(w);
      memory_.reset_peaks();
      fill(threads);
    }
    const auto& worker = workers_[is_rank ? 0 : static_cast<std::size_t>(w)];
    OperatorWorker& in_pass = worker->in(pass);
    const std::int64_t held_bytes = worker->held_bytes;
    in_pass.use(device, threads, team, [=, this, &team](WorkerTime& time) {
      if (is_rank && collects) collect(pass, team, w);
      time.active_peak_bytes = held_bytes + static_cast<std::int64_t>(memory_.worker_peak_bytes(w));
    });
    return {worker, &in_pass};
  };
  Execution run = run_workers(ranks_, links, make);
  device_peak_bytes_ = 0;
  for (const WorkerTime& time : run.workers)
    device_peak_bytes_ = std::max(device_peak_bytes_, time.active_peak_bytes);
  return run;
}

void MixerGroup::collect(Pass pass, Transport& messages, int rank) {
  std::vector<Ticket> tickets;
  const std::vector<TensorView> own = first_tensors().written(pass);
  others_[pass].clear();
  for (std::size_t t = 0; t < own.size(); ++t) {
    const int step = -1 - static_cast<int>(t);  // no round of a plan
    if (rank > 0) tickets.push_back(messages.send({rank, 0, step}, bytes_of(own[t])));
    std::vector<Tensor>& others = others_[pass].emplace_back();
    for (int w = 1; rank == 0 && w < share_.workers(); ++w) {
      Extent extent = own[t].extent;
      extent.length = share_.tokens(w).count();
      const Tensor& of_worker =
          others.emplace_back(heap_allocator(), DType::f32, extent, "collected");
      tickets.push_back(messages.receive({w, 0, step}, bytes_of(of_worker.view())));
    }
  }
  for (const Ticket& ticket : tickets) (void)messages.wait(ticket);
}

std::vector<TensorView> MixerGroup::written(Pass pass, int worker) const {
  if (worker < std::ssize(workers_))
    return workers_[static_cast<std::size_t>(worker)]->tensors.written(pass);
  std::vector<TensorView> views;
  for (const std::vector<Tensor>& others : others_.at(pass))
    views.push_back(others[static_cast<std::size_t>(worker - 1)].view());
  return views;
}

}  // namespace qb
