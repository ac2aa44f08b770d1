// Attention over the workers of a plan: on the CPU with every kind of ranks, on one GPU that plays
// the workers in turn or together, on one GPU per worker with NCCL, or predicted by the model.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/execute/player/device_executor.h"
#include "harness/execute/player/executor.h"
#include "harness/execute/player/nccl_executor.h"
#include "harness/execute/transport/mpi_world.h"
#include "harness/execute/verify/inputs.h"
#include "harness/workload/prediction.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

constexpr int kMostWorkersWithSteps = 64;

// The repeats alternate several sets of inputs. Together they are several times as large as the
// cache, so that no part of a set is left in it when the set is used again.
constexpr std::uint64_t kCachesToRotate = 3;
constexpr std::uint64_t kMostSets = 8;

// True for rank 0 of several processes, and for a single process.
bool is_root() {
  const MpiWorld* const world = MpiWorld::current();
  return world == nullptr || world->rank() == 0;
}

class Attention final : public Workload {
 public:
  explicit Attention(const Case& c) : Workload(c), planned_(plan_case(c)) {}

  RowValues predict(const cuda::KernelCosts* costs) override {
    if (costs != nullptr) rehearse_on_gpu(case_, *costs, planned_);
    return prediction_columns(case_, planned_);
  }
  double flop() const override { return planned_.work.flops; }
  int threads() const override { return planned_.threads; }
  std::optional<std::string> flaw() const override { return planned_.flaw; }

  Sample run(bool verifying) override {
    Execution execution = execute(verifying);
    worker_peak_bytes_.reset();
    for (const WorkerTime& worker : execution.workers)
      worker_peak_bytes_ = std::max(worker_peak_bytes_.value_or(0), worker.active_peak_bytes);
    const Sample sample = sample_of(execution);
    if (!verifying) executions_.push_back(std::move(execution));
    return sample;
  }
  std::optional<std::int64_t> worker_peak_bytes() const override { return worker_peak_bytes_; }

  Verification verify() override {
    const Set& inputs = sets_.front();
    get(out_.device(), out_.host());
    get(lse_.device(), lse_.host());
    return verify_output(problem(), inputs.q.host(), inputs.k.host(), inputs.v.host(), out_.host(),
                         lse_.host(), rows_to_verify(planned_.plan, case_.measure.verify_rows),
                         planned_.threads, !is_on_host() && case_.kernel == Kernel::materialized);
  }

  void report(CaseResult& result) override {
    const bool is_modelled = case_.ranks == Ranks::model;
    if (!is_modelled) executions_.erase(executions_.begin(), timed_begin());
    add_parts(result.values);
    // Nobody reads a table with a row for each step of thousands of workers.
    if (!is_modelled || case_.workers <= kMostWorkersWithSteps) add_steps(result.steps);
    if (!is_modelled && planned_.work.rows_without_keys > 0)
      result.message = fmt::format("{} of {} rows see no key: output 0, LSE -inf",
                                   planned_.work.rows_without_keys, problem().shape.q_len);
    if (!case_.model_device) return;
    const double modelled_s =
        is_modelled ? executions_.front().wall_s : model_times(case_, planned_).wall_s;
    result.values["modelled_wall_time_s"] = to_text(modelled_s);
    if (is_modelled) return;
    const double wall_s = parse_real(result.values.at("wall_time_median_s")).value();
    result.values["model_residual_ratio"] = to_text(wall_s / modelled_s - 1.0);
  }

 private:
  struct Set {
    SharedTensor q;
    SharedTensor k;
    SharedTensor v;
    std::unique_ptr<DeviceExecutor> executor;  // it holds memory of the ledger
  };

  [[nodiscard]] const Problem& problem() const { return planned_.plan.problem; }
  [[nodiscard]] std::vector<Execution>::const_iterator timed_begin() const {
    return executions_.begin() + case_.measure.warmups;
  }

