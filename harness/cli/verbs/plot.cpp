// SPDX-License-Identifier: Apache-2.0
// `qb plot RUN`: draws the figures of a run folder.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/json.h"
#include "base/print.h"
#include "base/schema/declared_figure.h"
#include "base/schema/figure_names.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/publish.h"
#include "harness/cli/views/table_form.h"
#include "plots/draw/draw.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kDeclaredFooter =
    R"(
--y draws a figure that the list does not have: values of the cases that --filter keeps, with a
line for each value of --lines and a panel for each of --panels. A speed-up is over the case of one
worker, or of --base. A spec declares such figures under `figures:`.

)";

constexpr const char* kPlotFooter =
    R"(
Each figure is NAME.csv (every plotted number), NAME.json (what is shown; `python3 plots/draw/qbdraw
NAME.json` draws it again), NAME.svg, .pdf and .png, and NAME.py, which draws it and is there to be
edited. Without --figure it draws those that the spec names, or else all that the run has data for.
roofline is drawn from a microbench.csv in the folder, which may then do without cases.csv.

--published draws what papers measured beside a run like theirs, in wall_clock, speed_up,
ttft_miss_rate, striped_speed_up, layer_shares and kernel_bars; other machines took those numbers,
and a note says what compares.

--beside draws another run too, by this program or another: a line for each run in figures of --y
and in those of the list that show values against a parameter, and bars in kernel_bars; the others
show RUN alone.

NAME.tex is the caption of a PDF: what the figure says, and what its marks mean, which the styles
for paper do not draw. --series names entries of the legend.

Examples:
  qb plot results/smoke/latest
  qb plot results/schemes/latest --y device_peak,time --x workers --lines algorithm --log xy
  qb plot results/smoke/latest --figure speed_up --panels 2 --width 3.5in --out paper
  qb plot results/cpu_attention/latest --figure throughput --beside results/cpu_attention/torch
  qb plot results/case_study_2/latest --figure wall_clock --figure speed_up --out paper_figures)";

struct PlotWords {
  std::string run;
  std::vector<std::string> figures;
  std::vector<std::string> beside;
  std::string out;
  std::vector<std::string> filters;
  std::vector<std::string> series;
  std::vector<std::string> colours;
  nlohmann::ordered_json declared = nlohmann::ordered_json::object();
  std::vector<std::string> base;
  DrawOptions draw;
  bool published = false;
  bool list = false;
};

std::string figure_list() {
  std::string out;
  for (std::size_t i = 0; i < std::size(kFigureNames); ++i)
    out += fmt::format("  {:<22} {}\n", kFigureNames[i], kFigureSentences[i]);
  return out;
}

std::string plot_footer() {
  const std::string names = "Figures (--list describes them): " + join(kFigureNames, " ");
  std::string out;
  for (const std::string& line : wrap_text(names, 100)) out += line + '\n';
  out += kDeclaredFooter + value_list(true) + "\n--bound draws a limit too:\n";
  for (const FigureBound& bound : kFigureBounds)
    out += fmt::format("  {:<17} {}\n", bound.word, bound.meaning);
  return out + kPlotFooter;
}

// The keys of a declaration; --panels takes numbers too, which the renderer reads.
void add_declaration(Verb verb, PlotWords& words) {
  constexpr const char* kParts[][3] = {
      {"y", "VALUES", "Draws a figure of VALUE[,VALUE], each in panels of its own."},
      {"x", "KEY", "Puts this parameter or value on the x axis (default: n_tokens)."},
      {"lines", "KEYS", "Draws a line for each value of KEY[,KEY] (default: all that differ)."},
      {"panels", "KEYS", "Draws a panel for each value of KEY[,KEY]; 1,3: these panels alone."},
      {"log", "AXES", "Makes these axes logarithmic: x, y, xy, none."},
      {"bound", "WORD", "Draws this limit too."},
      {"name", "NAME", "Names the files (default: VALUE_by_KEY)."}};
  for (const auto& part : kParts)
    verb.add_text(fmt::format("--{}", part[0]), part[1], part[2],
                  [&words, key = std::string(part[0])](const std::string& text) {
                    if (key == "panels" && text.find_first_not_of("0123456789,") == text.npos)
                      words.draw.words.insert(words.draw.words.end(), {"--panels", text});
                    else
                      words.declared[key] = text;
                  });
  verb.add_repeated("--base", words.base, "Divides by the case with KEY=VALUE.");
}

// How the pictures look. What is not read here the renderer reads (plots/draw/qbdraw --help).
void add_looks(Verb verb, DrawOptions& draw) {
  const auto passed_on = [&](const char* name, const char* value, const std::string& what) {
    verb.add_text(name, value, what, [name, &draw](const std::string& text) {
      draw.words.insert(draw.words.end(), {name, text});
    });
  };
  passed_on("--width", "LENGTH", "Draws 3.5in or 7.16in wide, or as many mm.");
  passed_on("--height", "LENGTH", "Draws as high, 2.2in or as many mm.");
  passed_on("--style", "STYLE",
            "Draws in this style: ieee, acm, neurips, slide, web or a .mplstyle.");
  passed_on("--font-size", "NUMBER", "Sets the size of texts in points.");
  verb.add_text("--format", "FORMATS", "Writes these formats: svg,pdf,png (default), pgf.",
                [&draw](const std::string& text) { draw.formats = names_in(text); });
  passed_on("--dpi", "NUMBER", "Sets the dots per inch of a PNG (default: 300).");
  passed_on("--legend", "PLACE", "Puts all names into a legend below, or leaves it out (none).");
  passed_on("--title", "TEXT", "Sets the title; none leaves it out.");
}

