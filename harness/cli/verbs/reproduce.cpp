// SPDX-License-Identifier: Apache-2.0
// qb reproduce [PAPER]: answers one paper's tables, or without a name runs the case studies of
// CQS-Attention (the second at a tenth of the paper's N, or with --full at the paper's), answers
// its tables by them and writes one page, which ends with what answers all published rows.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/source_root.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/coverage_record.h"
#include "harness/cli/views/paper_reproduction.h"
#include "harness/cli/views/paper_tables.h"
#include "harness/cli/views/publish.h"
#include "harness/cli/views/sets_view.h"
#include "harness/experiment/sweep/sweep_runner.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/picture.h"
#include "harness/plan/work/work.h"
#include "plots/figures/figures.h"
#include "plots/published/published.h"
#include "plots/report/report.h"

namespace qb {
namespace {

constexpr const char* kReproduceFooter =
    R"(It writes OUT/report.html, OUT/tables and OUT/figures; the runs themselves are beside the other
results. The times of this machine are printed beside the published ones and need not agree with
them. Token counts and responsibility ratios must agree.

--full takes the paper's N (10,000 to 49,000), which takes about an hour on two cores; where the whole
sequence's score matrix exceeds the memory, there is an out-of-memory row, as the paper claims. If it
is interrupted, the same command goes on where it was.

--from takes case study 2 from a finished run of either spec and times nothing again.

With the name of a paper of `qb papers`, or with all, it runs every experiment that answers rows of
that paper's tables (specs that fit this machine, which may be a tenth of the paper's size or less),
answers all its rows, and writes OUT/PAPER.html (default: results/papers). --from then names a folder
of run folders, and nothing is run.

Exit codes: 0 all exact quantities agree; 4 one differs, or this build answers the committed data
otherwise than data/papers/coverage.csv records; 1 a case failed; 3 matplotlib is missing, or
the disk is full; 130 interrupted.

Examples:
  qb reproduce
  qb reproduce --full
  qb reproduce ring_flash_attention
  qb reproduce all --from data/measured --out paper_figures/papers
  qb reproduce --from data/measured/epyc-2-cores/case_study_2_tenth --out paper_figures/case_study_2_tenth)";

struct ReproduceWords {
  bool full = false;
  bool quiet = false;
  std::string paper;
  std::string from;
  std::string out;
};

// What the stages pass to the page.
struct Reproduction {
  std::vector<Report::Section> sections;  // of case study 2
  std::vector<Report::Section> exact;     // of what is planned and not timed: toy cases come last
  ExitCode code = ExitCode::ok;
  bool is_wrong = false;  // a published count comes out otherwise here

  // An interruption ends everything; a failed case outweighs a missing matplotlib.
  void note(ExitCode stage) {
    if (stage == ExitCode::case_failed || code == ExitCode::ok) code = stage;
  }
};

std::string page_of(const ReproduceWords& words) { return words.out + "/report.html"; }

void say(const std::string& line) { print_note("{}\n", line); }

RunOutcome run_stage(const ReproduceWords& words, const std::string& name, Spec& spec) {
  spec = load_spec(source_path("experiments/" + name + ".yaml"), {});
  RunOptions options;
  options.quiet = words.quiet;
  options.argv = {"qb", "reproduce"};
  if (words.full) options.argv.emplace_back("--full");
  return run_spec(spec, options);
}

void add_figure(Report::Section& section, const Figure& figure, const ReproduceWords& words,
                Reproduction& all) {
  std::vector<std::string> missing;
  try {
    for (Report::Picture& drawn : draw_for_report({figure}, words.out + "/figures", missing))
      section.figures.push_back(std::move(drawn));
  } catch (const EnvironmentError& error) {
    missing.emplace_back(error.what());
    all.note(ExitCode::environment);
  }
  for (std::string& sentence : missing) section.paragraphs.push_back(std::move(sentence));
}

constexpr std::string_view kHeldTokens = "3 4 4 5 5 5 4";  // printed with case study 1

