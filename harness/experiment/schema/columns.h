// The fixed columns of a run folder's tables; their order is the order in the files.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/schema/column_fields.h"
#include "base/schema/field.h"
#include "harness/experiment/process/result.h"

namespace qb {

// A time or another number of a timed repeat: a column of samples.csv with the member of Sample
// that holds it.
struct SampleField : Field {
  double Sample::*member;
};
[[nodiscard]] std::span<const SampleField> sample_fields();

// A table of a run folder.
struct RunTable {
  std::string_view file;
  std::string_view meaning;
  std::vector<Field> fields{};
  std::vector<std::string> columns{};  // of the fields
};
[[nodiscard]] const RunTable& case_table();
[[nodiscard]] const RunTable& sample_table();
[[nodiscard]] const RunTable& step_table();
[[nodiscard]] const RunTable& part_table();
[[nodiscard]] const RunTable& timeline_table();
// All of them.
[[nodiscard]] std::array<const RunTable*, 5> run_tables();

}  // namespace qb
