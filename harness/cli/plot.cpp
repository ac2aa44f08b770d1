// `qb plot RUN`: draws the figures of a run folder.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/csv.h"
#include "harness/cli/verb.h"
#include "harness/files/files.h"
#include "plots/gnuplot.h"
#include "plots/run_figures.h"

namespace qb {
namespace {

constexpr const char* kFooter =
    R"(Each figure is NAME.csv (every plotted number), NAME.gp (gnuplot NAME.gp draws it again) and NAME.svg,
.pdf and .png. Without --figure, those that the spec names, or else all that the run has data for.
Published numbers of CQS-Attention's case study 2 are drawn beside a run of its shape; --published
draws another file of the same columns.

Figures: memory_summary wall_clock speed_up peak_memory memory_timeline responsibility_ratio partition

Examples:
  qb plot results/smoke/latest
  qb plot results/case_study_2/latest --figure wall_clock --figure speed_up --out paper_figures)";

struct PlotWords {
  std::string run;
  std::vector<std::string> figures;
  std::string out;
  std::string published;
};

ExitCode plot(const PlotWords& words) {
  const PlottedRun run = read_plotted_run(words.run);
  std::optional<CsvTable> published;
  if (!words.published.empty())
    published = CsvTable::parse(read_file(words.published), words.published);
  const std::string out =
      words.out.empty() ? (std::filesystem::path(words.run) / "figures").string() : words.out;
  const std::vector<Figure> figures =
      figures_of_run(run, {words.figures, published ? &*published : nullptr});
  bool drawn = false;
  for (const Figure& figure : figures) {
    if (!figure.empty_reason.empty()) {
      fmt::print(stderr, "qb: no figure {}: {}\n", figure.name, figure.empty_reason);
      continue;
    }
    for (const std::string& path : write_figure(figure, out)) fmt::print("{}\n", path);
    drawn = true;
  }
  if (!drawn) throw UsageError(fmt::format("{}: nothing to draw", words.run));
  fmt::print("{}\n", write_provenance(run.provenance, out));
  return ExitCode::ok;
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("plot", "Draw the figures of a run");
  verb->footer(kFooter);
  const auto words = std::make_shared<PlotWords>();
  verb->add_option("RUN", words->run, "Run folder")->required();
  verb->add_option("--figure", words->figures, "Figure to draw; may be given several times")
      ->expected(1)
      ->take_all();
  verb->add_option("--out", words->out, "Folder for the figures; default RUN/figures");
  verb->add_option("--published", words->published,
                   "CSV of published numbers to draw beside the run, whatever its shape");
  verb->callback([&action, words] { action = [words] { return plot(*words); }; });
}

}  // namespace qb
