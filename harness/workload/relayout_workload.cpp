// SPDX-License-Identifier: Apache-2.0
// A change of layout alone: the keys and values of a prefill go to where decoding wants them, or
// the hidden states of a stack from the layout of one layer to that of the next. Every worker holds
// its tokens in both layouts, and a message for each other worker, with these labels:
//   held, wanted                 the worker's tokens before and after
//   message_in, message_out      parts of the tensors, one after another
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/integers.h"
#include "base/status.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/device/mixer_device.h"
#include "harness/verify/inputs.h"
#include "harness/verify/verify.h"
#include "harness/workload/exchange_worker.h"
#include "harness/workload/held_part.h"
#include "harness/workload/prediction.h"
#include "harness/workload/step_rows.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

std::vector<TensorRole> roles_of(MovedTensors tensors) {
  if (tensors == MovedTensors::hidden) return {TensorRole::q};
  if (tensors == MovedTensors::kv) return {TensorRole::k, TensorRole::v};
  return {TensorRole::q, TensorRole::k, TensorRole::v};
}

// What a case moves, and how. Parts are of a grid whose rows are `columns` tokens each.
struct Move {
  explicit Move(const Case& c)
      : problem(problem_of(c)),
        roles(roles_of(c.relayout.tensors)),
        columns(c.relayout.from == TokenLayout::interleaved ||
                        c.relayout.to == TokenLayout::interleaved
                    ? c.workers * c.relayout.block
                    : c.shape.q_len),
        plan(plan_relayout(
            c.workers, [&](int w) { return parts(c, c.relayout.from, w); },
            [&](int w) { return parts(c, c.relayout.to, w); })) {
    if (c.shape.q_len < 2 * c.workers)
      throw Unsupported(
          fmt::format("{} tokens are too few for {} workers; the nearest is n_tokens: {}",
                      c.shape.q_len, c.workers, 2 * c.workers));
    // A pair of workers has one message of all parts.
    for (const ExchangeMessage& m : plan.messages) {
      const int pair = m.from * c.workers + m.to;
      if (messages.empty() || messages.back().tensor != pair)
        messages.push_back({0, m.from, m.to, 0, {}, pair});
      for (const TensorRole role : roles)
        messages.back().bytes += extent(role, m.part.count()).elements() * size_of(problem.dtype);
    }
  }

  [[nodiscard]] Extent extent(TensorRole role, std::int64_t tokens) const {
    Extent extent = role == TensorRole::q   ? problem.shape.q()
                    : role == TensorRole::k ? problem.shape.k()
                                            : problem.shape.v();
    extent.length = tokens;
    return extent;
  }

  const Problem problem;
  const std::vector<TensorRole> roles;
  const std::int64_t columns;
  const ExchangePlan plan;
  std::vector<SizedMessage> messages;

 private:
  [[nodiscard]] std::vector<Part> parts(const Case& c, TokenLayout layout, int worker) const {
    std::vector<Part> made;
    const auto add = [&](const Range& rows, const Range& of_columns) {
      if (rows.count() > 0 && of_columns.count() > 0) made.push_back({rows, of_columns});
    };
    const std::int64_t n = c.shape.q_len;
    if (layout == TokenLayout::interleaved) {
      const Range own{worker * c.relayout.block, (worker + 1) * c.relayout.block};
      add({0, n / columns}, own);
      add({n / columns, n / columns + 1}, intersection(own, Range{0, n % columns}));
      return made;
    }
    const std::vector<int> owners = owners_of(layout, c.workers);
    for (int p = 0; p < std::ssize(owners); ++p) {
      if (owners[static_cast<std::size_t>(p)] != worker) continue;
      // Consecutive tokens are the end of a row, whole rows, and the begin of one.
      const Range tokens = part_of(n, static_cast<int>(owners.size()), p);
      const std::int64_t whole = std::min(tokens.end, round_up(tokens.begin, columns));
      const std::int64_t rest = std::max(whole, tokens.end / columns * columns);
      const auto in_row = [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t row = begin / columns;
        add({row, row + 1}, {begin - row * columns, end - row * columns});
      };
      in_row(tokens.begin, whole);
      add({ceil_div(whole, columns), rest / columns}, {0, columns});
      in_row(rest, tokens.end);
    }
    return made;
  }
};

