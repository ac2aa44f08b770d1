// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "base/files.h"
#include "base/print.h"
#include "base/source_root.h"
#include "base/words.h"
#include "harness/cli/views/coverage_record.h"
#include "harness/cli/views/nearest_published.h"
#include "harness/cli/views/paper_tables.h"
#include "harness/experiment/sweep/sweep_runner.h"
#include "plots/figures/figures.h"
#include "plots/report/report.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

// The page shows tables of more rows closed.
constexpr std::size_t kMostOpenRows = 12;
// A paper with this many numbers beside published ones has a figure of them.
constexpr std::size_t kLeastMarks = 20;

std::string spec_path(const std::string& experiment) {
  return source_path("experiments/" + experiment + ".yaml");
}

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

// Runs the experiments that have a spec; what another program measured has none.
ExitCode run_experiments(const std::vector<std::string>& experiments,
                         const PapersToReproduce& asked) {
  ExitCode code = ExitCode::ok;
  std::size_t number = 0;
  for (const std::string& experiment : experiments) {
    const std::string place = fmt::format("[{}/{}] {}", ++number, experiments.size(), experiment);
    if (!fs::exists(spec_path(experiment))) {
      print_note("{}: another program measured it, and its committed run answers\n", place);
      continue;
    }
    const Spec spec = load_spec(spec_path(experiment), {});
    print_note("{}: {}\n", place, spec.description);
    RunOptions options;
    options.quiet = asked.quiet;
    options.argv = {"qb", "reproduce", asked.paper};
    if (asked.full) options.argv.emplace_back("--full");
    const RunOutcome outcome = run_spec(spec, options);
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
    figures.push_back(published_parity_figure(answers));
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

std::vector<std::string> experiments_of(const std::vector<const Paper*>& papers) {
  std::vector<std::string> experiments;
  for (const Paper* paper : papers)
    for (const PublishedTable& table : paper->tables)
      for (const Claim& claim : table.claims)
        if (!claim.run.empty() && std::ranges::count(experiments, claim.run) == 0)
          experiments.push_back(claim.run);
  return experiments;
}

std::string paper_page(const AnsweredPaper& answered,
                       const std::vector<FoundContradiction>& contradictions,
                       const RunsAndModel& measurements, const std::string& page,
                       std::vector<Report::Picture> figures) {
  Report report{.title = answered.paper->title, .subtitle = answered.paper->cite};
  const Table coverage = coverage_table({&answered, 1});
  report.sections.push_back({.title = coverage.title,
                             .paragraphs = {conclusion_of(answered)},
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

namespace {

// The conclusion, what agrees, then what is disputed and why.
std::string reproduced_text(const AnsweredPaper& paper,
                            const std::vector<FoundContradiction>& contradictions) {
  std::string text = summary_text(paper);
  for (const RowStanding standing :
       {RowStanding::reproduced, RowStanding::shape_reproduced, RowStanding::predicted,
        RowStanding::derived, RowStanding::differs})
    text += standing_text(paper, standing);
  if (!contradictions.empty())
    text += "\nWhere it contradicts itself, other tables or the hardware:\n" +
            contradictions_text(contradictions);
  return text;
}

}  // namespace

ExitCode reproduce_papers(const PapersToReproduce& asked) {
  const Library library = read_library();
  const std::vector<const Paper*> papers = papers_named(library, asked.paper);
  ensure_directory(asked.out + "/tables");
  ensure_directory(asked.out + "/figures");
  ExitCode code = ExitCode::ok;
  std::vector<std::string> folders;
  if (!asked.runs.empty()) {
    folders = with_subfolders(asked.runs);
  } else {
    code = run_experiments(of_one_size(experiments_of(papers), asked.full), asked);
    if (code == ExitCode::interrupted) return code;
    folders = committed_runs();
    folders.insert(folders.begin(), RunOptions{}.out);
  }
  const RunsAndModel measurements(folders);
  std::vector<AnsweredPaper> answered;
  std::vector<std::string> missing;
  std::vector<FoundContradiction> found;
  for (const Paper* paper : papers) answered.push_back(answer_paper(library, *paper, measurements));
  auto pictures = pictures_of(answered);
  for (const AnsweredPaper& one : answered) {
    auto contradictions = contradictions_of(one, library, measurements);
    const std::string& name = one.paper->name;
    const std::string page = fmt::format("{}/{}.html", asked.out, name);
    write_file_atomically(
        page, paper_page(one, contradictions, measurements, page, std::move(pictures[name])));
    print_answer("{}\n", page);
    std::ranges::move(contradictions, std::back_inserter(found));
  }
  const Table coverage = coverage_table(answered);
  (void)write_table(coverage, asked.out + "/tables");
  (void)write_table(contradictions_table(found), asked.out + "/tables");
  (void)draw_for_report(row_figures(answered), asked.out + "/figures", missing);
  for (const std::string& sentence : missing) print_note("qb: {}\n", sentence);
  if (answered.size() == 1)
    print_answer("\n{}", reproduced_text(answered[0], found));
  else
    print_answer("\n{}\n{}", contradictions_text(found), table_terminal(coverage));
  const bool wrong_build = !answers_as_recorded(library);
  return wrong_build || std::ranges::any_of(answered, is_wrong_here) ? ExitCode::regression : code;
}

}  // namespace qb
