#include "harness/experiment/process/measured_columns.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/files.h"
#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/execute/memory/timeline.h"
#include "kernels/cpu/roofline.h"

namespace qb {
namespace {

// The largest resident size of this program. The maximum of getrusage survives the exec and would
// be the parent's where that is larger. Empty where the kernel does not report it.
std::string resident_peak_bytes() {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    std::int64_t kib = 0;
    if (name == "VmHWM:" && status >> kib) return to_text(kib * 1024);
    std::getline(status, name);
  }
  return {};
}

bool is_known(const std::vector<double>& times) {
  return std::ranges::none_of(times, [](double time) { return std::isnan(time); });
}

// Times of the repeats, without warm-ups.
std::vector<double> repeats(const std::vector<Sample>& samples, double Sample::*time) {
  std::vector<double> values;
  for (const Sample& sample : samples)
    if (!sample.warmup) values.push_back(sample.*time);
  return values;
}

}  // namespace

MemoryLedger::Options ledger_options(const Case& c, bool record_events, ComputeDevice& device) {
  return {.budget_bytes = static_cast<std::uint64_t>(c.memory_budget_bytes),
          .record_events = record_events,
          .source = device.memory(c.allocator),
          .allocator = c.allocator};
}

void add_memory_peaks(const MemoryLedger& ledger, RowValues& values) {
  const auto bytes = [](std::uint64_t value) { return to_text(static_cast<std::int64_t>(value)); };
  values["active_memory_peak_bytes"] = bytes(ledger.active_peak_bytes());
  values["reserved_memory_peak_bytes"] = bytes(ledger.reserved_peak_bytes());
  values["resident_peak_bytes"] = resident_peak_bytes();
}

void add_verification(const Verification& verification, RowValues& values) {
  values["verified_rows"] = to_text(verification.rows);
  values["max_error"] = to_text(verification.max_error);
  values["naive_error"] = to_text(verification.naive_error);
  values["tolerance"] = to_text(verification.tolerance);
  if (!std::isnan(verification.lse_max_error))
    values["lse_max_error"] = to_text(verification.lse_max_error);
}

void keep_events(const Case& c, const std::string& trace_stem, const MemoryLedger& ledger,
                 CaseResult& result) {
  const std::vector<MemoryEvent> events = ledger.events();
  if (c.measure.memory_timeline) result.timeline = timeline_rows(events);
  if (trace_stem.empty()) return;
  write_file_atomically(trace_stem + ".trace.json", perfetto_trace(events, c.algorithm));
  write_file_atomically(trace_stem + ".pickle", pytorch_snapshot(events));
}

void add_medians(const std::vector<Sample>& samples, RowValues& values) {
  constexpr std::pair<const char*, double Sample::*> kClocks[] = {
      {"wall_time", &Sample::wall_s},
      {"critical_path", &Sample::critical_path_s},
      {"worker_sum", &Sample::worker_sum_s},
      {"longest_subsequence", &Sample::longest_subsequence_s}};
  for (const auto& [name, member] : kClocks) {
    if (!is_known(repeats(samples, member))) continue;
    const Summary summary = summarise(repeats(samples, member));
    const std::string prefix = name;
    values[prefix + "_median_s"] = to_text(summary.median);
    values[prefix + "_low95_s"] = to_text(summary.low95);
    values[prefix + "_high95_s"] = to_text(summary.high95);
  }
  constexpr std::pair<const char*, double Sample::*> kMedians[] = {
      {"gather_median_s", &Sample::gather_s},
      {"merge_median_s", &Sample::merge_s},
      {"stage_scores_median_s", &Sample::stage_scores_s},
      {"stage_softmax_median_s", &Sample::stage_softmax_s},
      {"stage_product_median_s", &Sample::stage_product_s},
      {"device_time_median_s", &Sample::device_s},
      {"sm_clock_median_hz", &Sample::sm_clock_hz}};
  for (const auto& [column, member] : kMedians)
    if (const std::vector<double> times = repeats(samples, member); is_known(times))
      values[column] = to_text(median(times));
  double throttled = 0.0;
  for (const double value : repeats(samples, &Sample::throttled)) throttled += value;
  if (!std::isnan(throttled)) values["throttled_samples"] = to_text(throttled);
  const Summary wall = summarise(repeats(samples, &Sample::wall_s));
  values["n_samples"] = to_text(static_cast<std::int64_t>(wall.n));
  values["interval_coverage"] = to_text(wall.coverage);
}

void add_clock(ComputeDevice& device, Sample& sample) {
  const cuda::ClockState clock = device.clock();
  if (clock.sm_hz > 0.0) sample.sm_clock_hz = clock.sm_hz;
  if (clock.reasons_known) sample.throttled = cuda::is_throttled(clock) ? 1.0 : 0.0;
}

void add_rates(const Case& c, double flop, int threads, const std::vector<Sample>& samples,
               RowValues& values) {
  const double flop_per_s = flop / summarise(repeats(samples, &Sample::wall_s)).median;
  values["achieved_flop_per_s"] = to_text(flop_per_s);
  if (c.device == Device::cuda) return;  // add_gpu_peak() adds its peak
  const double peak = cpu::kernel_peak_flop_per_s(c.kernel, c.dtype, threads);
  if (peak == 0.0) return;
  values["peak_flop_per_s"] = to_text(peak);
  values["peak_fraction"] = to_text(flop_per_s / peak);
}

void add_gpu_peak(const Case& c, ComputeDevice& gpu, RowValues& values) {
  std::optional<double> peak = c.gpu_peak_flop_per_s;
  if (!peak) peak = gpu.peak_flop_per_s(c.dtype);
  if (!peak) return;
  if (c.ranks == Ranks::nccl) *peak *= c.workers;  // all of them are of one kind
  const double achieved = parse_real(values.at("achieved_flop_per_s")).value();
  values["peak_flop_per_s"] = to_text(*peak);
  values["peak_fraction"] = to_text(achieved / *peak);
}

bool enough_samples(const Measure& measure, std::span<const double> wall_s, double elapsed_s) {
  const auto n = static_cast<int>(wall_s.size());
  if (n >= measure.max_repeats) return true;
  if (n < measure.min_repeats) return false;
  if (elapsed_s >= measure.max_time_s) return true;
  const Summary summary = summarise(wall_s);
  return summary.coverage >= 0.95 &&
         summary.high95 - summary.low95 <= measure.relative_interval * summary.median;
}

std::vector<Sample> take_samples(const Measure& measure, const std::function<double()>& clock,
                                 const std::function<Sample()>& once) {
  std::vector<Sample> samples;
  const auto take = [&](int repeat, bool warmup) {
    samples.push_back(once());
    samples.back().repeat = repeat;
    samples.back().warmup = warmup;
  };
  for (int i = 0; i < measure.warmups; ++i) take(i, true);
  const double start_s = clock();
  std::vector<double> wall_s;
  while (!enough_samples(measure, wall_s, clock() - start_s)) {
    take(static_cast<int>(wall_s.size()), false);
    wall_s.push_back(samples.back().wall_s);
  }
  return samples;
}

}  // namespace qb