ExitCode study_case_1(const ReproduceWords& words, Reproduction& all) {
  say("[1/4] case study 1: N = 10, W = 7, I = {0, 1, 3}");
  Spec spec;
  const RunOutcome outcome = run_stage(words, "case_study_1", spec);
  if (outcome.interrupted) return ExitCode::interrupted;
  all.note(exit_code(outcome));
  Report::Section section{.title = "Case study 1",
                          .paragraphs = {spec.description},
                          .tables = {cases_table(outcome.cases)}};
  const Problem problem = make_problem({1, 1, 1, 10, 10, 1, 1}, MaskKind::full, DType::f32, 0);
  const Plan plan = make_plan("cqs", problem, {7, parse_interest_set("0,1,3", 7)});
  std::string held;
  for (const WorkerWork& worker : model_work(plan, Kernel::reference).workers)
    held += fmt::format("{}{}", held.empty() ? "" : " ", worker.q_tokens);
  section.paragraphs.push_back(
      fmt::format("Tokens that workers 0 to 6 hold: published {}, ours {}.", kHeldTokens, held));
  all.is_wrong = held != kHeldTokens;
  Figure figure = partition_of(partition_rectangles(plan), "Case study 1");
  figure.name = "case_study_1_partition";
  figure.subtitle += ", interest set {0, 1, 3}";
  add_figure(section, figure, words, all);
  all.exact.push_back(std::move(section));
  return ExitCode::ok;
}

void tabulate_interest_sets(const ReproduceWords& words, Reproduction& all) {
  say("[2/4] the 109 published interest sets");
  const auto rows = compare_with_published();
  const Table table =
      interest_set_table(CsvTable::parse(comparison_table(rows, TableForm::csv), "interest sets"));
  (void)write_table(table, words.out + "/tables");
  all.exact.insert(all.exact.begin(), {.title = "Interest sets, W = 3 to 111",
                                       .paragraphs = {comparison_summary(rows)},
                                       .tables = {table},
                                       .folded = true});
}

constexpr std::string_view kAtPapersN = "case_study_2";
constexpr std::string_view kAtATenth = "case_study_2_tenth";

// Runs case study 2 and sets `folder` to that of the run.
ExitCode run_case_2(const ReproduceWords& words, Reproduction& all, std::string& folder) {
  say(fmt::format("[3/4] case study 2 {}", words.full
                                               ? "at the paper's N: about an hour on two cores"
                                               : "at a tenth of the paper's N"));
  Spec spec;
  const RunOutcome outcome =
      run_stage(words, std::string(words.full ? kAtPapersN : kAtATenth), spec);
  if (outcome.interrupted) return ExitCode::interrupted;
  all.note(exit_code(outcome));
  print_note("{}", failure_list(outcome));
  write_plan_tables(spec, outcome.folder);
  folder = outcome.folder;
  return ExitCode::ok;
}

// The figures that the spec of a run of case study 2 names today, whatever it named then.
std::vector<std::string> figures_of_case_2(const std::string& folder) {
  const std::string experiment = run_to_plot(folder).provenance.experiment;
  if (experiment != kAtPapersN && experiment != kAtATenth)
    throw UsageError(fmt::format("--from {}: it is a run of '{}'; runs of {} and {} can be taken",
                                 folder, experiment, kAtPapersN, kAtATenth));
  return load_spec(source_path("experiments/" + experiment + ".yaml"), {}).figures;
}

ExitCode study_case_2(const ReproduceWords& words, Reproduction& all, Provenance& provenance,
                      std::string& folder) {
  folder = words.from;
  if (!folder.empty())
    say(fmt::format("[3/4] case study 2 from {}", folder));
  else if (run_case_2(words, all, folder) == ExitCode::interrupted)
    return ExitCode::interrupted;
  say("[4/4] figures, tables, report");
  DrawnRun drawn = draw_run(folder, words.out + "/figures", figures_of_case_2(folder));
  if (drawn.code != ExitCode::ok) all.note(drawn.code);
  link_files(drawn.figures, words.out + "/figures", page_of(words), {"CSV"});
  const PlottedRun& run = drawn.run;
  provenance = run.provenance;
  if (const Table table = case_study_2_table(run.cases, published_case_study_2());
      !table.rows.empty())
    (void)write_table(table, words.out + "/tables");
  all.sections = run_report(run, std::move(drawn.figures), drawn.missing).sections;
  return ExitCode::ok;
}

