#include "harness/experiment/run_folder.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>

#include "harness/experiment/case.h"
#include "harness/experiment/result.h"
#include "harness/files/files.h"

namespace qb {
namespace {

void require_run_folder(const std::string& path) {
  if (!std::filesystem::is_directory(path))
    throw UsageError(
        fmt::format("{}: no such folder; give a run folder, results/NAME/RUN_ID", path));
  for (const char* name : {"manifest.json", "cases.csv", "samples.csv"})
    if (!std::filesystem::is_regular_file(path + "/" + name))
      throw UsageError(fmt::format(
          "{} is no run folder: it has no {}; give one that `qb run` wrote, results/NAME/RUN_ID",
          path, name));
}

CsvTable read_table(const std::string& path) { return CsvTable::parse(read_file(path), path); }

// Schemas 4 to 6 are schema 3 with more parameters, 5 with columns of GPUs too, and 6 with the idle
// workers of matrix products and the stages of a kernel.
constexpr int kOldestReadableSchema = 3;
constexpr std::array kLaterColumns = {"gpu",
                                      "device_memory_peak_bytes",
                                      "device_time_median_s",
                                      "sm_clock_median_hz",
                                      "throttled_samples",
                                      "device_time_s",
                                      "sm_clock_hz",
                                      "throttled",
                                      "idle_workers",
                                      "stage_scores_median_s",
                                      "stage_softmax_median_s",
                                      "stage_product_median_s",
                                      "stage_scores_s",
                                      "stage_softmax_s",
                                      "stage_product_s"};

// Gives the table those of `columns` that it lacks: parameters with their defaults, measured
// columns empty. Unchanged where its other columns are not those of this schema.
CsvTable with_all(const CsvTable& table, const std::vector<std::string>& columns,
                  const std::string& path) {
  std::map<std::string, std::string> added;
  for (const auto& [name, value] : case_parameters(Case{}))
    if (!table.has(name)) added[name] = value;
  for (const char* name : kLaterColumns)
    if (!table.has(name)) added[name] = {};
  for (const std::string& column : columns)
    if (!table.has(column) && !added.contains(column)) return table;
  CsvTable whole(columns);
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::vector<std::string> fields;
    for (const std::string& column : columns)
      fields.push_back(added.contains(column) ? added.at(column) : table.text(row, column));
    whole.append(std::move(fields));
  }
  // A torn line stays torn.
  return CsvTable::parse(whole.to_string() + (table.torn() ? "torn" : ""), path);
}

}  // namespace

RunFolder read_run_folder(const std::string& path) {
  require_run_folder(path);
  RunFolder run;
  run.path = path;
  run.manifest = manifest_from_json(read_file(path + "/manifest.json"), path + "/manifest.json");
  run.cases = read_table(path + "/cases.csv");
  run.samples = read_table(path + "/samples.csv");
  if (run.manifest.schema_version >= kOldestReadableSchema &&
      run.manifest.schema_version <= kSchemaVersion) {
    run.cases = with_all(run.cases, case_columns(), path + "/cases.csv");
    run.samples = with_all(run.samples, sample_columns(), path + "/samples.csv");
    run.manifest.schema_version = kSchemaVersion;
  }
  return run;
}

const std::vector<std::string>& parameter_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names;
    for (const auto& [name, value] : case_parameters(Case{})) names.push_back(name);
    return names;
  }();
  return columns;
}

Status row_status(const RunFolder& run, std::size_t row) {
  const std::string& text = run.cases.text(row, "status");
  if (const auto status = parse_word<Status>(text)) return *status;
  throw UsageError(fmt::format("{}/cases.csv: record {}: {}", run.path, row + 1,
                               unknown_word("status", text, all_words<Status>())));
}

}  // namespace qb
