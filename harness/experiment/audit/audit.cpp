#include "harness/experiment/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/older_runs.h"
#include "base/statistics.h"
#include "harness/experiment/audit/pass_checks.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/workload/case.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {
namespace {

// These predictions follow from tile sizes and thread counts too, which the machine decides.
constexpr std::array kMachineColumns = {"executed_pairs", "predicted_active_peak_bytes",
                                        "predicted_worker_active_peak_bytes"};

// Clocks by their names: samples.csv has NAME_s, cases.csv has NAME_median_s.
constexpr std::array kClocks = {"wall_time", "critical_path", "worker_sum", "longest_subsequence"};
constexpr std::array kStages = {"stage_scores", "stage_softmax", "stage_product"};
constexpr const char* kSamples = "samples.csv";

class Auditor {
 public:
  explicit Auditor(const std::string& path) : run_(read_run_folder(path)) {
    for (std::size_t row = 0; row < run_.samples.size(); ++row)
      samples_[run_.samples.text(row, "case_id")].push_back(row);
    const std::string parts = run_.path + "/parts.csv";  // older runs have no such file
    parts_ = std::filesystem::exists(parts) ? CsvTable::parse(read_file(parts), parts)
                                            : CsvTable(part_table().columns);
    n_cores_ = nlohmann::json::parse(run_.manifest.environment)
                   .value("/cpu/usable_processors"_json_pointer, nlohmann::json::array())
                   .size();
  }

  Audit run() {
    audit_.rows = run_.cases.size();
    if (!check_files()) return audit_;
    check_sample_rows();
    std::map<std::string, Case> cases;
    if (is_of_qb())
      cases = planned_cases();
    else
      audit_.notes.push_back(
          "another program wrote the run: there is no spec to plan its cases from");
    for (std::size_t row = 0; row < run_.cases.size(); ++row) {
      try {
        check_row(row, cases);
      } catch (const UsageError& error) {
        find("{}: {}", place(row), error.what());  // a field that is no number
      }
    }
    return audit_;
  }

