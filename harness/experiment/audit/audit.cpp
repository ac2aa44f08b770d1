// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/run_tables.h"
#include "harness/experiment/audit/audited_row.h"
#include "harness/experiment/audit/matching.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/workload/case.h"

namespace qb {
namespace {

// The first schema, before the columns began again with 1, in which the LSE of a row on a CPU was
// held in two numbers.
constexpr int kTwoNumbersSince = 12;

// What kernels take and how they tile follows from the sources. A run that names no commit counts
// as of this build.
bool is_of_this_build(std::string_view commit) {
  const BuildInfo& build = build_info();
  return commit.empty() ||
         commit == fmt::format("{}{}", build.commit.substr(0, 10), build.modified ? "+" : "");
}

class Auditor {
 public:
  explicit Auditor(const std::string& path) : run_(read_run_folder(path)) {
    for (const Row& sample : all_rows(run_.samples))
      samples_[sample.text("case_id")].push_back(sample);
    const std::string parts = run_.path + "/parts.csv";  // older runs have no such file
    parts_ =
        std::filesystem::exists(parts) ? read_run_table(parts) : CsvTable(part_table().columns);
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
          "another program wrote the run: it has no spec, and only the work of its cases is known");
    for (const Row& row : all_rows(run_.cases)) {
      AuditedRow audited{row, run_, samples_[row.text("case_id")]};
      try {
        check_row(audited, cases);
      } catch (const UsageError& error) {
        audited.findings.emplace_back(error.what());  // a field that is not a number
      }
      for (const std::string& finding : audited.findings) find("{}: {}", place(row), finding);
      for (const std::string& note : audited.notes)
        audit_.notes.push_back(fmt::format("{}: {}", place(row), note));
    }
    return audit_;
  }

 private:
  template <class... Args>
  void find(fmt::format_string<Args...> format, Args&&... args) {
    audit_.findings.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  // Names a row at the start of a finding.
  [[nodiscard]] static std::string place(const Row& row) {
    return fmt::format("cases.csv record {} ({})", row.index + 1, row.text("case_id"));
  }

  // Runs of other programs (experiments/peers/) have no spec, and so no steps and no timeline.
  [[nodiscard]] bool is_of_qb() const { return !run_.manifest.spec_hash.empty(); }

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
         {std::pair{&run_.cases, "cases.csv"}, {&run_.samples, "samples.csv"}})
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
    for (const Row& row : all_rows(run_.cases))
      if (!ids.insert(row.text("case_id")).second)
        find("{}: the case has a row already", place(row));
    for (const auto& [id, rows] : samples_) {
      std::set<std::string> seen;
      for (const Row& row : rows)
        if (!seen.insert(repeat_of(row)).second)
          find("samples.csv record {} ({}): the repeat has a row already", row.index + 1, id);
      // In an unfinished run these belong to the case that was running.
      if (!ids.contains(id) && !run_.manifest.finished_at.empty())
        find("samples.csv has {} samples of {}, which cases.csv does not have", rows.size(), id);
    }
  }

