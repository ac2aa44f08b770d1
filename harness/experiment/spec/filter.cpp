#include "harness/experiment/spec/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>

namespace qb {
namespace {

bool is_nothing(const Value& value) { return std::holds_alternative<std::monostate>(value.data); }

// Unordered where a side is nothing. Both sides are of one parameter, so of one type.
std::partial_ordering order(const Value& a, const Value& b) {
  if (is_nothing(a) && is_nothing(b)) return std::partial_ordering::equivalent;
  if (is_nothing(a) || is_nothing(b)) return std::partial_ordering::unordered;
  if (const auto* x = std::get_if<std::int64_t>(&a.data))
    return *x <=> std::get<std::int64_t>(b.data);
  if (const auto* x = std::get_if<double>(&a.data)) return *x <=> std::get<double>(b.data);
  return std::get<std::string>(a.data) <=> std::get<std::string>(b.data);
}

}  // namespace

bool Predicate::holds(const Value& value) const {
  const std::partial_ordering o = order(value, operand);
  switch (comparison) {
    case Comparison::equal:
      return o == 0;
    case Comparison::not_equal:
      return o != 0;
    case Comparison::less:
      return o < 0;
    case Comparison::less_equal:
      return o <= 0;
    case Comparison::greater:
      return o > 0;
    case Comparison::greater_equal:
      return o >= 0;
  }
  return false;
}

Predicate parse_filter(std::string_view text, const Place& place) {
  const std::size_t at = text.find_first_of("=!<>");
  Predicate predicate;
  std::string_view op;
  if (at != std::string_view::npos) {
    for (const auto& [comparison, candidate] : Words<Comparison>::table) {
      if (!text.substr(at).starts_with(candidate)) continue;
      predicate.comparison = comparison;
      op = candidate;
      break;
    }
  }
  if (op.empty() || at == 0)
    fail_at(place, "expected a column, one of = != < <= > >=, and a value, as in workers=7");

  const std::string_view key = text.substr(0, at);
  std::vector<std::string_view> columns;
  for (const Parameter& parameter : parameters()) columns.push_back(parameter.column);
  const auto found = std::find(columns.begin(), columns.end(), key);
  if (found == columns.end()) fail_unknown_key(place, key, columns);
  predicate.parameter = static_cast<std::size_t>(found - columns.begin());

  const Parameter& parameter = parameters()[predicate.parameter];
  const bool ordered = op != "=" && op != "!=";
  if (ordered && parameter.kind != FieldKind::integer && parameter.kind != FieldKind::real)
    fail_at(place, fmt::format("{} is no number: compare it with = or !=", key));
  const std::string_view value = text.substr(at + op.size());
  YamlNode node = plain_scalar(std::string(value), place);
  if (value.empty()) node.kind = YamlKind::null;
  predicate.operand = read_operand(parameter, node);
  return predicate;
}

}  // namespace qb