// The paper's own tables, answered by this run where its claims read it, by committed runs
// elsewhere.
struct OwnPaper {
  AnsweredPaper answered;
  std::vector<FoundContradiction> contradictions;
  Table claims;
};

OwnPaper answer_own_paper(const Library& library, const std::string& experiment,
                          const std::string& folder) {
  RunsAndModel measurements(committed_runs());
  measurements.take(experiment, folder);
  const auto paper = std::ranges::find(library, "cqs_attention", &Paper::name);
  OwnPaper own{answer_paper(library, *paper, measurements), {}, {}};
  own.contradictions = contradictions_of(own.answered, library, measurements);
  own.claims = claims_table(own.answered);
  for (const std::string& read : experiments_of({&*paper}))
    own.claims.notes.push_back(fmt::format(
        "{}: {}.", read,
        read == experiment ? "the run of this page"
                           : "a committed run, perhaps of another machine and another build"));
  return own;
}

ExitCode reproduce(ReproduceWords words) {
  if (!words.paper.empty()) {
    if (words.full) throw UsageError("--full: only without the name of a paper");
    return reproduce_papers(
        {words.paper, words.from, words.out.empty() ? "results/papers" : words.out, words.quiet});
  }
  if (words.out.empty()) words.out = words.full ? "results/reproduce_full" : "results/reproduce";
  ensure_directory(words.out + "/figures");
  ensure_directory(words.out + "/tables");
  Reproduction all;
  Provenance provenance;
  if (study_case_1(words, all) == ExitCode::interrupted) return ExitCode::interrupted;
  tabulate_interest_sets(words, all);
  std::string folder;
  if (study_case_2(words, all, provenance, folder) == ExitCode::interrupted)
    return ExitCode::interrupted;

  const Library library = read_library();
  const OwnPaper own = answer_own_paper(library, provenance.experiment, folder);
  (void)write_table(own.claims, words.out + "/tables");
  (void)write_provenance(provenance, words.out);
  const std::vector<AnsweredPaper> papers = answer_all(library, RunsAndModel(committed_runs()));
  if (!answers_as_recorded(papers)) all.code = ExitCode::regression;
  const Table coverage = coverage_table(papers);
  Report::Section disputed{.title = own.claims.title, .tables = {own.claims}};
  for (const FoundContradiction& found : own.contradictions)
    disputed.paragraphs.push_back(sentence(found));
  all.sections.insert(all.sections.begin(), std::move(disputed));
  all.sections.push_back({.title = coverage.title, .tables = {coverage}});
  std::ranges::move(all.exact, std::back_inserter(all.sections));
  const std::string page = page_of(words);
  write_file_atomically(page, report_html({"CQS-Attention, reproduced", provenance_line(provenance),
                                           std::move(all.sections)}));
  print_answer("\n{}\n{}\n{}\n{}\n", table_terminal(own.claims),
               contradictions_text(own.contradictions), table_terminal(coverage), page);
  return all.is_wrong || is_wrong_here(own.answered) ? ExitCode::regression : all.code;
}

}  // namespace

void add_reproduce(Verb app) {
  auto [verb, words] = add_verb<ReproduceWords>(
      app, "reproduce",
      "Runs the case studies of CQS-Attention, or what answers a paper's tables, and checks them.",
      reproduce, kReproduceFooter);
  verb.add_option("PAPER", words.paper, "Names a paper of `qb papers`, or all.");
  const Option full =
      verb.add_flag("--full", words.full, "Takes the paper's N instead of a tenth of it.");
  verb.add_option("--from", words.from,
                  "Takes case study 2 from this run folder, or a paper's runs from the run folders "
                  "in this folder or in its subfolders, instead of running them.")
      .excludes(full);
  verb.add_option("-o,--out", words.out,
                  "Writes report, tables and figures into this folder (default: "
                  "results/reproduce, with --full results/reproduce_full, of a paper "
                  "results/papers).");
  verb.add_flag("--quiet", words.quiet, "Shows no progress of single cases.");
}

}  // namespace qb
