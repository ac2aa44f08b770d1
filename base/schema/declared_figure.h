// SPDX-License-Identifier: Apache-2.0
// A figure that is declared and not programmed: values of cases against a parameter. An entry of
// `figures:` of a spec, the options of `qb plot`, and a line of figure_names.h are such.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qb {

struct DeclaredFigure {
  std::string name{};            // stem of its files; empty: VALUE_by_X
  std::vector<std::string> y{};  // values (value_names.h), each in panels of its own
  std::string x = "n_tokens";    // a parameter or a value
  std::vector<std::string>
      lines{};  // parameters whose values are a line each; none: all that differ
  std::vector<std::string> panels{};  // parameters whose values are a panel each
  std::string log{};  // which axes are log: x, y, xy, none; empty: as the numbers ask
  std::vector<std::pair<std::string, std::string>> base{};  // parameters of what a speed-up divides
  std::string bound{};  // a word of kFigureBounds: what is drawn as a limit
  std::vector<std::string>
      only{};  // conditions: `workers>1`, `mask=causal`, `algorithm=ring|zigzag`
};

struct FigureBound {
  std::string_view word{};
  std::string_view meaning{};
};
inline constexpr FigureBound kFigureBounds[] = {
    {"pairs", "what the pairs of the critical path allow a speed-up to be"},
    {"memory", "the memory budget of the cases, or the machine's memory"},
    {"peak", "the measured peak of the machine, for each type"},
    {"one", "a line at 1"},
};

// Reads a JSON object with the keys of the struct; a list of names may be a text with commas, and
// `base` is an object. Names become those of columns and values. Throws UsageError with the key and
// a remedy.
[[nodiscard]] DeclaredFigure read_declared_figure(std::string_view json);

// Writes it as one line of JSON, which is a flow map of YAML too.
[[nodiscard]] std::string to_json(const DeclaredFigure& figure);

// A condition on a parameter or a column, taken apart.
struct Condition {
  std::string column{};
  std::string relation{};  // =, !=, <, <=, >, >=
  std::string value{};     // several for = and !=: between |
};
// Throws UsageError for a text that is none.
[[nodiscard]] Condition read_condition(std::string_view text);

}  // namespace qb
