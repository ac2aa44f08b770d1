// Predicates over a case's parameters: `--filter n_tokens<=4096`, and the entries of `exclude:`.
#pragma once

#include <string_view>
#include <utility>

#include "base/words.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {

enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal };

template <>
struct Words<Comparison> {
  static constexpr std::string_view what = "comparison";
  // Two-letter operators first: the parser takes the first that fits.
  static constexpr std::pair<Comparison, std::string_view> table[] = {
      {Comparison::not_equal, "!="},     {Comparison::less_equal, "<="},
      {Comparison::greater_equal, ">="}, {Comparison::equal, "="},
      {Comparison::less, "<"},           {Comparison::greater, ">"}};
};

struct Predicate {
  std::size_t parameter = 0;  // index into parameters()
  Comparison comparison = Comparison::equal;
  Value operand;

  // Numbers compare as numbers, words and interest sets as text. Nothing equals only nothing, and
  // is neither less nor greater than anything.
  [[nodiscard]] bool holds(const Value& value) const;
};

// `key=value` with = != < <= > >=; keys are the parameter columns of cases.csv, and an empty value
// is nothing. Errors stand at `place`. Throws UsageError.
[[nodiscard]] Predicate parse_filter(std::string_view text, const Place& place);

}  // namespace qb
