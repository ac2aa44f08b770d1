// SPDX-License-Identifier: Apache-2.0
// Operators that mix the tokens of a sequence, beside attention, which the same workload computes
// where the operator is softmax. One worker computes any of them on the CPU; several share the
// state of those that have one, in turn or with a thread each.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <set>

#include "harness/execute/model/scan_model.h"
#include "harness/workload/mixer/mixer_crew.h"
#include "harness/workload/mixer/mixer_verify.h"
#include "harness/workload/prediction.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

ScanPlan scan_of(const Case& c, const MixerProblem& mixer) {
  if (c.workers == 1) return {};
  if (!has_state(mixer.options.kind))
    throw Unsupported(
        fmt::format("{} has no state that workers could share; the nearest is workers: 1",
                    word(*c.mixer.kind)));
  if (c.workers > c.shape.q_len)
    throw Unsupported(
        fmt::format("{} tokens are too few for {} workers; the nearest is workers: {}",
                    c.shape.q_len, c.workers, c.shape.q_len));
  const std::int64_t heads = mixer_state_extents(mixer.options, mixer.shape(1)).matrix.heads;
  if (c.mixer.blocks > heads)
    throw Unsupported(
        fmt::format("a state of {} heads has no {} blocks; the nearest is mixer.blocks: {}", heads,
                    c.mixer.blocks, heads));
  return plan_scan(c.mixer.scan, c.workers,
                   c.mixer.blocks == 0 ? static_cast<int>(heads) : c.mixer.blocks,
                   mixer.options.causal);
}

class SequenceMixer final : public Workload {
 public:
  explicit SequenceMixer(const Case& c)
      : Workload(c), mixer_(mixer_problem_of(c)), scan_(scan_of(c, mixer_)) {}

  void require(ComputeDevice& device) const override { (void)device.as<MixerDevice>(); }

  RowValues predict(const cuda::KernelCosts*) override {
    RowValues values;
    values.set("unmasked_flop", flop());
    std::int64_t moved = 0;
    std::vector<std::int64_t> sent(static_cast<std::size_t>(scan_.workers), 0);
    for (const ScanMessage& m : scan_.messages) {
      const std::int64_t bytes = block_bytes(mixer_, scan_.blocks, m.block);
      sent[static_cast<std::size_t>(m.from)] += bytes;
      moved += bytes;
    }
    values.set("moved_bytes", moved);
    values.set("device_sent_bytes", std::ranges::max(sent));
    if (scan_.workers > 1) predict_scan(values);
    return values;
  }
  double flop() const override {
    return mixer_flop(mixer_.options, mixer_.shape(mixer_.problem.shape.q_len));
  }
  int threads() const override { return threads_of(case_); }
  std::optional<std::string> flaw() const override { return check(scan_); }

  Sample run(bool) override {
    MixerDevice& device = device_->as<MixerDevice>();
    if (case_.ranks == Ranks::threads)
      return of_threads(crew_->run_at_once(device, threads_of_worker(), network_of(case_),
                                           message_timeout_s(case_)));
    Sample sample{.wall_s = crew_->run_in_turn(device, threads())};
    const auto most = [&](auto part) {
      return std::ranges::max(times() | std::views::transform(part));
    };
    sample.longest_subsequence_s = most(&MixerWorker::Times::mix_s);
    // All states are there before an output begins, and combining them counts as sending.
    sample.critical_path_s = sample.longest_subsequence_s + most([](const MixerWorker::Times& t) {
                               return t.compute_s - t.mix_s;
                             });
    for (const MixerWorker::Times& t : times()) sample.worker_sum_s += t.compute_s;
    return sample;
  }
  Peaks peaks() override {
    if (scan_.workers == 1) return {static_cast<std::int64_t>(ledger().active_peak_bytes())};
    std::int64_t most = 0;
    for (int w = 0; w < scan_.workers; ++w)
      most = std::max(most, crew_->held_bytes()[static_cast<std::size_t>(w)] +
                                static_cast<std::int64_t>(ledger().worker_peak_bytes(w)));
    return {most};
  }

