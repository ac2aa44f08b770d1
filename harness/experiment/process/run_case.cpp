// One case in this process: plan, check, inputs, one run for memory and correctness, timed runs.
//
// Nothing is timed before it has been verified, and the run that memory is read from is not timed.
// It is the run that is verified, so that a large case is executed once less.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/execute/model/model_executor.h"
#include "harness/execute/player/executor.h"
#include "harness/execute/verify/verify.h"
#include "harness/experiment/process/arena.h"
#include "harness/experiment/process/case_link.h"
#include "harness/experiment/process/case_passes.h"
#include "harness/experiment/process/device.h"
#include "harness/experiment/process/gpu_arena.h"
#include "harness/experiment/process/layer_case.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/experiment/process/mpi_case.h"
#include "harness/experiment/process/prediction.h"
#include "harness/experiment/process/product_case.h"
#include "harness/experiment/process/result.h"
#include "harness/experiment/process/sampling.h"
#include "harness/plan/check/check.h"

namespace qb {
namespace {

constexpr int kMostWorkersWithSteps = 64;

class CaseRun {
 public:
  // trace_stem: traces are written there with their endings; empty: none.
  CaseRun(const Case& c, const std::string& trace_stem, const OpenGpu& open_gpu, CaseResult& result)
      : case_(c), trace_stem_(trace_stem), open_gpu_(open_gpu), result_(result) {}

  // Throws CaseError and whatever else goes wrong; `result` holds what was known until then.
  void run() {
    if (case_.cpu_isa) use_instruction_set(*case_.cpu_isa);
    if (case_.device == Device::cuda) {
      gpu_ = open_gpu_(gpu_options(case_));
      result_.values["gpu"] = gpu_->facts().name;
      gpu_->require(case_.kernel, case_.dtype, case_.shape.head_dim);
    }
    planned_ = plan_case(case_);
    if (gpu_) rehearse_on_gpu(case_, gpu_->costs(), planned_);
    result_.values.merge(prediction_columns(case_, planned_));
    result_.values["isa"] = gpu_ ? gpu_->isa(case_.kernel, case_.dtype) : kernel_isa(case_.kernel);
    if (case_.ranks != Ranks::model)
      if (const auto reason = infeasible(case_, planned_.work.flops))
        throw CaseError(Status::infeasible, *reason);
    if (const auto flaw = check(planned_.plan))
      throw CaseError(Status::error, "the plan is wrong: " + *flaw);

    if (case_.ranks == Ranks::model) {
      modelled_pass();
      result_.status = Status::ok;
      return;
    }
    result_.values["provenance"] = "measured";
    ranks_.emplace(case_);
    measure_in_passes(*this, case_, trace_stem_, gpu_.get(), result_);
  }

 private:
  template <class Subject>
  friend void qb::measure_in_passes(Subject&, const Case&, const std::string&, ComputeDevice*,
                                    CaseResult&);

  [[nodiscard]] const Problem& problem() const { return planned_.plan.problem; }

  [[nodiscard]] std::unique_ptr<Arena> make_arena(bool record) {
    if (gpu_ && case_.ranks == Ranks::nccl)
      return make_nccl_arena(case_, planned_, record, *gpu_, *ranks_);
    if (gpu_) return make_gpu_arena(case_, planned_, record, *gpu_);
    return make_cpu_arena(case_, planned_, record,
                          [this](bool verifying) { ranks_->announce_execution(verifying); });
  }

  void memory_pass(Arena& arena) {
    try {
      arena.fill();
      arena.poison_output();
      arena.ledger().reset_peaks();
      const Execution execution = arena.execute(true);
      std::int64_t worst = 0;
      for (const WorkerTime& worker : execution.workers)
        worst = std::max(worst, worker.active_peak_bytes);
      if (!execution.workers.empty()) result_.values["worker_active_peak_bytes"] = to_text(worst);
    } catch (const OutOfMemory&) {
      // How it came to that is worth a look.
      keep_events(case_, trace_stem_, arena.ledger(), result_);
      throw;
    }
    add_memory_peaks(arena.ledger(), result_.values);
    keep_events(case_, trace_stem_, arena.ledger(), result_);
  }

