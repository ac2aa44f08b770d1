// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <future>
#include <iterator>
#include <optional>

#include "base/interruption.h"
#include "base/numbers.h"
#include "base/schema/run_tables.h"
#include "base/status.h"
#include "harness/forecast/hosts.h"
#include "harness/forecast/model_simulation.h"
#include "harness/plan/check/check.h"
#include "harness/plan/tiling.h"
#include "harness/run/runner/device_executor.h"
#include "harness/run/transport/mpi_world.h"
#include "kernels/attention_backward.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// The mean and deviation of local queries over the workers; these are all, so it divides by n.
std::pair<double, double> subsequence_spread(const Work& work) {
  const auto n = static_cast<double>(work.workers.size());
  double mean = 0.0;
  for (const WorkerWork& worker : work.workers) mean += static_cast<double>(worker.q_tokens) / n;
  double squares = 0.0;
  for (const WorkerWork& worker : work.workers)
    squares += std::pow(static_cast<double>(worker.q_tokens) - mean, 2);
  return {mean, std::sqrt(squares / n)};
}

int ranks_on_these_cores() {
  const MpiWorld* const world = MpiWorld::current();
  return world == nullptr ? 1 : world->sharing_cores();
}

void plan_passes(const Case& c, PlannedCase& planned) {
  planned.plan = plan_of(c, Pass::forward);
  if (c.pass == Passes::forward) return;
  if (c.device == Device::cuda)
    cuda::require_gpu_backward(c.kernel, c.dtype);
  else
    require_backward_kernel(c.kernel, c.dtype);
  if (c.device == Device::cuda && c.ranks == Ranks::serial)
    require_launch(c.launch, Pass::backward, c.kernel);  // before the forward pass runs
  planned.times_forward = c.pass == Passes::both;
  planned.backward = plan_of(c, Pass::backward);
}

// Steps are left out where there are too many, and then those of neither pass are of use.
template <class Steps>
void append_steps(Steps& first, const Steps& second) {
  if (first.empty() || second.empty()) return first.clear();
  std::ranges::copy(second, std::back_inserter(first));
}

// Unknown where one of the two is not known.
std::optional<std::int64_t> larger(const std::optional<std::int64_t>& a,
                                   const std::optional<std::int64_t>& b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

}  // namespace

std::vector<const Plan*> PlannedCase::timed() const {
  std::vector<const Plan*> plans;
  if (times_forward) plans.push_back(&plan);
  if (backward) plans.push_back(&*backward);
  return plans;
}

PlannedCase plan_case(const Case& c) {
  PlannedCase planned;
  planned.threads = threads_of(c);
  plan_passes(c, planned);
  // MPI has the links of the machine, which only a forecast needs to know.
  if (c.ranks != Ranks::mpi || c.model_device) planned.network = network_of(c);
  // Both read all workers and write nothing of the plan.
  auto flaw = std::async([&, flag = interrupt_flag] {
    interrupt_flag = flag;
    std::optional<std::string> first = check(planned.plan);
    return first || !planned.backward ? first : check(*planned.backward);
  });
  add_work(c, planned);
  planned.flaw = flaw.get();
  return planned;
}

void add_work(const Case& c, PlannedCase& planned) {
  const int threads_per_worker =
      c.ranks == Ranks::threads ? std::max(1, planned.threads / c.workers) : planned.threads;
  bool first = true;
  planned.alike.clear();
  for (const Plan* const plan : planned.timed()) {
    const Representatives& alike = planned.alike.emplace_back(*plan);
    auto counted = std::async([&, flag = interrupt_flag] {
      interrupt_flag = flag;
      return plan_memory(*plan, alike, c.kernel, threads_per_worker);
    });
    Work work = model_work(*plan, alike, c.kernel);
    PlanMemory memory = counted.get();
    if (plan->pass == Pass::backward) planned.backward_sent_bytes = work.sent_bytes_max;
    planned.work = first ? std::move(work) : in_sequence(std::move(planned.work), work);
    planned.memory = first ? std::move(memory) : in_sequence(std::move(planned.memory), memory);
    first = false;
  }
}

// A rank's part of the cores that it may use, which other ranks of the host may use too. What is
// modelled does not depend on the machine that computes the model.
int threads_of(const Case& c) {
  if (c.threads > 0) return c.threads;
  if (c.ranks == Ranks::model) return 1;
  const bool has_processes = c.ranks == Ranks::mpi || c.ranks == Ranks::nccl;
  return std::max(1, available_cores() / (has_processes ? ranks_on_these_cores() : 1));
}

