#include "harness/experiment/spec/values.h"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers.h"

namespace qb {
namespace {

constexpr std::string_view kRangeKeys[] = {"from", "to", "factor", "step"};

// Relative: a rounding of the last sum or product does not lose the upper end.
constexpr double kSlack = 1e-12;

double as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*integer);
  return std::get<double>(value.data);
}

Value read_end(const Parameter& parameter, const YamlNode& range, std::string_view key) {
  const YamlEntry* entry = range.find(key);
  if (entry == nullptr)
    fail_at(range.place, fmt::format("the range of {} has no '{}'", parameter.key, key));
  if (entry->value.kind == YamlKind::null)
    fail_at(entry->value.place, fmt::format("'{}' of a range must be a number, got nothing", key));
  return read_value(parameter, entry->value);
}

double read_above(const YamlEntry& entry, double bound) {
  const double growth = read_real(entry.key, entry.value);
  if (growth > bound) return growth;
  fail_at(entry.value.place,
          fmt::format("{} must be above {}, got {}", entry.key, to_text(bound), entry.value.text));
}

[[noreturn]] void fail_count(const Parameter& parameter, const YamlNode& range) {
  fail_at(range.place, fmt::format("the range of {} has more than {} values", parameter.key,
                                   format_grouped(kMaxRangeValues)));
}

std::vector<Value> integer_steps(const Parameter& parameter, const YamlNode& range,
                                 std::int64_t from, std::int64_t to, const YamlEntry& step_entry) {
  const std::int64_t step = read_integer("step", step_entry.value, 1, INT64_MAX);
  const std::int64_t last = (to - from) / step;
  if (last >= kMaxRangeValues) fail_count(parameter, range);
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(last) + 1);
  for (std::int64_t i = 0; i <= last; ++i) values.push_back({from + i * step, range.place});
  return values;
}

std::vector<Value> real_steps(const Parameter& parameter, const YamlNode& range, double from,
                              double to, const YamlEntry& step_entry) {
  const double step = read_above(step_entry, 0.0);
  std::vector<Value> values;
  for (double i = 0.0; from + i * step <= to * (1.0 + kSlack); ++i) {
    if (std::ssize(values) == kMaxRangeValues) fail_count(parameter, range);
    values.push_back({from + i * step, range.place});
  }
  return values;
}

std::vector<Value> products(const Parameter& parameter, const YamlNode& range, double from,
                            double to, const YamlEntry& factor_entry) {
  const double factor = read_above(factor_entry, 1.0);
  if (!(from > 0.0)) fail_at(range.place, "a range with a factor must start above 0");
  const bool integer = parameter.kind == FieldKind::integer;
  constexpr double kTwoTo63 = 9223372036854775808.0;
  std::vector<Value> values;
  double previous = 0.0;
  for (double i = 0.0;; ++i) {
    const double exact = from * std::pow(factor, i);
    const double value = integer ? std::round(exact) : exact;
    if (value > (integer ? to : to * (1.0 + kSlack)) || value >= kTwoTo63) return values;
    if (!(value > previous))
      fail_at(factor_entry.value.place,
              fmt::format("factor {} is too near 1: {} comes twice after rounding",
                          factor_entry.value.text, to_text(value)));
    if (std::ssize(values) == kMaxRangeValues) fail_count(parameter, range);
    previous = value;
    if (integer)
      values.push_back({static_cast<std::int64_t>(value), range.place});
    else
      values.push_back({value, range.place});
  }
}

std::vector<Value> read_range(const Parameter& parameter, const YamlNode& range) {
  check_keys(range, kRangeKeys);
  if (parameter.kind != FieldKind::integer && parameter.kind != FieldKind::real)
    fail_at(range.place, fmt::format("{} is no number: give its values as a list", parameter.key));
  const Value from = read_end(parameter, range, "from");
  const Value to = read_end(parameter, range, "to");
  const YamlEntry* factor = range.find("factor");
  const YamlEntry* step = range.find("step");
  if ((factor == nullptr) == (step == nullptr))
    fail_at(range.place,
            fmt::format("the range of {} needs one of 'factor' and 'step'", parameter.key));
  if (from.data > to.data)
    fail_at(range.place, fmt::format("the range of {} is empty: from {} is above to {}",
                                     parameter.key, to_string(from), to_string(to)));
  if (factor != nullptr) return products(parameter, range, as_number(from), as_number(to), *factor);
  if (const auto* first = std::get_if<std::int64_t>(&from.data))
    return integer_steps(parameter, range, *first, std::get<std::int64_t>(to.data), *step);
  return real_steps(parameter, range, as_number(from), as_number(to), *step);
}

}  // namespace

std::vector<Value> read_values(const Parameter& parameter, const YamlNode& node) {
  if (node.kind == YamlKind::map) return read_range(parameter, node);
  if (node.kind != YamlKind::list)
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

}  // namespace qb
