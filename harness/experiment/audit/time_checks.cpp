// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/audited_row.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/statistics.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {
namespace {

constexpr const char* kStages[] = {"stage_scores", "stage_softmax", "stage_product"};
constexpr const char* kSamples = "samples.csv";

// The times of workers' parts, beside exposed communication.
constexpr const char* kWorkerParts[] = {"compute", "communication", "idle"};

constexpr const char* kPassClocks[] = {"forward_time", "backward_time"};
// Times are written with every digit, and a sum is rounded once more.
constexpr double kSumRounding = 1e-9;

// Returns the values that a quantity has in the repeats that count; none where some lack it.
std::vector<double> known_repeats(const AuditedRow& row, const std::string& column) {
  std::vector<double> values = row.repeats(column);
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) values.clear();
  return values;
}

std::string median_text(const std::vector<double>& values) {
  return values.empty() ? "" : to_text(median(values));
}

void check_disturbances(AuditedRow& row) {
  std::set<std::string> found;
  std::int64_t n = 0;
  for (const Row& sample : row.samples) {
    const std::string& by = sample.text("disturbed_by");
    if (by.empty() || !sample.is("warmup", "0")) continue;
    found.insert(by);
    ++n;
  }
  // Runs older than the column count nothing.
  if (!row.text("disturbed_samples").empty() || n > 0)
    row.expect("disturbed_samples", to_text(n), kSamples);
  if (const std::string& by = row.text("disturbed_by"); !by.empty() && !found.contains(by))
    row.find("the row is disturbed by {}, but none of its repeats is", by);
}

// Each clock must contain what it says that it contains.
void check_sample(AuditedRow& row, const Row& sample, std::size_t n_cores) {
  constexpr double kRounding = 1e-6;
  const auto at_most = [&](const std::string& part, double part_s, const std::string& whole) {
    const double whole_s = sample.number_at(whole);
    if (part_s > whole_s * (1.0 + kRounding))
      row.find("in repeat {} {} is {} s, but {} is only {} s", sample.text("repeat"), part, part_s,
               whole, whole_s);
  };
  const auto contains = [&](const std::string& whole, const std::string& part) {
    at_most(part, sample.number_at(part), whole);
  };
  contains("critical_path_s", "longest_subsequence_s");
  contains("wall_time_s", "critical_path_s");
  // One that does not wait for the device contains what the host did.
  const bool waits = row.text("clock") != word(ClockKind::unsynchronized);
  if (waits) contains("wall_time_s", "device_time_s");
  for (const char* part : {"compute_s", "exposed_communication_s", "idle_s"})
    contains("wall_time_s", part);
  at_most("gather_s + merge_s", sample.number("gather_s") + sample.number("merge_s"),
          "worker_sum_s");
  // With other ranks a critical path has waits that no worker's time has.
  if (row.text("ranks") == word(Ranks::serial)) {
    contains("worker_sum_s", "critical_path_s");
    contains("wall_time_s", "worker_sum_s");
  }
  // The process's own work belongs into its wall clock, on all its cores. The counters begin before
  // it and end after it, and so do the threads of the workers, which begin and end meanwhile. A
  // rank in a process of its own makes its shard before the clock starts.
  const double counting_s = 20e-3 + 1e-3 * row.number("workers");
  constexpr double kTicks = 1.1;
  const double cpu_s = sample.number("cpu_time_s");
  const double wall_s = sample.number("wall_time_s");
  const auto cores = static_cast<double>(n_cores);
  const bool alone =
      row.text("ranks") != word(Ranks::mpi) && row.text("ranks") != word(Ranks::nccl);
  if (waits && alone && cores > 0.0 && cpu_s > kTicks * cores * wall_s + counting_s)
    row.find("in repeat {} the process computed for {} s, but the clock ran for {} s on {} cores",
             sample.text("repeat"), cpu_s, wall_s, cores);
}

// What is loaded, compiled or touched for the first time belongs into a warm-up.
void check_first_repeat(AuditedRow& row) {
  constexpr double kMuchLonger = 5.0;
  std::vector<double> times = row.repeats("wall_time_s");
  if (times.size() < 4) return;
  const double first_s = times.front();
  times.erase(times.begin());
  if (const double ratio = first_s / median(times); ratio > kMuchLonger)
    row.notes.push_back(
        fmt::format("its first repeat took {:.1f} times as long as the "
                    "others: was there no warm-up?",
                    ratio));
}

void check_gradient(AuditedRow& row, const std::string& name, bool computed) {
  const std::string& error = row.at(name + "_max_error");
  if (!computed && !error.empty())
    row.find("{}_max_error is '{}', but the case computes no such gradient", name, error);
  if (computed && !(row.number_at(name + "_max_error") <= row.number_at(name + "_tolerance")))
    row.find("the row is ok, but {}_max_error '{}' is not within the tolerance '{}'", name, error,
             row.at(name + "_tolerance"));
}

// Attention has gradients of Q, K and V, a layer those of its hidden states and of its weights.
void check_gradients(AuditedRow& row) {
  const bool computed = !row.is_modelled() && row.text("pass") != word(Passes::forward);
  const bool layer = row.text("workload") == word(WorkloadKind::transformer_layer);
  for (const std::string_view gradient : kGradientColumns)
    check_gradient(row, std::string(gradient), computed && !layer);
  for (const std::string_view gradient : kLayerGradientColumns)
    check_gradient(row, std::string(gradient), computed && layer);
  if (computed && !layer && !(row.number("verified_keys") > 0.0))
    row.find("the row is ok, but the gradient of no key was verified");
}

