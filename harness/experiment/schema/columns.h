// SPDX-License-Identifier: Apache-2.0
// The columns of a run folder's tables, in file order, and the documents and JSON made from them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/schema/row.h"
#include "harness/workload/result.h"

namespace qb {

// A number of a timed repeat: a column of samples.csv with its place in a Sample.
struct SampleField {
  Column column;
  double& (*in)(Sample&);
  [[nodiscard]] double of(Sample sample) const { return in(sample); }
};
[[nodiscard]] std::span<const SampleField> sample_fields();

// The rows of samples.csv of repeats, without their case_id, and the repeat of such a row.
[[nodiscard]] std::vector<RowValues> sample_rows(const std::vector<Sample>& samples);
[[nodiscard]] Sample sample_of(const RowValues& row);

struct RunTable {
  std::string_view file;
  std::string_view meaning;
  std::vector<Field> fields{};
  std::vector<std::string> columns{};  // the names of the fields

  // The values in the order of the columns. Throws std::logic_error where the table lacks the
  // column of one of them.
  [[nodiscard]] std::vector<std::string> fields_of(const RowValues& row) const;
};
[[nodiscard]] std::span<const RunTable> run_tables();
[[nodiscard]] inline const RunTable& case_table() { return run_tables()[0]; }
[[nodiscard]] inline const RunTable& sample_table() { return run_tables()[1]; }
[[nodiscard]] inline const RunTable& step_table() { return run_tables()[2]; }
[[nodiscard]] inline const RunTable& part_table() { return run_tables()[3]; }
[[nodiscard]] inline const RunTable& timeline_table() { return run_tables()[4]; }

// The meaning of a field and the default of a parameter, without Markdown's links and quotes.
[[nodiscard]] std::string plain_meaning(const Field& field);
[[nodiscard]] std::string plain_standard(const Field& field);

// When a row of the table has no value in the field: `never`, or such as "unless the case is ok".
[[nodiscard]] std::string plain_empty_when(const RunTable& table, const Field& field);

// The table that is called so, or that the path of a file of a run folder names. Throws UsageError.
[[nodiscard]] const RunTable& table_named(const std::string& file);

[[nodiscard]] std::string parameters_markdown();  // for experiments/keys.md
[[nodiscard]] std::string columns_markdown();     // for data/README.md, a table for each file

// Replaces both in the documents of this checkout. Throws UsageError where a document has no such
// table, EnvironmentError where it cannot be written.
void write_documents();

// One JSON object: schema_version, and for each file its columns in order with name, key, kind,
// unit, group, since, standard and meaning, so that other writers of run folders need no lists;
// and the colour of each algorithm, in the order of legends.
[[nodiscard]] std::string schema_json();

}  // namespace qb
