// Comparisons of parameters: --filter and exclude.
#include <fmt/format.h>

#include <algorithm>
#include <compare>

#include "base/numbers.h"
#include "harness/experiment/spec/sweep.h"

namespace qb {
namespace {

// A comparison that begins with another one comes before it.
constexpr std::string_view kComparisons[] = {"!=", "<=", ">=", "=", "<", ">"};

// Unordered where a value is missing.
std::partial_ordering order(const Parameter& parameter, const std::string& a,
                            const std::string& b) {
  if (a.empty() && b.empty()) return std::partial_ordering::equivalent;
  if (a.empty() || b.empty()) return std::partial_ordering::unordered;
  if (parameter.kind == FieldKind::integer) return parse_integer(a) <=> parse_integer(b);
  if (parameter.kind == FieldKind::real) return *parse_real(a) <=> *parse_real(b);
  return a <=> b;
}

}  // namespace

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
  const auto found = std::ranges::find(columns, key);
  if (found == columns.end()) fail_unknown_key(place, key, columns);

  Grid::Predicate predicate{
      static_cast<std::size_t>(found - columns.begin()), *found_comparison, {}};
  const Parameter& parameter = parameters()[predicate.parameter];
  const bool ordered = predicate.comparison != "=" && predicate.comparison != "!=";
  if (ordered && !parameter.is_number())
    fail_at(place, fmt::format("{} is no number: compare it with = or !=", key));
  const std::string_view value = text.substr(at + predicate.comparison.size());
  const YamlNode::Kind kind = value.empty() ? YamlNode::null : YamlNode::scalar;
  predicate.operand = read_operand(parameter, {kind, place, std::string(value)});
  return predicate;
}

}  // namespace qb
