// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/numbers.h"
#include "base/schema/parameter_fields.h"
#include "base/schema/row.h"
#include "base/words.h"

namespace qb {
namespace {

using Key = std::vector<std::string>;
using Columns = std::vector<std::string>;

// `kernel=flash isa=avx512`
std::string assignments(const Columns& columns, const Key& values) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", columns[i], values[i]);
  return text;
}

[[noreturn]] void refuse_repeated(const RunFolder& run, std::size_t first, std::size_t second,
                                  const Columns& ignored) {
  const Key one = values_of(run, first, ignored);
  const Key other = values_of(run, second, ignored);
  if (one == other)
    throw UsageError(
        fmt::format("{}/cases.csv: record {} repeats the parameters of an earlier one; `qb "
                    "verify` lists such rows",
                    run.path, second + 1));
  throw UsageError(fmt::format(
      "--ignore: it makes records {} and {} of {}/cases.csv the same case ({}; {}); "
      "ignore less, or compare a run that has one of the two",
      first + 1, second + 1, run.path, assignments(ignored, one), assignments(ignored, other)));
}

}  // namespace

Key values_of(const RunFolder& run, std::size_t row, const Columns& columns) {
  Key values;
  for (const std::string& column : columns) values.push_back(run.cases.text(row, column));
  return values;
}

Columns identity_without(const Columns& ignored) {
  std::vector<std::string_view> known;
  for (const Field& field : kParameterFields) known.push_back(field.column);
  known.emplace_back("isa");   // no parameter, but it names a kernel together with `kernel`
  known.emplace_back("node");  // of a mixed run
  for (const std::string& key : ignored)
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw UsageError("--ignore: " + unknown_word("key", key, known));
  Columns identity;
  for (const Field& field : kParameterFields)
    if (std::find(ignored.begin(), ignored.end(), field.column) == ignored.end())
      identity.emplace_back(field.column);
  if (std::find(ignored.begin(), ignored.end(), "node") == ignored.end())
    identity.emplace_back("node");
  return identity;
}

bool key_before(const Key& a, const Key& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end()) return false;
  const auto number_a = parse_real(*in_a);
  const auto number_b = parse_real(*in_b);
  const bool numbers = number_a && number_b && *number_a != *number_b;
  return numbers ? *number_a < *number_b : *in_a < *in_b;
}

CaseRows rows_by_case(const RunFolder& run, const Columns& identity, const Columns& ignored) {
  CaseRows rows(key_before);
  for (std::size_t row = 0; row < run.cases.size(); ++row)
    if (const auto [at, is_new] = rows.emplace(values_of(run, row, identity), row); !is_new)
      refuse_repeated(run, at->second, row, ignored);
  return rows;
}

Columns label_columns(std::span<const RunFolder* const> runs, const Columns& identity) {
  std::map<std::string, std::set<std::string>> values;
  for (const RunFolder* run : runs)
    for (std::size_t row = 0; row < run->cases.size(); ++row)
      for (const std::string& column : identity)
        values[column].insert(run->cases.text(row, column));
  Columns columns;
  std::ranges::copy_if(identity, std::back_inserter(columns), [&](const std::string& column) {
    const bool follows_workers = column == "interest_set" && values["workers"].size() > 1;
    return column == "algorithm" || (values[column].size() > 1 && !follows_workers);
  });
  return columns;
}

std::string label_of(const RunFolder& run, std::size_t row, const Columns& columns) {
  std::string label;
  for (const std::string& column : columns) {
    const std::string& value = run.cases.text(row, column);
    const bool square = column == "kv_len" && value == Row{&run.cases, row}.text("n_tokens");
    if (!value.empty() && !square) label += (label.empty() ? "" : " ") + column + '=' + value;
  }
  return label;
}

}  // namespace qb
