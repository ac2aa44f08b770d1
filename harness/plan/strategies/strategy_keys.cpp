// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/strategies/strategy_keys.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/numbers.h"
#include "base/status.h"

namespace qb {

std::string& StrategyKeys::text(std::string_view column) {
  for (std::size_t i = 0; i < kCount; ++i)
    if (fields::kStrategyKeys[i].column == column) return texts[i];
  throw std::logic_error(fmt::format("no strategy declares the key {}", column));
}

int StrategyKeys::integer(std::string_view column) const {
  const auto number = parse_integer(text(column));
  if (!number || !std::in_range<int>(*number))
    throw UsageError(fmt::format("{} is not a number: {}", column, text(column)));
  return static_cast<int>(*number);
}

}  // namespace qb
