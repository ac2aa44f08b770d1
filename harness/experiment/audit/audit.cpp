#include "harness/experiment/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "base/numbers.h"
#include "base/statistics.h"
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

struct Clock {
  const char* sample_column;
  const char* case_prefix;
};
constexpr std::array kClocks = {
    Clock{"wall_time_s", "wall_time"}, Clock{"critical_path_s", "critical_path"},
    Clock{"worker_sum_s", "worker_sum"}, Clock{"longest_subsequence_s", "longest_subsequence"}};

constexpr std::array kStages = {Clock{"stage_scores_s", "stage_scores"},
                                Clock{"stage_softmax_s", "stage_softmax"},
                                Clock{"stage_product_s", "stage_product"}};

class Auditor {
 public:
  explicit Auditor(const std::string& path) : run_(read_run_folder(path)) {
    for (std::size_t row = 0; row < run_.samples.size(); ++row)
      samples_[run_.samples.text(row, "case_id")].push_back(row);
    const std::string parts = run_.path + "/parts.csv";  // older runs have no such file
    parts_ = std::filesystem::exists(parts) ? CsvTable::parse(read_file(parts), parts)
                                            : CsvTable(part_table().columns);
  }

  Audit run() {
    audit_.rows = run_.cases.size();
    if (!check_files()) return audit_;
    check_sample_rows();
    const auto cases = planned_cases();
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
  // Names a row at the start of a finding.
  [[nodiscard]] std::string place(std::size_t row) const {
    return fmt::format("cases.csv record {} ({})", row + 1, run_.cases.text(row, "case_id"));
  }
  // Returns false where the tables cannot be read.
  bool check_files();
  void check_sample_rows();
  // The cases of the resolved spec by id; every machine resolves them alike.
  std::map<std::string, Case> planned_cases();
  void check_row(std::size_t row, const std::map<std::string, Case>& cases);
  void check_status(std::size_t row);
  void check_plan(std::size_t row, const std::map<std::string, Case>& cases);
  void check_predictions(std::size_t row, const Case& c);
  [[nodiscard]] bool is_modelled(std::size_t row) const;
  void check_medians(std::size_t row);
  void check_stages(std::size_t row);
  void check_parts(std::size_t row);
  void check_bounds(std::size_t row);
  void expect(std::size_t row, const std::string& column, const std::string& recomputed,
              const char* source);
  [[nodiscard]] std::vector<double> repeats(std::size_t row, std::string_view column) const;

  RunFolder run_;
  std::map<std::string, std::vector<std::size_t>> samples_;
  CsvTable parts_;
  Audit audit_;
};

bool Auditor::check_files() {
  for (const char* name : {"spec.resolved.yaml", "steps.csv", "memory_timeline.csv"})
    if (!std::filesystem::is_regular_file(run_.path + "/" + name)) find("{} is missing", name);
  if (run_.manifest.schema_version != kSchemaVersion)
    find("manifest.json: schema_version {}, this qb checks {}", run_.manifest.schema_version,
         kSchemaVersion);
  if (run_.cases.torn()) find("cases.csv: the last line is torn (its writer was killed)");
  if (run_.samples.torn()) find("samples.csv: the last line is torn (its writer was killed)");
  const bool columns_fit = run_.cases.header() == case_table().columns &&
                           run_.samples.header() == sample_table().columns;
  if (!columns_fit) find("cases.csv or samples.csv: the columns are not those of this schema");
  if (run_.manifest.finished_at.empty())
    audit_.notes.push_back(fmt::format("the run is not finished: {} of {} cases have a row",
                                       run_.cases.size(), run_.manifest.n_cases));
  return columns_fit && run_.manifest.schema_version == kSchemaVersion;
}

void Auditor::check_sample_rows() {
  std::set<std::string> ids;
  for (std::size_t row = 0; row < run_.cases.size(); ++row)
    if (!ids.insert(run_.cases.text(row, "case_id")).second)
      find("{}: the case has a row already", place(row));
  for (const auto& [id, rows] : samples_) {
    std::set<std::string> seen;
    for (const std::size_t row : rows)
      if (!seen.insert(run_.samples.text(row, "warmup") + ' ' + run_.samples.text(row, "repeat"))
               .second)
        find("samples.csv record {} ({}): the repeat is there already", row + 1, id);
    // In an unfinished run these belong to the case that was running.
    if (!ids.contains(id) && !run_.manifest.finished_at.empty())
      find("samples.csv: {} samples of {}, which cases.csv does not have", rows.size(), id);
  }
}

std::map<std::string, Case> Auditor::planned_cases() {
  std::map<std::string, Case> cases;
  SpecOptions options;
  options.max_cases = SIZE_MAX;
  Spec spec;
  try {
    spec = load_spec(run_.path + "/spec.resolved.yaml", options);
  } catch (const UsageError& error) {
    find("the resolved spec cannot be read: {}", error.what());
    return cases;
  }
  for (Case c : spec.cases) {
    const bool open = c.device == Device::automatic;
    for (const Device device : {Device::cpu, Device::cuda}) {
      if (!open && c.device != device) continue;
      Case resolved = c;
      if (open) resolved.device = device;
      resolved = resolve_case(resolved);
      cases.emplace(case_id(resolved), resolved);
    }
  }
  return cases;
}

void Auditor::check_row(std::size_t row, const std::map<std::string, Case>& cases) {
  check_status(row);
  check_plan(row, cases);
  if (run_.cases.text(row, "status") != word(Status::ok)) return;
  ++audit_.timed_rows;
  check_medians(row);
  check_stages(row);
  check_parts(row);
  check_bounds(row);
}

void Auditor::check_status(std::size_t row) {
  const CsvTable& cases = run_.cases;
  const auto status = parse_word<Status>(cases.text(row, "status"));
  if (!status) {
    find("{}: unknown status '{}'", place(row), cases.text(row, "status"));
    return;
  }
  const auto n_samples = samples_.find(cases.text(row, "case_id"));
  if (*status != Status::ok) {
    for (const Clock& clock : kClocks)
      if (!cases.text(row, std::string(clock.case_prefix) + "_median_s").empty())
        find("{}: status {} with a time in {}_median_s", place(row), word(*status),
             clock.case_prefix);
    if (n_samples != samples_.end()) find("{}: status {} with samples", place(row), word(*status));
    return;
  }
  if (is_modelled(row)) return;  // nothing was computed
  const double error = cases.number(row, "max_error");
  const double tolerance = cases.number(row, "tolerance");
  if (!(cases.number(row, "verified_rows") > 0.0))
    find("{}: ok, but no output row was verified", place(row));
  else if (!(error <= tolerance))
    find("{}: ok, but the error {} is not within the tolerance {}", place(row),
         cases.text(row, "max_error"), cases.text(row, "tolerance"));
}

void Auditor::check_plan(std::size_t row, const std::map<std::string, Case>& cases) {
  if (cases.empty()) return;
  const auto match = cases.find(run_.cases.text(row, "case_id"));
  if (match == cases.end()) {
    find("{}: no case of spec.resolved.yaml has this id", place(row));
    return;
  }
  for (const auto& [column, value] : case_parameters(match->second))
    expect(row, column, value, "the resolved spec");
  const Status status = parse_word<Status>(run_.cases.text(row, "status")).value_or(Status::error);
  if (status != Status::ok && status != Status::incorrect) return;
  try {
    check_predictions(row, match->second);
  } catch (const CaseError& error) {
    find("{}: it has a result, but no plan: {}", place(row), error.what());
  } catch (const UsageError& error) {
    find("{}: it has a result, but no plan: {}", place(row), error.what());
  }
}

void Auditor::check_predictions(std::size_t row, const Case& c) {
  const std::map<std::string, std::string> predicted = predicted_values(c);
  const auto check = [&](const std::string& column) {
    // The column is empty in runs older than it; a machine without the GPU predicts no value.
    if (predicted.contains(column) && !predicted.at(column).empty() &&
        !run_.cases.text(row, column).empty())
      expect(row, column, predicted.at(column), "the plan");
  };
  for (const Field& field : kResultFields)
    if (field.group == FieldGroup::prediction &&
        std::ranges::find(kMachineColumns, field.column) == kMachineColumns.end())
      check(std::string(field.column));
  // A rank's threads, where the case leaves them open, depend on how many ranks its host has.
  const bool threads_known = c.ranks != Ranks::mpi || c.threads > 0;
  if (run_.manifest.device_fingerprint == device_fingerprint() && threads_known)
    for (const char* column : kMachineColumns) check(column);
}

void Auditor::expect(std::size_t row, const std::string& column, const std::string& recomputed,
                     const char* source) {
  const std::string& written = run_.cases.text(row, column);
  if (written != recomputed)
    find("{}: {} is '{}', {} gives '{}'", place(row), column, written, source, recomputed);
}

std::vector<double> Auditor::repeats(std::size_t row, std::string_view column) const {
  std::vector<double> values;
  const auto rows = samples_.find(run_.cases.text(row, "case_id"));
  if (rows == samples_.end()) return values;
  for (const std::size_t sample : rows->second)
    if (run_.samples.text(sample, "warmup") == "0")
      values.push_back(run_.samples.number(sample, column));
  return values;
}

void Auditor::check_medians(std::size_t row) {
  constexpr const char* kSource = "samples.csv";
  const Summary wall = summarise(repeats(row, "wall_time_s"));
  if (wall.n == 0) {
    find("{}: ok, but samples.csv has no repeat of it", place(row));
    return;
  }
  expect(row, "n_samples", to_text(static_cast<std::int64_t>(wall.n)), kSource);
  expect(row, "interval_coverage", to_text(wall.coverage), kSource);
  // Workers that are launched together have no times of their own.
  const bool together = run_.cases.text(row, "launch") != word(Launch::alone) &&
                        run_.cases.text(row, "worker_sum_median_s").empty();
  for (const Clock& clock : kClocks) {
    if (together && clock.sample_column != std::string_view("wall_time_s") &&
        clock.sample_column != std::string_view("critical_path_s"))
      continue;
    const std::vector<double> values = repeats(row, clock.sample_column);
    const Summary summary = summarise(values);
    const std::string prefix = clock.case_prefix;
    expect(row, prefix + "_median_s", to_text(summary.median), kSource);
    expect(row, prefix + "_low95_s", to_text(summary.low95), kSource);
    expect(row, prefix + "_high95_s", to_text(summary.high95), kSource);
    if (std::any_of(values.begin(), values.end(), [](double value) { return !(value > 0.0); }))
      find("{}: samples.csv has a {} that is not above 0", place(row), clock.sample_column);
  }
  if (!together) {
    expect(row, "gather_median_s", to_text(median(repeats(row, "gather_s"))), kSource);
    expect(row, "merge_median_s", to_text(median(repeats(row, "merge_s"))), kSource);
  }
  if (is_modelled(row)) return;
  expect(row, "achieved_flop_per_s", to_text(run_.cases.number(row, "unmasked_flop") / wall.median),
         kSource);
}

void Auditor::check_stages(std::size_t row) {
  const auto samples = samples_.find(run_.cases.text(row, "case_id"));
  if (samples == samples_.end()) return;
  for (const Clock& stage : kStages) {
    const std::vector<double> values = repeats(row, stage.sample_column);
    const bool timed =
        !values.empty() &&
        std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
    expect(row, std::string(stage.case_prefix) + "_median_s", timed ? to_text(median(values)) : "",
           "samples.csv");
  }
  for (const std::size_t sample : samples->second) {
    double sum_s = 0.0;
    for (const Clock& stage : kStages) sum_s += run_.samples.number(sample, stage.sample_column);
    if (sum_s > run_.samples.number(sample, "wall_time_s"))
      find("{}: the stages of repeat {} take {} s, longer than its wall clock", place(row),
           run_.samples.text(sample, "repeat"), to_text(sum_s));
  }
}

bool Auditor::is_modelled(std::size_t row) const {
  return run_.cases.text(row, "ranks") == word(Ranks::model);
}

void Auditor::check_parts(std::size_t row) {
  if (run_.cases.text(row, "workload") != word(WorkloadKind::transformer_layer)) return;
  // Between two parts the layer only reads the clock and allocates buffers.
  constexpr double kLeastShare = 0.5;
  std::map<std::string, double> sums;
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_.text(i, "case_id") == run_.cases.text(row, "case_id")) {
      const std::string repeat = parts_.text(i, "warmup") + ' ' + parts_.text(i, "repeat");
      sums[repeat] += parts_.number(i, "time_s");
      ++counts[repeat];
    }
  const auto samples = samples_.find(run_.cases.text(row, "case_id"));
  if (samples == samples_.end()) return;
  for (const std::size_t sample : samples->second) {
    const std::string repeat =
        run_.samples.text(sample, "warmup") + ' ' + run_.samples.text(sample, "repeat");
    const double wall_s = run_.samples.number(sample, "wall_time_s");
    if (counts[repeat] != kLayerParts)
      find("{}: parts.csv has {} parts of repeat {}, a layer has {}", place(row), counts[repeat],
           run_.samples.text(sample, "repeat"), kLayerParts);
    else if (!(sums[repeat] <= wall_s && sums[repeat] >= kLeastShare * wall_s))
      find("{}: the parts of repeat {} take {} s, the layer {} s", place(row),
           run_.samples.text(sample, "repeat"), to_text(sums[repeat]), to_text(wall_s));
  }
}

