// SPDX-License-Identifier: Apache-2.0
// `qb ab`: which of two programs, specs or settings is faster, on a machine that is not quiet.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/words.h"
#include "harness/cli/options.h"
#include "harness/experiment/process/child_process.h"
#include "harness/experiment/process/supervisor.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/sweep/alternation.h"
#include "harness/experiment/sweep/interrupt.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

using Turn = AlternatedCase::Turn;

constexpr const char* kAbFooter = R"(A and B are
  two programs         qb ab build/old/qb build/new/qb experiments/schemes.yaml
  two settings         qb ab kernel=flash kernel=materialized experiments/smoke.yaml
  two specs            qb ab experiments/mine.yaml experiments/other.yaml

Every case of A has its partner in B: the one at the same place in the spec. The two are run right
after each other, in random order, and so is the next pair, of another case. A ratio is that of two
neighbours, so that a machine which slows down for a minute slows down both. The interval is that of
the median of these ratios. Pairs that something disturbed are taken again (docs/trust.md, Disturbed
repeats). Each turn is a `run` of its own: the first turn of each side verifies, as the spec asks.
The noise check below the table is the first case with A on both sides: what noise alone makes of a ratio.

SLOW, FAST: the interval excludes 1, and the median is beyond the threshold. SAME: it lies within
the threshold. AMBIGUOUS: neither, or fewer than six pairs, or pairs that stayed disturbed.

Exit codes: 0 nothing is SLOW, 1 a case failed, 2 usage, 3 environment, 4 a case is SLOW,
130 interrupted (the pairs so far are shown).)";

struct AbWords {
  std::string a;
  std::string b;
  std::string spec;
  std::vector<std::string> set;
  std::vector<std::string> filter;
  std::string metric;
  std::string out;
  int repeats = 3;
  bool quiet = false;
  AlternationOptions options;
};

// A side as words of a command, and its cases.
struct Subject {
  std::string program = "/proc/self/exe";
  std::string spec_path;
  Spec::Options options;
  Spec spec;
  std::vector<std::string> labels;
  std::vector<std::vector<std::string>> filters;  // of each case, for --only
  std::vector<bool> verified;
};

bool is_spec(const std::string& word) { return word.ends_with(".yaml") || word.ends_with(".yml"); }
bool is_setting(const std::string& word) {
  return word.find('=') != std::string::npos && !std::filesystem::exists(word);
}

Subject subject_of(const AbWords& words, const std::string& side) {
  Subject subject;
  subject.spec_path = words.spec;
  subject.options = {.set = words.set, .filter = words.filter};
  if (is_setting(side))
    subject.options.set.push_back(side);
  else if (is_spec(side))
    subject.spec_path = side;
  else
    subject.program = std::filesystem::absolute(side).string();
  subject.spec = load_spec(subject.spec_path, subject.options);
  const std::vector<Case> cases = resolved_cases(subject.spec.cases);
  std::vector<std::string> telling = {"algorithm", "workers", "n_tokens", "kernel", "dtype"};
  const std::vector<std::string> varying = varying_parameters(cases);
  telling.insert(telling.end(), varying.begin(), varying.end());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    subject.labels.push_back(case_label(cases[i], varying));
    // The spec's own spelling: what is resolved here may be open in it.
    const auto parameters = case_parameters(subject.spec.cases[i]);
    std::vector<std::string>& filters = subject.filters.emplace_back();
    for (const auto& [column, value] : parameters)
      if (std::ranges::find(telling, column) != telling.end() && !value.empty())
        filters.push_back(fmt::format("{}={}", column, value));
  }
  subject.verified.resize(cases.size(), false);
  return subject;
}

