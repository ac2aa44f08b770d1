// --format of verbs that print a table for a page, a paper or another program.
#pragma once

#include <string>

#include "base/words.h"
#include "plots/frame/table.h"

namespace qb {

enum class TableFormat { text, markdown, latex, csv };

template <>
inline constexpr auto kWords<TableFormat> =
    word_table<TableFormat>("format", {{TableFormat::text, "text"},
                                       {TableFormat::markdown, "markdown"},
                                       {TableFormat::latex, "latex"},
                                       {TableFormat::csv, "csv"}});

[[nodiscard]] std::string printed(const Table& table, TableFormat format);

}  // namespace qb
