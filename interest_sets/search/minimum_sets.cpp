#include "interest_sets/search/minimum_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/hash.h"
#include "base/status.h"
#include "interest_sets/search/affine.h"
#include "interest_sets/search/cover_search.h"

namespace qb {
namespace {

// Takes tasks one by one until none is left or somebody stops.
class Crew {
 public:
  Crew(const CoverSearch& search, SearchState& state, int size, const OnTask& on_task)
      : search_(search), state_(state), size_(size), on_task_(on_task) {
    const SizeProgress& progress = state.sizes.at(size);
    for (std::size_t task = 0; task < progress.played.size(); ++task)
      if (!progress.played[task]) open_.push_back(task);
  }

  bool play(int threads) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this] { take_tasks(); });
    take_tasks();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return !stop_;
  }

 private:
  void take_tasks() {
    try {
      while (!stop_) {
        const std::size_t at = next_.fetch_add(1);
        if (at >= open_.size()) return;
        finish({size_, open_[at], search_.run(open_[at])});
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  void finish(const PlayedTask& played) {
    const std::scoped_lock lock(mutex_);
    SizeProgress& progress = state_.sizes.at(size_);
    progress.played[played.task] = true;
    for (const InterestSet& set : played.found) progress.found.insert(set.residues);
    if (!on_task_(state_, played)) stop_ = true;
  }

  const CoverSearch& search_;
  SearchState& state_;
  int size_;
  const OnTask& on_task_;
  std::vector<std::size_t> open_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

int least_conceivable_size(std::int64_t modulus) {
  int size = 1;
  while (std::int64_t{size} * (size - 1) < modulus - 1) ++size;
  return size;
}

std::size_t SizeProgress::tasks_played() const {
  return static_cast<std::size_t>(std::count(played.begin(), played.end(), true));
}

bool search_size(SearchState& state, int size, int threads, const OnTask& on_task) {
  if (state.modulus < 3 || state.modulus > kMostSearchableWorkers)
    throw UsageError(fmt::format("the exhaustive search for interest sets covers W = 3..{}, not {}",
                                 kMostSearchableWorkers, state.modulus));
  if (size < 2)
    throw UsageError(fmt::format("an interest set has 2 residues or more, not {}", size));
  const CoverSearch search(state.modulus, size);
  SizeProgress& progress = state.sizes[size];
  if (progress.played.empty()) progress.played.assign(search.tasks(), false);
  if (progress.played.size() != search.tasks())
    throw UsageError(
        fmt::format("the journal counts {} tasks for W = {}, m = {}; this build has {}: begin a "
                    "new journal",
                    progress.played.size(), state.modulus, size, search.tasks()));
  return Crew(search, state, size, on_task).play(threads);
}

int search_minimum(SearchState& state, int threads, const OnTask& on_task) {
  for (int size = std::max(2, least_conceivable_size(state.modulus));; ++size) {
    if (!search_size(state, size, threads, on_task)) return 0;
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
  std::sort(sets.begin(), sets.end(),
            [](const InterestSet& a, const InterestSet& b) { return a.residues < b.residues; });
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
  const int size =
      search_minimum(state, 1, [](const SearchState&, const PlayedTask&) { return true; });
  return sets_of_orbits(modulus, state.sizes.at(size).found);
}

}  // namespace qb