  void verify(Arena& arena) {
    if (case_.measure.verify_rows == 0) return;
    const HostTensors t = arena.tensors();
    const Verification verification =
        verify_output(problem(), t.q, t.k, t.v, t.out, t.lse,
                      rows_to_verify(planned_.plan, case_.measure.verify_rows), planned_.threads,
                      gpu_ && case_.kernel == Kernel::materialized);
    add_verification(verification, result_.values);
    result_.values["lse_max_error"] = to_text(verification.lse_max_error);
    if (!verification.correct) throw CaseError(Status::incorrect, verification.message);
  }

  void timed_pass(Arena& arena) {
    std::vector<Execution> executions;
    result_.samples = take_samples(case_.measure, now_s, [&] {
      arena.begin_sample();
      executions.push_back(arena.execute(false));
      Sample sample = sample_of(executions.back());
      if (case_.kernel == Kernel::staged && case_.ranks == Ranks::serial)
        add_stages(executions.back().stages, sample);
      arena.end_sample(sample);
      return sample;
    });
    executions.erase(executions.begin(), executions.begin() + case_.measure.warmups);
    add_medians(result_.samples, result_.values);
    if (gpu_) add_gpu_medians(result_.samples, result_.values);
    add_rates(case_, planned_.work.flops, planned_.threads, result_.samples, result_.values);
    add_parts(executions);
    add_steps(executions);
    add_remarks();
    if (case_.model_device) add_residual();
  }

  // What no column says, in the message of a row that is all right.
  void add_remarks() {
    if (planned_.work.rows_without_keys > 0)
      result_.message = fmt::format("{} of {} rows see no key: output 0, LSE -inf",
                                    planned_.work.rows_without_keys, problem().shape.q_len);
  }

  static void add_stages(const StageTimes& stages, Sample& sample) {
    sample.stage_scores_s = stages.scores_s;
    sample.stage_softmax_s = stages.softmax_s;
    sample.stage_product_s = stages.values_s;
  }

  static Sample sample_of(const Execution& e) {
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
    return sample;
  }

  [[nodiscard]] Execution modelled() const {
    DeviceModel device =
        *case_.model_device == "here"
            ? calibrate_here(case_.kernel, case_.dtype, case_.shape.head_dim,
                             {.max_tokens = std::min<std::int64_t>(case_.shape.kv_len, 4096)})
            : load_device_model(*case_.model_device);
    // A device of its own for each worker, unless the case says that some share one.
    device.cores.value = case_.model_cores;
    ModelLink link = model_link_of(case_);
    // Without a limit of their own, the messages of one machine are copies.
    if (case_.ranks != Ranks::model && link.limit.bandwidth_byte_per_s == 0.0)
      link.limit.bandwidth_byte_per_s = device.copy_byte_per_s.value;
    return model_execution(planned_.plan, device, link, case_.kernel, planned_.worker_speeds);
  }

  // A prediction is exact: one sample, no interval.
  void modelled_pass() {
    result_.values["provenance"] = "model";
    const std::vector<Execution> executions = {modelled()};
    result_.samples = {sample_of(executions[0])};
    result_.values["modelled_wall_time_s"] = to_text(executions[0].wall_s);
    add_medians(result_.samples, result_.values);
    add_parts(executions);
    // A row for each worker and step of thousands of workers is no table that anyone reads.
    if (case_.workers <= kMostWorkersWithSteps) add_steps(executions);
  }

  void add_residual() {
    const double wall_s = modelled().wall_s;
    result_.values["modelled_wall_time_s"] = to_text(wall_s);
    result_.values["model_residual_ratio"] =
        to_text(summarise(repeats(result_.samples, &Sample::wall_s)).median / wall_s - 1.0);
  }

  // What serial ranks do not have is left empty: nothing travels and nobody waits.
  [[nodiscard]] bool is_known(double StepTime::*time) const {
    // A GPU that waits for another does not tell for how long the other was not ready.
    if (time == &StepTime::idle_s && case_.ranks == Ranks::nccl) return false;
    return time == &StepTime::compute_s || case_.ranks != Ranks::serial;
  }

