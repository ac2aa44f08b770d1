// Keeps the rows of a run of microbenchmarks, and writes each to microbench.csv as it comes.
#pragma once

#include <string>
#include <vector>

#include "harness/microbench/row.h"

namespace qb {

class Recorder {
 public:
  // Starts `csv_path` anew; empty: no file. Throws EnvironmentError where it cannot be written.
  explicit Recorder(std::string csv_path);
  void add(const MicrobenchRow& row);
  [[nodiscard]] const std::vector<MicrobenchRow>& rows() const { return rows_; }

 private:
  std::string csv_path_;
  std::vector<MicrobenchRow> rows_;
};

}  // namespace qb
