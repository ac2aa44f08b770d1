// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <filesystem>
#include <future>
#include <set>

#include "base/files.h"
#include "base/status.h"
#include "plots/draw/draw.h"

namespace qb {
namespace {

// A larger table of plotted numbers is left to the CSV that `qb plot` writes.
constexpr std::size_t kMostInlineCsv = 256 * 1024;

Report::Section times_section(const CsvTable& cases) {
  const Rows rows = all_rows(cases);
  const Rows layers = where(rows, "workload", {"transformer_layer"});
  return {
      .title = "What the times mean",
      .paragraphs =
          {"Every case is checked against a float64 reference before it is timed, and only cases "
           "with status ok have times. Warm-ups are not counted. Intervals are order statistics of "
           "the repeats: 95 % for the median, or the whole range of fewer than six.",
           !rows.empty() && layers == rows
               ? "Longest subsequence: the attention kernel of the layer. Critical path, worker "
                 "sum and wall clock are of the whole layer."
               : "Longest subsequence: kernel time of the worker that holds most tokens. "
                 "CQS-Attention's published speed-up S divides the time of the whole sequence by "
                 "it, without transfers and merge. Critical path: gather, compute and merge of the "
                 "slowest worker, or the sum over rounds of the slowest worker; with serial ranks "
                 "one device computes the workers in turn, each alone. Worker sum: all workers. "
                 "Wall clock: the whole call."},
      .folded = true};
}

Report::Section again_section(const PlottedRun& run) {
  Report::Section section{.title = "Run and draw it again", .folded = true};
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
      fmt::format("qb run {0}/spec.resolved.yaml\nqb verify {0}\n"
                  "qb plot {0} --figure NAME --width 3.5in  # PDF for a paper's column",
                  run.path));
  if (std::filesystem::is_directory(run.path + "/traces"))
    section.paragraphs.push_back(
        fmt::format("{}/traces has the memory of each case over time: NAME.trace.json for "
                    "https://ui.perfetto.dev, NAME.pickle for https://pytorch.org/memory_viz.",
                    run.path));
  return section;
}

// Draws figures as SVG. A look that need not fit leaves figures without room out.
std::vector<std::string> drawings(const std::vector<Figure>& figures, const std::string& folder,
                                  const std::vector<std::string>& look, bool fits) {
  try {
    (void)write_figures(figures, folder, {.formats = {"svg"}, .words = look});
  } catch (const UsageError& refused) {
    if (fits)
      throw EnvironmentError(refused.what());  // nobody asked for a look that could be wrong
  }
  std::vector<std::string> svgs;
  for (const Figure& figure : figures) {
    const std::string path = fmt::format("{}/{}.svg", folder, figure.name);
    svgs.push_back(std::filesystem::exists(path) ? read_text(path) : "");
  }
  return svgs;
}

// Names what the times are of, the modelled devices in place of this machine if all are modelled,
// and what all cases share.
std::string head_line(const PlottedRun& run) {
  Provenance head = run.provenance;
  const Rows rows = where(all_rows(run.cases), ran);
  if (!rows.empty() && count(rows, modelled) == rows.size()) {
    std::set<std::string> devices;
    for (const Row& row : rows)
      devices.insert("model of " + named_value("model_device", row.text("model_device")));
    head.machine = listed({devices.begin(), devices.end()});
  }
  return listed({provenance_line(head), shared_parameters(all_rows(run.cases)),
                 oversubscription(run.cases, run.provenance.cores), repeats(run.cases)},
                "; ");
}

Report::Section settings_section(const PlottedRun& run) {
  Table table{.name = "environment", .title = "Machine and build", .header = {"fact", "value"}};
  for (const auto& [name, value] : run.provenance.facts) table.rows.push_back({name, value});
  Table shards{.name = "shards",
               .title = "Shards",
               .header = {"shard", "node", "machine", "predicted (s)", "calibration (s)"},
               .rows = run.provenance.shards};
  return {.title = "Settings and machine",
          .paragraphs = joined_notes({{run.provenance.description, head_line(run)}}),
          .tables = {std::move(shards), std::move(table)},
          .folded = true};
}

}  // namespace

std::vector<Report::Picture> draw_for_report(const std::vector<Figure>& figures,
                                             const std::string& directory,
                                             std::vector<std::string>& missing) {
  std::vector<Report::Picture> drawn;
  std::vector<Figure> shown;
  for (const Figure& figure : figures)
    if (figure.empty_reason.empty())
      shown.push_back(figure);
    else
      missing.push_back(fmt::format("No figure {}: {}.", figure.name, figure.empty_reason));
  // Both at once. A phone has drawings of its own, since text would be too small if it was scaled.
  std::vector<std::string> narrow;
  auto phone = std::async(std::launch::async, [&] {
    in_temporary_folder([&](const std::string& folder) {
      narrow = drawings(shown, folder, {"--width", "3.5in"}, false);
    });
  });
  const std::vector<std::string> broad = drawings(shown, directory, {"--style", "web"}, true);
  phone.get();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Report::Picture picture{.name = shown[i].name,
                            .title = shown[i].title,
                            .svg = broad[i],
                            .narrow = narrow[i],
                            .finding = shown[i].finding,
                            .notes = shown[i].notes,
                            .provenance = shown[i].subtitle};
    const std::string csv = figure_csv(shown[i]).to_string();
    if (csv.size() <= kMostInlineCsv) picture.files.push_back({"CSV", data_url("text/csv", csv)});
    drawn.push_back(std::move(picture));
  }
  return drawn;
}

Report run_report(const PlottedRun& run, std::vector<Report::Picture> figures,
                  const std::vector<std::string>& missing) {
  for (Report::Picture& figure : figures) figure.provenance.clear();  // a section has it
  Report report{.title = run.provenance.experiment.empty()
                             ? std::string("A run of QuorumBench")
                             : fmt::format("QuorumBench: {}", run.provenance.experiment),
                .sections = {{.title = "Result", .paragraphs = conclusion(run)}}};
  if (!figures.empty()) {
    report.sections[0].figures.push_back(std::move(figures.front()));
    figures.erase(figures.begin());
  }
  if (!figures.empty() || !missing.empty())
    report.sections.push_back(
        {.title = "Figures", .paragraphs = missing, .figures = std::move(figures)});
  Report::Section tables{.title = "Tables",
                         .paragraphs = remarks(run),
                         .tables = {failed_cases_table(run.cases), cases_table(run.cases)}};
  report.sections.push_back(std::move(tables));
  report.sections.push_back(times_section(run.cases));
  report.sections.push_back(settings_section(run));
  report.sections.push_back(again_section(run));
  for (Report::Section& section : report.sections)
    std::erase_if(section.tables, [](const Table& table) { return table.rows.empty(); });
  return report;
}

}  // namespace qb
