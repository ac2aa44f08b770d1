// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/measured_columns.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/statistics.h"
#include "harness/execute/memory/timeline.h"

namespace qb {
namespace {

// The largest resident size of this program. The maximum of getrusage survives the exec and would
// be the parent's where that is larger. Nothing where Linux does not report it.
std::optional<std::int64_t> resident_peak_bytes() {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    std::int64_t kib = 0;
    if (name == "VmHWM:" && status >> kib) return kib * 1024;
    std::getline(status, name);
  }
  return std::nullopt;
}

bool is_known(const std::vector<double>& times) {
  return std::ranges::none_of(times, [](double time) { return std::isnan(time); });
}

std::vector<double> numbers_of(const std::vector<Sample>& samples, double Sample::*number) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*number);
  return values;
}
std::vector<double> numbers_of(const std::vector<Sample>& samples, double HostActivity::*number) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.host.*number);
  return values;
}

// What its columns begin with. Both lists are dQ, dK, dV.
std::string gradient_prefix(TensorRole what) {
  static_assert(std::size(kGradients) == std::size(kGradientColumns));
  const auto place = std::ranges::find(kGradients, what) - std::begin(kGradients);
  return std::string(kGradientColumns[place]);
}
std::string gradient_prefix(LayerGradient what) {
  return std::string(kLayerGradientColumns[what == LayerGradient::hidden_states ? 0 : 1]);
}

// Adds the columns of a gradient's errors, which begin with `prefix`.
template <class What>
void add_gradient_errors(const std::string& prefix, const ErrorsOf<What>& errors,
                         RowValues& values) {
  values.set_text(prefix + "_max_error", to_text(errors.max_error));
  values.set_text(prefix + "_naive_error", to_text(errors.naive_error));
  values.set_text(prefix + "_tolerance", to_text(errors.tolerance));
  // It has no bound where all of the reference is 0.
  if (std::isfinite(errors.relative_l2_error))
    values.set_text(prefix + "_relative_l2_error", to_text(errors.relative_l2_error));
}

// What disturbed most of them. One of them at least is disturbed.
Disturbance most_frequent_disturbance(const std::vector<Sample>& samples) {
  std::map<Disturbance, int> counts;
  for (const Sample& sample : samples)
    if (sample.disturbed_by) ++counts[*sample.disturbed_by];
  return std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
}

struct WithInterval {
  IntervalColumns columns;
  double Sample::*member;
};
constexpr WithInterval kWithIntervals[] = {
    {"wall_time", &Sample::wall_s},
    {"critical_path", &Sample::critical_path_s},
    {"worker_sum", &Sample::worker_sum_s},
    {"longest_subsequence", &Sample::longest_subsequence_s},
    {"exposed_communication", &Sample::exposed_communication_s},
    {"forward_time", &Sample::forward_s},
    {"backward_time", &Sample::backward_s}};

struct Median {
  RealColumn column;
  double Sample::*member;
};
constexpr Median kMedians[] = {{"gather_median_s", &Sample::gather_s},
                               {"merge_median_s", &Sample::merge_s},
                               {"compute_median_s", &Sample::compute_s},
                               {"communication_median_s", &Sample::communication_s},
                               {"idle_median_s", &Sample::idle_s},
                               {"stage_scores_median_s", &Sample::stage_scores_s},
                               {"stage_softmax_median_s", &Sample::stage_softmax_s},
                               {"stage_product_median_s", &Sample::stage_product_s},
                               {"device_time_median_s", &Sample::device_s},
                               {"sm_clock_median_hz", &Sample::sm_clock_hz}};

}  // namespace

MemoryLedger::Options ledger_options(const Case& c, bool record_events, ComputeDevice& device) {
  return {.budget_bytes = static_cast<std::uint64_t>(c.memory_budget_bytes),
          .record_events = record_events,
          .source = device.memory(c.allocator),
          .allocator = c.allocator};
}

void add_memory_peaks(const MemoryLedger& ledger, RowValues& values) {
  values.set("active_memory_peak_bytes", ledger.active_peak_bytes());
  values.set("reserved_memory_peak_bytes", ledger.reserved_peak_bytes());
  values.set("resident_peak_bytes", resident_peak_bytes());
}

void add_verification(const Verification& verification, RowValues& values) {
  values.set("verified_rows", verification.rows);
  values.set("max_error", verification.max_error);
  values.set("naive_error", verification.naive_error);
  values.set("tolerance", verification.tolerance);
  values.set("lse_max_error", verification.lse_max_error);
  values.set("relative_l2_error", verification.relative_l2_error);
  if (!verification.gradients.empty()) values.set("verified_keys", verification.keys);
  for (const GradientErrors& gradient : verification.gradients)
    add_gradient_errors(gradient_prefix(gradient.what), gradient, values);
  for (const LayerGradientErrors& gradient : verification.layer_gradients)
    add_gradient_errors(gradient_prefix(gradient.what), gradient, values);
}