int busy_threads(const Case& c, int threads) {
  return static_cast<int>(busy_threads(word(c.ranks), c.workers, threads, ranks_on_these_cores()));
}

void rehearse_on_gpu(const Case& c, const cuda::KernelCosts& costs, PlannedCase& planned) {
  if (c.device != Device::cuda || c.ranks != Ranks::serial) return;
  if (infeasible(c, planned.work.flops)) return;  // its schedules too would take too long
  planned.gpu.reset();
  std::optional<Rehearsal> gpu;
  try {
    for (const Plan* const plan : planned.timed()) {
      Rehearsal pass = rehearse(*plan, c.kernel, c.launch, costs);
      gpu = gpu ? in_sequence(*std::move(gpu), pass) : std::move(pass);
    }
    planned.gpu = std::move(gpu);
  } catch (const Unsupported&) {
    // The run reports the reason.
  }
}

std::optional<cuda::GpuKernelCosts> costs_of_first_gpu(const Case& c) {
  if (c.device != Device::cuda) return std::nullopt;
  const std::optional<CudaDevice> gpu = first_gpu();
  const bool names_path = c.cuda_path == CudaPath::sm_80;
  if (!gpu && c.kernel == Kernel::flash && !names_path) return std::nullopt;
  const struct {
    int compute_capability;
    bool force_sm80;
  } context{gpu ? 10 * gpu->compute_major + gpu->compute_minor : 80, names_path};
  return cuda::GpuKernelCosts(cuda::flash_path(context), gpu ? gpu->multiprocessors : 0);
}

RowValues prediction_columns(const Case& c, const PlannedCase& planned) {
  const Work& work = planned.work;
  const PlanMemory& memory = planned.memory;
  const auto [mean_tokens, stddev_tokens] = subsequence_spread(work);
  RowValues row;
  row.set("longest_subsequence_tokens", work.longest_subsequence);
  row.set("shortest_subsequence_tokens", work.shortest_subsequence);
  row.set("mean_subsequence_tokens", mean_tokens);
  row.set("stddev_subsequence_tokens", stddev_tokens);
  row.set("responsibility_ratio", work.responsibility_ratio);
  row.set("unmasked_pairs", work.unmasked_pairs);
  row.set("critical_path_pairs", work.critical_path_pairs);
  row.set("unmasked_flop", work.flops);
  row.set("moved_bytes", work.bytes_total);
  row.set("device_sent_bytes", work.sent_bytes_max);
  if (c.cluster != kNoCluster)
    row.set("between_hosts_bytes",
            std::ranges::max(bytes_between_hosts(planned.timed(), hosts_of(c))));
  if (memory.root_peak_bytes > 0) row.set("root_sent_bytes", work.root_sent_bytes);
  if (planned.backward) row.set("backward_sent_bytes", planned.backward_sent_bytes);
  // These follow from the tiles and the workspace of the kernels.
  if (c.device == Device::cuda) {
    const Rehearsal gpu = planned.gpu.value_or(Rehearsal{});
    row.set("executed_pairs", gpu.executed_pairs);
    row.set("predicted_active_peak_bytes", gpu.active_peak_bytes);
    row.set("predicted_device_peak_bytes", works_in_place(*planned.timed().front())
                                               ? gpu.active_peak_bytes
                                               : gpu.worker_peak_bytes);
    return row;
  }
  row.set("executed_pairs", work.executed_pairs);
  row.set("predicted_active_peak_bytes",
          c.ranks == Ranks::threads ? memory.threads_bytes : memory.serial_bytes);
  row.set("predicted_device_peak_bytes", memory.device_peak_bytes);
  if (memory.root_peak_bytes > 0) row.set("predicted_root_peak_bytes", memory.root_peak_bytes);
  return row;
}

std::vector<Execution> model_times(const Case& c, const PlannedCase& planned) {
  DeviceModel device = *c.model_device == "here"
                           ? calibrate_here(c.kernel, c.dtype, c.shape.head_dim,
                                            std::min<std::int64_t>(c.shape.kv_len, 4096))
                           : load_device_model(*c.model_device);
  // Each worker has a device of its own, unless the case says that some share one.
  device.cores.value = c.model_cores;
  // With ranks: threads, workers share the memory in which they scatter and gather.
  ModelLink link{.limit = planned.network.limit,
                 .hosts = planned.network.hosts,
                 .overlap = c.link_mode == LinkMode::overlap,
                 .no_communication = c.link_mode == LinkMode::nocomm,
                 .root_has_link = c.ranks != Ranks::threads && c.ranks != Ranks::serial};
  // Messages within one machine are copies, which limit them where the case sets no limit.
  for (LinkLimit* const limit : {&link.limit, &link.hosts.inside})
    if (c.ranks != Ranks::model && limit->bandwidth_byte_per_s == 0.0)
      limit->bandwidth_byte_per_s = device.copy_byte_per_s.value;
  std::vector<Execution> passes;
  for (std::size_t i = 0; i < planned.alike.size(); ++i)
    passes.push_back(
        model_execution(*planned.timed()[i], planned.alike[i], device, link, c.kernel));
  return passes;
}

