// SPDX-License-Identifier: Apache-2.0
// For tests only: minimum.txt, which has all minimum sets of W = 3..64, one record for each W:
//
//   8 4 3 10 ad31a8e428f4906d:         W m orbits sets checksum
//   01 02 10                           representatives
//
// A representative (cover_search.h) is written as its gaps after 0 and 1, one letter each: 0..9 for
// gaps 1..10, then a..z, A..Z; `-` is {0, 1}. Sets and checksum are of the whole list in order.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace qb {

namespace embedded {
extern const std::string_view minimum_sets;
}  // namespace embedded

namespace testing_support {

struct MinimumList {
  int modulus = 0;
  int size = 0;
  std::uint64_t sets = 0;
  std::uint64_t checksum = 0;
  std::set<std::vector<int>> representatives;
};

inline constexpr std::string_view kLetters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
inline constexpr std::size_t kLineLetters = 100;

inline std::vector<int> decode(std::string_view letters) {
  std::vector<int> residues = {0, 1};
  for (char letter : letters) {
    const std::size_t gap = kLetters.find(letter);
    if (gap == std::string_view::npos) throw UsageError(fmt::format("'{}' is not a gap", letter));
    residues.push_back(residues.back() + static_cast<int>(gap) + 1);
  }
  return residues;
}

inline MinimumList parse_head(const std::string& head, std::size_t& orbits) {
  std::istringstream words(head);
  MinimumList list;
  std::string checksum;
  if (!(words >> list.modulus >> list.size >> orbits >> list.sets >> checksum) || words >> checksum)
    throw UsageError("a record begins with W m orbits sets checksum");
  const char* end = checksum.data() + checksum.size();
  if (std::from_chars(checksum.data(), end, list.checksum, 16).ptr != end)
    throw UsageError(fmt::format("'{}' is not a checksum", checksum));
  return list;
}

inline void require_whole(const MinimumList& list, std::size_t orbits) {
  if (list.representatives.size() != orbits)
    throw UsageError(fmt::format("the record of W = {} has {} representatives, not {}",
                                 list.modulus, list.representatives.size(), orbits));
}

// Returns one record with its line ends. Throws UsageError where a gap has no letter (W above 64).
inline std::string compact_record(const MinimumList& list) {
  std::string text = fmt::format("{} {} {} {} {:016x}:\n", list.modulus, list.size,
                                 list.representatives.size(), list.sets, list.checksum);
  std::size_t letters = 0;
  for (const std::vector<int>& residues : list.representatives) {
    if (letters + residues.size() > kLineLetters) letters = 0;
    text += letters == 0 ? (text.back() == '\n' ? "" : "\n") : " ";
    if (residues.size() == 2) text += '-';
    for (std::size_t i = 2; i < residues.size(); ++i) {
      const auto gap = static_cast<std::size_t>(residues[i] - residues[i - 1] - 1);
      if (gap >= kLetters.size())
        throw UsageError(fmt::format("W = {}: the compact form has no letter for a gap of {}",
                                     list.modulus, gap + 1));
      text += kLetters[gap];
    }
    letters += residues.size() - 1;
  }
  return text + "\n";
}

// Throws UsageError `NAME:LINE: …` on text that is not a record.
inline std::vector<MinimumList> parse_minimum_lists(std::string_view text, std::string_view name) {
  std::vector<MinimumList> lists;
  std::size_t orbits = 0;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      if (line.empty() || line[0] == '#') continue;
      if (line.back() == ':') {
        if (!lists.empty()) require_whole(lists.back(), orbits);
        lists.push_back(parse_head(line.substr(0, line.size() - 1), orbits));
        continue;
      }
      if (lists.empty()) throw UsageError("a record begins with W m orbits sets checksum");
      std::istringstream words(line);
      for (std::string word; words >> word;)
        lists.back().representatives.insert(decode(word == "-" ? "" : word));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  if (!lists.empty()) require_whole(lists.back(), orbits);
  return lists;
}

// Returns the lists of minimum.txt, W ascending from 3.
inline std::vector<MinimumList> minimum_lists() {
  return parse_minimum_lists(embedded::minimum_sets, "minimum.txt");
}

}  // namespace testing_support
}  // namespace qb
