// Reading a finished (or interrupted) run folder: what compare, verify, plot and report start from.
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

// A torn last line (the writer was killed) is left out; CsvTable::torn() tells. A run of schema 3
// to 5 gets the parameters of schema 6, which it ran with by default, and counts as of schema 6.
// Throws UsageError naming the file: no such folder, no run folder, a missing or malformed file.
[[nodiscard]] RunFolder read_run_folder(const std::string& path);

// The columns that make a row of cases.csv the same case in another run, in file order.
[[nodiscard]] const std::vector<std::string>& parameter_columns();

// Throws UsageError naming run and row for a word that is no status.
[[nodiscard]] Status row_status(const RunFolder& run, std::size_t row);

}  // namespace qb
