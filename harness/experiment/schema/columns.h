// The fixed columns of a run folder's tables, in the order of the files, and the documents and the
// JSON that are made from the descriptions of fields.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/schema/column_fields.h"
#include "base/schema/field.h"
#include "harness/workload/result.h"

namespace qb {

// A number of a timed repeat: a column of samples.csv with the member of Sample that holds it.
struct SampleField : Field {
  double Sample::*member;
};
[[nodiscard]] std::span<const SampleField> sample_fields();

// A table of a run folder.
struct RunTable {
  std::string_view file;
  std::string_view meaning;
  std::vector<Field> fields{};
  std::vector<std::string> columns{};  // the names of the fields
};
// All tables; the functions below give each of them.
[[nodiscard]] std::span<const RunTable> run_tables();
[[nodiscard]] inline const RunTable& case_table() { return run_tables()[0]; }
[[nodiscard]] inline const RunTable& sample_table() { return run_tables()[1]; }
[[nodiscard]] inline const RunTable& step_table() { return run_tables()[2]; }
[[nodiscard]] inline const RunTable& part_table() { return run_tables()[3]; }
[[nodiscard]] inline const RunTable& timeline_table() { return run_tables()[4]; }

// The meaning of a field, without Markdown's links and quotes.
[[nodiscard]] std::string plain_meaning(const Field& field);
// The same for the default value of a parameter.
[[nodiscard]] std::string plain_standard(const Field& field);

// The table of parameters in experiments/README.md.
[[nodiscard]] std::string parameters_markdown();

// The tables of columns in data/README.md, one for each file of a run folder.
[[nodiscard]] std::string columns_markdown();

// Replaces both in the documents of this checkout. Throws UsageError where a document has no such
// table, EnvironmentError where it cannot be written.
void write_documents();

// One JSON object: schema_version, and for each file of a run folder its columns in order, each
// with name, key, kind, unit, group, since, standard and meaning. Other programs that write run
// folders read it and need no lists of their own.
[[nodiscard]] std::string schema_json();

}  // namespace qb
