#include "harness/experiment/process/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/numbers.h"
#include "base/status.h"
#include "harness/experiment/process/case_plan.h"
#include "harness/experiment/process/device.h"
#include "harness/experiment/process/layer_case.h"
#include "harness/experiment/process/product_case.h"
#include "harness/experiment/process/result.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/schema/worker_speeds.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Local queries over workers. The workers are all there are, so n is in the denominator of the
// deviation.
struct Spread {
  double mean = 0.0;
  double stddev = 0.0;
};

Spread subsequence_spread(const Work& work) {
  Spread spread;
  const auto n = static_cast<double>(work.workers.size());
  for (const WorkerWork& worker : work.workers)
    spread.mean += static_cast<double>(worker.q_tokens) / n;
  double squares = 0.0;
  for (const WorkerWork& worker : work.workers)
    squares += std::pow(static_cast<double>(worker.q_tokens) - spread.mean, 2);
  spread.stddev = std::sqrt(squares / n);
  return spread;
}

// The model's peak is that of one worker at a time; as threads all workers hold theirs at once.
std::int64_t active_peak_bytes(Ranks ranks, const Work& work) {
  if (ranks != Ranks::threads) return work.serial_peak_bytes;
  std::int64_t worst = 0;
  std::int64_t sum = 0;
  for (const WorkerWork& worker : work.workers) {
    worst = std::max(worst, worker.active_peak_bytes);
    sum += worker.active_peak_bytes;
  }
  return work.serial_peak_bytes - worst + sum;
}

// All cores; of a host that ranks share without being bound to cores, a rank's part.
int default_threads(Ranks ranks) {
  const char* on_host = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const int cores = available_cores();
  const bool bound = cores < static_cast<int>(std::thread::hardware_concurrency());
  if (ranks != Ranks::mpi || on_host == nullptr || bound) return cores;
  return std::max(1, cores / std::max(1, std::atoi(on_host)));
}

}  // namespace

PlannedCase plan_case(const Case& c) {
  PlannedCase planned;
  planned.threads = c.threads > 0 ? c.threads : default_threads(c.ranks);
  planned.plan = plan_of(c);
  planned.worker_speeds = worker_speeds_of(c);
  const int threads_per_worker =
      c.ranks == Ranks::threads ? std::max(1, planned.threads / c.workers) : planned.threads;
  planned.work = model_work(planned.plan, c.kernel, threads_per_worker);
  return planned;
}

void rehearse_on_gpu(const Case& c, const cuda::KernelCosts& costs, PlannedCase& planned) {
  if (c.device != Device::cuda || c.ranks != Ranks::serial) return;
  if (infeasible(c, planned.work.flops)) return;  // its schedules too would be endless
  try {
    planned.gpu = rehearse(planned.plan, c.kernel, c.launch, costs);
  } catch (const Unsupported&) {
    planned.gpu.reset();  // the run says why
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

std::map<std::string, std::string> prediction_columns(const Case& c, const PlannedCase& planned) {
  const Work& work = planned.work;
  const Spread spread = subsequence_spread(work);
  std::map<std::string, std::string> columns = {
      {"longest_subsequence_tokens", to_text(work.longest_subsequence)},
      {"shortest_subsequence_tokens", to_text(work.shortest_subsequence)},
      {"mean_subsequence_tokens", to_text(spread.mean)},
      {"stddev_subsequence_tokens", to_text(spread.stddev)},
      {"responsibility_ratio", to_text(work.responsibility_ratio)},
      {"unmasked_pairs", to_text(work.unmasked_pairs)},
      {"executed_pairs", to_text(work.executed_pairs)},
      {"critical_path_pairs", to_text(work.critical_path_pairs)},
      {"unmasked_flop", to_text(work.flops)},
      {"moved_bytes", to_text(work.bytes_total)},
      {"worker_sent_bytes", to_text(work.sent_bytes_max)},
      {"predicted_active_peak_bytes", to_text(active_peak_bytes(c.ranks, work))},
      {"predicted_worker_active_peak_bytes", to_text(work.worker_peak_bytes)}};
  if (c.device != Device::cuda) return columns;
  // Those above follow from the tiles and the workspace of the CPU's kernels.
  const Rehearsal gpu = planned.gpu.value_or(Rehearsal{});
  const auto text = [](const std::optional<std::int64_t>& value) {
    return value ? to_text(*value) : std::string();
  };
  columns["executed_pairs"] = text(gpu.executed_pairs);
  columns["predicted_active_peak_bytes"] = text(gpu.active_peak_bytes);
  columns["predicted_worker_active_peak_bytes"] = text(gpu.worker_peak_bytes);
  return columns;
}

std::optional<std::string> infeasible(const Case& c, double unmasked_flop) {
  const double rate = c.device == Device::cuda ? kOptimisticGpuFlopPerS : kOptimisticFlopPerS;
  const double seconds = unmasked_flop / rate;
  if (seconds <= c.measure.timeout_s) return std::nullopt;
  return fmt::format("{}FLOP take {} at {}FLOP/s, longer than the timeout of {}",
                     format_si(unmasked_flop), format_seconds(seconds), format_si(rate),
                     format_seconds(c.measure.timeout_s));
}

std::map<std::string, std::string> predicted_values(const Case& c) {
  const Case resolved = resolve_case(c);
  std::map<std::string, std::string> values;
  switch (resolved.workload) {
    case Workload::attention: {
      PlannedCase planned = plan_case(resolved);
      if (const auto costs = costs_of_first_gpu(resolved))
        rehearse_on_gpu(resolved, *costs, planned);
      values = prediction_columns(resolved, planned);
      break;
    }
    case Workload::transformer_layer: {
      PlannedLayer planned = plan_layer(resolved);
      if (const auto costs = costs_of_first_gpu(resolved))
        rehearse_layer_on_gpu(resolved, *costs, planned);
      values = layer_prediction_columns(resolved, planned);
      break;
    }
    case Workload::matrix_product:
      values = product_prediction_columns(plan_product(resolved));
      break;
  }
  for (const auto& [name, value] : case_parameters(resolved)) values[name] = value;
  return values;
}

}  // namespace qb