// The tokens of a worker in a layout, in each of the tensors that move.
class HeldTokens {
 public:
  HeldTokens(const Move& move, const std::vector<Part>& parts, const char* label, int worker,
             Allocator& memory)
      : move_(move), parts_(parts) {
    std::int64_t tokens = 0;
    for (const Part& part : parts) tokens += part.count();
    for (const TensorRole role : move.roles)
      tensors_.emplace_back(memory, move.problem.dtype, move.extent(role, tokens), label, worker);
  }

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  // The part that has all of this one, of each tensor.
  [[nodiscard]] std::vector<HeldPart> with(const Part& part) const {
    std::int64_t before = 0;
    auto own = parts_.begin();
    for (; intersection(*own, part) != part; ++own) before += own->count();
    std::vector<HeldPart> held;
    for (const Tensor& tensor : tensors_)
      held.push_back({*own, tensor.view().tokens(before, own->count())});
    return held;
  }
  void fill(int threads) const {
    for (const Part& part : parts_) {
      const std::vector<HeldPart> held = with(part);
      for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row)
        for (std::size_t t = 0; t < held.size(); ++t)
          fill_input(
              move_.problem, move_.roles[t],
              {row * move_.columns + part.columns.begin, row * move_.columns + part.columns.end},
              held[t].in_row(row, part.columns), threads);
    }
  }
  void poison() const {
    for (const Tensor& tensor : tensors_) qb::poison(tensor.view());
  }
  [[nodiscard]] bool equals(const HeldTokens& other) const {
    for (std::size_t t = 0; t < tensors_.size(); ++t)
      if (std::memcmp(tensors_[t].view().data, other.tensors_[t].view().data,
                      static_cast<std::size_t>(tensors_[t].view().bytes())) != 0)
        return false;
    return true;
  }

 private:
  const Move& move_;
  const std::vector<Part>& parts_;
  std::vector<Tensor> tensors_;
};

class RelayoutWorker final : public ExchangeWorker {
 public:
  RelayoutWorker(const Move& move, const ExchangeMessages& messages, int index, Allocator& memory)
      : ExchangeWorker(messages, index, memory),
        move_(move),
        held_(move, move.plan.held_by(index), "held", index, memory),
        wanted_(move, move.plan.wanted_by(index), "wanted", index, memory) {}

  void fill(ComputeDevice& device, int threads) {
    device_ = &device;
    held_.fill(threads);
    wanted_.poison();
  }
  // Throws CaseError where a token of the wanted layout is not the one that it should be.
  void verify(int threads) const {
    const HeldTokens expected(move_, wanted_.parts(), "expected", index_, heap_allocator());
    expected.fill(threads);
    if (!wanted_.equals(expected))
      throw CaseError(Status::incorrect,
                      fmt::format("worker {} has other tokens than its layout says", index_));
  }

 private:
  void compute(int round) override {
    timed([&] {
      if (round == 0) {
        send(round, [&](const Parcel& out) { pack(out, held_, true); });
        for (const Part& held : held_.parts())
          for (const Part& wanted : wanted_.parts())
            if (const Part both = intersection(held, wanted); both.count() > 0)
              for (std::size_t t = 0; t < move_.roles.size(); ++t)
                copy_part(*device_, held_.with(held)[t], wanted_.with(wanted)[t], both);
      }
      if (round == rounds_)
        for (const Parcel& in : in_) pack(in, wanted_, false);
    });
  }
  void pack(const Parcel& parcel, const HeldTokens& tokens, bool packs) const {
    auto* data = parcel.memory->as<std::byte>();
    for (const ExchangeMessage& m : move_.plan.messages)
      if (m.from == parcel.from && m.to == parcel.to)
        data = pack_part(*device_, tokens.with(m.part), m.part, data, packs);
  }

