// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace qb {
namespace {

constexpr std::size_t kNamedStrategies = 6;

std::string named(std::span<const std::string> strategies) {
  const std::size_t shown = std::min(strategies.size(), kNamedStrategies);
  const std::string text = fmt::format("{}", fmt::join(strategies.first(shown), ", "));
  const std::size_t more = strategies.size() - shown;
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

}  // namespace

void Reasons::add(const std::string& strategy, const std::string& label, std::string_view status,
                  const std::string& message) {
  Group& group = groups_[{std::string(status), message}];
  if (group.count++ == 0) group.label = label;
  if (std::ranges::find(group.strategies, strategy) == group.strategies.end())
    group.strategies.push_back(strategy);
}

std::vector<std::string> Reasons::lines() const {
  std::vector<std::string> lines;
  for (const auto& [reason, group] : groups_) {
    const auto& [status, message] = reason;
    lines.push_back(group.count == 1 ? fmt::format("{}: {}: {}", status, group.label, message)
                                     : fmt::format("{} ({} cases: {}): {}", status, group.count,
                                                   named(group.strategies), message));
  }
  return lines;
}

}  // namespace qb