  // Returns the cases of the resolved spec by id; every machine resolves them alike.
  std::map<std::string, Case> planned_cases() {
    std::map<std::string, Case> cases;
    try {
      const std::string path = run_.path + "/spec.resolved.yaml";
      const std::string text = read_text(path);
      // A resolved spec writes out each of its cases.
      const Spec spec = parse_spec(text, path, {.max_cases = text.size()});
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

  void check_row(AuditedRow& row, const std::map<std::string, Case>& cases) {
    check_status(row);
    check_plan(row, cases);
    if (row.text("status") != word(Status::ok)) return;
    ++audit_.timed_rows;
    check_medians(row);
    check_passes(row);
    if (!row.is_modelled()) {
      check_clocks(row, run_.manifest.processors);
      check_memory(row);
      check_split(row);
      check_flush(row);
      if (!is_of_qb()) check_work(row);
    }
    check_worker_parts(row);
    check_stages(row);
    check_parts(row, parts_);
    check_bounds(row);
  }

  void check_status(AuditedRow& row) {
    const auto status = parse_word<Status>(row.text("status"));
    if (!status) return row.find("unknown status '{}'", row.text("status"));
    if (*status != Status::ok) {
      for (const std::string clock : kCheckedClocks)
        if (!row.at(clock + "_median_s").empty())
          row.find("a row of status {} has a time in {}_median_s", word(*status), clock);
      if (!row.samples.empty()) row.find("a row of status {} has samples", word(*status));
      return;
    }
    if (row.is_modelled()) return;  // nothing was computed
    if (!(row.number("verified_rows") > 0.0))
      row.find("the row is ok, but no output row was verified");
    else if (!(row.number("max_error") <= row.number("tolerance")))
      row.find("the row is ok, but the error {} is not within the tolerance {}",
               row.text("max_error"), row.text("tolerance"));
    // Older runs lack the column.
    if (!row.text("relative_l2_error").empty() && row.number("max_error") > 0.0 &&
        !(row.number("relative_l2_error") > 0.0))
      row.find("the row has the error {}, but a relative_l2_error of {}", row.text("max_error"),
               row.text("relative_l2_error"));
  }

  void check_plan(AuditedRow& row, const std::map<std::string, Case>& cases) {
    if (cases.empty()) return;
    const auto match = cases.find(row.text("case_id"));
    if (match == cases.end()) return row.find("no case of spec.resolved.yaml has this id");
    for (const auto& [column, value] : case_parameters(match->second))
      row.expect(column, value, "the resolved spec");
    const auto status = parse_word<Status>(row.text("status"));
    if (status != Status::ok && status != Status::incorrect) return;
    try {
      check_predictions(row, match->second);
    } catch (const CaseError& error) {
      row.find("the row has a result, but its case has no plan: {}", error.what());
    } catch (const UsageError& error) {
      row.find("the row has a result, but its case has no plan: {}", error.what());
    }
  }

  void check_predictions(AuditedRow& row, const Case& c) {
    Case planned = c;
    if (const auto& from = run_.manifest.rewritten_from; from && *from < kTwoNumbersSince)
      planned.lse_kept = 1;
    planned.adds_to_partials = run_.manifest.schema_version > 2;  // see problem.h
    const RowValues predicted = predicted_values(planned);
    // A rank's threads, where the case leaves them open, depend on how many ranks its host has.
    const bool same_machine = run_.manifest.device_fingerprint == device_fingerprint() &&
                              is_of_this_build(run_.manifest.commit) &&
                              (c.ranks != Ranks::mpi || c.threads > 0);
    for (const Field& field : kResultFields) {
      const std::string column(field.column);
      if (field.group != FieldGroup::prediction) continue;
      if (!same_machine && field.tiled) continue;
      // The column is empty in runs older than it; a machine without the GPU predicts no value.
      if (!predicted.at(column).empty() && !row.at(column).empty())
        row.expect(column, predicted.at(column), "the plan");
    }
  }

  // One worker on the CPU receives and sends nothing, so that its tensors are known to the byte.
  void check_memory(AuditedRow& row) {
    const std::string& measured = row.text("active_memory_peak_bytes");
    if (row.text("algorithm") == "dense" && row.text("device") == word(Device::cpu) &&
        !measured.empty() && !row.text("predicted_active_peak_bytes").empty())
      row.expect("active_memory_peak_bytes", row.text("predicted_active_peak_bytes"),
                 "the prediction");
    if (row.number("device_peak_bytes") > row.number("predicted_device_peak_bytes"))
      row.find(
          "device_peak_bytes is {}, but the plan needs only {}: does each worker hold the whole?",
          row.text("device_peak_bytes"), row.text("predicted_device_peak_bytes"));
  }

  // What a program computes is known from the problem alone, however it splits that.
  void check_work(AuditedRow& row) {
    if (row.text("workload") != word(WorkloadKind::attention)) return;
    Case c;
    c.device = Device::cpu;
    for (const Parameter& parameter : parameters())
      if (const std::string& value = row.at(parameter.column);
          parameter.group == FieldGroup::problem && !value.empty())
        parameter.set(c, parameter, value);
    const RowValues work = predicted_values(resolve_case(with_needs_met(c)));
    for (const char* column : {"unmasked_pairs", "unmasked_flop"})
      row.expect(column, work.at(column), "the problem");
  }

  // What a cache held shows only beside repeats that found it warm.
  void check_flush(AuditedRow& row) {
    if (row.text("l2_cache") != word(L2Cache::flushed)) return;
    const std::vector<std::string> identity = identity_without({"l2_cache"});
    for (const Row& other : all_rows(run_.cases)) {
      const bool warm = other.is("l2_cache", word(L2Cache::automatic)) ||
                        other.is("l2_cache", word(L2Cache::warm));
      if (warm && other.is("status", word(Status::ok)) &&
          values_of(run_, other.index, identity) == values_of(run_, row.index, identity) &&
          !(row.number("wall_time_low95_s") > other.number("wall_time_high95_s")))
        row.notes.push_back(
            fmt::format("its repeats with a flushed cache take no longer, within their intervals, "
                        "than those of record {} with a warm one: was anything evicted?",
                        other.index + 1));
    }
  }

  void check_split(AuditedRow& row) {
    const double workers = row.number("workers");
    if (workers > 1.0 && row.number("responsibility_ratio") <= 1.0)
      row.notes.push_back(
          fmt::format("{} workers split nothing: one of them has all pairs", workers));
  }

  void check_bounds(AuditedRow& row) {
    if (row.is_modelled()) return;
    if (row.text("clock") == word(ClockKind::unsynchronized)) {
      row.notes.emplace_back(
          "its clock does not wait for the device: wall_time tells how long the launches took, and "
          "device_time how long the work took");
      return;
    }
    // Clocks drift between the case and the measurement of its peak.
    constexpr double kMostOfPeak = 1.1;
    if (const double fraction = row.number("peak_fraction"); fraction > kMostOfPeak)
      row.find("its wall clock claims {:.0f} % of the peak that was measured beside it",
               100.0 * fraction);
    if (row.text("device") != word(Device::cpu)) {
      row.notes.emplace_back("no bound is known for its device");
      return;
    }
    if (run_.manifest.processors == 0) {
      row.notes.emplace_back("the manifest does not name the cores, so that there is no bound");
      return;
    }
    const double bound =
        flop_per_s_bound(static_cast<int>(run_.manifest.processors), row.text("dtype"));
    // In serial ranks one device does the work of all workers, so the sum is its time.
    const bool serial = row.text("ranks") == word(Ranks::serial);
    const std::vector<double> times = row.repeats(serial ? "worker_sum_s" : "wall_time_s");
    if (times.empty()) return;
    const double rate = row.number("unmasked_flop") / std::ranges::min(times);
    if (!(rate <= bound))
      row.find("its fastest repeat claims {}FLOP/s, but {} cores cannot do more than {}FLOP/s",
               format_si(rate), run_.manifest.processors, format_si(bound));
  }

  RunFolder run_;
  std::map<std::string, Rows> samples_;  // by case
  CsvTable parts_;
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
