#include "plots/figures/figures.h"

#include <fmt/format.h>

#include "base/status.h"
#include "base/words.h"
#include "plots/published/published.h"

namespace qb {
namespace {

struct KnownFigure {
  std::string_view name;
  FigureOf needs;
  Figure (*draw)(const PlottedRun&, const FigureContext&);
};
#define QB_KNOWN_FIGURE(name, needs) {#name, FigureOf::needs, name##_figure},
constexpr KnownFigure kFigures[] = {QB_FIGURES(QB_KNOWN_FIGURE)};
#undef QB_KNOWN_FIGURE

const KnownFigure* find_figure(std::string_view name) {
  const auto* const found = std::ranges::find(kFigures, name, &KnownFigure::name);
  return found == std::end(kFigures) ? nullptr : found;
}

std::string subtitle(const CsvTable& cases, Provenance provenance) {
  // A model's numbers are the same wherever it is computed.
  if (all_modelled(cases)) provenance.machine.clear();
  return listed({shared_parameters(cases), provenance_line(provenance)}, "; ");
}

// Draws a figure that also shows the cases of the runs beside it.
Figure draw_joined(const KnownFigure& figure, const PlottedRun& run, FigureContext context) {
  const PlottedRun joined(joined_cases(run));
  const std::vector<std::string> names = run_names(run);
  context.subtitle = subtitle(joined.cases, run.provenance);
  for (std::size_t i = 0; i < run.beside.size(); ++i) {
    Provenance origin = run.beside[i].provenance;
    if (origin.machine == run.provenance.machine) origin.machine.clear();  // named once
    context.subtitle += fmt::format("; beside it {} ({})", names[i + 1], provenance_line(origin));
  }
  return figure.draw(joined, context);
}

Figure draw(std::string_view name, const PlottedRun& run, const FigureContext& context) {
  const KnownFigure* const known = find_figure(name);
  if (known == nullptr) throw UsageError(unknown_word("figure", name, kFigureNames));
  Figure figure = known->needs != FigureOf::other_tables && !run.has_cases()
                      ? empty_figure("", "the run folder has no cases.csv")
                  : known->needs == FigureOf::joined_cases ? draw_joined(*known, run, context)
                                                           : known->draw(run, context);
  figure.name = name;
  return figure;
}

}  // namespace

bool shows_runs_beside(std::string_view figure) {
  const KnownFigure* const known = find_figure(figure);
  return known != nullptr && known->needs == FigureOf::joined_cases;
}

std::vector<Figure> figures_of_run(const PlottedRun& run, const FigureChoice& choice) {
  std::vector<std::string> names = choice.names.empty() ? run.provenance.figures : choice.names;
  const bool named = !names.empty();
  if (!named) names.assign(std::begin(kFigureNames), std::end(kFigureNames));
  FigureContext context{.subtitle = subtitle(run.cases, run.provenance),
                        .published = &published_case_study_2(),
                        .machine_memory_bytes = run.provenance.memory_bytes};
  if (choice.published != nullptr) {
    context.published = choice.published;
    context.published_for_any_shape = true;
  }
  std::vector<Figure> figures;
  for (const std::string& name : names) {
    Figure figure = draw(name, run, context);
    if (named || figure.empty_reason.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace qb
