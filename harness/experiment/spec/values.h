// The lists and ranges that `sweep:` and `zip:` give a parameter.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/yaml_reader.h"

namespace qb {

inline constexpr std::int64_t kMaxRangeValues = 1'000'000;

// `[v, …]`, `{from, to, factor}` or `{from, to, step}`; both ends are included. The products of a
// factor are rounded where the parameter is an integer. Throws UsageError on an empty list or
// range, a wrong value, and a range of more than kMaxRangeValues or of values that repeat.
[[nodiscard]] std::vector<Value> read_values(const Parameter& parameter, const YamlNode& node);

}  // namespace qb
