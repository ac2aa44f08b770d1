// SPDX-License-Identifier: Apache-2.0
// Operators that mix the tokens of a sequence, beside attention, which the same workload computes
// where the operator is softmax. On the CPU one worker computes any of them, or several, which
// share states, or the rows and columns of axial, in turn or with a thread each.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/device/cpu_device.h"
#include "harness/workload/mixer/mixer_share.h"
#include "harness/workload/mixer/mixer_verify.h"
#include "harness/workload/prediction.h"
#include "harness/workload/step_rows.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

class SequenceMixer final : public Workload {
 public:
  explicit SequenceMixer(const Case& c)
      : Workload(c), mixer_(mixer_problem_of(c)), share_(c, mixer_) {}

  void require(ComputeDevice& device) const override { (void)device.as<MixerDevice>(); }

  RowValues predict(const cuda::KernelCosts*) override {
    RowValues values;
    values.set("unmasked_flop", flop());
    const SentBytes all = sent();
    set_sent(all, case_.cluster != kNoCluster, values);
    if (case_.pass != Passes::forward) {
      SentBytes in_pass(share_.workers());
      add_sent(share_.exchanges(Pass::backward), {}, in_pass);
      values.set("backward_sent_bytes", std::ranges::max(in_pass.all));
    }
    predict_memory(values);
    if (share_.workers() > 1) predict_scan(values, static_cast<double>(std::ranges::max(all.all)));
    return values;
  }
  SentBytes sent() const override {
    SentBytes sent(share_.workers());
    for (const Pass pass : share_.passes()) add_sent(share_.exchanges(pass), hosts_of(case_), sent);
    return sent;
  }
  double flop() const override {
    const MixerShape shape = mixer_.shape(mixer_.problem.shape.q_len);
    double sum = 0.0;
    for (const Pass pass : share_.passes())
      sum += pass == Pass::forward ? mixer_flop(mixer_.options, shape)
                                   : mixer_backward_flop(mixer_.options, shape);
    return sum;
  }
  int threads() const override { return threads_of(case_); }
  std::optional<std::string> flaw() const override { return share_.flaw(); }

  // The output is verified, whichever pass is timed.
  void prepare() override {
    if (case_.pass != Passes::backward || case_.ranks == Ranks::model) return;
    (void)run_pass(Pass::forward, true);
    ledger().reset_peaks();
  }

  Sample run(bool verifying) override {
    if (case_.ranks == Ranks::model)
      return mixer_bound(share_, load_device_model(*case_.model_device), network_of(case_));
    Sample sum = run_pass(share_.passes().front(), verifying);
    if (case_.pass != Passes::both) return sum;
    const Sample back = run_pass(Pass::backward, verifying);
    const double forward_s = sum.wall_s;
    for (double Sample::*const part : kTimesThatAdd) sum.*part += back.*part;
    sum.forward_s = forward_s;
    sum.backward_s = back.wall_s;
    return sum;
  }
  Peaks peaks() override { return {group_->device_peak_bytes()}; }

  Verification verify() override {
    std::set<std::int64_t> edges = {0, mixer_.options.chunk - 1, mixer_.options.chunk};
    const std::int64_t n = mixer_.problem.shape.q_len;
    for (int part = 0; part < share_.parts(); ++part) {
      const Range of = share_.tokens(part);
      edges.insert({of.begin, of.end - 1});
    }
    std::erase_if(edges, [&](std::int64_t edge) { return edge >= n; });
    const std::vector<std::int64_t> rows =
        rows_to_verify(n, edges, case_.measure.verify_rows, case_.seed);
    std::optional<MixerTensors> joined;
    const MixerTensors& whole = share_.workers() == 1 ? group_->first_tensors() : join(joined);
    Verification verification = verify_mixer(mixer_, whole.arguments(), rows, threads());
    if (case_.pass != Passes::forward && verification.correct)
      verify_mixer_gradients(mixer_, whole, !rows.empty(), threads(), verification);
    if (!rows.empty() && mixer_.options.kind != Mixer::short_convolution)
      distance_ = distance_to_attention(mixer_, whole.arguments(), rows, threads());
    return verification;
  }

  void report(CaseResult& result) override {
    result.values.set("distance_to_exact", distance_);
    if (case_.ranks != Ranks::model) return;
    result.values.set("modelled_wall_time_s", result.samples.front().wall_s);
    result.message =
        "lower bounds: the time is from rates of the device, and its memory is without what "
        "kernels "
        "take, since none was measured there";
  }