  Verification verify() override {
    std::set<std::int64_t> edges = {0, mixer_.options.chunk - 1, mixer_.options.chunk};
    const std::int64_t n = mixer_.problem.shape.q_len;
    for (int w = 0; w < scan_.workers; ++w) {
      const Range shard = part_of(n, scan_.workers, w);
      edges.insert({shard.begin, shard.end - 1});
    }
    std::erase_if(edges, [&](std::int64_t edge) { return edge >= n; });
    const std::vector<std::int64_t> rows =
        rows_to_verify(n, edges, case_.measure.verify_rows, case_.seed);
    std::optional<MixerTensors> joined;
    const MixerArguments& whole =
        scan_.workers == 1 ? crew_->workers().front().tensors().arguments() : join(joined);
    const Verification verification = verify_mixer(mixer_, whole, rows, threads());
    if (!rows.empty()) distance_ = distance_to_attention(mixer_, whole, rows, threads());
    return verification;
  }

  void report(CaseResult& result) override { result.values.set("distance_to_exact", distance_); }

 private:
  [[nodiscard]] int threads_of_worker() const {
    return case_.ranks == Ranks::threads ? std::max(1, threads() / scan_.workers) : threads();
  }
  [[nodiscard]] std::vector<MixerWorker::Times> times() const {
    std::vector<MixerWorker::Times> all;
    for (const MixerWorker& worker : crew_->workers()) all.push_back(worker.times());
    return all;
  }

  // The parts are those of the worker that ends last.
  [[nodiscard]] Sample of_threads(double wall_s) const {
    Sample sample{.wall_s = wall_s, .critical_path_s = wall_s};
    const std::vector<MixerWorker::Times> all = times();
    for (const MixerWorker::Times& t : all) {
      sample.worker_sum_s += t.end_s - t.begin_s;
      sample.longest_subsequence_s = std::max(sample.longest_subsequence_s, t.mix_s);
    }
    const MixerWorker::Times& last = *std::ranges::max_element(all, {}, &MixerWorker::Times::end_s);
    sample.compute_s = last.compute_s;
    // Nothing is computed while a worker waits for states.
    sample.communication_s = sample.exposed_communication_s = last.exposed_s;
    sample.idle_s = last.idle_s;
    return sample;
  }

  void predict_scan(RowValues& values) const {
    values.set("state_bytes", block_bytes(mixer_, 1, 0));
    values.set("sent_states", sent_states(scan_));
    values.set("scan_rounds", scan_.rounds());
    const Network network = network_of(case_);
    if (network.limit.bandwidth_byte_per_s > 0.0 || network.limit.latency_s > 0.0)
      values.set("predicted_scan_s", scan_time_s(scan_, network, [&](int block) {
                   return block_bytes(mixer_, scan_.blocks, block);
                 }));
  }

  void hold(const std::string&) override {
    crew_.emplace(mixer_, scan_, ledger());
    for (MixerWorker& worker : crew_->workers()) worker.tensors().fill(threads());
  }
  void release() override { crew_.reset(); }

  // The tensors of all tokens on the heap, with the workers' outputs.
  const MixerArguments& join(std::optional<MixerTensors>& joined) {
    const std::int64_t n = mixer_.problem.shape.q_len;
    joined.emplace(mixer_, Range{0, n}, heap_allocator(), 0);
    joined->fill(threads());
    for (int w = 0; w < scan_.workers; ++w) {
      const Range shard = part_of(n, scan_.workers, w);
      device_->copy_rows(crew_->workers()[static_cast<std::size_t>(w)].tensors().arguments().out,
                         joined->arguments().out.tokens(shard.begin, shard.count()));
    }
    return joined->arguments();
  }

  const MixerProblem mixer_;
  const ScanPlan scan_;
  std::optional<MixerCrew> crew_;
  double distance_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::unique_ptr<Workload> plan_sequence_mixer(const Case& c) {
  if (!c.mixer.kind) return plan_attention(c);
  return std::make_unique<SequenceMixer>(c);
}

}  // namespace qb
