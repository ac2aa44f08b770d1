// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/minimum_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/hash.h"
#include "base/status.h"
#include "interest_sets/search/cover_search.h"

namespace qb {

int least_conceivable_size(std::int64_t modulus) {
  int size = 1;
  while (std::int64_t{size} * (size - 1) < modulus - 1) ++size;
  return size;
}

void search_size(SearchState& state, int size, int threads, const OnTask& on_task) {
  if (state.modulus < 3 || state.modulus > kMostSearchableWorkers)
    throw UsageError(fmt::format("the exhaustive search for interest sets covers W = 3..{}, not {}",
                                 kMostSearchableWorkers, state.modulus));
  if (size < 2)
    throw UsageError(fmt::format("an interest set has 2 residues or more, not {}", size));
  const auto search = cover_search(state.modulus, size);
  SearchState::Size& progress = state.sizes[size];
  progress.tasks = search->tasks();
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  // Threads take the tasks one by one until none is left or one fails.
  const auto take_tasks = [&] {
    try {
      for (std::size_t at = next++; at < progress.tasks; at = next++) {
        const std::vector<InterestSet> found = search->run(at);
        const std::scoped_lock lock(mutex);
        ++progress.played;
        for (const InterestSet& set : found) progress.found.insert(set.residues);
        on_task(state, size);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = progress.tasks;
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(take_tasks);
  take_tasks();
  others.clear();  // joins
  if (failure) std::rethrow_exception(failure);
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
  for (const std::vector<int>& residues : representatives)
    std::ranges::move(orbit_with_zero_and_one({modulus, residues}), std::back_inserter(sets));
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
  const int size = search_minimum(state, 1, [](const SearchState&, int) {});
  return sets_of_orbits(modulus, state.sizes.at(size).found);
}

namespace embedded {
extern const std::string_view minimum_sets;
extern const std::string_view searches;
}  // namespace embedded

namespace {

// Reads the lines of a file that begin with W m orbits sets: in a file of lists, their heads.
std::vector<SearchRecord> read_records(std::string_view text, bool of_lists) {
  std::vector<SearchRecord> records;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#' || (of_lists && line.back() != ':')) continue;
    std::istringstream words(line);
    SearchRecord record;
    std::int64_t nodes = 0;
    if (!(words >> record.modulus >> record.size >> record.orbits >> record.sets) ||
        (!of_lists && !(words >> nodes >> record.cpu_s)))
      throw UsageError("'" + line + "' is not a search");
    records.push_back(record);
  }
  return records;
}

}  // namespace

std::span<const SearchRecord> stored_minimum_lists() {
  static const auto records = read_records(embedded::minimum_sets, true);
  return records;
}

std::span<const SearchRecord> stored_searches() {
  static const auto records = read_records(embedded::searches, false);
  return records;
}

int proved_lower_bound(int modulus) {
  int bound = std::max(2, least_conceivable_size(modulus));
  for (const SearchRecord& list : stored_minimum_lists())
    if (list.modulus == modulus) bound = std::max(bound, list.size);
  for (const SearchRecord& record : stored_searches())
    if (record.modulus == modulus && record.sets == 0) bound = std::max(bound, record.size + 1);
  return bound;
}

}  // namespace qb