std::optional<std::string> infeasible(const Case& c, double unmasked_flop) {
  const double rate = c.device == Device::cuda ? kOptimisticGpuFlopPerS : kOptimisticFlopPerS;
  const double seconds = unmasked_flop / rate;
  if (c.ranks == Ranks::model || seconds <= c.measure.timeout_s) return std::nullopt;
  return fmt::format("{}FLOP take {} at {}FLOP/s, longer than the timeout of {}",
                     format_si(unmasked_flop), format_seconds(seconds), format_si(rate),
                     format_seconds(c.measure.timeout_s));
}

Work in_sequence(Work first, const Work& second) {
  first.bytes_total += second.bytes_total;
  first.flops += second.flops;
  first.root_sent_bytes += second.root_sent_bytes;
  first.sent_bytes_max = 0;
  for (std::size_t w = 0; w < first.workers.size(); ++w) {
    WorkerWork& worker = first.workers[w];
    const WorkerWork& then = second.workers[w];
    worker.bytes_in += then.bytes_in;
    worker.bytes_out += then.bytes_out;
    worker.bytes_from_root += then.bytes_from_root;
    append_steps(worker.steps, then.steps);
    first.sent_bytes_max = std::max(first.sent_bytes_max, worker.bytes_out);
  }
  return first;
}

PlanMemory in_sequence(PlanMemory first, const PlanMemory& second) {
  const std::size_t n = std::min(first.worker_peak_bytes.size(), second.worker_peak_bytes.size());
  for (std::size_t w = 0; w < n; ++w)
    first.worker_peak_bytes[w] = std::max(first.worker_peak_bytes[w], second.worker_peak_bytes[w]);
  first.device_peak_bytes = std::max(first.device_peak_bytes, second.device_peak_bytes);
  first.root_peak_bytes = std::max(first.root_peak_bytes, second.root_peak_bytes);
  first.serial_bytes = std::max(first.serial_bytes, second.serial_bytes);
  first.threads_bytes = std::max(first.threads_bytes, second.threads_bytes);
  return first;
}

Rehearsal in_sequence(Rehearsal first, const Rehearsal& second) {
  first.active_peak_bytes = larger(first.active_peak_bytes, second.active_peak_bytes);
  first.worker_peak_bytes = larger(first.worker_peak_bytes, second.worker_peak_bytes);
  if (!second.executed_pairs) first.executed_pairs.reset();
  if (first.step_pairs.size() != second.step_pairs.size()) first.step_pairs.clear();
  for (std::size_t w = 0; w < first.step_pairs.size(); ++w)
    append_steps(first.step_pairs[w], second.step_pairs[w]);
  return first;
}

Execution in_sequence(Execution first, const Execution& second) {
  // Workers that were launched together have no times.
  if (first.workers.size() != second.workers.size()) first.workers.clear();
  for (std::size_t w = 0; w < first.workers.size(); ++w) {
    WorkerTime& worker = first.workers[w];
    const WorkerTime& then = second.workers[w];
    worker.gather_s += then.gather_s;
    worker.compute_s += then.compute_s;
    worker.merge_s += then.merge_s;
    worker.active_peak_bytes = std::max(worker.active_peak_bytes, then.active_peak_bytes);
    worker.sent_bytes += then.sent_bytes;
    worker.from_root_bytes += then.from_root_bytes;
    for (StepTime step : then.steps) {
      step.start_s += first.wall_s;
      for (TimeSpan* const span : {&step.compute, &step.receive, &step.send}) {
        span->start_s += first.wall_s;
        span->end_s += first.wall_s;
      }
      worker.steps.push_back(step);
    }
  }
  first.wall_s += second.wall_s;
  first.device_s += second.device_s;
  first.delta_s += second.delta_s;
  first.critical_path_s += second.critical_path_s;
  first.worker_sum_s += second.worker_sum_s;
  first.longest_subsequence_s += second.longest_subsequence_s;
  return first;
}

}  // namespace qb
