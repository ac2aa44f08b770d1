// SPDX-License-Identifier: Apache-2.0
// Applies `--set key.path=value`.
#include <fmt/format.h>

#include <algorithm>

#include "base/yaml/yaml_reader.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"

namespace qb {
namespace {

constexpr std::string_view kSetPrefix = "--set ";
constexpr std::string_view kOtherKeys[] = {"experiment", "description", "baseline", "sweep",  "zip",
                                           "exclude",    "cases",       "measure",  "figures"};

void require_known(const Place& place, std::string_view key,
                   const std::vector<std::string_view>& known) {
  if (std::ranges::find(known, key) == known.end()) fail_unknown_key(place, key, known);
}

void erase(YamlNode& map, std::string_view key) {
  std::erase_if(map.items, [&](const YamlNode& entry) { return entry.key == key; });
}

void put(YamlNode& map, std::string_view key, YamlNode value) {
  value.key = key;
  value.key_place = value.place;
  if (YamlNode* entry = map.find(key))
    *entry = std::move(value);
  else
    map.items.push_back(std::move(value));
}

// Reads the text as the value of a key, since `a: b` alone would be a map.
YamlNode read_override(std::string_view text, std::string_view label) {
  YamlNode map = read_yaml(fmt::format("value: {}", text), label, false);
  if (map.items.size() != 1) fail_at({label, 0, 0}, "expected one value after the '='");
  return std::move(map.items.front());
}

// Returns the section of that name, and adds it where there is none.
YamlNode& section(YamlNode& spec, std::string_view name, const Place& place) {
  if (spec.find(name) == nullptr) put(spec, name, {YamlNode::map, place});
  YamlNode& found = *spec.find(name);
  if (found.kind == YamlNode::null) found.kind = YamlNode::map;
  return found;
}

bool stands_in(YamlNode& spec, std::string_view section_name, std::string_view key) {
  YamlNode* entry = spec.find(section_name);
  return entry != nullptr && entry->find(key) != nullptr;
}

// Sets a parameter in `home` ("" for fixed) and nowhere else.
void set_parameter(YamlNode& spec, std::string_view key, std::string_view home,
                   const YamlNode& value) {
  if (!home.empty()) erase(spec, key);
  for (std::string_view other : {"sweep", "zip"})
    if (other != home && stands_in(spec, other, key)) {
      erase(*spec.find(other), key);
      if (spec.find(other)->items.empty()) erase(spec, other);
    }
  put(home.empty() ? spec : section(spec, home, value.place), key, value);
}

// `repeats` sets both bounds and replaces them; setting one bound keeps the other.
void set_measure(YamlNode& measure, std::string_view key, const YamlNode& value) {
  if (key == "repeats") {
    erase(measure, "min_repeats");
    erase(measure, "max_repeats");
  } else if (YamlNode* repeats = measure.find("repeats");
             repeats != nullptr && (key == "min_repeats" || key == "max_repeats")) {
    repeats->key = key == "min_repeats" ? "max_repeats" : "min_repeats";
  }
  put(measure, key, value);
}

// The section of a parameter's values where `--set` names none.
std::string_view home_of(YamlNode& spec, const Parameter& parameter, const YamlNode& value) {
  const bool scalar = value.kind == YamlNode::scalar || value.kind == YamlNode::null;
  // `interest_set=[0, 1, 3]` is one value.
  const bool one_set = parameter.kind == FieldKind::residues && value.kind == YamlNode::list &&
                       !value.items.empty() && value.items.front().kind == YamlNode::scalar &&
                       !value.items.front().quoted;
  const bool one_mask = parameter.kind == FieldKind::mask && value.kind == YamlNode::map;
  if (scalar || one_set || one_mask) return "";
  return stands_in(spec, "zip", parameter.key) ? "zip" : "sweep";
}

}  // namespace

std::vector<std::string_view> spec_keys() {
  std::vector<std::string_view> keys = parameter_keys();
  keys.insert(keys.end(), std::begin(kOtherKeys), std::end(kOtherKeys));
  return keys;
}

std::vector<std::string_view> measure_keys() {
  std::vector<std::string_view> keys = {"repeats"};
  for (const MeasureField& field : measure_fields()) keys.push_back(field.key);
  return keys;
}

std::size_t apply_override(YamlNode& spec, std::string_view label) {
  const std::size_t equals = label.find('=');
  if (equals == std::string_view::npos)
    fail_at({label, 0, 0}, "expected KEY=VALUE, as in measure.repeats=3");
  const std::string_view path = label.substr(kSetPrefix.size(), equals - kSetPrefix.size());
  const Place path_place{label.substr(0, equals), 0, 0};
  const YamlNode value = read_override(label.substr(equals + 1), label);

  // One parameter has a dot in its name.
  const std::size_t dot = find_parameter(path) ? std::string_view::npos : path.find('.');
  const std::string_view head = path.substr(0, dot);
  require_known(path_place, head, spec_keys());
  if (dot == std::string_view::npos) {
    const auto index = find_parameter(head);
    if (index)
      set_parameter(spec, head, home_of(spec, parameters()[*index], value), value);
    else
      put(spec, head, value);
    return index.value_or(parameters().size());
  }

  const std::string_view key = path.substr(dot + 1);
  if (head == "measure") {
    require_known(path_place, key, measure_keys());
    set_measure(section(spec, head, value.place), key, value);
    return parameters().size();
  }
  if (head != "sweep" && head != "zip")
    fail_at(path_place, "only sweep, zip and measure have keys inside");
  require_known(path_place, key, parameter_keys());
  set_parameter(spec, key, head, value);
  return *find_parameter(key);
}

}  // namespace qb
