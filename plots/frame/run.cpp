#include "plots/frame/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/schema/column_fields.h"
#include "base/schema/parameter_fields.h"
#include "base/status.h"

namespace qb {
namespace {

CsvTable read_table(const std::filesystem::path& path) {
  return CsvTable::parse(read_file(path.string()), path.string());
}

// Throws UsageError for a table that another version of qb wrote.
CsvTable read_cases(const std::filesystem::path& path) {
  CsvTable cases = read_table(path);
  const auto require = [&](const auto& fields) {
    for (const Field& field : fields)
      if (!cases.has(field.column))
        throw UsageError(
            fmt::format("{} has no column {}: another version of qb wrote it, and "
                        "this one draws schema {}",
                        path.string(), field.column, kSchemaVersion));
  };
  require(kIdentityFields);
  require(kParameterFields);
  require(kResultFields);
  return cases;
}

std::optional<CsvTable> read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return read_table(path);
}

}  // namespace

PlottedRun read_plotted_run(const std::string& path) {
  const std::filesystem::path folder(path);
  if (!std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("{}: there is no such run folder", path));
  const std::filesystem::path manifest = folder / "manifest.json";
  if (!std::filesystem::exists(manifest))
    throw UsageError(fmt::format("{} is no run folder: it has no manifest.json", path));
  PlottedRun run;
  run.path = path;
  run.provenance = read_provenance(read_file(manifest.string()), manifest.string());
  run.microbench = read_if_there(folder / "microbench.csv");
  // A folder of microbenchmarks alone has no cases; any other must have them.
  if (!run.microbench || std::filesystem::exists(folder / "cases.csv"))
    run.cases = read_cases(folder / "cases.csv");
  run.timeline = read_if_there(folder / "memory_timeline.csv");
  run.subsequences = read_if_there(folder / "subsequences.csv");
  run.responsibility = read_if_there(folder / "responsibility_ratio.csv");
  run.partition = read_if_there(folder / "partition.csv");
  run.steps = read_if_there(folder / "steps.csv");
  run.parts = read_if_there(folder / "parts.csv");
  return run;
}

std::vector<std::string> run_names(const PlottedRun& run) {
  std::vector<const PlottedRun*> runs = {&run};
  for (const PlottedRun& other : run.beside) runs.push_back(&other);
  std::vector<std::string> names;
  for (const PlottedRun* one : runs) {
    const std::string& id = one->provenance.run_id;
    const bool unique = std::count_if(runs.begin(), runs.end(), [&](const PlottedRun* other) {
                          return other->provenance.run_id == id;
                        }) == 1;
    names.push_back(id.empty() || !unique ? one->path : id);
  }
  return names;
}

CsvTable joined_cases(const PlottedRun& run) {
  const std::vector<std::string> names = run_names(run);
  std::vector<std::string> header = run.cases.header();
  header.emplace_back("run");
  CsvTable joined(header);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const CsvTable& cases = i == 0 ? run.cases : run.beside[i - 1].cases;
    for (std::size_t row = 0; row < cases.size(); ++row) {
      std::vector<std::string> fields;
      for (const std::string& column : run.cases.header())
        fields.push_back((column == "case_id" ? names[i] + " " : "") + cases.text(row, column));
      fields.push_back(names[i]);
      joined.append(std::move(fields));
    }
  }
  return joined;
}

}  // namespace qb