void require_two_subjects(const AbWords& words) {
  const bool specs = is_spec(words.a) && is_spec(words.b);
  const bool settings = is_setting(words.a) && is_setting(words.b);
  const bool programs =
      !is_spec(words.a) && !is_spec(words.b) && !is_setting(words.a) && !is_setting(words.b);
  if (!specs && !settings && !programs)
    throw UsageError("A and B must be of one kind: two programs, two settings or two specs");
  if (specs != words.spec.empty())
    throw UsageError(specs ? "two specs are compared with each other: leave the third one out"
                           : "a spec is needed after A and B, such as experiments/smoke.yaml");
  for (const std::string& program : {words.a, words.b})
    if (programs && ::access(program.c_str(), X_OK) != 0)
      throw UsageError(fmt::format("{} is not a program that can be started", program));
  if (words.options.pairs < 1 || words.repeats < 1)
    throw UsageError("--pairs and --repeats must be at least 1");
}

Turn failed(const std::string& why) { return {.failure = why}; }

Turn take_turn(Subject& subject, std::size_t index, const AbWords& words, const std::string& folder,
               int wake_fd) {
  std::vector<std::string> command = {subject.program, "run",  subject.spec_path, "--quiet",
                                      "--out",         folder, "--run-id",        "turn"};
  const auto add = [&](const char* option, const std::string& value) {
    command.insert(command.end(), {option, value});
  };
  for (const std::string& set : subject.options.set) add("--set", set);
  for (const std::string& filter : subject.options.filter) add("--filter", filter);
  for (const std::string& filter : subject.filters[index]) add("--only", filter);
  add("--set", "figures=[]");
  add("--set", fmt::format("measure.repeats={}", words.repeats));
  if (subject.verified[index]) add("--set", "measure.verify_rows=0");
  const std::string log = folder + "/log";
  constexpr double kForever_s = 1e6;  // each case has a limit of its own
  std::filesystem::remove_all(folder + "/" + subject.spec.name);
  const ChildEnd end =
      run_child({.command = command, .log_path = log, .timeout_s = kForever_s, .wake_fd = wake_fd});
  if (end.cause == ChildEnd::Cause::interrupted) return failed("interrupted");
  const std::string path = fmt::format("{}/{}/turn/cases.csv", folder, subject.spec.name);
  // A case that failed has a row that says why.
  const bool ended_well = end.cause == ChildEnd::Cause::exited &&
                          (end.code == 0 || end.code == static_cast<int>(ExitCode::case_failed));
  if (!ended_well || !std::filesystem::exists(path)) {
    const std::string last = last_line(log);
    return failed(how_it_ended(end) + (last.empty() ? "" : ": " + last));
  }
  const CsvTable cases = CsvTable::parse(read_text(path), path);
  if (cases.size() != 1)
    return failed(fmt::format("{} cases have the parameters of this one", cases.size()));
  if (Row{&cases, 0}.text("status") != word(Status::ok))
    return failed(Row{&cases, 0}.text("status") + ": " + Row{&cases, 0}.text("message"));
  subject.verified[index] = true;
  const RunComparison::Timing time = timing_of(cases, 0, words.metric);
  if (!(time.median_s > 0.0))
    return failed(fmt::format("the row has no {}", words.metric.empty() ? "time" : words.metric));
  return {.time_s = time.median_s, .disturbed_by = time.disturbed_by};
}

// `median critical_path 12.30 ms`, of the clock that timing_of() takes for such a case.
std::string told(double median, const std::string& metric, const Case& c) {
  const std::string name =
      metric.empty() ? std::string(judged_clock(word(c.ranks)).name()) : metric;
  return fmt::format("median {} {}", name,
                     name == kInstructions ? format_si(median) : format_seconds(median));
}

// A pair is named by the words that both labels have, if these tell every pair from the others.
std::vector<std::string> labels_of(const Subject& a, const Subject& b) {
  std::vector<std::string> both;
  std::vector<std::string> shared;
  for (std::size_t i = 0; i < a.labels.size(); ++i) {
    const bool same = a.labels[i] == b.labels[i];
    both.push_back(same ? a.labels[i] : a.labels[i] + " | " + b.labels[i]);
    const auto of_b = split_words(b.labels[i], " ");
    std::string& label = shared.emplace_back();
    for (const std::string_view word : split_words(a.labels[i], " "))
      if (std::ranges::count(of_b, word) > 0)
        label += (label.empty() ? "" : " ") + std::string(word);
  }
  return std::set(shared.begin(), shared.end()).size() == shared.size() ? shared : both;
}

