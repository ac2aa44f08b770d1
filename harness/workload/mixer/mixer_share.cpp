// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/integers.h"
#include "base/status.h"
#include "harness/rehearse/device_rehearsal.h"

namespace qb {
namespace {

bool goes_by_heads(const Case& c) {
  return c.workers > 1 && c.mixer.scan == ScanKind::all_to_all && c.mixer.kind != Mixer::axial;
}

std::vector<int> owners_of(const Case& c) {
  if (c.mixer.layout == TokenLayout::interleaved)
    throw Unsupported(
        "no operator goes over interleaved tokens; the nearest is mixer.layout: zigzag");
  // One worker alone has all tokens in one part.
  std::vector<int> owners =
      owners_of(c.workers == 1 ? TokenLayout::contiguous : c.mixer.layout, c.workers);
  const std::int64_t least =  // tokens of a part
      c.mixer.kind == Mixer::short_convolution && c.workers > 1 ? c.mixer.rank - 1 : 1;
  if (c.mixer.kind != Mixer::axial && std::ssize(owners) * least > c.shape.q_len)
    throw Unsupported(fmt::format(
        "{} tokens are too few for {} parts of {} workers; the nearest is workers: {}",
        c.shape.q_len, owners.size(), c.workers,
        std::max<std::int64_t>(1, c.shape.q_len * c.workers / (std::ssize(owners) * least))));
  return owners;
}

ExchangePlan scan_of(const Case& c, const MixerProblem& mixer, std::vector<int> owners, Pass pass) {
  const auto workers = static_cast<std::size_t>(c.workers);
  const ExchangePlan none{.held = std::vector<std::vector<Part>>(workers),
                          .wanted = std::vector<std::vector<Part>>(workers, {Part{}})};
  if (c.workers == 1 || c.mixer.kind == Mixer::axial || goes_by_heads(c)) return none;
  if (pass == Pass::backward) {
    if (c.pass == Passes::forward) return none;
    if (!mixer.options.causal)
      throw Unsupported(
          "workers share a backward pass under mask: causal only; the nearest is workers: 1");
    std::ranges::reverse(owners);
  }
  if (c.mixer.kind == Mixer::short_convolution) return plan_halo(owners);
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
  return plan_scan(c.mixer.scan, owners,
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

double product_flop_per_s(const DeviceModel& device, DType dtype) {
  if (device.product_flop_per_s.value == 0.0 || size_of(dtype) != 2)
    throw Unsupported(
        fmt::format("the device {} has no product_flop_per_s of inputs in {}, which bounds "
                    "operators; the nearest is model.device: h100 with dtype: bf16",
                    device.name, word(dtype)));
  return device.product_flop_per_s.value;
}

}  // namespace

MixerShare::MixerShare(const Case& c, const MixerProblem& problem)
    : problem_(problem),
      passes_(passes_of(c.pass)),
      owners_(owners_of(c)),
      scans_{scan_of(c, problem, owners_, Pass::forward),
             scan_of(c, problem, owners_, Pass::backward)},
      axial_(axial_of(c)) {
  if (goes_by_heads(c)) {
    const std::int64_t heads = c.shape.kv_heads;
    if (heads % c.workers != 0)
      throw Unsupported(
          fmt::format("{} kv_heads are not the same number for each of {} workers; the nearest is "
                      "mixer.scan: tree",
                      heads, c.workers));
    const Layout by_tokens = [&](int worker) {
      std::vector<Part> held;
      for (const int part : parts_of(worker)) held.push_back({{0, heads}, tokens(part)});
      return held;
    };
    const Layout by_heads = [&](int worker) {
      return std::vector<Part>{{part_of(heads, c.workers, worker), {0, c.shape.q_len}}};
    };
    heads_ = {plan_relayout(c.workers, by_tokens, by_heads),
              plan_relayout(c.workers, by_heads, by_tokens)};
  }
  for (const Pass pass : {Pass::forward, Pass::backward})
    exchanges_[of_pass(pass)] = make_exchanges(pass);
}

std::vector<int> MixerShare::parts_of(int worker) const {
  std::vector<int> parts = integers_below(this->parts());
  std::erase_if(parts, [&](int part) { return owner(part) != worker; });
  return parts;
}

std::vector<MixerTensors> MixerShare::tensors(int worker, bool with_gradients,
                                              Allocator& memory) const {
  std::vector<MixerTensors> made;
  for (const int part : parts_of(worker))
    made.emplace_back(problem_, tokens(part), memory, worker, with_gradients);
  return made;
}

ExchangeMessages MixerShare::make_exchanges(Pass pass) const {
  if (workers() == 1) return {};
  ExchangeMessages exchanges;
  if (!heads_.empty()) {
    const MixerTensors token(problem_, {0, 1}, heap_allocator(), 0, true);
    std::vector<SizedMessage>& messages = exchanges.emplace_back();
    for (int round = 0; round < 2; ++round) {
      std::int64_t bytes = 0;  // of a token and a head of the keys
      for (std::size_t which = 0;
           const TensorView& view : round == 0 ? token.read(pass) : token.written(pass))
        bytes += view.extent.elements() / problem_.problem.shape.kv_heads *
                 size_of(sent_by_heads(problem_, pass, round, which++, view));
      for (const ExchangeMessage& m : heads_[static_cast<std::size_t>(round)].messages)
        messages.push_back({round, m.from, m.to, m.part.count() * bytes, m.part, round});
    }
    return exchanges;
  }
  if (!axial_) {
    const ExchangePlan& scan = scans_[of_pass(pass)];
    for (int e = 0; !scan.messages.empty() && e < mixer_exchanges(problem_.options.kind); ++e)
      for (std::vector<SizedMessage>& messages = exchanges.emplace_back();
           const ExchangeMessage& m : scan.messages)
        messages.push_back(
            {m.round, m.from, m.to, block_bytes(problem_, scan, e, m.part), m.part, e});
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

Range MixerShare::tokens(int part) const {
  if (!axial_) return part_of(problem_.problem.shape.q_len, parts(), part);
  const Range rows = axial_->rows_of(part).rows;
  return {rows.begin * axial_->columns, rows.end * axial_->columns};
}

double MixerShare::flop(int worker, Pass pass) const {
  const auto of = [&](std::int64_t n_tokens) {
    MixerShape shape = problem_.shape(n_tokens);
    if (!heads_.empty()) {
      shape.q_heads /= workers();
      shape.kv_heads /= workers();
    }
    return pass == Pass::forward ? mixer_flop(problem_.options, shape)
                                 : mixer_backward_flop(problem_.options, shape);
  };
  if (!heads_.empty()) return of(problem_.problem.shape.q_len);
  if (!axial_) {
    double sum = 0.0;
    for (const int part : parts_of(worker)) sum += of(tokens(part).count());
    return sum;
  }
  return of(problem_.problem.shape.q_len) *
         pairs(*axial_, axial_->rows_of(worker).rows.count(),
               axial_->columns_of(worker).columns.count()) /
         pairs(*axial_, axial_->rows, axial_->columns);
}

CaseWorker MixerShare::worker(int index, Allocator& memory) const {
  const bool goes_back = passes_.back() == Pass::backward;
  CaseWorker made{tensors(index, goes_back, memory)};
  const OperatorParts parts{problem_, made.tensors, std::span(exchanges_).first(goes_back ? 2 : 1),
                            index, memory};
  if (axial_)
    made.passes = make_axial_workers(parts, *axial_);
  else if (!heads_.empty())
    made.passes = make_heads_workers(parts, heads_.front().wanted_by(index).front().rows);
  else
    made.passes = make_state_workers(parts, scans_);
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
  const ExchangePlan& scan = scans_[0];
  if (scan.messages.empty()) return std::nullopt;
  std::int64_t bytes = 0;
  for (int e = 0; e < mixer_exchanges(problem_.options.kind); ++e)
    for (int block = 0; block < blocks_of(scan); ++block)
      bytes += block_bytes(problem_, scan, e, {{1, 2}, {block, block + 1}});
  return bytes;
}

std::optional<std::string> MixerShare::flaw() const {
  std::vector<ExchangePlan> plans = heads_;
  plans.insert(plans.end(), std::begin(scans_), std::end(scans_));
  if (axial_) plans = {axial_->changes[0], axial_->changes[1]};
  for (const ExchangePlan& plan : plans)
    if (std::optional<std::string> error = check(plan)) return error;
  return std::nullopt;
}

Sample mixer_bound(const MixerShare& share, const DeviceModel& device, const Network& network) {
  const double flop_per_s = product_flop_per_s(device, share.problem().problem.dtype);
  double longest_s = 0.0;
  double worker_sum_s = 0.0;
  for (int w = 0; w < share.workers(); ++w) {
    double seconds = 0.0;
    for (const Pass pass : share.passes()) {
      MemoryLedger memory(over_addresses());
      double bytes = 0.0;
      for (const MixerTensors& part : share.tensors(w, pass == Pass::backward, memory))
        bytes -= pass == Pass::backward ? static_cast<double>(part.arguments().out.bytes()) : 0.0;
      // Without the output, which a backward pass does not need.
      bytes += static_cast<double>(memory.active_peak_bytes());
      const double products_s = share.flop(w, pass) / flop_per_s;
      const double rate = device.memory_byte_per_s.value;
      seconds += rate > 0.0 ? std::max(products_s, bytes / rate) : products_s;
    }
    longest_s = std::max(longest_s, seconds);
    worker_sum_s += seconds;
  }
  return sample_of_bound(longest_s, worker_sum_s, share.links_s(network));
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
  int step = 0;  // below those of messages of a plan
  for (int part = 0; part < share_.parts(); ++part) {
    const int owner = share_.owner(part);
    const std::vector<TensorView> like = first_tensors().written(pass);
    std::vector<Tensor>& others = others_[{pass, part}];
    others.clear();
    for (std::size_t t = 0; t < like.size(); ++t) {
      --step;
      if (rank == owner && rank > 0)
        tickets.push_back(messages.send({rank, 0, step}, bytes_of(own(pass, 0, part)[t])));
      if (rank > 0 || owner == 0) continue;
      Extent extent = like[t].extent;
      if (!first_tensors().is_sum(like[t])) extent.length = share_.tokens(part).count();
      const Tensor& of_part =
          others.emplace_back(heap_allocator(), DType::f32, extent, "collected");
      tickets.push_back(messages.receive({owner, 0, step}, bytes_of(of_part.view())));
    }
  }
  for (const Ticket& ticket : tickets) (void)messages.wait(ticket);
}

std::vector<TensorView> MixerGroup::own(Pass pass, std::size_t worker, int part) const {
  const std::vector<int> parts = share_.parts_of(share_.owner(part));
  const auto at = std::ranges::find(parts, part) - parts.begin();
  return workers_[worker]->tensors[static_cast<std::size_t>(at)].written(pass);
}

std::vector<TensorView> MixerGroup::written(Pass pass, int part) const {
  const auto owner = static_cast<std::size_t>(share_.owner(part));
  if (owner < workers_.size()) return own(pass, owner, part);
  std::vector<TensorView> views;
  for (const Tensor& other : others_.at({pass, part})) views.push_back(other.view());
  return views;
}

}  // namespace qb
