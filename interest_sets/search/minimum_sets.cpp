// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/minimum_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/hash.h"
#include "base/status.h"
#include "interest_sets/search/cover_search.h"
#include "interest_sets/search/symmetry.h"

namespace qb {
namespace {

// Threads take the open tasks one by one until none is left or one fails.
void play(const CoverSearch& search, SearchState& state, int size, int threads,
          const OnTask& on_task) {
  SearchState::Size& progress = state.sizes.at(size);
  std::vector<std::size_t> open;
  for (std::size_t task = 0; task < progress.played.size(); ++task)
    if (!progress.played[task]) open.push_back(task);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_tasks = [&] {
    try {
      for (std::size_t at = next++; at < open.size(); at = next++) {
        const PlayedTask played{size, open[at], search.run(open[at])};
        const std::scoped_lock lock(mutex);
        progress.played[played.task] = true;
        for (const InterestSet& set : played.found) progress.found.insert(set.residues);
        on_task(state, played);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = open.size();
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(take_tasks);
  take_tasks();
  others.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

int least_conceivable_size(std::int64_t modulus) {
  int size = 1;
  while (std::int64_t{size} * (size - 1) < modulus - 1) ++size;
  return size;
}

std::size_t SearchState::Size::tasks_played() const {
  return static_cast<std::size_t>(std::ranges::count(played, true));
}

void search_size(SearchState& state, int size, int threads, const OnTask& on_task) {
  if (state.modulus < 3 || state.modulus > kMostSearchableWorkers)
    throw UsageError(fmt::format("the exhaustive search for interest sets covers W = 3..{}, not {}",
                                 kMostSearchableWorkers, state.modulus));
  if (size < 2)
    throw UsageError(fmt::format("an interest set has 2 residues or more, not {}", size));
  const CoverSearch search(state.modulus, size);
  SearchState::Size& progress = state.sizes[size];
  if (progress.played.empty()) progress.played.assign(search.tasks(), false);
  if (progress.played.size() != search.tasks())
    throw UsageError(
        fmt::format("the journal counts {} tasks for W = {}, m = {}; this build has {}: begin a "
                    "new journal",
                    progress.played.size(), state.modulus, size, search.tasks()));
  play(search, state, size, threads, on_task);
}

int search_minimum(SearchState& state, int threads, const OnTask& on_task) {
  for (int size = std::max(2, least_conceivable_size(state.modulus));; ++size) {
    search_size(state, size, threads, on_task);
    if (!state.sizes.at(size).found.empty()) return size;
  }
}

std::vector<InterestSet> sets_of_orbits(int modulus,
                                        const std::set<std::vector<int>>& representatives) {
  std::vector<InterestSet> sets;
  for (const std::vector<int>& residues : representatives) {
    auto orbit = orbit_with_zero_and_one({modulus, residues});
    sets.insert(sets.end(), std::make_move_iterator(orbit.begin()),
                std::make_move_iterator(orbit.end()));
  }
  std::ranges::sort(sets, {}, &InterestSet::residues);
  return sets;
}

std::uint64_t checksum(std::span<const InterestSet> sets) {
  std::uint64_t hash = fnv1a("");
  for (const InterestSet& set : sets)
    hash = fnv1a(fmt::format("{}\n", fmt::join(set.residues, " ")), hash);
  return hash;
}

std::vector<InterestSet> minimum_interest_sets(int modulus) {
  if (modulus < 3 || modulus > kMostExhaustiveWorkers)
    throw UsageError(fmt::format(
        "all minimum sets are searched at once for W = 3..{} only, not {}; qb sets search goes on",
        kMostExhaustiveWorkers, modulus));
  SearchState state{modulus, {}};
  const int size = search_minimum(state, 1, [](const SearchState&, const PlayedTask&) {});
  return sets_of_orbits(modulus, state.sizes.at(size).found);
}

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
    if (gap == std::string_view::npos) throw UsageError(fmt::format("'{}' is not a gap", letter));
    residues.push_back(residues.back() + static_cast<int>(gap) + 1);
  }
  return residues;
}

MinimumList parse_head(const std::string& head, std::size_t& orbits) {
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
        throw UsageError("searches.txt: '" + line + "' is not a search");
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