  const Move& move_;
  const HeldTokens held_;
  const HeldTokens wanted_;
  ComputeDevice* device_ = nullptr;
};

class RelayoutWorkload final : public Workload {
 public:
  explicit RelayoutWorkload(const Case& c) : Workload(c), move_(c) {
    if (!move_.messages.empty()) messages_.push_back(move_.messages);
  }

  void require(ComputeDevice& device) const override { (void)device.as<MixerDevice>(); }
  RowValues predict(const cuda::KernelCosts*) override {
    RowValues values;
    set_sent(sent(), case_.cluster != kNoCluster, values);
    MemoryLedger memory(over_addresses());
    std::int64_t most = 0;
    std::vector<std::unique_ptr<RelayoutWorker>> workers;
    for (int w = 0; w < case_.workers; ++w) {
      const std::uint64_t before = memory.active_bytes();
      workers.push_back(std::make_unique<RelayoutWorker>(move_, messages_, w, memory));
      most = std::max(most, static_cast<std::int64_t>(memory.active_bytes() - before));
    }
    values.set("predicted_device_peak_bytes", most);
    if (case_.ranks == Ranks::serial)
      values.set("predicted_active_peak_bytes", memory.active_peak_bytes());
    return values;
  }
  SentBytes sent() const override {
    SentBytes sent(case_.workers);
    add_sent(messages_, hosts_of(case_), sent);
    return sent;
  }
  double flop() const override { return 0.0; }
  int threads() const override { return threads_of(case_); }
  std::optional<std::string> flaw() const override { return check(move_.plan); }

  Sample run(bool verifying) override {
    if (case_.ranks == Ranks::model)
      return sample_of_bound(0.0, 0.0,
                             rounds_time_s(move_.messages, case_.workers, network_of(case_)));
    const Execution run = run_workers(
        case_.ranks, links_of(case_), [&](int w, WorkerTeam& team) -> std::shared_ptr<StepWorker> {
          if (workers_.empty()) add(w);
          const auto& worker =
              workers_[case_.ranks == Ranks::mpi ? 0 : static_cast<std::size_t>(w)];
          worker->use(team, [=, this](WorkerTime& time) {
            if (verifying) worker->verify(threads());
            time.active_peak_bytes = device_peak_bytes_;
          });
          return worker;
        });
    if (case_.ranks != Ranks::serial) return sample_of(case_, run);
    Sample sample{.wall_s = run.wall_s};
    for (const WorkerTime& worker : run.workers) {
      sample.critical_path_s = std::max(sample.critical_path_s, worker.compute_s);
      sample.worker_sum_s += worker.compute_s;
    }
    return sample;
  }
  Peaks peaks() override { return {device_peak_bytes_}; }
  // Workers compare each of their tokens in the run that verifies.
  Verification verify() override {
    Verification verification;
    verification.correct = true;
    verification.rows = move_.problem.shape.q_len;
    return verification;
  }
  void report(CaseResult& result) override {
    if (case_.ranks != Ranks::model) return;
    result.values.set("modelled_wall_time_s", result.samples.front().wall_s);
    result.message = "a lower bound: the time of the links, without packing";
  }

 private:
  void add(int index) {
    const std::uint64_t before = ledger().active_bytes();
    workers_.push_back(std::make_shared<RelayoutWorker>(move_, messages_, index, ledger()));
    device_peak_bytes_ =
        std::max(device_peak_bytes_, static_cast<std::int64_t>(ledger().active_bytes() - before));
    workers_.back()->fill(*device_, threads());
  }
  void hold(const std::string&) override {
    for (int w = 0; case_.ranks != Ranks::mpi && w < case_.workers; ++w) add(w);
  }
  void release() override { workers_.clear(); }

  const Move move_;
  ExchangeMessages messages_;
  std::vector<std::shared_ptr<RelayoutWorker>> workers_;  // of this process
  std::int64_t device_peak_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Workload> plan_layout_change(const Case& c) {
  return std::make_unique<RelayoutWorkload>(c);
}

}  // namespace qb
