// SPDX-License-Identifier: Apache-2.0
// The tree of a formula, which only its parser and its evaluation know.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/papers/expression.h"

namespace qb {

struct Expression::Node {
  enum Kind { number, text, cells, call, operation };
  Kind kind = number;
  double value = 0.0;
  std::string name{};  // the text, the function or the operation
  std::vector<std::unique_ptr<Node>> children{};
  CellReference reference{};                      // its bindings have keys only …
  std::vector<std::unique_ptr<Node>> bindings{};  // … and these are the values; nullptr: any
};

// Throws UsageError, which names the character where the text is not a formula.
[[nodiscard]] std::unique_ptr<Expression::Node> parse_formula(std::string_view text);

}  // namespace qb