  void add_parts(const std::vector<Execution>& executions) {
    if (executions[0].workers.empty()) return;
    constexpr std::pair<const char*, double StepTime::*> kParts[] = {
        {"compute_median_s", &StepTime::compute_s},
        {"communication_median_s", &StepTime::communication_s},
        {"exposed_communication_median_s", &StepTime::exposed_communication_s},
        {"idle_median_s", &StepTime::idle_s}};
    for (const auto& [column, member] : kParts) {
      if (!is_known(member)) continue;
      std::vector<double> largest;
      for (const Execution& execution : executions) {
        largest.push_back(0.0);
        for (const WorkerTime& worker : execution.workers) {
          double sum_s = 0.0;
          for (const StepTime& step : worker.steps) sum_s += step.*member;
          largest.back() = std::max(largest.back(), sum_s);
        }
      }
      result_.values[column] = to_text(median(largest));
    }
  }

  [[nodiscard]] std::string executed_pairs(std::size_t worker, std::size_t step) const {
    if (!gpu_) return to_text(planned_.work.workers[worker].steps[step].executed_pairs);
    if (!planned_.gpu || planned_.gpu->step_pairs.empty()) return {};
    return to_text(planned_.gpu->step_pairs[worker][step]);
  }

  void add_steps(const std::vector<Execution>& executions) {
    if (executions[0].workers.empty()) return;
    const auto& workers = planned_.work.workers;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      for (std::size_t s = 0; s < workers[w].steps.size(); ++s) {
        const StepWork& work = workers[w].steps[s];
        std::vector<std::string> row = {to_text(static_cast<std::int64_t>(w)),
                                        to_text(static_cast<std::int64_t>(s)),
                                        to_text(work.unmasked_pairs),
                                        executed_pairs(w, s),
                                        to_text(work.bytes_in),
                                        to_text(work.bytes_out),
                                        to_text(work.kv_tokens)};
        for (double StepTime::*time :
             {&StepTime::start_s, &StepTime::compute_s, &StepTime::communication_s,
              &StepTime::exposed_communication_s, &StepTime::idle_s}) {
          if (!is_known(time)) {
            row.emplace_back();
            continue;
          }
          std::vector<double> values;
          for (const Execution& execution : executions)
            if (w < execution.workers.size() && s < execution.workers[w].steps.size())
              values.push_back(execution.workers[w].steps[s].*time);
          row.push_back(to_text(median(values)));
        }
        result_.steps.push_back(std::move(row));
      }
    }
  }

  const Case& case_;
  const std::string& trace_stem_;
  const OpenGpu& open_gpu_;
  CaseResult& result_;
  PlannedCase planned_;
  std::unique_ptr<ComputeDevice> gpu_;  // device: cuda; outlives the arena
  std::optional<MpiCase> ranks_;
};

}  // namespace

CaseResult run_case(const Case& c, const std::string& trace_directory, const OpenGpu& open_gpu) {
  CaseResult result;
  const auto failed = [&](Status status, const std::string& message) {
    result.status = status;
    result.message = message;
    result.samples.clear();
    result.steps.clear();
    result.parts.clear();
  };
  try {
    const Case resolved = resolve_case(c);
    const std::string stem = trace_directory.empty() ? "" : trace_directory + "/" + case_id(c);
    require_fitting_device(resolved);
    switch (resolved.workload) {
      case Workload::attention:
        CaseRun(resolved, stem, open_gpu, result).run();
        break;
      case Workload::transformer_layer:
        run_layer_case(resolved, stem, open_gpu, result);
        break;
      case Workload::matrix_product:
        run_product_case(resolved, stem, result);
        break;
    }
  } catch (const CaseError& error) {
    failed(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    failed(Status::oom, "the heap has no more memory");
  } catch (const std::exception& error) {
    failed(Status::error, error.what());
  }
  return result;
}

}  // namespace qb
