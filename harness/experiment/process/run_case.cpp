// SPDX-License-Identifier: Apache-2.0
// Runs one case in this process, whatever it computes. No case is timed before it has been
// verified. One untimed run serves memory and verification, so that a large case runs once less.
#include "harness/experiment/process/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/experiment/process/mpi_case.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/machine.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/runner/nccl_executor.h"
#include "harness/workload/prediction.h"
#include "harness/workload/workload.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/roofline.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

class CaseRun {
 public:
  // c is resolved. Traces are written to trace_stem with their endings; empty: no traces.
  CaseRun(const Case& c, const std::string& trace_stem, CaseResult& result)
      : case_(c), trace_stem_(trace_stem), result_(result) {}

  // Throws CaseError and other exceptions; `result` then holds what was known before.
  void run(const OpenGpu& open_gpu) {
    workload_ = plan_workload(case_);
    if (case_.cpu_isa) use_instruction_set(*case_.cpu_isa);
    if (case_.device == Device::cuda) {
      device_ = open_gpu(case_);
      result_.values.set("gpu", device_->facts().name);
    }
    if (!device_) device_ = std::make_unique<CpuDevice>(workload_->threads());
    workload_->require(*device_);
    result_.values.merge(workload_->predict(&device_->costs()));
    result_.values.set("isa", workload_->isa(*device_));
    if (const auto reason = infeasible(case_, workload_->flop()))
      throw CaseError(Status::infeasible, *reason);
    if (const auto flaw = workload_->flaw())
      throw CaseError(Status::error, "the plan is wrong: " + *flaw);
    workload_->model();
    result_.values.set("provenance", is_modelled() ? "model" : "measured");
    if (is_modelled())
      predict_times();
    else
      measure();
    if (!trace_stem_.empty() && !result_.schedule.empty())
      write_file_atomically(trace_stem_ + ".schedule.json", result_.schedule);
    result_.status = Status::ok;
  }

 private:
  [[nodiscard]] bool is_modelled() const { return case_.ranks == Ranks::model; }

  // A prediction is exact: one sample, no interval.
  void predict_times() {
    result_.samples = {workload_->run(false)};
    add_medians({.counted = result_.samples}, result_.values);
    workload_->report(result_);
  }

  void measure() {
    watch_.emplace(HostSources{.alone = !is_of_many_processes(case_)});
    std::optional<ClockInUse> cpu_clock;
    if (case_.clock == ClockKind::cpu) cpu_clock.emplace(cpu_clock_s);
    ranks_.emplace(case_);
    const bool record = case_.measure.memory_timeline || !trace_stem_.empty();
    const bool watched = case_.measure.device_memory;
    if (watched) device_->watch_memory();
    memory_pass(record);
    if (watched) result_.values.set("gpu_memory_peak_bytes", device_->watched_peak_bytes());
    if (case_.measure.verify_rows > 0) verify();
    // Recording costs time. The memory stays with the ledger, so that the first timed run does not
    // pay for it again.
    workload_->ledger().stop_recording();
    timed_pass();
    workload_->report(result_);
    workload_->close();  // the products that are measured next need memory
    add_gpu_peak(case_, *device_, result_.values);
  }

  void open(bool record) {
    ranks_->announce(MpiCase::kOpen);
    workload_->open(device_.get(), ledger_options(case_, record, *device_));
    ranks_->announce(MpiCase::kPrepare);
    workload_->prepare();
  }

  Sample compute(bool verifying) {
    ranks_->announce(verifying ? MpiCase::kVerify : MpiCase::kTime);
    return workload_->run(verifying);
  }

  void memory_pass(bool record) {
    try {
      open(record);
      (void)compute(true);
    } catch (const OutOfMemory&) {
      // The events show how the memory ran out.
      keep_events(case_, trace_stem_, workload_->ledger(), result_);
      throw;
    }
    const Workload::Peaks peaks = workload_->peaks();
    result_.values.set("device_peak_bytes", peaks.device_bytes);
    result_.values.set("root_peak_bytes", peaks.root_bytes);
    add_memory_peaks(workload_->ledger(), result_.values);
    keep_events(case_, trace_stem_, workload_->ledger(), result_);
  }

  void verify() {
    const Verification verification = workload_->verify();
    add_verification(verification, result_.values);
    if (!verification.correct) throw CaseError(Status::incorrect, verification.message);
  }

