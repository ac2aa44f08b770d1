#include "kernels/microbench/sample_reporter.h"

#include "harness/base/csv.h"
#include "harness/base/numbers.h"
#include "harness/files/files.h"

namespace qb {
namespace {

std::string case_name(const benchmark::BenchmarkName& name) {
  return name.args.empty() ? name.function_name : name.function_name + "/" + name.args;
}

std::string sample_row(const benchmark::BenchmarkReporter::Run& run) {
  const bool warmup = run.repetitions > 1 && run.repetition_index == 0;
  const double wall_s = run.real_accumulated_time / static_cast<double>(run.iterations);
  std::vector<std::string> fields(microbench_columns().size());
  fields[0] = case_name(run.run_name);
  fields[1] = to_text(run.repetition_index);
  fields[2] = to_text(std::int64_t{warmup ? 1 : 0});
  fields[3] = to_text(wall_s);
  return csv_record(fields);
}

}  // namespace

const std::vector<std::string>& microbench_columns() {
  static const std::vector<std::string> columns = {"case_id",
                                                   "repeat",
                                                   "warmup",
                                                   "wall_time_s",
                                                   "critical_path_s",
                                                   "worker_sum_s",
                                                   "longest_subsequence_s",
                                                   "gather_s",
                                                   "merge_s"};
  return columns;
}

SampleReporter::SampleReporter(std::string csv_path, bool colour)
    : csv_path_(std::move(csv_path)),
      console_(colour ? benchmark::ConsoleReporter::OO_Color
                      : benchmark::ConsoleReporter::OO_None) {
  if (!csv_path_.empty()) write_file_atomically(csv_path_, csv_record(microbench_columns()));
}

bool SampleReporter::ReportContext(const Context& context) {
  console_.SetOutputStream(&GetOutputStream());
  console_.SetErrorStream(&GetErrorStream());
  return console_.ReportContext(context);
}

void SampleReporter::ReportRuns(const std::vector<Run>& runs) {
  console_.ReportRuns(runs);
  std::string rows;
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    if (run.error_occurred) {
      ++failed_;
      continue;
    }
    ++succeeded_;
    rows += sample_row(run);
  }
  if (!csv_path_.empty() && !rows.empty()) append_and_flush(csv_path_, rows);
}

}  // namespace qb
