// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "base/files.h"
#include "base/print.h"
#include "base/source_root.h"
#include "base/words.h"
#include "harness/cli/views/model_error.h"
#include "harness/cli/views/paper_tables.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/sweep/sweep_runner.h"
#include "plots/figures/figures.h"
#include "plots/frame/frame.h"
#include "plots/report/report.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

// The page shows tables of more rows closed.
constexpr std::size_t kMostOpenRows = 12;
// A paper with this many numbers beside published ones has a figure of them.
constexpr std::size_t kLeastMarks = 20;

std::vector<const Paper*> papers_named(const Library& library, const std::string& name) {
  std::vector<const Paper*> papers;
  std::vector<std::string_view> names = {"all"};
  for (const Paper& paper : library) {
    names.push_back(paper.name);
    if (name == "all" || name == paper.name) papers.push_back(&paper);
  }
  if (papers.empty()) throw UsageError(unknown_word("paper", name, names));
  return papers;
}

// The experiments that claims of these papers read, each once, in their order.
std::vector<std::string> experiments_of(const std::vector<const Paper*>& papers) {
  std::vector<std::string> experiments;
  for (const Paper* paper : papers)
    for (const PublishedTable& table : paper->tables)
      for (const Claim& claim : table.claims)
        if (!claim.run.empty() && std::ranges::count(experiments, claim.run) == 0)
          experiments.push_back(claim.run);
  return experiments;
}

// Keeps one of two experiments that differ in their size: the paper's or a tenth of it.
std::vector<std::string> of_one_size(std::vector<std::string> experiments, bool full) {
  constexpr std::string_view kTenth = "_tenth";
  const auto all = experiments;
  std::erase_if(experiments, [&](const std::string& name) {
    const bool is_tenth = name.ends_with(kTenth);
    const std::string other =
        is_tenth ? name.substr(0, name.size() - kTenth.size()) : name + std::string(kTenth);
    return is_tenth == full && std::ranges::find(all, other) != all.end();
  });
  return experiments;
}

// The ids of the cases in the newest run, if that is of this spec, machine and build. A finished
// run with a failed case is made anew, and one of sources that are not a commit's, as they may have
// changed since.
std::set<std::string> cases_done(const Spec& spec, const std::string& out,
                                 const std::string& environment) {
  std::set<std::string> done;
  const std::vector<Manifest> runs = list_runs(out + "/" + spec.name);
  const std::string commit = commit_of(environment);
  if (runs.empty() || runs[0].spec_hash != hash_spec(spec.resolved_yaml) ||
      runs[0].commit != commit || runs[0].device_fingerprint != fingerprint_of(environment))
    return done;
  const RunFolder run = read_run_folder(runs[0].folder);
  bool good = !commit.empty() && !commit.ends_with('+');
  for (std::size_t row = 0; row < run.cases.size(); ++row) {
    good = good && is_allowed(row_status(run, row));
    done.insert(run.cases.text(row, "case_id"));
  }
  return good || runs[0].finished_at.empty() ? done : std::set<std::string>();
}

ExitCode run_planned(const std::vector<PlannedRun>& runs, const PapersToReproduce& asked) {
  ExitCode code = ExitCode::ok;
  for (const PlannedRun& run : runs) {
    if (run.left == 0) continue;
    RunOptions options;
    options.quiet = asked.quiet;
    options.argv = {"qb", "reproduce", asked.paper};
    if (asked.full) options.argv.emplace_back("--full");
    const RunOutcome outcome = run_spec(*run.spec, options);
    if (outcome.interrupted) return ExitCode::interrupted;
    if (const ExitCode of_run = exit_code(outcome); of_run != ExitCode::ok) {
      print_note("{}", failure_list(outcome));
      code = of_run;
    }
  }
  return code;
}

// Sentences on the runs that were read: where each lies, or that there is none.
std::vector<std::string> run_sentences(const Paper& paper, const RunsAndModel& measurements,
                                       const std::string& page) {
  std::vector<std::string> sentences;
  for (const std::string& experiment : experiments_of({&paper})) {
    const std::string folder = measurements.folder_of(experiment);
    sentences.push_back(
        folder.empty()
            ? fmt::format("{}: there is no run of it.", experiment)
            : fmt::format("{}: {}.", experiment,
                          fs::relative(folder, fs::absolute(page).parent_path()).generic_string()));
  }
  return sentences;
}

