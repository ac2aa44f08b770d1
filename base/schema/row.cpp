// SPDX-License-Identifier: Apache-2.0
#include "base/schema/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/numbers.h"

namespace qb {
namespace {

std::string_view name_of(const RowValues::Value& value) { return value.first->column; }

}  // namespace

Rows all_rows(const CsvTable& table) {
  Rows rows;
  for (std::size_t i = 0; i < table.size(); ++i) rows.push_back({&table, i});
  return rows;
}

void RowValues::set(RealColumn column, double value) { set_text(column.name(), to_text(value)); }

void RowValues::set_number(std::string_view column, double value) {
  const bool is_whole = !std::isnan(value) && find_field(column)->kind != FieldKind::real;
  set_text(column, is_whole ? to_text(std::int64_t{std::llround(value)}) : to_text(value));
}

void RowValues::set(TextColumn column, std::string_view value) {
  set_text(column.name(), std::string(value));
}

void RowValues::set_text(std::string_view column, std::string value) {
  const auto at = std::ranges::lower_bound(values_, column, {}, name_of);
  const bool held = at != values_.end() && name_of(*at) == column;
  if (value.empty()) {
    if (held) values_.erase(at);
    return;
  }
  if (held) {
    at->second = std::move(value);
    return;
  }
  const Field* const field = find_field(column);
  if (field == nullptr)
    throw std::logic_error(fmt::format("no table of a run folder has a column {}", column));
  values_.insert(at, {field, std::move(value)});
}

double RowValues::number(NumberColumn column) const {
  const std::string* const found = find(column.name());
  return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : parse_real(*found).value();
}

const std::string& RowValues::at(std::string_view column) const {
  static const std::string kNone;
  const std::string* const found = find(column);
  return found == nullptr ? kNone : *found;
}

void RowValues::erase(FieldGroup group) {
  std::erase_if(values_, [&](const Value& value) { return value.first->group == group; });
}

void RowValues::merge(const RowValues& other) {
  for (const Value& value : other.values_)
    if (find(name_of(value)) == nullptr) set_text(name_of(value), value.second);
}

const std::string* RowValues::find(std::string_view column) const {
  const auto at = std::ranges::lower_bound(values_, column, {}, name_of);
  return at != values_.end() && name_of(*at) == column ? &at->second : nullptr;
}

}  // namespace qb
