// SPDX-License-Identifier: Apache-2.0
// qb sets search: counts, proves and ranks all interest sets of the least size.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/sets_view.h"
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
  bool count = false;
  bool quiet = false;
  bool compact = false;
  std::string journal;
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

// Keeps the journal and says how far the search is.
class Watcher {
 public:
  Watcher(const SearchWords& words, SearchState& state) : words_(words), state_(state) {
    if (words.journal.empty()) return;
    const std::string head = journal_head(state);
    const std::string text =
        std::filesystem::exists(words.journal) ? read_text(words.journal) : std::string();
    if (head.starts_with(text))  // a new one, or one that ends in its head
      append_and_flush(words.journal, head.substr(text.size()));
    else
      go_on(text);
  }

  void operator()(const SearchState& now, const PlayedTask& played) {
    if (!words_.journal.empty()) lines_ += journal_line(now, played);
    if (played.size != size_) begin_size(now, played.size);
    if (now_s() - said_s_ >= kSecondsBetween) say(now, played.size);
  }

  void end() {
    flush();
    if (terminal_ && spoke_) print_note("\r\033[K");
  }

 private:
  static constexpr double kSecondsBetween = 1.0;
  static constexpr double kSecondsBetweenPlainLines = 30.0;

  // Cuts off a torn last line, so that the next text begins a line.
  void go_on(const std::string& text) {
    const int workers = state_.modulus;
    state_ = parse_journal(text, words_.journal);
    if (state_.modulus != workers)
      throw UsageError(fmt::format("{} is the journal of W = {}, not {}; name another file",
                                   words_.journal, state_.modulus, workers));
    std::filesystem::resize_file(words_.journal, text.rfind('\n') + 1);
  }

  void begin_size(const SearchState& now, int size) {
    size_ = size;
    begin_s_ = now_s();
    before_ = now.sizes.at(size).tasks_played() - 1;
  }

  void say(const SearchState& now, int size) {
    flush();
    said_s_ = now_s();
    if (words_.quiet) return;
    if (!terminal_ && now_s() - line_s_ < kSecondsBetweenPlainLines) return;
    line_s_ = now_s();
    spoke_ = true;
    print_note("{}{}{}", terminal_ ? "\r" : "",
               progress_line(now, size, before_, now_s() - begin_s_), terminal_ ? "\033[K" : "\n");
  }

  void flush() {
    if (lines_.empty()) return;
    append_and_flush(words_.journal, lines_);
    lines_.clear();
  }

  const SearchWords& words_;
  SearchState& state_;
  std::string lines_;
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool spoke_ = false;
  int size_ = 0;
  std::size_t before_ = 0;
  double begin_s_ = now_s();
  double said_s_ = now_s();
  double line_s_ = now_s();
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
  Watcher watcher(words, outcome.state);
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
  if (words.count) return print_answer("{}\n", outcome.sets.size());
  if (words.compact)
    return print_answer(
        "{}", compact_record({words.workers, outcome.size, outcome.sets.size(),
                              checksum(outcome.sets), outcome.state.sizes.at(outcome.size).found}));
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
W <= 79 takes seconds, and proofs up to W = 133 take minutes. --csv prints every set. After
it was killed, the same command with the same --journal continues the search.

Examples:
  qb sets search --workers 52
  qb sets search --workers 64 --count
  qb sets search --workers 112 --size 12 --journal w112.txt)");
  add_integer(verb, "--workers", words.workers, "Sets W, 3 to 257.").required();
  add_integer(verb, "--size", words.size,
              "Searches only sets of this size m (default: the least).");
  add_integer(verb, "--threads", words.threads,
              "Searches with this number of threads (default: all cores).");
  verb.add_flag("--count", words.count, "Prints only the number of sets.");
  verb.add_flag("--compact", words.compact,
                "Prints a record as in interest_sets/search/minimum.txt.");
  verb.add_flag("--quiet", words.quiet, "Shows no progress.");
  verb.add_option("--journal", words.journal,
                  "Writes the finished tasks to this file; if it exists, the search goes on from "
                  "there.");
  add_table_form(verb, words.form);
}

}  // namespace qb
