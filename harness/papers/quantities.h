// SPDX-License-Identifier: Apache-2.0
// Closed forms of this program that formulas of the index can call by name.
#pragma once

#include <span>
#include <string_view>

#include "harness/papers/expression.h"

namespace qb {

struct Quantity {
  std::string_view name;
  std::string_view arguments;  // for people: `workers, n_tokens`
  std::string_view meaning;
  std::size_t count = 0;  // of arguments
  double (*value)(std::span<const FormulaValue> arguments);
};
[[nodiscard]] std::span<const Quantity> quantities();

// Throws UsageError for a name that is none, or a wrong number of arguments.
[[nodiscard]] double quantity(std::string_view name, std::span<const FormulaValue> arguments);

// A length as printed: `8192`, `16k` and `16K` (1024 each), `1M`. Throws UsageError for others.
[[nodiscard]] double tokens_of_label(std::string_view label);

}  // namespace qb