void check_sum(AuditedRow& row, const Row& sample) {
  const double forward_s = sample.number("forward_time_s");
  const double backward_s = sample.number("backward_time_s");
  const double wall_s = sample.number("wall_time_s");
  if (forward_s > 0.0 && backward_s > 0.0 &&
      std::abs(forward_s + backward_s - wall_s) <= kSumRounding * wall_s)
    return;
  row.find("in repeat {} the passes take {} s and {} s, and wall_time_s is {} s",
           sample.text("repeat"), forward_s, backward_s, wall_s);
}

}  // namespace

void check_medians(AuditedRow& row) {
  const Summary wall = summarise(row.repeats("wall_time_s"));
  if (wall.n == 0) return row.find("the row is ok, but samples.csv has no repeat of it");
  row.expect("n_samples", to_text(static_cast<std::int64_t>(wall.n)), kSamples);
  row.expect("interval_coverage", to_text(wall.coverage), kSamples);
  check_disturbances(row);
  // Workers that are launched together have no times of their own.
  const bool together =
      row.text("launch") != word(Launch::alone) && row.text("worker_sum_median_s").empty();
  for (const std::string clock : kCheckedClocks) {
    if (together && clock != "wall_time" && clock != "critical_path") continue;
    const std::vector<double> values = row.repeats(clock + "_s");
    row.expect_interval(clock, values, kSamples);
    if (!std::ranges::all_of(values, [](double value) { return value > 0.0; }))
      row.find("samples.csv has a {}_s that is not above 0", clock);
  }
  if (!together)
    for (const std::string part : {"gather", "merge"})
      row.expect(part + "_median_s", to_text(median(row.repeats(part + "_s"))), kSamples);
  if (!row.is_modelled() && !row.text("achieved_flop_per_s").empty())
    row.expect("achieved_flop_per_s", to_text(row.number("unmasked_flop") / wall.median), kSamples);
}

void check_worker_parts(AuditedRow& row) {
  // Rewritten runs of other schemas have repeats without them.
  if (row.samples.empty() ||
      (row.run.manifest.rewritten_from && known_repeats(row, "compute_s").empty()))
    return;
  for (const std::string part : kWorkerParts)
    row.expect(part + "_median_s", median_text(known_repeats(row, part + "_s")), kSamples);
  const std::string exposed = "exposed_communication";
  row.expect_interval(exposed, known_repeats(row, exposed + "_s"), kSamples);
}

void check_clocks(AuditedRow& row, std::size_t n_cores) {
  for (const Row& sample : row.samples) check_sample(row, sample, n_cores);
  check_first_repeat(row);
}

void check_stages(AuditedRow& row) {
  if (row.samples.empty()) return;
  for (const std::string stage : kStages)
    row.expect(stage + "_median_s", median_text(known_repeats(row, stage + "_s")), kSamples);
  for (const Row& sample : row.samples) {
    double sum_s = 0.0;
    for (const std::string stage : kStages) sum_s += sample.number_at(stage + "_s");
    if (sum_s > sample.number("wall_time_s"))
      row.find("the stages of repeat {} take {} s, which is longer than its wall clock",
               sample.text("repeat"), sum_s);
  }
}

void check_parts(AuditedRow& row, const CsvTable& parts) {
  if (row.samples.empty() || row.text("workload") != word(WorkloadKind::transformer_layer)) return;
  // Between two parts the layer only reads the clock and allocates buffers: where the parts are
  // short of half of the time in every repeat, no interruption did that.
  constexpr double kLeastShare = 0.5;
  double greatest_share = 0.0;
  std::map<std::string, std::vector<double>> times;
  for (const Row& part : all_rows(parts))
    if (part.text("case_id") == row.text("case_id"))
      times[repeat_of(part)].push_back(part.number("time_s"));
  for (const Row& sample : row.samples) {
    const std::vector<double>& parts_s = times[repeat_of(sample)];
    const double sum_s = std::accumulate(parts_s.begin(), parts_s.end(), 0.0);
    const double wall_s = sample.number("wall_time_s");
    greatest_share = std::max(greatest_share, sum_s / wall_s);
    if (parts_s.size() != kLayerParts)
      row.find("parts.csv has {} parts of repeat {}, and a layer has {}", parts_s.size(),
               sample.text("repeat"), kLayerParts);
    else if (!(sum_s <= wall_s))
      row.find("the parts of repeat {} take {} s, and the layer takes {} s", sample.text("repeat"),
               sum_s, wall_s);
  }
  if (greatest_share < kLeastShare)
    row.find("the parts take at most {:.0f} % of any repeat", 100.0 * greatest_share);
}

void check_passes(AuditedRow& row) {
  check_gradients(row);
  const bool both = row.text("pass") == word(Passes::both);
  for (const std::string clock : kPassClocks)
    row.expect_interval(clock, both ? row.repeats(clock + "_s") : std::vector<double>{},
                        "samples.csv");
  if (both)
    for (const Row& sample : row.samples) check_sum(row, sample);
}

}  // namespace qb
