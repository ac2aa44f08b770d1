// The schema for readers: the documents and the JSON that are made from the descriptions of fields.
#pragma once

#include <string>

#include "base/schema/field.h"

namespace qb {

// What a field says, without Markdown's links and quotes.
[[nodiscard]] std::string plain_meaning(const Field& field);

// The table of parameters in experiments/README.md.
[[nodiscard]] std::string parameters_markdown();

// The tables of columns in data/README.md, one for each file of a run folder.
[[nodiscard]] std::string columns_markdown();

// One JSON object: schema_version, and for each file of a run folder its columns in order, each
// with name, key, kind, unit, group, since, standard and meaning. Other programs that write run
// folders read it in place of lists of their own.
[[nodiscard]] std::string schema_json();

}  // namespace qb