// What figures show of the rows of some papers: OUT/figures of all, the page of one of its own.
std::vector<Figure> row_figures(std::span<const AnsweredPaper> papers) {
  std::vector<Figure> figures;
  if (const CsvTable answers = parity_csv(papers); answers.size() >= kLeastMarks)
    figures.push_back(published_parity_figure(answers, coverage_csv(papers)));
  figures.push_back(model_grade_figure(grade_csv(graded_rows(papers))));
  return figures;
}

// Draws the figures of each paper, with one start of the renderer, and gives them by its name. A
// page without a figure says nothing of it.
std::map<std::string, std::vector<Report::Picture>> pictures_of(
    const std::vector<AnsweredPaper>& papers) {
  std::map<std::string, std::vector<Report::Picture>> pictures;
  std::vector<Figure> figures;
  for (const AnsweredPaper& paper : papers)
    for (Figure& figure : row_figures({&paper, 1})) {
      figure.name = paper.paper->name + '.' + figure.name;
      figures.push_back(std::move(figure));
    }
  std::vector<std::string> unsaid;
  try {
    in_temporary_folder([&](const std::string& folder) {
      for (Report::Picture& picture : draw_for_report(figures, folder, unsaid))
        pictures[picture.name.substr(0, picture.name.find('.'))].push_back(std::move(picture));
    });
  } catch (const EnvironmentError&) {
    // Drawing OUT/figures reports it.
  }
  return pictures;
}

}  // namespace

std::vector<PlannedRun> planned_runs(const std::vector<std::string>& experiments,
                                     const std::string& out) {
  std::vector<PlannedRun> runs;
  const std::string environment = environment_json();
  const EarlierTimes earlier = EarlierTimes::read(out, fingerprint_of(environment));
  for (const std::string& experiment : experiments) {
    PlannedRun& run = runs.emplace_back(PlannedRun{.experiment = experiment});
    const std::string path = source_path("experiments/" + experiment + ".yaml");
    if (!fs::exists(path)) continue;
    run.spec = load_spec(path, {});
    std::set<std::string> done = cases_done(*run.spec, out, environment);
    std::vector<Case> cases = resolved_cases(run.spec->cases);
    std::erase_if(cases, [&](const Case& c) { return !done.insert(case_id(c)).second; });
    run.left = cases.size();
    run.time = predicted_time(cases, earlier);
  }
  // A case whose time is not known is taken to be as long as the others of its experiment.
  std::ranges::stable_sort(runs, {}, [](const PlannedRun& run) {
    const auto cases = static_cast<double>(run.time.cases);
    return cases == 0.0
               ? 0.0
               : run.time.seconds * cases / static_cast<double>(run.time.cases - run.time.unknown);
  });
  return runs;
}

std::string planned_text(const std::vector<PlannedRun>& runs, const std::string& out) {
  PredictedTime time;
  std::size_t left = 0;
  std::string text = "Nothing needs to run: calculations and committed runs answer the rows.";
  std::string each;
  for (const PlannedRun& run : runs) {
    time += run.time;
    left += run.left;
    if (run.left > 0)
      each += wrapped_beside("  ",
                             fmt::format("{}: {}. {}", run.experiment, counted(run.left, "case"),
                                         run.spec->description),
                             80);
    else if (run.spec)
      text = fmt::format(
          "Nothing needs to run: this build has measured all cases on this machine; `qb run "
          "experiments/{}.yaml` measures them again.",
          run.experiment);
  }
  if (left == 0) return wrapped_beside("", text, 80);
  text = fmt::format(
      "Now {} run, the shortest experiment first. Predicted time: {}. Repeats that other programs "
      "disturb are taken again, which may double it.",
      counted(left, "case"), time.text(out));
  return wrapped_beside("", text, 80) + each +
         wrapped_beside("",
                        "The end shows what this machine measured beside what is published, what "
                        "the committed runs show, and which rows are disputed.",
                        80);
}

