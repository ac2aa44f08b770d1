// SPDX-License-Identifier: Apache-2.0
// Which rows of several runs are the same case: those whose parameters are equal.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/experiment/store/run_folder.h"

namespace qb {

// Returns the parameters that make two rows the same case. Throws UsageError for an ignored key
// that is neither a parameter nor isa.
[[nodiscard]] std::vector<std::string> identity_without(const std::vector<std::string>& ignored);

[[nodiscard]] std::vector<std::string> values_of(const RunFolder& run, std::size_t row,
                                                 const std::vector<std::string>& columns);

// Compares numbers as numbers, so that N = 512 comes before N = 1024.
[[nodiscard]] bool key_before(const std::vector<std::string>& a, const std::vector<std::string>& b);

// Rows by the values of their identity, in the order of these, since cases run in random order.
using CaseRows = std::map<std::vector<std::string>, std::size_t, decltype(&key_before)>;
// Throws UsageError where two rows of the run are the same case.
[[nodiscard]] CaseRows rows_by_case(const RunFolder& run, const std::vector<std::string>& identity,
                                    const std::vector<std::string>& ignored);

// Returns the parameters that distinguish a case from the others of all runs.
[[nodiscard]] std::vector<std::string> label_columns(std::span<const RunFolder* const> runs,
                                                     const std::vector<std::string>& identity);
// `algorithm=cqs workers=7`
[[nodiscard]] std::string label_of(const RunFolder& run, std::size_t row,
                                   const std::vector<std::string>& columns);

}  // namespace qb
