// The pieces of an HTML page.
#pragma once

#include <string>
#include <string_view>

#include "plots/frame/table.h"

namespace qb {

// Text as it reads, in elements and in quoted attributes.
[[nodiscard]] std::string html_escape(std::string_view text);

// The <svg> element of an SVG file, without its prolog, with every id and every reference to one
// prefixed by `prefix`, so that several stand in one page. Throws UsageError where there is none.
[[nodiscard]] std::string inline_svg(std::string_view svg, std::string_view prefix,
                                     std::string_view label);

// A table with caption and notes; words of status and verdict are marked.
[[nodiscard]] std::string html_table(const Table& table);

}  // namespace qb
