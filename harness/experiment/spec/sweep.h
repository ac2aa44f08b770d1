// From `sweep:`, `zip:`, `exclude:` and `cases:` to points: the grid that a spec spans, counted
// without walking it.
//
// An axis is a list of rows, each giving the axis's parameters their values: one parameter for an
// entry of `sweep`, several for `zip` and `cases`. The grid is the product of its axes, the last
// one fastest, less the points that an exclude rule drops. Every parameter is either fixed or of
// exactly one axis, so a rule is a conjunction over axes, and a bit mask a row (bit r: the row does
// not contradict rule r) is all that counting and walking need.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/filter.h"
#include "harness/experiment/spec/yaml_reader.h"

namespace qb {

inline constexpr std::size_t kMaxExcludeRules = 64;

// (Not `Axis`, which is one of a figure: two types of one name in a program are one too many.)
struct SweepAxis {
  std::vector<std::size_t> parameters;
  std::vector<Value> values;         // rows, one after the other, in the order of `parameters`
  std::vector<std::uint64_t> masks;  // of each row, over the exclude rules

  [[nodiscard]] std::size_t rows() const { return values.size() / parameters.size(); }
  [[nodiscard]] std::span<const Value> row(std::size_t index) const {
    return std::span(values).subspan(index * parameters.size(), parameters.size());
  }
};

// The value of every parameter, by index into parameters().
using Point = std::vector<const Value*>;

class Grid {
 public:
  // Reads the parameters, sweep, zip, exclude and cases of a spec; other keys are not looked at.
  // `overridden`: parameters set on the command line; an exclude rule over one may match nothing.
  // Throws UsageError.
  Grid(const YamlNode& spec, std::span<const std::size_t> overridden);

  // Keeps the points where the predicate holds.
  void filter(const Predicate& predicate);

  // Points left; nullopt where 64 bits cannot count them.
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  // Visits the points in order.
  void walk(const std::function<void(const Point&)>& visit) const;

 private:
  void read_fixed(const YamlNode& spec);
  void read_sweep(const YamlNode& sweep);
  void read_zip(const YamlNode& zip);
  void read_cases(const YamlNode& cases);
  void complete(const Place& place);
  void read_excludes(const YamlNode& excludes, std::span<const std::size_t> overridden);
  bool apply_rule(std::span<const Predicate> rule, std::uint64_t bit);
  void require_free(std::size_t parameter, const YamlEntry& entry) const;
  [[nodiscard]] bool on_axis(std::size_t parameter) const;
  [[nodiscard]] Value missing_value(std::size_t parameter, const Place& place) const;

  std::vector<std::optional<Value>> fixed_;
  std::vector<std::size_t> follows_;  // whose value a parameter takes: its own, mostly
  std::vector<SweepAxis> axes_;
  std::uint64_t fixed_mask_ = 0;
  bool empty_ = false;  // a filter contradicts a fixed parameter
};

}  // namespace qb