void keep_events(const Case& c, const std::string& trace_stem, const MemoryLedger& ledger,
                 CaseResult& result) {
  const std::vector<MemoryEvent> events = ledger.events();
  if (c.measure.memory_timeline) result.timeline = timeline_rows(events);
  if (trace_stem.empty()) return;
  write_file_atomically(trace_stem + ".trace.json", perfetto_trace(events, c.algorithm));
  write_file_atomically(trace_stem + ".pickle", pytorch_snapshot(events));
}

Repeats repeats_of(const std::vector<Sample>& samples, const Measure& measure) {
  const auto is_disturbed = [](const Sample& sample) { return sample.disturbed_by.has_value(); };
  Repeats repeats;
  for (const std::size_t i : counted_samples(samples, measure.min_repeats))
    repeats.counted.push_back(samples[i]);
  repeats.disturbed = static_cast<std::size_t>(std::ranges::count_if(
      samples, [&](const Sample& sample) { return !sample.warmup && is_disturbed(sample); }));
  if (std::ranges::any_of(repeats.counted, is_disturbed))
    repeats.disturbed_by = most_frequent_disturbance(repeats.counted);
  return repeats;
}

void add_medians(const Repeats& repeats, RowValues& values) {
  const std::vector<Sample>& samples = repeats.counted;
  const auto add_interval = [&](IntervalColumns columns, const std::vector<double>& numbers) {
    if (!is_known(numbers)) return;
    const Summary summary = summarise(numbers);
    values.set(columns.median(), summary.median);
    values.set(columns.low95(), summary.low95);
    values.set(columns.high95(), summary.high95);
  };
  for (const auto& [columns, member] : kWithIntervals)
    add_interval(columns, numbers_of(samples, member));
  add_interval("instructions", numbers_of(samples, &HostActivity::instructions));
  const auto add = [&](RealColumn column, const std::vector<double>& numbers) {
    if (is_known(numbers)) values.set(column, median(numbers));
  };
  for (const auto& [column, member] : kMedians) add(column, numbers_of(samples, member));
  add("cpu_time_median_s", numbers_of(samples, &HostActivity::cpu_s));
  add("cycles_median", numbers_of(samples, &HostActivity::cycles));
  const Summary wall = summarise(numbers_of(samples, &Sample::wall_s));
  values.set("n_samples", wall.n);
  values.set("interval_coverage", wall.coverage);
}

void add_disturbances(const std::vector<Sample>& samples, const Repeats& repeats,
                      RowValues& values) {
  double throttled = 0.0;
  for (const Sample& sample : samples)
    if (!sample.warmup) throttled += sample.throttled;
  if (!std::isnan(throttled)) values.set("throttled_samples", std::llround(throttled));
  values.set("disturbed_samples", repeats.disturbed);
  if (repeats.disturbed_by) values.set("disturbed_by", word(*repeats.disturbed_by));
}

void add_clock(ComputeDevice& device, Sample& sample) {
  const cuda::ClockState clock = device.clock();
  if (clock.sm_hz > 0.0) sample.sm_clock_hz = clock.sm_hz;
  if (!clock.reasons_known) return;
  sample.throttled = cuda::is_throttled(clock) ? 1.0 : 0.0;
  if (sample.throttled > 0.0) sample.disturbed_by = Disturbance::throttled;
}

void add_rate(double flop, const Repeats& repeats, RowValues& values) {
  values.set("achieved_flop_per_s", flop / median(numbers_of(repeats.counted, &Sample::wall_s)));
}

void add_peak(double peak_flop_per_s, RowValues& values) {
  values.set("peak_flop_per_s", peak_flop_per_s);
  values.set("peak_fraction", values.number("achieved_flop_per_s") / peak_flop_per_s);
}

void add_gpu_peak(const Case& c, ComputeDevice& gpu, RowValues& values) {
  std::optional<double> peak = c.gpu_peak_flop_per_s;
  if (!peak) peak = gpu.peak_flop_per_s(c.dtype);
  if (!peak) return;
  if (c.ranks == Ranks::nccl) *peak *= c.workers;  // all of them are of one kind
  add_peak(*peak, values);
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
  std::vector<double> wall_s;  // of the undisturbed ones
  for (int taken = 0; !enough_samples(measure, wall_s, clock() - start_s); ++taken) {
    const int undisturbed = static_cast<int>(wall_s.size());
    const bool out_of_time = clock() - start_s >= measure.max_time_s;
    if (taken >= std::max(measure.min_repeats, undisturbed) + (out_of_time ? 0 : measure.retakes))
      break;
    take(taken, false);
    if (!samples.back().disturbed_by) wall_s.push_back(samples.back().wall_s);
  }
  return samples;
}

}  // namespace qb