  void hold(const std::string& why_no_device) override {
    executions_.clear();
    if (case_.ranks == Ranks::nccl)
      rank_.emplace(case_.workers, device_, why_no_device, message_timeout_s(case_));
    if (!is_root()) return;
    Inputs inputs = make_inputs(problem(), host_memory(), planned_.threads);
    const bool whole = holds_whole_inputs();
    const auto held = [&](Tensor& host, const char* label) {
      if (whole) return share(std::move(host), problem().dtype, label);
      return SharedTensor{std::move(host), {}};
    };
    sets_.push_back({held(inputs.q, "q"), held(inputs.k, "k"), held(inputs.v, "v"), nullptr});
    Tensor out(host_memory(), DType::f32, problem().shape.out(), "output");
    Tensor lse(host_memory(), DType::f32, problem().shape.lse(), "lse");
    poison(out.view(), lse.view());
    out_ = share(std::move(out), DType::f32, "output");
    lse_ = share(std::move(lse), DType::f32, "lse");
  }

  void release() override {
    sets_.clear();
    out_ = {};
    lse_ = {};
    rank_.reset();
    turn_ = 0;
  }

  // With NCCL rank 0 makes its shard as the others do, unless the plan begins with a scatter.
  [[nodiscard]] bool holds_whole_inputs() const {
    return is_root() && (case_.ranks != Ranks::nccl || is_scattered(planned_.plan));
  }

  // inputs: nullptr where every rank makes its shard.
  [[nodiscard]] ExecutionArguments arguments(const Set* inputs, bool verifying) {
    ExecutionArguments arguments{.q = {},
                                 .k = {},
                                 .v = {},
                                 .out = out_.device(),
                                 .lse = lse_.device(),
                                 .kernel = case_.kernel,
                                 .threads = planned_.threads,
                                 .launch = case_.launch,
                                 .clock = case_.clock,
                                 .allocator = &ledger(),
                                 .link = link_of(case_),
                                 .worker_speeds = planned_.worker_speeds,
                                 .message_timeout_s = message_timeout_s(case_),
                                 .collect_output = verifying,
                                 .guard_messages = verifying && case_.device != Device::cuda};
    if (inputs == nullptr) {
      arguments.shard = shard_source(problem());
    } else {
      arguments.q = inputs->q.device();
      arguments.k = inputs->k.device();
      arguments.v = inputs->v.device();
    }
    return arguments;
  }

  Execution execute(bool verifying) {
    if (case_.ranks == Ranks::model) return model_times(case_, planned_);
    if (case_.ranks == Ranks::serial && !is_on_host()) return execute_on_gpu(verifying);
    const Set* const inputs = holds_whole_inputs() ? &sets_.front() : nullptr;
    if (rank_) return rank_->execute(planned_.plan, arguments(inputs, verifying));
    return qb::execute(case_.ranks, planned_.plan, arguments(inputs, verifying));
  }

  Execution execute_on_gpu(bool verifying) {
    if (!verifying && case_.l2_cache == L2Cache::rotated) {
      make_rotation();
      ++turn_;
    }
    Set& set = sets_[turn_ % sets_.size()];
    if (!set.executor)
      set.executor =
          std::make_unique<DeviceExecutor>(planned_.plan, arguments(&set, verifying), *device_);
    return set.executor->run();
  }

  void make_rotation() {
    const auto bytes =
        static_cast<std::uint64_t>(sets_.front().q.host().bytes() + sets_.front().k.host().bytes() +
                                   sets_.front().v.host().bytes());
    const std::uint64_t wanted =
        kCachesToRotate * device_->facts().l2_bytes / std::max<std::uint64_t>(bytes, 1) + 2;
    const auto copy = [this](const SharedTensor& tensor, const char* label) {
      return SharedTensor{{}, copy_of(tensor.host(), problem().dtype, label)};
    };
    while (sets_.size() < std::min(wanted, kMostSets)) {
      const Set& first = sets_.front();
      sets_.push_back({copy(first.q, "q"), copy(first.k, "k"), copy(first.v, "v"), nullptr});
    }
  }