 private:
  template <class... Args>
  void find(fmt::format_string<Args...> format, Args&&... args) {
    audit_.findings.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const {
    return run_.cases.text(row, column);
  }

  // Names a row at the start of a finding.
  [[nodiscard]] std::string place(std::size_t row) const {
    return fmt::format("cases.csv record {} ({})", row + 1, text(row, "case_id"));
  }

  // Runs of other programs (experiments/peers/) have no spec, and so no steps and no timeline.
  [[nodiscard]] bool is_of_qb() const { return !run_.manifest.spec_hash.empty(); }

  [[nodiscard]] bool is_modelled(std::size_t row) const {
    return text(row, "ranks") == word(Ranks::model);
  }

  // The rows of samples.csv of a case.
  [[nodiscard]] const std::vector<std::size_t>& samples_of(std::size_t row) const {
    static const std::vector<std::size_t> none;
    const auto found = samples_.find(text(row, "case_id"));
    return found == samples_.end() ? none : found->second;
  }

  // Identifies a repeat in samples.csv and parts.csv.
  [[nodiscard]] static std::string repeat_of(const CsvTable& table, std::size_t row) {
    return table.text(row, "warmup") + ' ' + table.text(row, "repeat");
  }

  // The repeats that count: all of a row that stayed disturbed, else the undisturbed ones.
  [[nodiscard]] std::vector<double> repeats(std::size_t row, std::string_view column) const {
    const bool all = !text(row, "disturbed_by").empty();
    std::vector<double> values;
    for (const std::size_t sample : samples_of(row))
      if (run_.samples.text(sample, "warmup") == "0" &&
          (all || run_.samples.text(sample, "disturbed_by").empty()))
        values.push_back(run_.samples.number(sample, column));
    return values;
  }

  void expect(std::size_t row, const std::string& column, const std::string& recomputed,
              const char* source) {
    if (const std::string& written = text(row, column); written != recomputed)
      find("{}: {} is '{}', but {} gives '{}'", place(row), column, written, source, recomputed);
  }

  // Returns false where the tables cannot be read.
  bool check_files() {
    for (const char* name : {"spec.resolved.yaml", "steps.csv", "memory_timeline.csv"})
      if (is_of_qb() && !std::filesystem::is_regular_file(run_.path + "/" + name))
        find("{} is missing", name);
    const bool readable = is_readable_schema(run_.manifest.schema_version);
    if (!readable)
      find("manifest.json has schema_version {}, and this qb checks {} to {}",
           run_.manifest.schema_version, kOldestSchema, kSchemaVersion);
    for (const auto& [table, name] :
         {std::pair{&run_.cases, "cases.csv"}, {&run_.samples, kSamples}})
      if (table->torn()) find("{}: the last line is torn (its writer was killed)", name);
    const bool columns_fit = run_.cases.header() == case_table().columns &&
                             run_.samples.header() == sample_table().columns;
    if (!columns_fit) find("cases.csv or samples.csv: the columns are not those of this schema");
    if (run_.manifest.finished_at.empty())
      audit_.notes.push_back(fmt::format("the run is not finished: {} of {} cases have a row",
                                         run_.cases.size(), run_.manifest.n_cases));
    return columns_fit && readable;
  }

  void check_sample_rows() {
    std::set<std::string> ids;
    for (std::size_t row = 0; row < run_.cases.size(); ++row)
      if (!ids.insert(text(row, "case_id")).second)
        find("{}: the case has a row already", place(row));
    for (const auto& [id, rows] : samples_) {
      std::set<std::string> seen;
      for (const std::size_t row : rows)
        if (!seen.insert(repeat_of(run_.samples, row)).second)
          find("samples.csv record {} ({}): the repeat has a row already", row + 1, id);
      // In an unfinished run these belong to the case that was running.
      if (!ids.contains(id) && !run_.manifest.finished_at.empty())
        find("samples.csv has {} samples of {}, which cases.csv does not have", rows.size(), id);
    }
  }

  // Returns the cases of the resolved spec by id; every machine resolves them alike.
  std::map<std::string, Case> planned_cases() {
    std::map<std::string, Case> cases;
    try {
      const Spec spec = load_spec(run_.path + "/spec.resolved.yaml", {.max_cases = SIZE_MAX});
      for (const Case& c : spec.cases)
        for (const Device device : {Device::cpu, Device::cuda}) {
          if (c.device != Device::automatic && c.device != device) continue;
          Case resolved = c;
          resolved.device = device;
          resolved = resolve_case(resolved);
          cases.emplace(case_id(resolved), resolved);
        }
    } catch (const UsageError& error) {
      find("the resolved spec cannot be read: {}", error.what());
    }
    return cases;
  }

  void check_row(std::size_t row, const std::map<std::string, Case>& cases) {
    check_status(row);
    check_plan(row, cases);
    if (text(row, "status") != word(Status::ok)) return;
    ++audit_.timed_rows;
    check_medians(row);
    for (const std::string& finding : pass_findings(
             run_, row, [&](std::string_view column) { return repeats(row, column); },
             samples_of(row)))
      find("{}: {}", place(row), finding);
    if (!is_modelled(row)) {
      for (const std::size_t sample : samples_of(row)) check_clocks(row, sample);
      check_first_repeat(row);
      check_memory(row);
      check_split(row);
    }
    check_stages(row);
    check_parts(row);
    check_bounds(row);
  }

  void check_status(std::size_t row) {
    const auto status = parse_word<Status>(text(row, "status"));
    if (!status) return find("{}: unknown status '{}'", place(row), text(row, "status"));
    if (*status != Status::ok) {
      for (const std::string clock : kClocks)
        if (!text(row, clock + "_median_s").empty())
          find("{}: a row of status {} has a time in {}_median_s", place(row), word(*status),
               clock);
      if (!samples_of(row).empty())
        find("{}: a row of status {} has samples", place(row), word(*status));
      return;
    }
    if (is_modelled(row)) return;  // nothing was computed
    const CsvTable& cases = run_.cases;
    if (!(cases.number(row, "verified_rows") > 0.0))
      find("{}: the row is ok, but no output row was verified", place(row));
    else if (!(cases.number(row, "max_error") <= cases.number(row, "tolerance")))
      find("{}: the row is ok, but the error {} is not within the tolerance {}", place(row),
           text(row, "max_error"), text(row, "tolerance"));
    // Older runs lack the column.
    if (!text(row, "relative_l2_error").empty() && cases.number(row, "max_error") > 0.0 &&
        !(cases.number(row, "relative_l2_error") > 0.0))
      find("{}: the row has the error {}, but a relative_l2_error of {}", place(row),
           text(row, "max_error"), text(row, "relative_l2_error"));
  }

  void check_plan(std::size_t row, const std::map<std::string, Case>& cases) {
    if (cases.empty()) return;
    const auto match = cases.find(text(row, "case_id"));
    if (match == cases.end())
      return find("{}: no case of spec.resolved.yaml has this id", place(row));
    for (const auto& [column, value] : case_parameters(match->second))
      expect(row, column, value, "the resolved spec");
    const auto status = parse_word<Status>(text(row, "status"));
    if (status != Status::ok && status != Status::incorrect) return;
    try {
      check_predictions(row, match->second);
    } catch (const CaseError& error) {
      find("{}: the row has a result, but its case has no plan: {}", place(row), error.what());
    } catch (const UsageError& error) {
      find("{}: the row has a result, but its case has no plan: {}", place(row), error.what());
    }
  }

  void check_predictions(std::size_t row, const Case& c) {
    const std::map<std::string, std::string> predicted = predicted_values(c);
    // A rank's threads, where the case leaves them open, depend on how many ranks its host has.
    const bool same_machine = run_.manifest.device_fingerprint == device_fingerprint() &&
                              (c.ranks != Ranks::mpi || c.threads > 0);
    for (const Field& field : kResultFields) {
      const std::string column(field.column);
      if (field.group != FieldGroup::prediction || !predicted.contains(column)) continue;
      if (!same_machine && std::ranges::find(kMachineColumns, column) != kMachineColumns.end())
        continue;
      // The column is empty in runs older than it; a machine without the GPU predicts no value.
      if (!predicted.at(column).empty() && !text(row, column).empty())
        expect(row, column, predicted.at(column), "the plan");
    }
  }

  void check_disturbances(std::size_t row) {
    std::set<std::string> found;
    std::int64_t n = 0;
    for (const std::size_t sample : samples_of(row)) {
      const std::string& by = run_.samples.text(sample, "disturbed_by");
      if (by.empty() || run_.samples.text(sample, "warmup") != "0") continue;
      found.insert(by);
      ++n;
    }
    // Runs older than the column count nothing.
    if (!text(row, "disturbed_samples").empty() || n > 0)
      expect(row, "disturbed_samples", to_text(n), kSamples);
    if (const std::string& by = text(row, "disturbed_by"); !by.empty() && !found.contains(by))
      find("{}: the row is disturbed by {}, but none of its repeats is", place(row), by);
  }

  void check_medians(std::size_t row) {
    const Summary wall = summarise(repeats(row, "wall_time_s"));
    if (wall.n == 0)
      return find("{}: the row is ok, but samples.csv has no repeat of it", place(row));
    expect(row, "n_samples", to_text(static_cast<std::int64_t>(wall.n)), kSamples);
    expect(row, "interval_coverage", to_text(wall.coverage), kSamples);
    check_disturbances(row);
    // Workers that are launched together have no times of their own.
    const bool together =
        text(row, "launch") != word(Launch::alone) && text(row, "worker_sum_median_s").empty();
    for (const std::string clock : kClocks) {
      if (together && clock != "wall_time" && clock != "critical_path") continue;
      const std::vector<double> values = repeats(row, clock + "_s");
      const Summary summary = summarise(values);
      expect(row, clock + "_median_s", to_text(summary.median), kSamples);
      expect(row, clock + "_low95_s", to_text(summary.low95), kSamples);
      expect(row, clock + "_high95_s", to_text(summary.high95), kSamples);
      if (!std::ranges::all_of(values, [](double value) { return value > 0.0; }))
        find("{}: samples.csv has a {}_s that is not above 0", place(row), clock);
    }
    if (!together)
      for (const std::string part : {"gather", "merge"})
        expect(row, part + "_median_s", to_text(median(repeats(row, part + "_s"))), kSamples);
    if (!is_modelled(row))
      expect(row, "achieved_flop_per_s",
             to_text(run_.cases.number(row, "unmasked_flop") / wall.median), kSamples);
  }

  // Each clock must contain what it says that it contains.
  void check_clocks(std::size_t row, std::size_t sample) {
    constexpr double kRounding = 1e-6;
    const CsvTable& samples = run_.samples;
    const auto at_most = [&](const std::string& part, double part_s, const std::string& whole) {
      const double whole_s = samples.number(sample, whole);
      if (part_s > whole_s * (1.0 + kRounding))
        find("{}: in repeat {} {} is {} s, but {} is only {} s", place(row),
             samples.text(sample, "repeat"), part, to_text(part_s), whole, to_text(whole_s));
    };
    const auto contains = [&](const std::string& whole, const std::string& part) {
      at_most(part, samples.number(sample, part), whole);
    };
    contains("critical_path_s", "longest_subsequence_s");
    contains("wall_time_s", "critical_path_s");
    contains("wall_time_s", "device_time_s");
    at_most("gather_s + merge_s",
            samples.number(sample, "gather_s") + samples.number(sample, "merge_s"), "worker_sum_s");
    // With other ranks a critical path has waits that no worker's time has.
    if (text(row, "ranks") == word(Ranks::serial)) {
      contains("worker_sum_s", "critical_path_s");
      contains("wall_time_s", "worker_sum_s");
    }
    // The process's own work belongs into its wall clock, on all its cores. Starting and stopping
    // the counters takes a few ms at most.
    constexpr double kCounting_s = 5e-3;
    constexpr double kTicks = 1.1;
    const double cpu_s = samples.number(sample, "cpu_time_s");
    const double wall_s = samples.number(sample, "wall_time_s");
    const auto cores = static_cast<double>(n_cores_);
    if (cores > 0.0 && cpu_s > kTicks * cores * wall_s + kCounting_s)
      find("{}: in repeat {} the process computed for {} s, but the clock ran for {} s on {} cores",
           place(row), samples.text(sample, "repeat"), to_text(cpu_s), to_text(wall_s), cores);
  }

  // What is loaded, compiled or touched for the first time belongs into a warm-up.
  void check_first_repeat(std::size_t row) {
    constexpr double kMuchLonger = 5.0;
    std::vector<double> times = repeats(row, "wall_time_s");
    if (times.size() < 4) return;
    const double first_s = times.front();
    times.erase(times.begin());
    if (const double ratio = first_s / median(times); ratio > kMuchLonger)
      audit_.notes.push_back(
          fmt::format("{}: its first repeat took {:.1f} times as long as the "
                      "others: was there no warm-up?",
                      place(row), ratio));
  }

  // One worker on the CPU receives and sends nothing, so that its tensors are known to the byte.
  void check_memory(std::size_t row) {
    const std::string& measured = text(row, "active_memory_peak_bytes");
    if (text(row, "algorithm") == "dense" && text(row, "device") == word(Device::cpu) &&
        !measured.empty() && !text(row, "predicted_active_peak_bytes").empty())
      expect(row, "active_memory_peak_bytes", text(row, "predicted_active_peak_bytes"),
             "the prediction");
  }

  void check_split(std::size_t row) {
    const double workers = run_.cases.number(row, "workers");
    if (workers > 1.0 && run_.cases.number(row, "responsibility_ratio") <= 1.0)
      audit_.notes.push_back(fmt::format("{}: {} workers split nothing: one of them has all pairs",
                                         place(row), workers));
  }

  void check_stages(std::size_t row) {
    if (samples_of(row).empty()) return;
    for (const std::string stage : kStages) {
      const std::vector<double> values = repeats(row, stage + "_s");
      const bool timed = !values.empty() && std::ranges::none_of(values, [](double value) {
        return std::isnan(value);
      });
      expect(row, stage + "_median_s", timed ? to_text(median(values)) : "", kSamples);
    }
    for (const std::size_t sample : samples_of(row)) {
      double sum_s = 0.0;
      for (const std::string stage : kStages) sum_s += run_.samples.number(sample, stage + "_s");
      if (sum_s > run_.samples.number(sample, "wall_time_s"))
        find("{}: the stages of repeat {} take {} s, which is longer than its wall clock",
             place(row), run_.samples.text(sample, "repeat"), to_text(sum_s));
    }
  }

  void check_parts(std::size_t row) {
    if (text(row, "workload") != word(WorkloadKind::transformer_layer)) return;
    // Between two parts the layer only reads the clock and allocates buffers.
    constexpr double kLeastShare = 0.5;
    std::map<std::string, std::vector<double>> times;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_.text(i, "case_id") == text(row, "case_id"))
        times[repeat_of(parts_, i)].push_back(parts_.number(i, "time_s"));
    for (const std::size_t sample : samples_of(row)) {
      const std::vector<double>& parts_s = times[repeat_of(run_.samples, sample)];
      const double sum_s = std::accumulate(parts_s.begin(), parts_s.end(), 0.0);
      const double wall_s = run_.samples.number(sample, "wall_time_s");
      if (parts_s.size() != kLayerParts)
        find("{}: parts.csv has {} parts of repeat {}, and a layer has {}", place(row),
             parts_s.size(), run_.samples.text(sample, "repeat"), kLayerParts);
      else if (!(sum_s <= wall_s && sum_s >= kLeastShare * wall_s))
        find("{}: the parts of repeat {} take {} s, and the layer takes {} s", place(row),
             run_.samples.text(sample, "repeat"), to_text(sum_s), to_text(wall_s));
    }
  }

