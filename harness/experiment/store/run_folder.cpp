#include "harness/experiment/store/run_folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"

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

}  // namespace

RunFolder read_run_folder(const std::string& path) {
  require_run_folder(path);
  return {path, read_manifest(path), read_table(path + "/cases.csv"),
          read_table(path + "/samples.csv")};
}

Status row_status(const RunFolder& run, std::size_t row) {
  const std::string& text = run.cases.text(row, "status");
  if (const auto status = parse_word<Status>(text)) return *status;
  throw UsageError(fmt::format("{}/cases.csv: record {}: {}", run.path, row + 1,
                               unknown_word("status", text, all_words<Status>())));
}

}  // namespace qb
