// SPDX-License-Identifier: Apache-2.0
// For tests: writes run folders by hand.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

using RunRow = std::map<std::string, std::string>;

// A run in a temporary folder that the destructor removes.
class FakeRun {
 public:
  explicit FakeRun(const std::string& name) : path_(folder_ / name) { ensure_directory(path_); }

  // An ok row of N tokens with a critical path of `median` in [low, high] seconds.
  [[nodiscard]] static RunRow ok_row(const Case& c, double median, double low, double high) {
    RunRow row = untimed_row(c, "ok");
    row["n_samples"] = "7";
    for (const std::string clock : {"critical_path", "wall_time", "worker_sum"}) {
      row[clock + "_median_s"] = to_text(median);
      row[clock + "_low95_s"] = to_text(low);
      row[clock + "_high95_s"] = to_text(high);
    }
    row["device_peak_bytes"] = row["active_memory_peak_bytes"] = "1000000";
    return row;
  }
  [[nodiscard]] static RunRow untimed_row(const Case& c, const std::string& status) {
    RunRow row;
    for (const auto& [name, value] : case_parameters(c)) row[name] = value;
    row["schema_version"] = std::to_string(kSchemaVersion);
    row["case_id"] = case_id(c);
    row["experiment"] = c.experiment;
    row["status"] = status;
    return row;
  }

  void write(const std::string& file, const std::string& text) const {
    write_file_atomically(path_ + "/" + file, text);
  }
  // spec_hash: empty in a run of another program.
  void write_manifest(const std::string& device, int schema_version = kSchemaVersion,
                      const std::string& spec_hash = "0123456789abcdef") const {
    Manifest manifest;
    manifest.schema_version = schema_version;
    manifest.experiment = "fake";
    manifest.spec_hash = spec_hash;
    manifest.started_at = "2025-01-31T12:00:00Z";
    manifest.finished_at = "2025-01-31T12:01:00Z";
    manifest.environment =
        R"({"device_fingerprint": ")" + device + R"(", "cpu": {"usable_processors": [0, 1]}})";
    write("manifest.json", manifest_to_json(manifest));
  }
  void write_tables(const std::vector<RunRow>& cases,
                    const std::vector<RunRow>& samples = {}) const {
    write("cases.csv", table(case_table().columns, cases));
    write("samples.csv", table(sample_table().columns, samples));
  }
  // Writes a whole folder from device `X`.
  const FakeRun& with(const std::vector<RunRow>& cases) const {
    write_manifest("X");
    write_tables(cases);
    return *this;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] static std::string table(const std::vector<std::string>& columns,
                                         const std::vector<RunRow>& rows) {
    CsvTable table(columns);
    for (const RunRow& row : rows) {
      std::vector<std::string> fields;
      for (const std::string& column : columns)
        fields.push_back(row.contains(column) ? row.at(column) : "");
      table.append(fields);
    }
    return table.to_string();
  }
  ScratchFolder folder_;
  std::string path_;
};

}  // namespace qb
