// SPDX-License-Identifier: Apache-2.0
// The pieces of which our pages are made. Everything that comes from a table or a title is escaped
// here.
#pragma once

#include <string>
#include <string_view>

#include "plots/frame/table.h"

namespace qb {

// Escapes text for elements and quoted attributes.
[[nodiscard]] std::string html_escape(std::string_view text);

// Returns the <svg> element of an SVG file, without its prolog, with every id and every reference
// to one prefixed by `prefix`, so that one page can hold several. Throws UsageError if there is
// none.
[[nodiscard]] std::string inline_svg(std::string_view svg, std::string_view prefix,
                                     std::string_view label);

// Writes a table with its caption, unless that stands elsewhere, and its notes. Words of status and
// verdict are marked, and the last column stays in sight where it holds them. A last column of
// formulas is folded into the cells before it. On a phone a row of a wide table is a card.
[[nodiscard]] std::string html_table(const Table& table, bool caption = true);

// Makes an address that holds the content itself, so that a link needs no other file.
[[nodiscard]] std::string data_url(std::string_view type, std::string_view content);

// Makes a whole page: the stylesheet and the script are inside it.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body);

}  // namespace qb