void Auditor::check_bounds(std::size_t row) {
  const CsvTable& cases = run_.cases;
  if (is_modelled(row)) return;
  if (cases.text(row, "device") != word(Device::cpu)) {
    audit_.notes.push_back(place(row) + ": no bound is known for its device");
    return;
  }
  const auto environment = nlohmann::json::parse(run_.manifest.environment);
  const std::size_t cores =
      environment.value("/cpu/usable_processors"_json_pointer, nlohmann::json::array()).size();
  if (cores == 0) {
    audit_.notes.push_back(place(row) + ": the manifest does not tell the cores, so no bound");
    return;
  }
  const double bound = flop_per_s_bound(static_cast<int>(cores), cases.text(row, "dtype"));
  // In serial ranks one device does the work of all workers, so the sum is its time.
  const bool serial = cases.text(row, "ranks") == word(Ranks::serial);
  const std::vector<double> times = repeats(row, serial ? "worker_sum_s" : "wall_time_s");
  if (times.empty()) return;
  const double fastest = *std::min_element(times.begin(), times.end());
  const double rate = cases.number(row, "unmasked_flop") / fastest;
  if (!(rate <= bound))
    find("{}: its fastest repeat claims {}FLOP/s, {} cores cannot do more than {}FLOP/s",
         place(row), format_si(rate), cores, format_si(bound));
}

}  // namespace

Audit audit_run(const std::string& path) { return Auditor(path).run(); }

double flop_per_s_bound(int cores, const std::string& dtype) {
  constexpr double kClock = 5e9;
  constexpr double kFlopPerCycle = 64.0;
  const bool narrow = dtype == word(DType::f16) || dtype == word(DType::bf16);
  return cores * kClock * kFlopPerCycle * (narrow ? 2.0 : 1.0);
}

}  // namespace qb
