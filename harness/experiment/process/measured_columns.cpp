// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/measured_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/statistics.h"
#include "harness/experiment/schema/columns.h"
#include "harness/run/memory/timeline.h"

namespace qb {
namespace {

bool is_known(const std::vector<double>& times) {
  return std::ranges::none_of(times, [](double time) { return std::isnan(time); });
}

std::vector<double> wall_times_s(const std::vector<Sample>& samples) {
  std::vector<double> times_s;
  for (const Sample& sample : samples) times_s.push_back(sample.wall_s);
  return times_s;
}

// The column of cases.csv with the `end` of a number of samples.csv: `wall_time_median_s` of
// `wall_time_s`. Empty where there is none.
std::string column_of(std::string_view number, std::string_view end) {
  const bool has_unit = number.ends_with("_s") || number.ends_with("_hz");
  const std::size_t unit = has_unit ? number.rfind('_') : number.size();
  std::string column = fmt::format("{}_{}{}", number.substr(0, unit), end, number.substr(unit));
  return is_column(column) ? column : std::string();
}

// Adds the columns of a gradient's errors, which begin with prefixes[place]; that of sinks has
// none.
void add_gradient_errors(std::span<const std::string_view> prefixes, std::ptrdiff_t place,
                         const GradientErrors& errors, RowValues& values) {
  if (place >= std::ssize(prefixes)) return;
  const std::string prefix(prefixes[static_cast<std::size_t>(place)]);
  values.set_number(prefix + "_max_error", errors.max_error);
  values.set_number(prefix + "_naive_error", errors.naive_error);
  values.set_number(prefix + "_tolerance", errors.tolerance);
  // It has no bound where all of the reference is 0.
  if (std::isfinite(errors.relative_l2_error))
    values.set_number(prefix + "_relative_l2_error", errors.relative_l2_error);
}

// What disturbed most of them. One of them at least is disturbed.
Disturbance most_frequent_disturbance(const std::vector<Sample>& samples) {
  std::map<Disturbance, int> counts;
  for (const Sample& sample : samples)
    if (sample.disturbed_by) ++counts[*sample.disturbed_by];
  return std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
}

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
  // The maximum of getrusage survives the exec and would be the parent's where that is larger.
  if (const auto kib = keyed_number("/proc/self/status", "VmHWM:"))
    values.set("resident_peak_bytes", *kib * 1024);
}

void add_verification(const Verification& verification, RowValues& values) {
  values.set("verified_rows", verification.rows);
  values.set("max_error", verification.max_error);
  values.set("naive_error", verification.naive_error);
  values.set("tolerance", verification.tolerance);
  values.set("lse_max_error", verification.lse_max_error);
  values.set("relative_l2_error", verification.relative_l2_error);
  if (!verification.gradients.empty()) values.set("verified_keys", verification.keys);
  for (const GradientErrors& errors : verification.gradients)
    add_gradient_errors(kGradientColumns, std::ranges::find(kGradients, errors.what) - kGradients,
                        errors, values);
  for (std::ptrdiff_t i = 0; const GradientErrors& errors : verification.layer_gradients)
    add_gradient_errors(kLayerGradientColumns, i++, errors, values);
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
  for (const SampleField& field : sample_fields()) {
    std::vector<double> numbers;
    for (const Sample& sample : samples) numbers.push_back(field.of(sample));
    if (!is_known(numbers)) continue;
    const Summary summary = summarise(numbers);
    for (const auto& [end, value] : {std::pair{"median", summary.median},
                                     {"low95", summary.low95},
                                     {"high95", summary.high95}})
      if (const std::string column = column_of(field.column.name(), end); !column.empty())
        values.set_number(column, value);
  }
  const Summary wall = summarise(wall_times_s(samples));
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
  values.set("achieved_flop_per_s", flop / median(wall_times_s(repeats.counted)));
}

void add_peak(double peak_flop_per_s, RowValues& values) {
  values.set("peak_flop_per_s", peak_flop_per_s);
  if (const double achieved = values.number("achieved_flop_per_s"); !std::isnan(achieved))
    values.set("peak_fraction", achieved / peak_flop_per_s);
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
    const int most =
        std::max(measure.min_repeats, undisturbed) + (out_of_time ? 0 : measure.retakes);
    if (taken > undisturbed && taken >= most) break;
    take(taken, false);
    if (!samples.back().disturbed_by) wall_s.push_back(samples.back().wall_s);
  }
  return samples;
}

}  // namespace qb
