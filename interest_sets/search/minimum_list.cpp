#include "interest_sets/search/minimum_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/status.h"

namespace qb {
namespace embedded {
extern const std::string_view minimum_sets;
extern const std::string_view searches;
}  // namespace embedded

namespace {

constexpr std::string_view kLetters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t kLineLetters = 100;

std::vector<int> decode(std::string_view letters) {
  std::vector<int> residues = {0, 1};
  for (char letter : letters) {
    const std::size_t gap = kLetters.find(letter);
    if (gap == std::string_view::npos) throw UsageError(fmt::format("'{}' is no gap", letter));
    residues.push_back(residues.back() + static_cast<int>(gap) + 1);
  }
  return residues;
}

// `W m orbits sets checksum`
MinimumList parse_head(const std::string& head, std::size_t& orbits) {
  std::istringstream words(head);
  MinimumList list;
  std::string checksum;
  if (!(words >> list.modulus >> list.size >> orbits >> list.sets >> checksum) || words >> checksum)
    throw UsageError("a record begins with W m orbits sets checksum");
  const char* end = checksum.data() + checksum.size();
  if (std::from_chars(checksum.data(), end, list.checksum, 16).ptr != end)
    throw UsageError(fmt::format("'{}' is no checksum", checksum));
  return list;
}

void require_whole(const MinimumList& list, std::size_t orbits) {
  if (list.representatives.size() != orbits)
    throw UsageError(fmt::format("the record of W = {} has {} representatives, not {}",
                                 list.modulus, list.representatives.size(), orbits));
}

}  // namespace

std::string compact_record(const MinimumList& list) {
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

std::vector<MinimumList> parse_minimum_lists(std::string_view text, std::string_view name) {
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

std::span<const MinimumList> stored_minimum_lists() {
  static const auto lists = parse_minimum_lists(embedded::minimum_sets, "minimum.txt");
  return lists;
}

std::span<const SearchRecord> stored_searches() {
  static const std::vector<SearchRecord> records = [] {
    std::vector<SearchRecord> all;
    std::istringstream lines{std::string(embedded::searches)};
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      SearchRecord record;
      if (!(words >> record.modulus >> record.size >> record.orbits >> record.sets >>
            record.nodes >> record.cpu_s))
        throw UsageError("searches.txt: '" + line + "' is no search");
      all.push_back(record);
    }
    return all;
  }();
  return records;
}

int proved_lower_bound(int modulus) {
  int bound = std::max(2, least_conceivable_size(modulus));
  const auto lists = stored_minimum_lists();
  const auto index = static_cast<std::size_t>(modulus - 3);
  if (index < lists.size()) bound = std::max(bound, lists[index].size);
  for (const SearchRecord& record : stored_searches())
    if (record.modulus == modulus && record.sets == 0) bound = std::max(bound, record.size + 1);
  return bound;
}

}  // namespace qb
