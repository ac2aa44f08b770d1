// SPDX-License-Identifier: Apache-2.0
// Reads experiment specs: strict YAML. experiments/README.md describes every key.
//
// Every case parameter is at the top level under its column name (algorithm, n_tokens, cpu.isa, …)
// with a scalar; `sweep:` gives lists or ranges (cartesian product), `zip:` lists of equal length
// that move together, `exclude:` a list of maps that drop the cases which match all their entries;
// `measure:` says how to time; `figures:` says what to draw; `baseline: dense` adds the base case
// of every case. Instead of `sweep:`, `zip:` and `exclude:`, `cases:` lists maps of parameters, one
// a case, as resolved specs do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/workload/case.h"

namespace qb {

struct YamlNode;

struct Spec {
  struct Options {
    std::vector<std::string> set{};     // `key.path=value`, as for --set
    std::vector<std::string> filter{};  // `key=value`, `key!=value`, `key<value` …; all must hold
    std::size_t max_cases = 10'000;  // more throw UsageError with the count, which asks for --yes
  };

  std::string name;                  // `experiment:`; letters, digits, '_' and '-'
  std::string description;           // one paragraph for the report
  std::vector<Case> cases;           // expanded, in spec order
  std::vector<std::string> figures;  // words of kFigureNames, and to_json() of declared ones
  std::string resolved_yaml;         // reading it again gives the same cases
};

// Throws UsageError `file:line:column: message` (with the nearest valid key where one is near).
[[nodiscard]] Spec parse_spec(std::string_view yaml, std::string_view file_name,
                              const Spec::Options& options);
[[nodiscard]] Spec load_spec(const std::string& path, const Spec::Options& options);

// What the speed-up of a case divides by (`baseline: dense` adds it): all that says how a case is
// split has its standard value (algorithm dense, one worker), and so has what does not apply to
// that; all else is equal.
[[nodiscard]] Case base_of(Case c);

// The cases that hold every filter. Throws UsageError, which begins with `option`, for a filter
// that parse_filter refuses, or if one leaves no case.
[[nodiscard]] std::vector<Case> cases_kept(const std::vector<Case>& cases,
                                           const std::vector<std::string>& filters,
                                           std::string_view option);

// The resolved spec, canonical YAML of name, description, figures and cases (all of one Measure),
// with every default written out. Parameters that are the same in every case are at the top level,
// the others in `cases:`. parse_spec of it gives the same cases in the same order.
[[nodiscard]] std::string write_resolved(const Spec& spec);

[[nodiscard]] std::vector<std::string_view> spec_keys();
[[nodiscard]] std::vector<std::string_view> measure_keys();

// Applies `--set key.path=value`, the `label`, to a spec's tree before it is read; the label must
// outlive the tree, whose places refer to it. The value is YAML. Setting a parameter removes it
// from its old place (fixed, sweep or zip), and a list or range goes where its values belong.
// Returns the index of the parameter, or parameters().size() for another key. Throws UsageError.
std::size_t apply_override(YamlNode& spec, std::string_view label);

}  // namespace qb