PlottedRun read_runs(const PlotWords& words) {
  PlottedRun run = run_to_plot(words.run);
  run.published = words.published;
  for (const std::string& path : words.beside) {
    run.beside.push_back(run_to_plot(path));
    if (!run.beside.back().has_cases())
      throw UsageError(fmt::format("--beside {}: it has no cases.csv to draw", path));
  }
  return run;
}

std::vector<Provenance> drawn_beside(const PlottedRun& run, const std::vector<Figure>& figures) {
  std::vector<Provenance> beside;
  if (run.beside.empty()) return beside;
  const auto shows = [](const Figure& figure) {
    const bool declared = std::ranges::count(kFigureNames, figure.name) == 0;
    return figure.empty_reason.empty() && (declared || shows_runs_beside(figure.name));
  };
  if (std::ranges::none_of(figures, shows)) {
    print_note(
        "qb: --beside is ignored: no figure that shows another run is drawn, such as --figure {}\n",
        *std::ranges::find_if(kFigureNames, shows_runs_beside));
    return beside;
  }
  for (const PlottedRun& other : run.beside) beside.push_back(other.provenance);
  return beside;
}

CsvTable filtered(const CsvTable& cases, const std::vector<std::string>& filters) {
  const std::vector<bool> kept = rows_kept(cases, filters);
  CsvTable table(cases.header());
  for (std::size_t row = 0; row < cases.size(); ++row)
    if (kept[row]) table.append(cases.row(row));
  return table;
}

// The figures that were asked for, as figures_of_run() takes them.
std::vector<std::string> figures_of(const PlotWords& words) {
  nlohmann::ordered_json declared = words.declared;
  for (const std::string& text : words.base) {
    const auto [key, value] = base_parameter(text);
    declared["base"][key] = value;
  }
  if (declared.empty()) return words.figures;
  if (!declared.contains("y"))
    throw UsageError(fmt::format("--{}: only with --y, which says what to show, as in --y time",
                                 declared.begin().key()));
  if (!words.figures.empty())
    throw UsageError(
        fmt::format("--y declares a figure and --figure names another one, {}; give "
                    "one of the two options",
                    words.figures.front()));
  if (!words.filters.empty()) declared["only"] = words.filters;
  return {declared.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

void plot(const PlotWords& words) {
  if (words.list) {
    print_answer(figure_list());
    return;
  }
  if (words.run.empty())
    throw UsageError("name the run folder, as in qb plot results/smoke/latest");
  const std::vector<std::string> asked = figures_of(words);
  PlottedRun run = read_runs(words);
  if (!words.filters.empty()) {
    CsvTable kept = filtered(run.cases, words.filters);
    // A declared figure may divide by a case that it does not show.
    if (!words.declared.contains("y")) run.cases = std::move(kept);
  }
  const std::string out =
      words.out.empty() ? (std::filesystem::path(words.run) / "figures").string() : words.out;
  const std::vector<Figure> figures = figures_of_run(run, asked);
  const std::vector<Provenance> beside = drawn_beside(run, figures);
  std::vector<Figure> drawn;
  for (const Figure& figure : figures) {
    if (figure.empty_reason.empty())
      drawn.push_back(figure);
    else
      print_note("qb: no figure {}: {}\n", figure.name, figure.empty_reason);
  }
  DrawOptions draw = words.draw;
  for (const std::string& name : words.series)
    draw.words.insert(draw.words.end(), {"--series", name});
  for (const std::string& colour : words.colours)
    draw.words.insert(draw.words.end(), {"--colour", colour});
  for (const std::vector<std::string>& paths : write_figures(drawn, out, draw))
    for (const std::string& path : paths) print_answer("{}\n", path);
  if (drawn.empty()) throw UsageError(fmt::format("{}: nothing to draw", words.run));
  print_answer("{}\n", write_provenance(run.provenance, out, beside));
}

}  // namespace

void add_plot(Verb app) {
  auto [verb, words] =
      add_verb<PlotWords>(app, "plot", "Draws the figures of a run.", plot, plot_footer());
  verb.add_option("RUN", words.run, "Names the run folder.");
  verb.add_flag("--list", words.list, "Lists the figures, a sentence each, and draws nothing.");
  verb.add_repeated("--figure", words.figures, "Draws this figure only.");
  verb.add_repeated("--beside", words.beside, "Draws this other run folder too.");
  verb.add_flag("--published", words.published,
                "Draws published numbers too, in the figures that have such.");
  verb.add_option("-o,--out", words.out,
                  "Writes the figures into this folder (default: RUN/figures).");
  verb.add_repeated("--filter", words.filters,
                    "Draws only cases with KEY=VALUE (also !=, <, <=, >, >=); all must hold.");
  verb.add_repeated("--series", words.series, "Draws only this series.");
  verb.add_repeated("--colour", words.colours, "Draws a series in this colour: cqs=#d95f02.");
  add_declaration(verb, words);
  add_looks(verb, words.draw);
}

}  // namespace qb
