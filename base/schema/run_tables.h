// SPDX-License-Identifier: Apache-2.0
// The tables of run folders as readers take them: a run of an earlier schema lacks columns and
// differs in nothing else. A missing parameter has its standard value, which every case had before
// it was one; other missing columns are empty.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/csv.h"
#include "base/files.h"
#include "base/host_activity.h"
#include "base/schema/column_fields.h"
#include "base/schema/other_names.h"
#include "base/schema/parameter_fields.h"
#include "base/schema/row.h"

namespace qb {

inline constexpr int kOldestSchema = 1;

[[nodiscard]] constexpr bool is_readable_schema(int version) {
  return version >= kOldestSchema && version <= kSchemaVersion;
}

// Throws as read_text() and CsvTable::parse() do.
[[nodiscard]] inline CsvTable read_run_table(const std::string& path) {
  return CsvTable::parse(read_text(path), path);
}

// Gives a table of an older run the columns of later versions, in their places. `parts` are the
// lists of its fields, in the order of its columns.
void add_later_fields(CsvTable& table, const auto&... parts) {
  std::size_t at = 0;
  const auto add = [&](const auto& fields) {
    for (const Field& field : fields) {
      if (field.since > kOldestSchema && !table.has(field.column))
        table.insert_column(std::min(at, table.header().size()), std::string(field.column),
                            is_parameter(field.group) ? std::string(field.standard) : "");
      ++at;
    }
  };
  (add(parts), ...);
}

// Gives a cases.csv of an older run the columns of this schema.
inline void fit_columns(CsvTable& cases) {
  for (const GoneName& gone : kGoneNames) cases.remove_column(gone.column);
  add_later_fields(cases, kIdentityFields, kParameterFields, kResultFields);
}

// The threads of a case that compute at once on a host which has so many of its MPI ranks; each
// process has `threads`.
[[nodiscard]] inline std::int64_t busy_threads(std::string_view ranks, std::int64_t workers,
                                               std::int64_t threads, std::int64_t mpi_ranks) {
  if (ranks == "threads") return std::max(workers, threads);
  return ranks == "mpi" ? threads * mpi_ranks : threads;
}

// Says whether more threads of a case computed at once than there were cores: no figure ranks its
// times.
[[nodiscard]] inline bool oversubscribed(const Row& row) {
  return row.is("disturbed_by", word(Disturbance::oversubscribed));
}

// Marks those rows of a run that was rewritten from a schema before kMarkedSince: there the mark
// follows from the parameters and the machine's cores (0: not known).
inline constexpr int kMarkedSince = 12;
inline void mark_oversubscribed(CsvTable& cases, int cores) {
  for (std::size_t row = 0; cores > 0 && row < cases.size(); ++row) {
    const Row at{&cases, row};
    const std::int64_t threads = std::max<std::int64_t>(1, at.integer("threads"));  // 0: any number
    if (at.text("disturbed_by").empty() && !at.is("device", "cuda") && !at.is("ranks", "model") &&
        busy_threads(at.text("ranks"), at.integer("workers"), threads, at.integer("workers")) >
            cores)
      cases.set(row, "disturbed_by", std::string(word(Disturbance::oversubscribed)));
  }
}

}  // namespace qb
