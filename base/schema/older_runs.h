// SPDX-License-Identifier: Apache-2.0
// Runs of earlier schema versions that readers still take: they lack columns, have some that
// are gone, and differ in nothing else. A missing parameter has the value that every case had
// before it was one, its standard value; other missing columns are empty.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/csv.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/host_activity.h"
#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/schema/gone_names.h"
#include "base/schema/parameter_fields.h"
#include "base/schema/row.h"

namespace qb {

inline constexpr int kOldestSchema = 7;

[[nodiscard]] constexpr bool is_readable_schema(int version) {
  return version >= kOldestSchema && version <= kSchemaVersion;
}

// The text of a cell as it is written now: reals had no point where they were whole, and ids were
// 12 hex digits.
[[nodiscard]] inline std::string written_now(const Field& field, const std::string& text) {
  std::uint64_t hash = 0;
  const char* const end = text.data() + text.size();
  if (field.column == "case_id" && text.size() == 12 &&
      std::from_chars(text.data(), end, hash, 16).ptr == end)
    return id_of(hash);
  const auto real = field.kind == FieldKind::real ? parse_real(text) : std::nullopt;
  return real ? to_text(*real) : text;
}

// Reads a table of a run folder, whose columns are those of its schema. Throws as read_text() and
// CsvTable::parse() do.
[[nodiscard]] inline CsvTable read_run_table(const std::string& path) {
  CsvTable table = CsvTable::parse(read_text(path), path);
  for (const std::string& column : table.header())
    if (const Field* const field = find_field(column))
      for (std::size_t row = 0; row < table.size(); ++row)
        table.set(row, column, written_now(*field, table.text(row, column)));
  return table;
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

// What columns of older runs are called now. harness/experiment/store/older_rows.cpp mends the
// values of those whose meaning has grown.
inline constexpr std::pair<std::string_view, std::string_view> kRenamedColumns[] = {
    {"worker_sent_bytes", "device_sent_bytes"},
    {"predicted_worker_active_peak_bytes", "predicted_device_peak_bytes"},
    {"worker_active_peak_bytes", "device_peak_bytes"},
    {"device_memory_peak_bytes", "gpu_memory_peak_bytes"},
};

// Gives a cases.csv of an older run the columns of this schema.
inline void fit_columns(CsvTable& cases) {
  for (const auto& [then, now] : kRenamedColumns) cases.rename_column(then, std::string(now));
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
// times. Its row is marked since kMarkedSince; of an older one it follows from the parameters,
// unless the number of cores is not known (0).
[[nodiscard]] inline bool oversubscribed(const Row& row, int cores) {
  constexpr std::int64_t kMarkedSince = 12;
  if (row.integer("schema_version") >= kMarkedSince)
    return row.is("disturbed_by", word(Disturbance::oversubscribed));
  if (cores == 0 || row.is("device", "cuda") || row.is("ranks", "model")) return false;
  // 0 leaves the threads to the program.
  return busy_threads(row.text("ranks"), row.integer("workers"),
                      std::max<std::int64_t>(1, row.integer("threads")),
                      row.integer("workers")) > cores;
}

}  // namespace qb
