// SPDX-License-Identifier: Apache-2.0
// The parameters of a case: kParameterFields with the members of a Case. One table serves fixed
// keys, sweeps, excludes, filters, the resolved spec, the columns, the case id and the case's JSON.
#pragma once

#include <variant>

#include "base/schema/parameter_fields.h"
#include "base/yaml/yaml_reader.h"
#include "harness/workload/case.h"
#include "kernels/mask/mask_spec.h"

namespace qb {

// A parameter's value, checked, in the one spelling that rows, filters and the child process share.
// An empty text means no value: the runner takes its default.
struct Value {
  std::string text;
  Place place;
};

// One of kParameterFields with the member of a Case that holds it.
struct Parameter : Field {
  std::vector<std::string_view> (*words)();  // null unless its values are words
  std::string (*get)(const Case&, const Field&);
  // Throws UsageError on a text that is not a value of the parameter.
  void (*set)(Case&, const Field&, std::string_view text);

  [[nodiscard]] bool is_number() const { return is_number_kind(kind); }
};

[[nodiscard]] std::span<const Parameter> parameters();  // in the order of the columns
[[nodiscard]] std::optional<std::size_t> find_parameter(std::string_view key);
[[nodiscard]] std::vector<std::string_view> parameter_keys();

// The parameters that identify a case, in column order: column and value as in cases.csv.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> case_parameters(const Case& c);

// The case with the standard value of each parameter that does not apply to it (needs.h).
[[nodiscard]] Case with_needs_met(Case c);

// Parameters that take more than one value in these cases, besides those that every label has
// (algorithm, workers, n_tokens, kernel, dtype), in column order.
[[nodiscard]] std::vector<std::string> varying_parameters(std::span<const Case> cases);

// A name for people: `cqs W=7 N=10000 materialized f16 head_dim=128`.
[[nodiscard]] std::string case_label(const Case& c, std::span<const std::string> varying);

// One setting of `measure:`.
struct MeasureField {
  std::string_view key;   // its name in a spec
  std::string_view name;  // its name with the unit, in JSON
  std::variant<int Measure::*, std::int64_t Measure::*, double Measure::*, bool Measure::*> member;
  // The bounds of a number; a time has a unit in a spec and is above `min`.
  double min = 0.0;
  double max = 1e9;
  bool is_time = false;
};

// Resolved specs have this order. `repeats` is not a setting: it sets min_repeats and max_repeats.
[[nodiscard]] std::span<const MeasureField> measure_fields();

// An id (base/hash.h) of the parameters and the measure settings; the key for resuming.
[[nodiscard]] std::string case_id(const Case& c);

// One line of JSON text, which the child process reads and ranks send to each other.
[[nodiscard]] std::string case_to_json(const Case& c);
[[nodiscard]] Case case_from_json(std::string_view text);

// Throws UsageError at the node's place on a wrong type, an unknown word or a number out of range.
[[nodiscard]] Value read_value(const Parameter& parameter, const YamlNode& node);
// Checks type and word only: in a comparison, `n_tokens>0` is not a mistake.
[[nodiscard]] Value read_operand(const Parameter& parameter, const YamlNode& node);

// Reads `causal` or `{sliding_window: {left: 4, right: 4}}`; kernels/mask/mask_spec.h says what the
// names mean. Throws UsageError, which begins with `source`, such as --mask.
[[nodiscard]] MaskSpec parse_mask(std::string_view text, std::string_view source = "mask");

// These read scalars of other keys. They throw UsageError with `name` in the message.
[[nodiscard]] std::int64_t read_integer(std::string_view name, const YamlNode& node,
                                        std::int64_t min, std::int64_t max,
                                        std::string_view unit = "");
[[nodiscard]] double read_real(std::string_view name, const YamlNode& node);
[[nodiscard]] double read_seconds(std::string_view name, const YamlNode& node);  // `90s`, `15min`
[[nodiscard]] bool read_bool(std::string_view name, const YamlNode& node);

// `unknown key 'worker'; did you mean 'workers'?`, or `unknown key 'heads'; qb calls this q_heads`
// (without the key where the source, as in `--set worker`, already shows it).
[[noreturn]] void fail_unknown_key(const Place& place, std::string_view key,
                                   std::span<const std::string_view> known);
// Throws UsageError for the first key of the map that is not in `known`.
void check_keys(const YamlNode& map, std::span<const std::string_view> known);

}  // namespace qb
