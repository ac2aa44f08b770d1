// Runs of earlier schema versions that readers still take: they lack columns and differ in nothing
// else, so that each missing column is empty.
#pragma once

#include <algorithm>
#include <string>

#include "base/csv.h"
#include "base/schema/column_fields.h"
#include "base/schema/parameter_fields.h"

namespace qb {

inline constexpr int kOldestSchema = 7;

[[nodiscard]] constexpr bool is_readable_schema(int version) {
  return version >= kOldestSchema && version <= kSchemaVersion;
}

// Gives cases.csv of an older run the columns of later versions, empty and in their places.
inline void add_later_columns(CsvTable& cases) {
  std::size_t at = 0;
  const auto add = [&](const auto& fields) {
    for (const Field& field : fields) {
      if (field.since > kOldestSchema && !cases.has(field.column))
        cases.insert_column(std::min(at, cases.header().size()), std::string(field.column));
      ++at;
    }
  };
  add(kIdentityFields);
  add(kParameterFields);
  add(kResultFields);
}

}  // namespace qb
