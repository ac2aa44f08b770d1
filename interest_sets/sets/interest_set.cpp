// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/interest_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "base/status.h"
#include "interest_sets/sets/constructions.h"
#include "interest_sets/sets/known_sets.h"

namespace qb {
namespace {

constexpr int kLeastWorkers = 3;

void require_modulus(int modulus) {
  if (modulus < kLeastWorkers)
    throw UsageError(
        fmt::format("interest sets need W >= 3 workers, not {}: with fewer, every worker "
                    "would hold the whole sequence",
                    modulus));
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view skip_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<int> first_uncovered_difference(const InterestSet& set) {
  // m residues have at most m (m-1) differences, so an uncovered one is found among the first m
  // (m-1) + 1, and larger ones need not be recorded.
  const std::int64_t size = std::ssize(set.residues);
  const std::int64_t limit = std::min<std::int64_t>(set.modulus, size * (size - 1) + 2);
  std::vector<bool> covered(static_cast<std::size_t>(std::max<std::int64_t>(limit, 1)), false);
  for (int x : set.residues)
    for (int y : set.residues) {
      const std::int64_t difference = (std::int64_t{y} - x) % set.modulus;
      const std::int64_t residue = difference < 0 ? difference + set.modulus : difference;
      if (residue < limit) covered[static_cast<std::size_t>(residue)] = true;
    }
  for (std::int64_t d = 1; d < limit; ++d)
    if (!covered[static_cast<std::size_t>(d)]) return static_cast<int>(d);
  return std::nullopt;
}

void verify(const InterestSet& set) {
  require_modulus(set.modulus);
  const auto refuse = [&](const std::string& why) {
    throw UsageError(
        fmt::format("interest set {} is invalid for W = {}: {}", to_string(set), set.modulus, why));
  };
  for (int residue : set.residues)
    if (residue < 0 || residue >= set.modulus)
      refuse(fmt::format("residue {} is outside 0..{}", residue, set.modulus - 1));
  std::vector<int> sorted = set.residues;
  std::ranges::sort(sorted);
  if (const auto twin = std::ranges::adjacent_find(sorted); twin != sorted.end())
    refuse(fmt::format("residue {} occurs twice", *twin));
  for (int needed : {0, 1})
    if (!std::ranges::binary_search(sorted, needed))
      refuse(fmt::format("residue {} is missing", needed));
  if (const auto gap = first_uncovered_difference(set))
    refuse(fmt::format("no two residues differ by {}", *gap));
}

InterestSet parse_interest_set(std::string_view text, int modulus) {
  InterestSet set{.modulus = modulus, .residues = {}};
  std::string_view rest = skip_spaces(text);
  bool wants_residue = true;
  while (wants_residue || !rest.empty()) {
    int residue = 0;
    const auto [stop, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), residue);
    const auto used = static_cast<std::size_t>(stop - rest.data());
    const bool ends_well = used == rest.size() || rest[used] == ',' || is_space(rest[used]);
    if (problem != std::errc{} || !ends_well) {
      const std::string_view item = rest.substr(0, rest.find_first_of(", \t\r\n"));
      throw UsageError(
          fmt::format("interest set '{}': '{}' is not a residue; write it like 0,1,3", text, item));
    }
    set.residues.push_back(residue);
    rest = skip_spaces(rest.substr(used));
    wants_residue = !rest.empty() && rest.front() == ',';
    if (wants_residue) rest = skip_spaces(rest.substr(1));
  }
  return set;
}

std::string to_string(const InterestSet& set) {
  return fmt::format("{}", fmt::join(set.residues, ","));
}

std::vector<int> quorum(const InterestSet& set, int worker) {
  if (worker < 0 || worker >= set.modulus) throw std::out_of_range("no such worker");
  std::vector<int> groups;
  groups.reserve(set.residues.size());
  for (int residue : set.residues) groups.push_back((residue + worker) % set.modulus);
  return groups;
}

InterestSet default_interest_set(int modulus) {
  require_modulus(modulus);
  if (auto published = published_interest_set(modulus)) return *std::move(published);
  const auto stored = stored_best_sets();
  const auto index = static_cast<std::size_t>(modulus - stored.front().set.modulus);
  if (index < stored.size()) return stored[index].set;
  return singer_order(modulus) ? singer_set(modulus) : ruler_set(modulus);
}

}  // namespace qb
