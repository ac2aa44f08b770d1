// Google Benchmark's results as sample rows: the same columns as a run folder's samples.csv, so
// that the same readers take both. The list is this room's own, since kernels know nothing of
// harness/experiment; a test above both holds the two against each other.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace qb {

[[nodiscard]] const std::vector<std::string>& microbench_columns();

// Shows results on the console and, where `csv_path` is not empty, appends a row a repeat to that
// file: case_id is the benchmark's name with its arguments, wall_time_s the manual time, the rest
// empty. The first of several repeats is marked as the warm-up. Failed runs give no row.
class SampleReporter final : public benchmark::BenchmarkReporter {
 public:
  // Starts the file anew. Throws EnvironmentError where it cannot be written.
  SampleReporter(std::string csv_path, bool colour);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { console_.Finalize(); }

  [[nodiscard]] int succeeded() const { return succeeded_; }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  std::string csv_path_;
  benchmark::ConsoleReporter console_;
  int succeeded_ = 0;
  int failed_ = 0;
};

}  // namespace qb
