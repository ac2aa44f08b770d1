// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/status.h"
#include "plots/draw/draw.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// A larger table of plotted numbers is left to the CSV that `qb plot` writes.
constexpr std::size_t kMostInlineCsv = 256 * 1024;

// Writes `45 cases: 40 ok, 1 oom, 4 oom_skipped.`
std::string outcome(const CsvTable& cases) {
  const Rows rows = standing_rows(cases);
  std::vector<std::string> parts;
  for (const std::string_view status : all_words<Status>())
    if (const std::size_t found = where(rows, "status", {status}).size(); found > 0)
      parts.push_back(fmt::format("{} {}", found, status));
  return fmt::format("{} case{}: {}.", rows.size(), rows.size() == 1 ? "" : "s", listed(parts));
}

bool splits(const CsvTable& cases) {
  return count(all_rows(cases), [](const Row& row) { return row.number("workers") > 1.0; }) > 0;
}

bool only_layers(const CsvTable& cases) {
  const Rows rows = all_rows(cases);
  return !rows.empty() && where(rows, "workload", {"transformer_layer"}).size() == rows.size();
}

Report::Section times_section(const CsvTable& cases) {
  Report::Section section{
      .title = "What the times mean",
      .paragraphs = {
          "Every case is checked against a float64 reference before it is timed, and only cases "
          "with status ok have times. Warm-ups are recorded and not counted."}};
  if (only_layers(cases))
    section.paragraphs.emplace_back(
        "Longest subsequence: the attention kernel of the layer. Critical path, worker sum and "
        "wall clock are of the whole layer.");
  else
    section.paragraphs.insert(
        section.paragraphs.end(),
        {"Longest subsequence: kernel time of the worker that holds most tokens. CQS-Attention's "
         "published speed-up S divides the time of the whole sequence by it; transfers and the "
         "merge are not in it.",
         "Critical path: gather, compute and merge of the slowest worker where workers are "
         "independent, the sum over rounds of the slowest worker where there are rounds. With "
         "serial ranks it is composed: one device plays the workers one after the other, each "
         "alone.",
         "Worker sum: the same summed over all workers. Wall clock: of the whole call on this "
         "machine."});
  section.paragraphs.emplace_back(
      "Intervals are order statistics of the repeats: 95 % for the median, or the whole range "
      "where there are fewer than six repeats.");
  return section;
}

std::vector<Report::Section> result_sections(const PlottedRun& run,
                                             std::vector<Report::Picture> figures,
                                             const std::vector<std::string>& missing,
                                             const RunContext& context) {
  Report::Section result{.title = "Result", .paragraphs = {outcome(run.cases)}};
  if (run.cases.torn())
    result.paragraphs.emplace_back(
        "The last line of cases.csv is torn (its writer was killed) and left out.");
  if (!run.provenance.description.empty())
    result.paragraphs.insert(result.paragraphs.begin(), run.provenance.description);
  Report::Section pictures{.title = "Figures", .paragraphs = missing};
  if (!figures.empty())
    pictures.paragraphs.push_back(fmt::format(
        "Each is here as SVG, with its numbers as CSV. As PDF in the size of a paper's column: qb "
        "plot {} --figure NAME --width 3.5in",
        run.path));
  if (std::filesystem::is_directory(run.path + "/traces"))
    pictures.paragraphs.push_back(
        fmt::format("{}/traces has the memory of each case over time: NAME.trace.json for "
                    "https://ui.perfetto.dev, NAME.pickle for https://pytorch.org/memory_viz.",
                    run.path));
  pictures.figures = std::move(figures);
  Report::Section tables{.title = "Tables"};
  if (Table table = case_study_2_table(run.cases, published_case_study_2()); !table.rows.empty())
    tables.tables.push_back(std::move(table));
  if (Table table = memory_summary_table(run.cases); !table.rows.empty() && splits(run.cases))
    tables.tables.push_back(std::move(table));
  const SparseCases sparse(run.cases);
  for (Table table : {sparse_attention_table(sparse), sparse_growth_table(sparse)})
    if (!table.rows.empty()) tables.tables.push_back(std::move(table));
  Report::Section failed{.title = "Failed cases"};
  if (Table table = failed_cases_table(run.cases); table.rows.empty())
    failed.paragraphs = {"None: every case ran and was verified."};
  else
    failed.tables.push_back(std::move(table));
  Report::Section all{.title = "All cases", .markup = case_list_html(run.cases, context.files)};
  std::vector<Report::Section> sections = {std::move(result), std::move(pictures)};
  if (!tables.tables.empty()) sections.push_back(std::move(tables));
  sections.insert(sections.end(), context.change.begin(), context.change.end());
  sections.push_back(std::move(failed));
  sections.push_back(std::move(all));
  return sections;
}