  void timed_pass() {
    Buffer flushed;  // twice as large as the device's cache, in which writing it leaves nothing
    unsigned char value = 0;
    result_.samples = take_samples(case_.measure, now_s, [&] {
      if (case_.l2_cache == L2Cache::flushed) {
        if (device_->facts().l2_bytes == 0)
          throw Unsupported("l2_cache: flushed needs the size of the cache, which is not known");
        if (flushed.data() == nullptr)
          flushed = Buffer(workload_->ledger(), 2 * device_->facts().l2_bytes, "l2_flush");
        device_->fill(flushed.data(), value++, flushed.bytes());
        device_->wait();
      }
      watch_->begin();
      Sample sample = compute(false);
      sample.host = watch_->end();
      sample.disturbed_by = disturbance(sample.host);
      // Waiting takes no CPU time; time that the hypervisor takes may count as such.
      if (case_.clock == ClockKind::cpu && sample.disturbed_by != Disturbance::stolen)
        sample.disturbed_by.reset();
      add_clock(*device_, sample);
      return sample;
    });
    note_oversubscription();
    const Repeats repeats = repeats_of(result_.samples, case_.measure);
    add_medians(repeats, result_.values);
    add_disturbances(result_.samples, repeats, result_.values);
    if (case_.clock != ClockKind::unsynchronized)  // which times the launches only
      add_rate(workload_->flop(), repeats, result_.values);
    if (const double peak = cpu_peak_flop_per_s(); peak > 0.0) add_peak(peak, result_.values);
  }

  // Where more threads compute than there are cores they wait for each other, in every repeat.
  void note_oversubscription() {
    if (case_.device == Device::cuda) return;
    const double quota = probe_machine().quota_cores;
    const double cores =
        quota > 0.0 ? std::min<double>(std::ceil(quota), available_cores()) : available_cores();
    if (busy_threads(case_, workload_->threads()) <= cores) return;
    for (Sample& sample : result_.samples) sample.disturbed_by = Disturbance::oversubscribed;
  }

  // The best that was seen of the cores that the case used; it is measured again where something
  // disturbed that, as it must have where the case itself was faster: a host can run two cores of a
  // virtual machine as the two threads of one for a while, which halves both and shows in nothing
  // else. A pause lets it place them anew. 0 for a GPU, whose peak add_gpu_peak() adds,
  // and for ranks on several hosts.
  double cpu_peak_flop_per_s() {
    constexpr int kMostDisturbed = 10;
    constexpr int kMostMeasurements = 30;
    constexpr std::chrono::milliseconds kPause{20};
    if (case_.device == Device::cuda || case_.ranks == Ranks::mpi) return 0.0;
    const int cores = std::min(workload_->threads(), available_cores());
    const double achieved = result_.values.number("achieved_flop_per_s");
    double peak = 0.0;
    for (int i = 0; i < kMostMeasurements; ++i) {
      watch_->begin();
      peak = std::max(peak, cpu::kernel_peak_flop_per_s(case_.kernel, case_.dtype, cores));
      const bool disturbed = disturbance(watch_->end()).has_value();
      if (peak == 0.0 || (peak >= achieved && (!disturbed || i + 1 >= kMostDisturbed))) break;
      std::this_thread::sleep_for(kPause);
    }
    return peak;
  }

  const Case& case_;
  const std::string& trace_stem_;
  CaseResult& result_;
  // The order matters: the workload is destroyed first, then the ranks hear that the case is over.
  std::optional<HostWatch> watch_;
  std::unique_ptr<ComputeDevice> device_;
  std::optional<MpiCase> ranks_;
  std::unique_ptr<Workload> workload_;
};

}  // namespace

std::unique_ptr<ComputeDevice> open_gpu_of(const Case& c) {
  return open_cuda_device(c.cuda_path == CudaPath::sm_80,
                          c.ranks == Ranks::nccl ? gpu_of_this_rank() : 0);
}

RowValues predicted_values(const Case& c) {
  const auto costs = costs_of_first_gpu(c);
  RowValues values = plan_workload(c)->predict(costs ? &*costs : nullptr);
  for (const auto& [name, value] : case_parameters(c)) values.set_text(name, value);
  return values;
}

std::string trace_name(const Case& c) {
  return fmt::format("{}_w{}_n{}_{}", algorithm_name(c.algorithm), c.workers, c.shape.q_len,
                     case_id(c).substr(0, 6));
}

CaseResult run_case(const Case& c, const std::string& trace_directory, const OpenGpu& open_gpu) {
  CaseResult result;
  try {
    const std::string stem = trace_directory.empty() ? "" : trace_directory + "/" + trace_name(c);
    CaseRun(c, stem, result).run(open_gpu);
  } catch (...) {
    const CaseError error = case_error(std::current_exception());
    result.status = error.status();
    result.message = error.what();
    result.values.erase(FieldGroup::time);
    result.samples.clear();
    result.steps.clear();
    result.parts.clear();
  }
  return result;
}

}  // namespace qb
