// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/schema/other_names.h"

namespace qb {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view text, std::span<const std::string_view> candidates) {
  const auto distance = [&](std::string_view candidate) { return edit_distance(text, candidate); };
  const auto nearest = std::ranges::min_element(candidates, {}, distance);
  return nearest != candidates.end() && distance(*nearest) <= text.size() / 2 ? *nearest
                                                                              : std::string_view();
}

std::string unknown_word(std::string_view what, std::string_view text,
                         std::span<const std::string_view> candidates) {
  if (const GoneName* gone = find_gone(what, text))
    return fmt::format("{} '{}' was removed in schema {}; {}", what, text, gone->until,
                       gone->instead);
  if (const std::string_view ours = our_word(what, text); !ours.empty())
    return fmt::format("unknown {} '{}'; qb calls this {}", what, text, ours);
  const std::string_view near = nearest_word(text, candidates);
  if (!near.empty()) return fmt::format("unknown {} '{}'; did you mean '{}'?", what, text, near);
  constexpr std::size_t kMost = 24;
  return fmt::format("unknown {} '{}'; known: {}{}", what, text,
                     join(candidates.first(std::min(kMost, candidates.size())), ", "),
                     candidates.size() > kMost ? ", …" : "");
}

std::string join(std::span<const std::string_view> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

}  // namespace qb
