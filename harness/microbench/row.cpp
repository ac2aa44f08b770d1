#include "harness/microbench/row.h"

#include <cmath>

#include "base/csv.h"
#include "base/numbers.h"

namespace qb {
namespace {

std::string text_or_empty(double value) { return std::isnan(value) ? "" : to_text(value); }

}  // namespace

const std::vector<std::string>& microbench_columns() {
  static const std::vector<std::string> columns = {
      "case_id",       "benchmark",   "dtype",        "mask",       "isa",
      "threads",       "workers",     "n_tokens",     "head_dim",   "repeat",
      "warmup",        "wall_time_s", "flop",         "bytes",      "peak_per_s",
      "peak_fraction", "overhead",    "memory_ratio", "error_ratio"};
  return columns;
}

std::string to_record(const MicrobenchRow& row) {
  const std::vector<std::string> fields = {
      row.case_id,
      row.benchmark,
      row.dtype,
      row.mask,
      row.isa,
      to_text(std::int64_t{row.threads}),
      row.workers == 0 ? "" : to_text(std::int64_t{row.workers}),
      to_text(row.n_tokens),
      to_text(row.head_dim),
      to_text(std::int64_t{row.repeat}),
      row.warmup ? "1" : "0",
      text_or_empty(row.wall_time_s),
      text_or_empty(row.flop),
      text_or_empty(row.bytes),
      text_or_empty(row.peak_per_s),
      text_or_empty(row.peak_fraction),
      text_or_empty(row.overhead),
      text_or_empty(row.memory_ratio),
      text_or_empty(row.error_ratio)};
  return csv_record(fields);
}

}  // namespace qb