  [[nodiscard]] Sample sample_of(const Execution& e) const {
    Sample sample{.wall_s = e.wall_s,
                  .critical_path_s = e.critical_path_s,
                  .worker_sum_s = e.worker_sum_s,
                  .longest_subsequence_s = e.longest_subsequence_s};
    if (e.device_s > 0.0) sample.device_s = e.device_s;
    if (e.workers.empty())  // launched together
      sample.gather_s = sample.merge_s = std::numeric_limits<double>::quiet_NaN();
    for (const WorkerTime& worker : e.workers) {
      sample.gather_s += worker.gather_s;
      sample.merge_s += worker.merge_s;
    }
    if (case_.kernel == Kernel::staged && case_.ranks == Ranks::serial) {
      sample.stage_scores_s = e.stages.scores_s;
      sample.stage_softmax_s = e.stages.softmax_s;
      sample.stage_product_s = e.stages.values_s;
    }
    return sample;
  }

  // Serial ranks have compute times only: they send no messages and never wait.
  [[nodiscard]] bool is_known(double StepTime::*time) const {
    // A GPU that waits for another does not report how long the other was not ready.
    if (time == &StepTime::idle_s && case_.ranks == Ranks::nccl) return false;
    return time == &StepTime::compute_s || case_.ranks != Ranks::serial;
  }

  // Adds for each part the median over repeats of the worker that has the most of it.
  void add_parts(RowValues& values) const {
    if (executions_.front().workers.empty()) return;
    constexpr std::pair<const char*, double StepTime::*> kParts[] = {
        {"compute_median_s", &StepTime::compute_s},
        {"communication_median_s", &StepTime::communication_s},
        {"exposed_communication_median_s", &StepTime::exposed_communication_s},
        {"idle_median_s", &StepTime::idle_s}};
    for (const auto& [column, member] : kParts) {
      if (!is_known(member)) continue;
      std::vector<double> largest;
      for (const Execution& execution : executions_) {
        largest.push_back(0.0);
        for (const WorkerTime& worker : execution.workers) {
          double sum_s = 0.0;
          for (const StepTime& step : worker.steps) sum_s += step.*member;
          largest.back() = std::max(largest.back(), sum_s);
        }
      }
      values[column] = to_text(median(largest));
    }
  }

  [[nodiscard]] std::string executed_pairs(std::size_t worker, std::size_t step) const {
    if (case_.device != Device::cuda)
      return to_text(planned_.work.workers[worker].steps[step].executed_pairs);
    if (!planned_.gpu || planned_.gpu->step_pairs.empty()) return {};
    return to_text(planned_.gpu->step_pairs[worker][step]);
  }

  // Returns an empty text where it is not known.
  [[nodiscard]] std::string median_of(std::size_t w, std::size_t s, double StepTime::*time) const {
    if (!is_known(time)) return {};
    std::vector<double> values;
    for (const Execution& execution : executions_)
      if (w < execution.workers.size() && s < execution.workers[w].steps.size())
        values.push_back(execution.workers[w].steps[s].*time);
    return to_text(median(values));
  }

  void add_steps(std::vector<std::vector<std::string>>& rows) const {
    if (executions_.front().workers.empty()) return;
    const auto& workers = planned_.work.workers;
    for (std::size_t w = 0; w < workers.size(); ++w)
      for (std::size_t s = 0; s < workers[w].steps.size(); ++s) {
        const StepWork& work = workers[w].steps[s];
        std::vector<std::string>& row = rows.emplace_back();
        row = {to_text(static_cast<std::int64_t>(w)),
               to_text(static_cast<std::int64_t>(s)),
               to_text(work.unmasked_pairs),
               executed_pairs(w, s),
               to_text(work.bytes_in),
               to_text(work.bytes_out),
               to_text(work.kv_tokens)};
        for (double StepTime::*time :
             {&StepTime::start_s, &StepTime::compute_s, &StepTime::communication_s,
              &StepTime::exposed_communication_s, &StepTime::idle_s})
          row.push_back(median_of(w, s, time));
      }
  }

  PlannedCase planned_;
  std::vector<Set> sets_;  // the first has the host's tensors
  std::size_t turn_ = 0;
  SharedTensor out_;
  SharedTensor lse_;
  std::optional<NcclRank> rank_;
  std::optional<std::int64_t> worker_peak_bytes_;
  std::vector<Execution> executions_;  // timed
};

}  // namespace

std::unique_ptr<Workload> plan_attention(const Case& c) { return std::make_unique<Attention>(c); }

}  // namespace qb
