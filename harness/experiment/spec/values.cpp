// SPDX-License-Identifier: Apache-2.0
// The lists and ranges that `sweep:` and `zip:` give a parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>

#include "base/numbers.h"
#include "harness/experiment/spec/sweep.h"

namespace qb {
namespace {

constexpr std::string_view kRangeKeys[] = {"from", "to", "factor", "step"};

// A relative slack, so that rounding the last sum or product does not lose the upper end.
constexpr double kSlack = 1e-12;

Value read_end(const Parameter& parameter, const YamlNode& range, std::string_view key) {
  const YamlNode* entry = range.find(key);
  if (entry == nullptr)
    fail_at(range.place, fmt::format("the range of {} has no '{}'", parameter.key, key));
  if (entry->kind == YamlNode::null)
    fail_at(entry->place, fmt::format("'{}' of a range must be a number, got nothing", key));
  return read_value(parameter, *entry);
}

double read_above(const YamlNode& entry, double bound) {
  const double growth = read_real(entry.key, entry);
  if (growth > bound) return growth;
  fail_at(entry.place, fmt::format("{} must be above {}, got {}", entry.key, bound, entry.text));
}

[[noreturn]] void fail_count(const Parameter& parameter, const YamlNode& range) {
  fail_at(range.place, fmt::format("the range of {} has more than {} values", parameter.key,
                                   format_grouped(kMaxRangeValues)));
}

template <class T>
std::vector<Value> integer_steps(const Parameter& parameter, const YamlNode& range, T from, T to,
                                 const YamlNode& step_entry) {
  const auto step = static_cast<T>(read_integer("step", step_entry, 1, INT64_MAX, parameter.unit));
  const T last = (to - from) / step;
  if (last >= kMaxRangeValues) fail_count(parameter, range);
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(last) + 1);
  for (T i = 0; i <= last; ++i) values.push_back({fmt::to_string(from + i * step), range.place});
  return values;
}

std::vector<Value> real_steps(const Parameter& parameter, const YamlNode& range, double from,
                              double to, const YamlNode& step_entry) {
  const double step = read_above(step_entry, 0.0);
  std::vector<Value> values;
  for (double i = 0.0; from + i * step <= to * (1.0 + kSlack); ++i) {
    if (std::ssize(values) == kMaxRangeValues) fail_count(parameter, range);
    values.push_back({to_text(from + i * step), range.place});
  }
  return values;
}

std::vector<Value> products(const Parameter& parameter, const YamlNode& range, double from,
                            const std::string& last, const YamlNode& factor_entry) {
  const double factor = read_above(factor_entry, 1.0);
  if (!(from > 0.0)) fail_at(range.place, "a range with a factor must start above 0");
  const bool integer = parameter.kind != FieldKind::real;
  double to = parse_real(last).value() * (integer ? 1.0 : 1.0 + kSlack);
  // The double that is nearest to a long whole number can be above it.
  if (integer && (to >= 0x1p64 || static_cast<std::uint64_t>(to) > parse_seed(last).value()))
    to = std::nextafter(to, 0.0);
  std::vector<Value> values;
  double previous = 0.0;
  for (double i = 0.0;; ++i) {
    const double exact = from * std::pow(factor, i);
    const double value = integer ? std::round(exact) : exact;
    if (value > to) return values;
    if (!(value > previous))
      fail_at(factor_entry.place,
              fmt::format("factor {} is too near 1: {} is there twice after rounding",
                          factor_entry.text, value));
    if (std::ssize(values) == kMaxRangeValues) fail_count(parameter, range);
    previous = value;
    values.push_back({integer ? fmt::to_string(static_cast<std::uint64_t>(value)) : to_text(value),
                      range.place});
  }
}

std::vector<Value> read_range(const Parameter& parameter, const YamlNode& range) {
  check_keys(range, kRangeKeys);
  if (!parameter.is_number())
    fail_at(range.place,
            fmt::format("{} is not a number: give its values as a list", parameter.key));
  const Value first = read_end(parameter, range, "from");
  const Value last = read_end(parameter, range, "to");
  const double from = parse_real(first.text).value();
  const double to = parse_real(last.text).value();
  const YamlNode* factor = range.find("factor");
  const YamlNode* step = range.find("step");
  if ((factor == nullptr) == (step == nullptr))
    fail_at(range.place,
            fmt::format("the range of {} needs one of 'factor' and 'step'", parameter.key));
  if (from > to)
    fail_at(range.place, fmt::format("the range of {} is empty: from {} is above to {}",
                                     parameter.key, first.text, last.text));
  if (factor != nullptr) return products(parameter, range, from, last.text, *factor);
  if (parameter.kind == FieldKind::integer)
    return integer_steps(parameter, range, parse_integer(first.text).value(),
                         parse_integer(last.text).value(), *step);
  if (parameter.kind == FieldKind::seed)
    return integer_steps(parameter, range, parse_seed(first.text).value(),
                         parse_seed(last.text).value(), *step);
  return real_steps(parameter, range, from, to, *step);
}

// A comparison that begins with another one comes before it.
constexpr std::string_view kComparisons[] = {"!=", "<=", ">=", "=", "<", ">"};

// Unordered where a value is missing.
std::partial_ordering order(const Parameter& parameter, const std::string& a,
                            const std::string& b) {
  if (a.empty() && b.empty()) return std::partial_ordering::equivalent;
  if (a.empty() || b.empty()) return std::partial_ordering::unordered;
  if (parameter.kind == FieldKind::integer) return parse_integer(a) <=> parse_integer(b);
  if (parameter.kind == FieldKind::seed) return parse_seed(a) <=> parse_seed(b);
  if (parameter.kind == FieldKind::real) return *parse_real(a) <=> *parse_real(b);
  return a <=> b;
}

}  // namespace

