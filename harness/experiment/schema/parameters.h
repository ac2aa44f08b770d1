// The parameters of a case as specs, rows and the child process know them. The descriptions are
// kParameterFields; here they meet the members of a Case. One table serves the fixed keys, sweeps,
// excludes, filters, the resolved spec, the columns, the case id and the case's JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/schema/parameter_fields.h"
#include "harness/experiment/schema/case.h"
#include "harness/experiment/spec/yaml_reader.h"

namespace qb {

// A parameter's value, checked: nothing (null, "take the default of the runner"), an integer, a
// real, or a word or interest set in its canonical spelling.
struct Value {
  std::variant<std::monostate, std::int64_t, double, std::string> data;
  Place place;
};
[[nodiscard]] std::string to_string(const Value& value);  // empty for nothing

// One of kParameterFields with the member of a Case that holds it.
struct Parameter : Field {
  std::vector<std::string_view> (*words)();  // of a word; else null
  Value (*get)(const Case&, const Field&);
  void (*set)(Case&, const Value&);
};

// In column order.
[[nodiscard]] std::span<const Parameter> parameters();
[[nodiscard]] std::optional<std::size_t> find_parameter(std::string_view key);
[[nodiscard]] std::vector<std::string_view> parameter_keys();

// The parameters that make a case the same case, in column order: column and value as in cases.csv.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> case_parameters(const Case& c);

// The value that `text` stands for, as case_parameters() writes it. Throws UsageError on a text
// that is none.
[[nodiscard]] Value value_of_text(const Parameter& parameter, const std::string& text);

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
