// SPDX-License-Identifier: Apache-2.0
// The grid of points that `sweep:`, `zip:`, `exclude:` and `cases:` of a spec span, and its size
// without a walk over it. An axis is a list of rows, each with a value for each parameter of the
// axis: one parameter for an entry of `sweep`, several for `zip` and `cases`. The grid is the
// product of its axes, the last one fastest, without the points that an exclude rule drops. Every
// parameter is either fixed or on exactly one axis, so a rule is a conjunction over axes, and
// counting and walking need only a bit mask a row (bit r: the row does not contradict rule r).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/yaml/yaml_reader.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {

inline constexpr std::int64_t kMaxRangeValues = 1'000'000;

// The values of `[v, …]`, `{from, to, factor}` or `{from, to, step}`; both ends are included. The
// products of a factor are rounded where the parameter is an integer. Throws UsageError on an empty
// list or range, a wrong value, and a range of more than kMaxRangeValues or of values that repeat.
[[nodiscard]] std::vector<Value> read_values(const Parameter& parameter, const YamlNode& node);

inline constexpr std::size_t kMaxExcludeRules = 64;

using SweepPoint = std::vector<const Value*>;  // by index into parameters()

class Grid {
 public:
  // A comparison of a parameter: `--filter n_tokens<=4096`, and the entries of `exclude:`.
  struct Predicate {
    std::size_t parameter = 0;          // index into parameters()
    std::string_view comparison = "=";  // = != < <= > >=
    Value operand;

    // Numbers compare as numbers, words and interest sets as text. A missing value equals only a
    // missing value, and is neither less nor greater than any.
    [[nodiscard]] bool holds(const Value& value) const;
  };

  // Reads only parameters, sweep, zip, exclude and cases of a spec. `overridden`: parameters set on
  // the command line; an exclude rule over one may match nothing. Throws UsageError.
  Grid(const YamlNode& spec, std::span<const std::size_t> overridden);

  void filter(const Predicate& predicate);

  // The number of points left; nullopt where 64 bits cannot count them.
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  void walk(const std::function<void(const SweepPoint&)>& visit) const;

 private:
  struct Axis {
    std::vector<std::size_t> parameters;
    std::vector<Value> values;         // rows, one after the other, in the order of `parameters`
    std::vector<std::uint64_t> masks;  // one for each row, over the exclude rules

    [[nodiscard]] std::size_t rows() const { return values.size() / parameters.size(); }
    [[nodiscard]] std::span<const Value> row(std::size_t index) const {
      return std::span(values).subspan(index * parameters.size(), parameters.size());
    }
  };

  static void require_distinct_rows(const Axis& axis, std::string_view what);
  void read_fixed(const YamlNode& spec);
  void read_sweep(const YamlNode& sweep);
  void read_zip(const YamlNode& zip);
  void read_cases(const YamlNode& cases);
  void count_workers();
  void complete(const Place& place);
  void read_excludes(const YamlNode& excludes, std::span<const std::size_t> overridden);
  bool apply_rule(std::span<const Predicate> rule, std::uint64_t bit);
  void require_free(std::size_t parameter, const YamlNode& entry) const;
  [[nodiscard]] bool on_axis(std::size_t parameter) const;
  [[nodiscard]] Value missing_value(std::size_t parameter, const Place& place) const;

  std::vector<std::optional<Value>> fixed_;
  std::vector<std::size_t> follows_;  // the parameter whose value this one takes; mostly itself
  std::vector<Axis> axes_;
  std::uint64_t fixed_mask_ = 0;
  bool empty_ = false;  // a filter contradicts a fixed parameter
};

// `key=value` with one of these comparisons; keys are the parameter columns of cases.csv, and an
// empty text is a missing value. Throws UsageError at `place`.
[[nodiscard]] Grid::Predicate parse_filter(std::string_view text, const Place& place);

// Says of each of n things whether every filter holds; text_of(i, parameter) is its value of the
// parameter. `option` begins the messages. Throws UsageError if a filter leaves nothing.
[[nodiscard]] std::vector<bool> kept_by(
    const std::vector<std::string>& filters, std::string_view option, std::size_t n,
    const std::function<std::string(std::size_t, const Parameter&)>& text_of);

}  // namespace qb