Report::Section environment_section(const Provenance& provenance) {
  Table table{.name = "environment", .title = "Machine and build", .header = {"fact", "value"}};
  for (const auto& [name, value] : provenance.facts) table.rows.push_back({name, value});
  return {.title = "Environment",
          .paragraphs = {provenance_line(provenance)},
          .tables = {std::move(table)},
          .folded = true};
}

Report::Section again_section(const PlottedRun& run) {
  Report::Section section{.title = "Run it again"};
  if (!run.provenance.peer.empty()) {
    section.paragraphs = {fmt::format(
        "{} computed this run, at the cases of another, by this command.", run.provenance.peer)};
    section.code = {run.provenance.command};
    return section;
  }
  if (!run.provenance.command.empty()) {
    section.paragraphs = {
        "This run was made by the first command; the second repeats exactly its "
        "cases, from the spec that the run folder keeps."};
    section.code.push_back(run.provenance.command);
  }
  section.code.push_back(
      fmt::format("qb run {}/spec.resolved.yaml\nqb verify {}", run.path, run.path));
  return section;
}

}  // namespace

std::vector<Report::Picture> draw_for_report(const std::vector<Figure>& figures,
                                             const std::string& directory,
                                             std::vector<std::string>& missing) {
  std::vector<Report::Picture> drawn;
  (void)write_findings(figures, directory);
  std::vector<Figure> shown;
  for (const Figure& figure : figures)
    if (figure.empty_reason.empty())
      shown.push_back(figure);
    else
      missing.push_back(fmt::format("No figure {}: {}.", figure.name, figure.empty_reason));
  std::vector<std::vector<std::string>> written;
  try {
    written = write_figures(shown, directory, {.words = {"--style", "web"}});
  } catch (const UsageError& refused) {  // nobody asked for a look that could be wrong
    throw EnvironmentError(refused.what());
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string csv = read_text(written[i][0]);
    Report::Picture picture{shown[i].name, shown[i].title, read_text(written[i][2]),
                            shown[i].finding};
    if (csv.size() <= kMostInlineCsv) picture.files.push_back({"CSV", data_url("text/csv", csv)});
    drawn.push_back(std::move(picture));
  }
  return drawn;
}

namespace {

// Names what the times are of: the modelled devices in place of this machine if all are modelled.
std::string head_line(const PlottedRun& run) {
  Provenance head = run.provenance;
  const Rows rows = where(all_rows(run.cases), ran);
  if (!rows.empty() && count(rows, modelled) == rows.size()) {
    std::set<std::string> devices;
    for (const Row& row : rows)
      devices.insert("model of " + named_value("model_device", row.text("model_device")));
    head.machine = listed({devices.begin(), devices.end()});
  }
  return provenance_line(head);
}

}  // namespace

Report run_report(const PlottedRun& run, std::vector<Report::Picture> figures,
                  const std::vector<std::string>& missing, const RunContext& context) {
  Report report{.title = run.provenance.experiment.empty()
                             ? std::string("A run of QuorumBench")
                             : fmt::format("QuorumBench: {}", run.provenance.experiment),
                .subtitle = head_line(run),
                .sections = result_sections(run, std::move(figures), missing, context)};
  report.sections.push_back(times_section(run.cases));
  report.sections.push_back(environment_section(run.provenance));
  report.sections.push_back(again_section(run));
  return report;
}

}  // namespace qb
