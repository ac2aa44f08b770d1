// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "base/numbers.h"

namespace qb {

std::string fact_text(const nlohmann::ordered_json& value, std::string_view name) {
  if (value.is_null()) return "not available";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_integer() && value >= 0 && name.ends_with("bytes"))
    return format_bytes(value.get<std::uint64_t>());
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : " ") + fact_text(item, name);
  return text;
}

Facts facts_of(const nlohmann::ordered_json& value, const std::string& path) {
  const bool nested =
      value.is_object() || (value.is_array() && !value.empty() && value[0].is_object());
  // A reason is empty where the thing that it would explain is there.
  const std::string_view name = std::string_view(path).substr(path.rfind('.') + 1);
  if (value.is_null() && name.starts_with("why_")) return {};
  if (!nested) return {{path, fact_text(value, name)}};
  Facts facts;
  for (const auto& [key, child] : value.items())
    for (auto& fact : facts_of(child, path.empty() ? key : path + '.' + key))
      facts.push_back(std::move(fact));
  return facts;
}

}  // namespace qb
