// SPDX-License-Identifier: Apache-2.0
#include "base/schema/value_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/schema/column.h"
#include "base/schema/column_fields.h"
#include "base/status.h"
#include "base/words.h"

namespace qb {
namespace {

std::string typed_name(std::string_view typed) {
  std::string name(typed);
  for (char& letter : name)
    letter = letter == ' ' || letter == '-'
                 ? '_'
                 : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

UsageError unknown_value(const std::string& name) {
  std::vector<std::string_view> known;
  for (const DerivedValue& derived : kDerivedValues) known.push_back(derived.name);
  const std::vector<std::string_view> shown = known;
  for (const Field& field : kResultFields)
    if (is_number_kind(field.kind)) {
      known.push_back(field.column);
      known.push_back(without_unit(field.column));
    }
  if (!nearest_word(name, known).empty()) return UsageError(unknown_word("value", name, known));
  const std::string message = unknown_word("value", name, shown);
  return UsageError(message.find("known:") == std::string::npos
                        ? message
                        : message + ", and the numbers that `qb columns` lists");
}

}  // namespace

const DerivedValue* find_derived(std::string_view name) {
  const auto* const found = std::ranges::find(kDerivedValues, name, &DerivedValue::name);
  return found == std::end(kDerivedValues) ? nullptr : found;
}

std::string_view without_unit(std::string_view column) {
  for (const std::string_view end : {"_median_s", "_flop_per_s", "_s", "_bytes", "_hz"})
    if (column.ends_with(end)) return column.substr(0, column.size() - end.size());
  return column;
}

std::string value_word(std::string_view typed) {
  const std::string name = typed_name(typed);
  if (find_derived(name) != nullptr) return name;
  for (const bool whole : {true, false})  // its own name comes first
    for (const Field& field : kResultFields)
      if (is_number_kind(field.kind) && name == (whole ? field.column : without_unit(field.column)))
        return std::string(field.column);
  throw unknown_value(name);
}

std::string parameter_word(std::string_view typed) {
  const std::string name = typed_name(typed);
  std::vector<std::string_view> known;
  for (const Field& field : kParameterFields) {
    if (name == field.column || typed == parameter_heading(field.column) ||
        (!field.key.empty() && typed == field.key))
      return std::string(field.column);
    known.push_back(field.column);
  }
  throw UsageError(unknown_word("parameter", typed, known));
}

std::string parameter_heading(std::string_view column) {
  constexpr std::string_view kEnd = " = {}";
  const std::string_view label = find_parameter_field(column)->label;
  std::string heading(label.ends_with(kEnd) ? label.substr(0, label.size() - kEnd.size()) : column);
  std::ranges::replace(heading, '_', ' ');
  return heading;
}

}  // namespace qb
