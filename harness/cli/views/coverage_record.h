// SPDX-License-Identifier: Apache-2.0
// A build checks itself by the published tables: data/papers/coverage.csv records how many rows of
// each table have each standing, and of which data. A build that answers the same data otherwise is
// wrong, as one of a compiler with a fault may be.
#pragma once

#include <span>
#include <string>

#include "harness/papers/coverage.h"

namespace qb {

// A row for each table: paper, table, rows, and how many of them have each standing.
[[nodiscard]] CsvTable coverage_csv(std::span<const AnsweredPaper> papers);
// The same with a fingerprint of the data that the answers follow from: data/papers,
// data/published, data/devices and the cases of data/measured. CSV.
[[nodiscard]] std::string coverage_record(std::span<const AnsweredPaper> papers);

// Compares these answers, which committed data gave, with the committed record, and says on stderr
// what differs. Returns false if this build answers unchanged data otherwise, or calculates another
// value exactly than is published in a table of which the record knows no contradiction. That alone
// makes a verb end with 4; a row that is disputed is an answer about its paper.
[[nodiscard]] bool answers_as_recorded(std::span<const AnsweredPaper> papers);

}  // namespace qb
