#include "harness/experiment/run_folder.h"

#include <fmt/format.h>

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

// Schema 4 is schema 3 with more parameters, and grows by parameters.
constexpr int kOldestReadableSchema = 3;

// Gives the table those of case_columns() that are parameters and that it lacks, with their
// defaults. Unchanged where its other columns are not those of this schema.
CsvTable with_all_parameters(const CsvTable& cases, const std::string& path) {
  std::map<std::string, std::string> added;
  for (const auto& [name, value] : case_parameters(Case{}))
    if (!cases.has(name)) added[name] = value;
  for (const std::string& column : case_columns())
    if (!cases.has(column) && !added.contains(column)) return cases;
  CsvTable table(case_columns());
  for (std::size_t row = 0; row < cases.size(); ++row) {
    std::vector<std::string> fields;
    for (const std::string& column : case_columns())
      fields.push_back(added.contains(column) ? added.at(column) : cases.text(row, column));
    table.append(std::move(fields));
  }
  // A torn line stays torn.
  return CsvTable::parse(table.to_string() + (cases.torn() ? "torn" : ""), path);
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
    run.cases = with_all_parameters(run.cases, path + "/cases.csv");
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