  void check_bounds(std::size_t row) {
    if (is_modelled(row)) return;
    // Clocks drift between the case and the measurement of its peak.
    constexpr double kMostOfPeak = 1.1;
    if (const double fraction = run_.cases.number(row, "peak_fraction"); fraction > kMostOfPeak)
      find("{}: its wall clock claims {:.0f} % of the peak that was measured beside it", place(row),
           100.0 * fraction);
    if (text(row, "device") != word(Device::cpu)) {
      audit_.notes.push_back(place(row) + ": no bound is known for its device");
      return;
    }
    if (n_cores_ == 0) {
      audit_.notes.push_back(place(row) +
                             ": the manifest does not name the cores, so that there is no bound");
      return;
    }
    const double bound = flop_per_s_bound(static_cast<int>(n_cores_), text(row, "dtype"));
    // In serial ranks one device does the work of all workers, so the sum is its time.
    const bool serial = text(row, "ranks") == word(Ranks::serial);
    const std::vector<double> times = repeats(row, serial ? "worker_sum_s" : "wall_time_s");
    if (times.empty()) return;
    const double rate = run_.cases.number(row, "unmasked_flop") / std::ranges::min(times);
    if (!(rate <= bound))
      find("{}: its fastest repeat claims {}FLOP/s, but {} cores cannot do more than {}FLOP/s",
           place(row), format_si(rate), n_cores_, format_si(bound));
  }

  RunFolder run_;
  std::map<std::string, std::vector<std::size_t>> samples_;
  CsvTable parts_;
  std::size_t n_cores_ = 0;  // of the machine; 0 if the manifest does not name them
  Audit audit_;
};

}  // namespace

Audit audit_run(const std::string& path) { return Auditor(path).run(); }

double flop_per_s_bound(int cores, const std::string& dtype) {
  constexpr double kClock = 5e9;
  constexpr double kFlopPerCycle = 64.0;
  const bool narrow = dtype == word(DType::f16) || dtype == word(DType::bf16);
  return cores * kClock * kFlopPerCycle * (narrow ? 2.0 : 1.0);
}

}  // namespace qb
