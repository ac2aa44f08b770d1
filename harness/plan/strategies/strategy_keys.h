// SPDX-License-Identifier: Apache-2.0
// What a case says for the keys that strategies declare in base/schema/strategies.h.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "base/schema/strategies.h"

namespace qb {

struct StrategyKeys {
  static constexpr std::size_t kCount = std::size(fields::kStrategyKeys);

  // By the order of kStrategyKeys; the schema has checked that each is a value of its key.
  std::array<std::string, kCount> texts = [] {
    std::array<std::string, kCount> standard;
    for (std::size_t i = 0; i < kCount; ++i) standard[i] = fields::kStrategyKeys[i].standard;
    return standard;
  }();

  // `column` is that of the key. These throw std::logic_error where no key has it, and the second
  // UsageError where the text is not a number.
  [[nodiscard]] std::string& text(std::string_view column);
  [[nodiscard]] int integer(std::string_view column) const;
  [[nodiscard]] const std::string& text(std::string_view column) const {
    return const_cast<StrategyKeys*>(this)->text(column);
  }
};

}  // namespace qb
