// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/known_sets.h"

#include <fmt/format.h>

#include <limits>
#include <sstream>

#include "base/numbers.h"
#include "base/status.h"
#include "base/words.h"
#include "interest_sets/search/minimum_sets.h"
#include "interest_sets/sets/constructions.h"

namespace qb {
namespace {

constexpr std::string_view kSpaces = " \t\r";

int parse_count(std::string_view what, std::string_view word) {
  const auto value = parse_integer(word);
  if (!value || *value < 1 || *value > std::numeric_limits<int>::max())
    throw UsageError(fmt::format("{} must be a positive whole number, not '{}'", what, word));
  return static_cast<int>(*value);
}

// Parses a line without its comment; returns nullopt if it is blank. UsageErrors lack the place.
std::optional<ListedSet> parse_line(std::string_view line) {
  if (line.find_first_not_of(kSpaces) == std::string_view::npos) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    throw UsageError("no ':' between W and its residues; write a line like 7: 0 1 3");
  const auto words = split_words(line.substr(0, colon), kSpaces);
  if (words.empty() || words.size() > 3)
    throw UsageError("before the ':' stand W, or W and m, or W, m and the asym-RR");
  ListedSet listed;
  listed.set = parse_interest_set(line.substr(colon + 1), parse_count("W", words[0]));
  if (words.size() >= 2) {
    const int size = parse_count("m", words[1]);
    if (size != std::ssize(listed.set.residues))
      throw UsageError(
          fmt::format("m is {}, but {} residues follow", size, listed.set.residues.size()));
  }
  if (words.size() == 3) {
    if (!parse_real(words[2]))
      throw UsageError(fmt::format("the asym-RR '{}' is not a number", words[2]));
    listed.printed_ratio = words[2];
  }
  return listed;
}

}  // namespace

std::vector<ListedSet> parse_interest_sets(std::string_view text, std::string_view name) {
  std::vector<ListedSet> sets;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int line_number = 1; std::getline(lines, line); ++line_number) {
    try {
      if (auto listed = parse_line(std::string_view(line).substr(0, line.find('#'))))
        sets.push_back(*std::move(listed));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", name, line_number, error.what()));
    }
  }
  if (sets.empty()) throw UsageError(fmt::format("{}: holds no interest set", name));
  return sets;
}

namespace embedded {
extern const std::string_view published_interest_sets;
extern const std::string_view best_known_sets;
}  // namespace embedded

namespace {

std::vector<ListedSet> stored_sets(std::string_view text, std::string_view name) {
  std::vector<ListedSet> sets = parse_interest_sets(text, name);
  for (const ListedSet& listed : sets) verify(listed.set);
  return sets;
}

}  // namespace

std::span<const ListedSet> published_interest_sets() {
  static const auto sets = stored_sets(embedded::published_interest_sets, "published.txt");
  return sets;
}

std::optional<InterestSet> published_interest_set(int modulus) {
  const auto sets = published_interest_sets();
  const std::int64_t index = std::int64_t{modulus} - sets.front().set.modulus;
  if (index < 0 || index >= std::ssize(sets)) return std::nullopt;
  return sets[static_cast<std::size_t>(index)].set;
}

std::span<const ListedSet> stored_best_sets() {
  static const auto sets = stored_sets(embedded::best_known_sets, "best_known.txt");
  return sets;
}

KnownSet known_interest_set(int modulus) {
  InterestSet set = default_interest_set(modulus);
  const std::int64_t size = std::ssize(set.residues);
  const int bound = proved_lower_bound(modulus);
  Standing standing = size == bound ? Standing::optimal : Standing::best_known;
  if (const auto order = singer_order(modulus); order && size == *order + 1)
    standing = Standing::singer;
  return {std::move(set), standing, bound};
}

}  // namespace qb
