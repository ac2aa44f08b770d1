#include "harness/cli/views/sets_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/text_table.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

double longest_share(const InterestSet& set) {
  double sum = 0.0;
  std::int64_t n_tokens = 40 * std::int64_t{set.modulus};
  const auto longest = longest_subsequences(set);
  for (std::int64_t tokens : longest)
    sum += static_cast<double>(tokens) / static_cast<double>(n_tokens++);
  return sum / static_cast<double>(longest.size());
}

std::string top_table(const std::vector<RankedSet>& sets, std::size_t best, TableForm form,
                      const std::function<bool(const RankedSet&, const RankedSet&)>& before) {
  std::vector<const RankedSet*> order;
  for (const RankedSet& ranked : sets) order.push_back(&ranked);
  best = std::min(best, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best), order.end(),
                    [&](const RankedSet* a, const RankedSet* b) { return before(*a, *b); });
  TextTable table({"interest set", "asym-RR", "balanced", "longest / N"});
  for (std::size_t i = 0; i < best; ++i) {
    const RankedSet& ranked = *order[i];
    table.add(
        {set_cell(ranked.set).people, fmt::format("{:.4f}", ranked.asymptotic_ratio),
         fmt::format("{:.4f}", asymptotic_responsibility_ratio(ranked.set, Distillation::balanced)),
         fmt::format("{:.5f}", ranked.longest_share_of_n)});
  }
  return form == TableForm::markdown ? table.markdown() : table.terminal();
}

}  // namespace

std::vector<RankedSet> ranked_sets(std::vector<InterestSet> sets, int threads) {
  std::vector<RankedSet> ranked(sets.size());
  const auto rank = [&](std::size_t from) {
    for (std::size_t i = from; i < sets.size(); i += static_cast<std::size_t>(threads)) {
      const double ratio = asymptotic_responsibility_ratio(sets[i]);
      const double share = longest_share(sets[i]);
      ranked[i] = {std::move(sets[i]), ratio, share};
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(rank, static_cast<std::size_t>(i));
  rank(0);
  for (std::thread& other : others) other.join();
  return ranked;
}

std::string search_summary(const SearchOutcome& outcome) {
  const SearchState& state = outcome.state;
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("{:<14}{}\n", what, value);
  };
  const int bound = std::max(2, least_conceivable_size(state.modulus));
  line("workers", fmt::to_string(state.modulus));
  line("size", fmt::to_string(outcome.size));
  // These sizes were searched to the end and have no set; each excludes all smaller ones.
  int empty = bound - 1;
  for (const auto& [size, progress] : state.sizes)
    if (progress.found.empty()) empty = std::max(empty, size);
  if (outcome.sets.empty())
    line("proved", fmt::format("no interest set of {} residues exists", outcome.size));
  else if (outcome.size == bound)
    line("proved", "minimum: m (m - 1) >= W - 1 allows no smaller one");
  else if (empty == outcome.size - 1)
    line("proved", fmt::format("minimum: none of {} residues exists", empty));
  else
    line("proved", "nothing about smaller ones: they were not searched");
  line("orbits",
       fmt::format("{} (under x -> u x + t, u a unit)", state.sizes.at(outcome.size).found.size()));
  line("sets", fmt::format("{} (with 0 and 1)", outcome.sets.size()));
  line("checksum",
       fmt::format("{:016x} (FNV-1a of the sets as lines, ascending)", checksum(outcome.sets)));
  line("search time", fmt::format("{} on {} thread{}", format_seconds(outcome.seconds),
                                  outcome.threads, outcome.threads == 1 ? "" : "s"));
  return text;
}

std::string best_sets(const std::vector<RankedSet>& sets, std::size_t best, TableForm form) {
  if (sets.empty() || best == 0) return "";
  return fmt::format("\nBest by asym-RR:\n{}\nBest by longest subsequence:\n{}",
                     top_table(sets, best, form,
                               [](const RankedSet& a, const RankedSet& b) {
                                 return a.asymptotic_ratio > b.asymptotic_ratio;
                               }),
                     top_table(sets, best, form, [](const RankedSet& a, const RankedSet& b) {
                       return std::pair(a.longest_share_of_n, -a.asymptotic_ratio) <
                              std::pair(b.longest_share_of_n, -b.asymptotic_ratio);
                     }));
}

std::string ranked_csv(const std::vector<RankedSet>& sets) {
  CsvTable table({"workers", "quorum_size", "interest_set", "asymptotic_responsibility_ratio",
                  "longest_subsequence_share"});
  for (const RankedSet& ranked : sets)
    table.append({fmt::to_string(ranked.set.modulus), fmt::to_string(ranked.set.residues.size()),
                  set_cell(ranked.set).csv, to_text(ranked.asymptotic_ratio),
                  to_text(ranked.longest_share_of_n)});
  return table.to_string();
}

std::string progress_line(const SearchState& state, int size, std::size_t played_before,
                          double seconds) {
  const SearchState::Size& progress = state.sizes.at(size);
  const std::size_t played = progress.tasks_played();
  std::string text =
      fmt::format("m = {}: {} of {} tasks, {} orbits, {}", size, played, progress.played.size(),
                  progress.found.size(), format_seconds(seconds));
  if (played > played_before)
    text +=
        fmt::format(", about {} to go",
                    format_seconds(seconds * static_cast<double>(progress.played.size() - played) /
                                   static_cast<double>(played - played_before)));
  return text;
}

}  // namespace qb
