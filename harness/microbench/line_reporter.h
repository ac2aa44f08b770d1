// SPDX-License-Identifier: Apache-2.0
// Prints a line for each benchmark when it is done, with the medians of repeats after the warm-up.
#pragma once

#include <benchmark/benchmark.h>

namespace qb {

class LineReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

  [[nodiscard]] int succeeded() const { return succeeded_; }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  int succeeded_ = 0;  // benchmarks
  int failed_ = 0;
};

}  // namespace qb