 private:
  [[nodiscard]] int threads_of_worker() const {
    return case_.ranks == Ranks::threads ? std::max(1, threads() / share_.workers()) : threads();
  }
  [[nodiscard]] Sample run_pass(Pass pass, bool verifying) {
    Execution run = group_->run(pass, device_->as<MixerDevice>(), threads_of_worker(),
                                links_of(case_), verifying);
    double most_before_s = 0.0;
    double worker_sum_s = 0.0;
    for (const WorkerTime& worker : run.workers) {
      double last_s = 0.0;  // of the last step that computes, which makes the output
      for (const StepTime& step : worker.steps)
        if (step.compute_s > 0.0) last_s = step.compute_s;
      run.longest_subsequence_s = std::max(run.longest_subsequence_s, last_s);
      most_before_s = std::max(most_before_s, worker.compute_s - last_s);
      worker_sum_s += worker.compute_s;
    }
    if (case_.ranks != Ranks::serial) return sample_of(case_, run);
    // All that others leave is there before a last step begins, and combining it counts as sending.
    return {.wall_s = run.wall_s,
            .critical_path_s = most_before_s + run.longest_subsequence_s,
            .worker_sum_s = worker_sum_s,
            .longest_subsequence_s = run.longest_subsequence_s};
  }

  void predict_scan(RowValues& values, double sent_bytes) const {
    if (const std::optional<std::int64_t> bytes = share_.state_bytes()) {
      values.set("state_bytes", *bytes);
      values.set("sent_states", sent_bytes / static_cast<double>(*bytes));
    }
    values.set("scan_rounds", share_.rounds());
    // Under MPI a cluster may leave its links open.
    const bool has_links = case_.cluster == kNoCluster || case_.ranks != Ranks::mpi ||
                           (case_.cluster_inside && case_.cluster_between);
    const Network network = has_links ? network_of(case_) : Network{};
    if (network.limit.bandwidth_byte_per_s > 0.0 || network.limit.latency_s > 0.0)
      values.set("predicted_scan_s", share_.links_s(network));
  }

  // Runs the workers with kernels and messages that only take their memory. What all hold at one
  // time is known only where they run in turn. No kernel is known that a model's device would run.
  void predict_memory(RowValues& values) const {
    const CpuDevice::Costs costs(threads_of_worker());
    const auto device = rehearsal_device(costs);
    MemoryLedger memory(over_addresses());
    if (case_.ranks == Ranks::model) {  // of the worker with most messages
      SentBytes moved(share_.workers());
      for (const Pass pass : share_.passes())
        for (const std::vector<SizedMessage>& messages : share_.exchanges(pass))
          for (const SizedMessage& m : messages)
            for (const int w : {m.from, m.to}) moved.add({}, w, w, m.bytes);
      const auto most = std::ranges::max_element(moved.all) - moved.all.begin();
      const CaseWorker worker = share_.worker(static_cast<int>(most), memory);
      values.set("predicted_device_peak_bytes", memory.active_bytes());
      return;
    }
    MixerGroup group(share_, Ranks::serial, memory);
    memory.reset_peaks();
    for (const Pass pass : share_.passes())
      (void)group.run(pass, device->as<MixerDevice>(), threads_of_worker(),
                      {.workers = share_.workers(), .copy = [](auto, auto) {}}, false);
    values.set("predicted_device_peak_bytes", group.device_peak_bytes());
    if (case_.ranks == Ranks::serial)
      values.set("predicted_active_peak_bytes", memory.active_peak_bytes());
  }

  void hold(const std::string&) override {
    group_.emplace(share_, case_.ranks, ledger());
    group_->fill(threads());
  }
  void release() override { group_.reset(); }

  // The tensors of all tokens on the heap, with what the workers wrote.
  const MixerTensors& join(std::optional<MixerTensors>& joined) {
    joined.emplace(mixer_, Range{0, mixer_.problem.shape.q_len}, heap_allocator(), 0,
                   case_.pass != Passes::forward);
    joined->fill(threads());
    std::set<Pass> written(share_.passes().begin(), share_.passes().end());
    written.insert(Pass::forward);
    for (const Pass pass : written)
      for (int part = 0; part < share_.parts(); ++part) {
        const Range of = share_.tokens(part);
        const std::vector<TensorView> from = group_->written(pass, part);
        const std::vector<TensorView> to = joined->written(pass);
        for (std::size_t t = 0; t < to.size(); ++t) {
          if (!joined->is_sum(to[t]))
            device_->copy_rows(from[t], to[t].tokens(of.begin, of.count()));
          else if (part == 0)
            device_->copy_rows(from[t], to[t]);
          else
            device_->add_rows(to[t], from[t]);
        }
      }
    return *joined;
  }

  const MixerProblem mixer_;
  const MixerShare share_;
  std::optional<MixerGroup> group_;
  double distance_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::unique_ptr<Workload> plan_sequence_mixer(const Case& c) {
  if (!c.mixer.kind) return plan_attention(c);
  return std::make_unique<SequenceMixer>(c);
}

}  // namespace qb
