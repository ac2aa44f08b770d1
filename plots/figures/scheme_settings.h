// SPDX-License-Identifier: Apache-2.0
// The schemes of splitting exact attention side by side: cases that differ in the scheme and in W
// alone, so that figures compare what can be compared.
#pragma once

#include "plots/frame/lines.h"

namespace qb {

// Whether the registry names the row's algorithm as one that figures compare (SCHEME), or not at
// all: an algorithm of one's own.
[[nodiscard]] bool is_compared_scheme(const Row& row);

// The compared cases of two workers or more by length, mask, link, pass and who played the workers,
// also those that did not run; the setting with the most schemes comes first, then with the most
// worker counts, the most tokens and the most cases that ran. A name says what tells settings
// apart.
[[nodiscard]] Groups scheme_settings(const CsvTable& cases);

// The rows of the first setting in which two schemes have what a figure draws, of a forward pass if
// there is one; empty where there is none. `name`, if given, becomes the setting's.
[[nodiscard]] Rows best_setting(const CsvTable& cases, bool (*has)(const Row&),
                                std::string* name = nullptr);

// How many schemes ran among the rows.
[[nodiscard]] std::size_t count_schemes(const Rows& rows);

// A line for each scheme that has rows, in the registry's order, then of one's own, over rising W.
[[nodiscard]] Groups compared_lines(const Rows& rows);

// The same rows of another setting, and those of dense attention on one device: the rows of `cases`
// that agree with `like` in all columns of a setting, but for `free`.
[[nodiscard]] Rows rows_like(const CsvTable& cases, const Row& like, const Columns& free);

// Says which schemes have the least at the most workers, as `At W = 8 a device sends least in cqs,
// 3 times less than in ring`; empty where no two differ there.
[[nodiscard]] std::string least_of(Rows rows, std::string_view verb, double (*value)(const Row&));

// What the fullest device held, a root included, or would hold by the plan where nothing ran.
[[nodiscard]] double held_bytes(const Row& row);

// `threads on 2 cores` where rows had more workers than cores, so that none is ranked.
[[nodiscard]] std::string crowded_name(const Rows& rows, int cores);

}  // namespace qb
