// The parameters of a case as specs know them: names, types, ranges, defaults. One table serves the
// fixed keys, sweeps, excludes, filters and the resolved spec.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/experiment/case.h"
#include "harness/experiment/yaml_reader.h"

namespace qb {

// A parameter's value, checked: nothing (null, "take the default of the runner"), an integer, a
// real, or a word or interest set in its canonical spelling.
struct Value {
  std::variant<std::monostate, std::int64_t, double, std::string> data;
  Place place;
};
[[nodiscard]] std::string to_string(const Value& value);  // empty for nothing

enum class ParameterType { word, integer, real, interest_set, sequences, speeds, file, mask };

struct Parameter {
  std::string_view name;    // in a spec
  std::string_view column;  // in cases.csv, case_parameters() and --filter
  ParameterType type;
  std::int64_t min;  // of an integer; a real must be positive
  std::int64_t max;
  std::string_view default_text;  // empty: nothing
  std::string_view follows;       // the parameter whose value it takes where it is left out
  bool nullable;                  // `~` is a value
  std::vector<std::string_view> (*words)();
  void (*store)(Case&, const Value&);
};

// In column order.
[[nodiscard]] std::span<const Parameter> parameters();
[[nodiscard]] std::optional<std::size_t> find_parameter(std::string_view name);
[[nodiscard]] std::vector<std::string_view> parameter_names();

// Throws UsageError at the node's place on a wrong type, an unknown word or a number out of range.
[[nodiscard]] Value read_value(const Parameter& parameter, const YamlNode& node);
// Type and word only: for comparisons, where `n_tokens>0` is no mistake.
[[nodiscard]] Value read_operand(const Parameter& parameter, const YamlNode& node);
[[nodiscard]] Value default_value(const Parameter& parameter);

// Scalars for the other keys of a spec; `name` stands in the message. Throw UsageError.
[[nodiscard]] std::int64_t read_integer(std::string_view name, const YamlNode& node,
                                        std::int64_t min, std::int64_t max);
[[nodiscard]] double read_real(std::string_view name, const YamlNode& node);
[[nodiscard]] double read_seconds(std::string_view name, const YamlNode& node);  // `90s`, `15min`
[[nodiscard]] bool read_bool(std::string_view name, const YamlNode& node);

// `unknown key 'worker'; did you mean 'workers'?` (without the key where the source, as in
// `--set worker`, already shows it).
[[noreturn]] void fail_unknown_key(const Place& place, std::string_view key,
                                   std::span<const std::string_view> known);
// Throws UsageError for the first key of the map that is not `known`.
void check_keys(const YamlNode& map, std::span<const std::string_view> known);

}  // namespace qb