std::vector<Value> read_values(const Parameter& parameter, const YamlNode& node) {
  if (node.kind == YamlNode::map) return read_range(parameter, node);
  if (node.kind != YamlNode::list)
    fail_at(node.place,
            fmt::format("{} needs a list or a range {{from, to, factor}} or {{from, to, step}}",
                        parameter.key));
  if (node.items.empty())
    fail_at(node.place, fmt::format("{} needs at least one value", parameter.key));
  std::vector<Value> values;
  values.reserve(node.items.size());
  for (const YamlNode& item : node.items) values.push_back(read_value(parameter, item));
  return values;
}

bool Grid::Predicate::holds(const Value& value) const {
  const std::partial_ordering o = order(parameters()[parameter], value.text, operand.text);
  if (comparison == "!=") return o != 0;
  return (comparison.find('=') != std::string_view::npos && o == 0) ||
         (comparison.front() == '<' && o < 0) || (comparison.front() == '>' && o > 0);
}

Grid::Predicate parse_filter(std::string_view text, const Place& place) {
  const std::size_t at = std::min(text.find_first_of("=!<>"), text.size());
  const auto found_comparison = std::ranges::find_if(
      kComparisons, [&](std::string_view known) { return text.substr(at).starts_with(known); });
  if (found_comparison == std::end(kComparisons) || at == 0)
    fail_at(place, "expected a column, one of = != < <= > >=, and a value, as in workers=7");

  const std::string_view key = text.substr(0, at);
  std::vector<std::string_view> columns;
  for (const Parameter& parameter : parameters()) columns.push_back(parameter.column);
  std::optional<std::size_t> found = find_parameter(key);
  if (const auto column = std::ranges::find(columns, key); !found && column != columns.end())
    found = static_cast<std::size_t>(column - columns.begin());
  if (!found) fail_unknown_key(place, key, columns);

  Grid::Predicate predicate{*found, *found_comparison, {}};
  const Parameter& parameter = parameters()[predicate.parameter];
  const bool ordered = predicate.comparison != "=" && predicate.comparison != "!=";
  if (ordered && !parameter.is_number())
    fail_at(place, fmt::format("{} is not a number: compare it with = or !=", key));
  const std::string_view value = text.substr(at + predicate.comparison.size());
  const YamlNode::Kind kind = value.empty() ? YamlNode::null : YamlNode::scalar;
  predicate.operand =
      read_operand(parameter, value.starts_with('{')  // a pattern, as cases.csv has it
                                  ? read_yaml(value, place.source, false)
                                  : YamlNode{kind, place, std::string(value)});
  return predicate;
}

std::vector<bool> kept_by(
    const std::vector<std::string>& filters, std::string_view option, std::size_t n,
    const std::function<std::string(std::size_t, const Parameter&)>& text_of) {
  std::vector<bool> kept(n, true);
  for (const std::string& text : filters) {
    const std::string label = fmt::format("{} {}", option, text);
    const Grid::Predicate predicate = parse_filter(text, {label, 0, 0});
    const Parameter& parameter = parameters()[predicate.parameter];
    for (std::size_t i = 0; i < n; ++i)
      kept[i] = kept[i] && predicate.holds({text_of(i, parameter), predicate.operand.place});
    if (std::ranges::count(kept, true) == 0)
      throw UsageError(fmt::format("{}: no case of the run is left", label));
  }
  return kept;
}

}  // namespace qb