ExitCode code_of(const std::vector<AlternatedCase>& cases) {
  const auto any = [&](auto holds) { return std::ranges::any_of(cases, holds); };
  if (any([](const AlternatedCase& c) { return !c.failure.empty(); })) return ExitCode::case_failed;
  const bool slow =
      any([](const AlternatedCase& c) { return c.verdict == RunComparison::Verdict::slow; });
  return slow ? ExitCode::regression : ExitCode::ok;
}

ExitCode compare_in_turns(AbWords& words) {
  require_two_subjects(words);
  if (!words.out.empty()) require_writable(words.out);
  Subject a = subject_of(words, words.a);
  Subject b = subject_of(words, words.b);
  if (a.labels.size() != b.labels.size())
    throw UsageError(fmt::format("A has {} cases and B {}: each needs a partner", a.labels.size(),
                                 b.labels.size()));
  const std::vector<std::string> labels = labels_of(a, b);
  const InterruptGuard interrupt;
  std::size_t taken = 0;
  std::vector<AlternatedCase> cases;
  in_temporary_folder([&](const std::string& folder) {
    cases = take_turns(
        labels.size() + 1, words.options,
        [&](AbSide side, std::size_t index) {
          const bool itself = index == labels.size();  // the first case with A on both sides
          const std::size_t of_spec = itself ? 0 : index;
          const bool of_a = side == AbSide::a || itself;
          Turn turn = take_turn(of_a ? a : b, of_spec, words, folder, interrupt.wake_fd());
          if (!words.quiet)
            print_note("[{}] {} {}: {}{}\n", ++taken, of_a ? 'A' : 'B', labels[of_spec],
                       turn.failure.empty() ? told(turn.time_s, words.metric, a.spec.cases[of_spec])
                                            : turn.failure,
                       turn.disturbed_by.empty() ? "" : ", disturbed by " + turn.disturbed_by);
          return turn;
        },
        [&] { return interrupt.requested(); });
  });
  const AlternatedCase itself = cases.back();
  cases.pop_back();
  print_answer("A: {}\nB: {}\n\n{}{}", words.a, words.b,
               alternation_text(labels, cases, words.options), itself_text(labels.front(), itself));
  if (!words.out.empty()) write_file_atomically(words.out, alternation_csv(labels, cases));
  return interrupt.requested() ? ExitCode::interrupted : code_of(cases);
}

}  // namespace

void add_ab(Verb app) {
  auto [verb, words] = add_verb<AbWords>(
      app, "ab", "Compares two programs, settings or specs that take turns, case by case.",
      compare_in_turns, kAbFooter);
  verb.add_option("A", words.a, "Names a program, KEY.PATH=VALUE, or a spec.").required();
  verb.add_option("B", words.b, "Names the one to judge, of the same kind.").required();
  verb.add_option("SPEC", words.spec, "Names the spec that both run, unless A and B are specs.");
  verb.add_repeated("--set", words.set, "Overrides an entry of both specs, as for run.");
  add_clock(verb, words.set);
  verb.add_repeated("--filter", words.filter, "Keeps only cases with KEY=VALUE, as for run.");
  add_metric(verb, words.metric);
  add_integer(verb, "--pairs", words.options.pairs,
              "Measures this many pairs of each case (default: 8).");
  add_integer(verb, "--retakes", words.options.retakes,
              "Measures disturbed pairs again in at most this many rounds (default: 8).");
  add_integer(verb, "--repeats", words.repeats, "Times this many repeats in a turn (default: 3).");
  add_integer(verb, "--seed", words.options.seed, "Seeds the random order (default: 1).");
  add_positive(verb, "--threshold", words.options.threshold,
               "Sets the least change that counts, as a fraction (default: 0.05).");
  verb.add_option("-o,--out", words.out, "Writes a row for each pair to this CSV file.");
  verb.add_flag("--quiet", words.quiet, "Shows no turns, only the table.");
}

}  // namespace qb