std::string paper_page(const AnsweredPaper& answered,
                       const std::vector<FoundContradiction>& contradictions,
                       const RunsAndModel& measurements, const std::string& page,
                       std::vector<Report::Picture> figures, std::span<const OwnRun> own) {
  std::vector<std::string> opening;
  for (const OwnRun& run : own) {
    const auto compared = comparisons({&answered, 1}, run.experiment);
    if (compared.empty()) continue;
    figures.insert(figures.begin(), run.pictures.begin(), run.pictures.end());
    opening.push_back("On your machine: " + listed(run.measured, " "));
    opening.insert(opening.end(), compared.begin(), compared.end());
  }
  opening.push_back(conclusion_of(answered));
  Report report{.title = answered.paper->title, .subtitle = answered.paper->cite};
  const Table coverage = coverage_table({&answered, 1});
  report.sections.push_back({.title = coverage.title,
                             .paragraphs = std::move(opening),
                             .figures = std::move(figures),
                             .tables = {coverage}});
  if (!contradictions.empty()) {
    Report::Section disputed{.title = "Where it contradicts itself, other tables or the hardware"};
    for (const FoundContradiction& found : by_weight(contradictions))
      disputed.paragraphs.push_back(fmt::format("{}{} [{}]", is_remark(found) ? "Remark: " : "",
                                                sentence(found), found_by(found)));
    report.sections.push_back(std::move(disputed));
  }
  if (auto runs = run_sentences(*answered.paper, measurements, page); !runs.empty())
    report.sections.push_back({.title = "Runs behind the answers", .paragraphs = std::move(runs)});
  for (const AnsweredTable& table : answered.tables) {
    Table answers = answers_table(table, {.obeyed = false});
    const bool folded = answers.rows.size() > kMostOpenRows;
    report.sections.push_back(
        {.title = answers.title, .tables = {std::move(answers)}, .folded = folded});
  }
  return report_html(report);
}

ExitCode reproduce_papers(const PapersToReproduce& asked) {
  const Library library = read_library();
  const std::vector<const Paper*> papers = papers_named(library, asked.paper);
  ensure_directory(asked.out + "/tables");
  ensure_directory(asked.out + "/figures");
  ExitCode code = ExitCode::ok;
  const std::string results = RunOptions{}.out;
  std::vector<std::string> folders;
  if (!asked.runs.empty()) {
    folders = with_subfolders(asked.runs);
  } else {
    const auto runs = planned_runs(of_one_size(experiments_of(papers), asked.full), results);
    print_note("{}", planned_text(runs, results));
    code = run_planned(runs, asked);
    if (code == ExitCode::interrupted) return code;
    folders = committed_runs();
    folders.insert(folders.begin(), results);
  }
  const RunsAndModel measurements(folders);
  const std::vector<AnsweredPaper> committed = answer_all(library, RunsAndModel(committed_runs()));
  Reproduction all{.from = asked.runs, .page = asked.out};
  for (const std::string& experiment : experiments_of(papers))
    if (const std::string folder = measurements.folder_of(experiment);
        asked.runs.empty() && folder.starts_with(results + '/'))
      all.own.push_back(read_own_run(experiment, folder));
  for (const Paper* paper : papers) {
    all.here.push_back(answer_paper(library, *paper, measurements));
    all.committed.push_back(*std::ranges::find(committed, paper, &AnsweredPaper::paper));
  }
  auto pictures = pictures_of(all.here);
  for (const AnsweredPaper& one : all.here) {
    auto contradictions = contradictions_of(one, library, measurements);
    const std::string page = fmt::format("{}/{}.html", asked.out, one.paper->name);
    write_file_atomically(page, paper_page(one, contradictions, measurements, page,
                                           std::move(pictures[one.paper->name]), all.own));
    if (papers.size() == 1) all.page = page;
    std::ranges::move(contradictions, std::back_inserter(all.disputed));
  }
  print_answer(summary_text(all));
  if (!answers_as_recorded(committed)) code = ExitCode::regression;
  (void)write_table(coverage_table(all.here), asked.out + "/tables");
  (void)write_table(contradictions_table(all.disputed), asked.out + "/tables");
  std::vector<std::string> missing;  // a paper without predictions has no figure of them
  (void)draw_for_report(row_figures(all.here), asked.out + "/figures", missing);
  return code;
}

}  // namespace qb
