#include "harness/microbench/recorder.h"

#include <utility>

#include "base/csv.h"
#include "base/files.h"

namespace qb {

Recorder::Recorder(std::string csv_path) : csv_path_(std::move(csv_path)) {
  if (!csv_path_.empty()) write_file_atomically(csv_path_, csv_record(microbench_columns()));
}

void Recorder::add(const MicrobenchRow& row) {
  if (!csv_path_.empty()) append_and_flush(csv_path_, to_record(row));
  rows_.push_back(row);
}

}  // namespace qb
