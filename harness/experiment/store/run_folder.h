// Reads a finished or interrupted run folder for compare, verify, plot and report.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "base/status.h"
#include "harness/experiment/store/manifest.h"

namespace qb {

struct RunFolder {
  std::string path;
  Manifest manifest;
  CsvTable cases;
  CsvTable samples;
};

// A torn last line (the writer was killed) is left out; CsvTable::torn() reports it. Throws
// UsageError, which names the file: no such folder, no run folder, a missing or malformed file.
[[nodiscard]] RunFolder read_run_folder(const std::string& path);

// Throws UsageError, which names run and row, for a word that is no status.
[[nodiscard]] Status row_status(const RunFolder& run, std::size_t row);

}  // namespace qb
