// SPDX-License-Identifier: Apache-2.0
// qb sets search: counts, proves and ranks all interest sets of the least size.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/csv.h"
#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/sets_view.h"
#include "harness/experiment/sweep/progress.h"
#include "interest_sets/search/minimum_sets.h"
#include "interest_sets/split/distillation.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::size_t kBest = 10;  // sets to print by each ranking

struct SearchWords {
  int workers = 0;
  int size = 0;  // 0: the least
  int threads = 0;
  bool quiet = false;
  TableFormat form = TableFormat::text;
};

// A set with the two figures by which sets of one size differ.
struct RankedSet {
  InterestSet set;
  double asymptotic_ratio = 0.0;    // published distillation
  double longest_share_of_n = 0.0;  // longest subsequence / N, mean over N in [40 W, 41 W)
};

struct SearchOutcome {
  SearchState state;
  int size = 0;  // of the sets found, or searched for
  std::vector<InterestSet> sets;
  double seconds = 0.0;
  int threads = 1;
};

// Says how far the search is, not too often.
class Watcher {
 public:
  explicit Watcher(bool quiet) : style_(stderr_style(quiet)) {}

  void operator()(const SearchState& now, int size) {
    constexpr double kSecondsBetween = 1.0;
    constexpr double kSecondsBetweenPlainLines = 30.0;
    if (std::exchange(size_, size) != size) begin_s_ = now_s();
    if (style_.quiet ||
        now_s() - said_s_ < (style_.terminal ? kSecondsBetween : kSecondsBetweenPlainLines))
      return;
    said_s_ = now_s();
    print_note("{}{}{}", style_.terminal ? "\r" : "", progress_line(now, size, now_s() - begin_s_),
               style_.terminal ? "\033[K" : "\n");
  }

  void end() const {
    if (style_.terminal && !style_.quiet) print_note("\r\033[K");
  }

 private:
  const Progress::Style style_;
  int size_ = 0;
  double begin_s_ = now_s();
  double said_s_ = now_s();
};

double longest_share(const InterestSet& set) {
  double sum = 0.0;
  std::int64_t n_tokens = 40 * std::int64_t{set.modulus};
  const auto longest = longest_subsequences(set);
  for (std::int64_t tokens : longest)
    sum += static_cast<double>(tokens) / static_cast<double>(n_tokens++);
  return sum / static_cast<double>(longest.size());
}

std::string top_table(const std::vector<RankedSet>& sets, TableFormat form,
                      const std::function<bool(const RankedSet&, const RankedSet&)>& before) {
  std::vector<RankedSet> best(std::min(kBest, sets.size()));
  std::partial_sort_copy(sets.begin(), sets.end(), best.begin(), best.end(), before);
  Table table{.header = {"interest set", "asym-RR", "balanced", "longest / N"}};
  for (const RankedSet& ranked : best)
    table.rows.push_back(
        {braces(ranked.set.residues), fmt::format("{:.4f}", ranked.asymptotic_ratio),
         fmt::format("{:.4f}", asymptotic_responsibility_ratio(ranked.set, Distillation::balanced)),
         fmt::format("{:.5f}", ranked.longest_share_of_n)});
  return printed(table, form);
}

std::vector<RankedSet> ranked_sets(std::vector<InterestSet> sets, int threads) {
  std::vector<RankedSet> ranked(sets.size());
  parallel_for(std::ssize(sets), threads, 1, [&](std::int64_t at, std::int64_t, int) {
    const auto i = static_cast<std::size_t>(at);
    const double ratio = asymptotic_responsibility_ratio(sets[i]);
    const double share = longest_share(sets[i]);
    ranked[i] = {std::move(sets[i]), ratio, share};
  });
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

std::string best_sets(const std::vector<RankedSet>& sets, TableFormat form) {
  if (sets.empty()) return "";
  return fmt::format("\nBest by asym-RR:\n{}\nBest by longest subsequence:\n{}",
                     top_table(sets, form,
                               [](const RankedSet& a, const RankedSet& b) {
                                 return a.asymptotic_ratio > b.asymptotic_ratio;
                               }),
                     top_table(sets, form, [](const RankedSet& a, const RankedSet& b) {
                       return std::pair(a.longest_share_of_n, -a.asymptotic_ratio) <
                              std::pair(b.longest_share_of_n, -b.asymptotic_ratio);
                     }));
}

std::string ranked_csv(const std::vector<RankedSet>& sets) {
  CsvTable table({"workers", "quorum_size", "interest_set", "asymptotic_responsibility_ratio",
                  "longest_subsequence_share"});
  for (const RankedSet& ranked : sets)
    table.append({fmt::to_string(ranked.set.modulus), fmt::to_string(ranked.set.residues.size()),
                  csv_residues(ranked.set), to_text(ranked.asymptotic_ratio),
                  to_text(ranked.longest_share_of_n)});
  return table.to_string();
}

SearchOutcome search(const SearchWords& words) {
  SearchOutcome outcome;
  outcome.state.modulus = words.workers;
  outcome.threads = words.threads > 0
                        ? words.threads
                        : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const double begin_s = now_s();
  Watcher watcher(words.quiet);
  outcome.size = words.size;
  if (words.size > 0)
    search_size(outcome.state, words.size, outcome.threads, std::ref(watcher));
  else
    outcome.size = search_minimum(outcome.state, outcome.threads, std::ref(watcher));
  watcher.end();
  outcome.seconds = now_s() - begin_s;
  outcome.sets = sets_of_orbits(words.workers, outcome.state.sizes.at(outcome.size).found);
  return outcome;
}

void print_search(const SearchWords& words) {
  SearchOutcome outcome = search(words);
  const bool csv = words.form == TableFormat::csv;
  const std::string summary = search_summary(outcome);
  csv ? print_note("{}", summary) : print_answer(summary);
  const auto ranked = ranked_sets(std::move(outcome.sets), outcome.threads);
  print_answer(csv ? ranked_csv(ranked) : best_sets(ranked, words.form));
}

}  // namespace

void add_sets_search(Verb sets) {
  auto [verb, words] = add_verb<SearchWords>(
      sets, "search",
      "Searches, counts and ranks all interest sets of the least size, and proves that it is "
      "least.",
      print_search,
      R"(It finds the sets of m residues that contain 0 and 1 and whose differences cover Z_W, for
the least m. It proves that m is the least by searching every smaller size to its end.
W <= 79 takes seconds, and proofs up to W = 133 take minutes. --csv prints every set.

Examples:
  qb sets search --workers 52
  qb sets search --workers 112 --size 12)");
  add_integer(verb, "--workers", words.workers, "Sets W, 3 to 257.").required();
  add_integer(verb, "--size", words.size,
              "Searches only sets of this size m (default: the least).");
  add_integer(verb, "--threads", words.threads,
              "Searches with this number of threads (default: all cores).");
  verb.add_flag("--quiet", words.quiet, "Shows no progress.");
  add_table_form(verb, words.form);
}

}  // namespace qb
