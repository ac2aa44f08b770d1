// qb sets search: counts, proves and ranks all interest sets of the least size.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/status.h"
#include "harness/cli/options.h"
#include "harness/cli/verb.h"
#include "harness/cli/views/sets_view.h"
#include "interest_sets/search/minimum_sets.h"

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
  TableForm form = TableForm::terminal;
};

// Keeps the journal and says how far the search is.
class Watcher {
 public:
  Watcher(const SearchWords& words, SearchState& state) : words_(words), state_(state) {
    if (words.journal.empty()) return;
    if (std::filesystem::exists(words.journal))
      go_on();
    else
      append_and_flush(words.journal, journal_head(state));
  }

  bool operator()(const SearchState& now, const PlayedTask& played) {
    if (!words_.journal.empty()) lines_ += journal_line(now, played);
    if (played.size != size_) begin_size(now, played.size);
    if (now_s() - said_s_ >= kSecondsBetween) say(now, played.size);
    return true;
  }

  void end() {
    flush();
    if (terminal_ && spoke_) fmt::print(stderr, "\r\033[K");
  }

 private:
  static constexpr double kSecondsBetween = 1.0;
  static constexpr double kSecondsBetweenPlainLines = 30.0;

  // Cuts off a torn last line, so that the next text begins a line.
  void go_on() {
    const std::string text = read_file(words_.journal);
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
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r" : "",
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

SearchOutcome search(const SearchWords& words) {
  SearchOutcome outcome;
  outcome.state.modulus = words.workers;
  outcome.threads = words.threads > 0
                        ? words.threads
                        : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const double begin_s = now_s();
  Watcher watcher(words, outcome.state);
  const OnTask on_task = [&](const SearchState& now, const PlayedTask& played) {
    return watcher(now, played);
  };
  if (words.size > 0) (void)search_size(outcome.state, words.size, outcome.threads, on_task);
  outcome.size =
      words.size > 0 ? words.size : search_minimum(outcome.state, outcome.threads, on_task);
  watcher.end();
  outcome.seconds = now_s() - begin_s;
  outcome.sets = sets_of_orbits(words.workers, outcome.state.sizes.at(outcome.size).found);
  return outcome;
}

void print_search(const SearchWords& words) {
  SearchOutcome outcome = search(words);
  if (words.count) return fmt::print("{}\n", outcome.sets.size());
  if (words.compact)
    return fmt::print(
        "{}", compact_record({words.workers, outcome.size, outcome.sets.size(),
                              checksum(outcome.sets), outcome.state.sizes.at(outcome.size).found}));
  const bool csv = words.form == TableForm::csv;
  fmt::print(csv ? stderr : stdout, "{}", search_summary(outcome));
  const auto ranked = ranked_sets(std::move(outcome.sets), outcome.threads);
  fmt::print("{}", csv ? ranked_csv(ranked) : best_sets(ranked, kBest, words.form));
}

}  // namespace

void add_sets_search(Verb sets) {
  Verb verb = sets.add_verb(
      "search", "all interest sets of the least size: searched, counted, proved, ranked",
      "m residues with 0 and 1 among them whose differences cover Z_W, for the least m. "
      "Minimality\n"
      "is proved by searching every smaller size to its end. W <= 79 takes seconds, proofs to\n"
      "W = 133 minutes. --csv prints every set. After it was killed, the same command with the\n"
      "same --journal goes on.\n\n"
      "Examples:\n"
      "  qb sets search --workers 52\n"
      "  qb sets search --workers 64 --count\n"
      "  qb sets search --workers 112 --size 12 --journal w112.txt");
  auto& words = verb.runs<SearchWords>(print_search);
  add_integer(verb, "--workers", words.workers, "W, 3 to 257").required();
  add_integer(verb, "--size", words.size, "search only sets of this size m (default: the least)");
  add_integer(verb, "--threads", words.threads, "default: all cores");
  verb.flag("--count", words.count, "print only the number of sets");
  verb.flag("--compact", words.compact, "print a record as in interest_sets/search/minimum.txt");
  verb.flag("--quiet", words.quiet, "show no progress");
  verb.option("--journal", words.journal,
              "a file for the finished tasks; where it exists, the search goes on from there");
  add_table_form(verb, words.form);
}

}  // namespace qb
