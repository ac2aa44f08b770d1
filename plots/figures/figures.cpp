// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include "base/status.h"
#include "base/words.h"
#include "plots/frame/declared.h"

namespace qb {
namespace {

enum class Needs { cases, joined_cases, other_tables };

// A figure of a name: a function, or a declaration as JSON.
struct KnownFigure {
  std::string_view name;
  Needs needs;
  Figure (*draw)(const PlottedRun&);
  std::string_view declaration;
  std::string_view says;
};
#define QB_KNOWN_FIGURE(name, needs, says) {#name, Needs::needs, name##_figure, {}, says},
#define QB_KNOWN_PRESET(name, declaration, says) \
  {#name, Needs::joined_cases, nullptr, declaration, says},
constexpr KnownFigure kFigures[] = {QB_FIGURES(QB_KNOWN_FIGURE, QB_KNOWN_PRESET)};
#undef QB_KNOWN_FIGURE
#undef QB_KNOWN_PRESET

const KnownFigure* find_figure(std::string_view name) {
  const auto* const found = std::ranges::find(kFigures, name, &KnownFigure::name);
  return found == std::end(kFigures) ? nullptr : found;
}

DeclaredFigure declaration_of(std::string_view name, const KnownFigure* known) {
  DeclaredFigure declared = read_declared_figure(known == nullptr ? name : known->declaration);
  if (known != nullptr) declared.name = name;
  return declared;
}

std::string subtitle(const CsvTable& cases, Provenance provenance) {
  // A model's numbers are the same wherever it is computed.
  if (all_modelled(cases)) provenance.machine.clear();
  return listed({shared_parameters(all_rows(cases)), oversubscription(cases, provenance.cores),
                 repeats(cases), provenance_line(provenance)},
                "; ");
}

// Names a run and the cases that are drawn, also those of the runs beside it.
std::string joined_subtitle(const CsvTable& cases, const PlottedRun& run) {
  const std::vector<std::string> names = run_names(run);
  std::string out = subtitle(cases, run.provenance);
  for (std::size_t i = 0; i < run.beside.size(); ++i) {
    Provenance origin = run.beside[i].provenance;
    if (origin.machine == run.provenance.machine) origin.machine.clear();  // named once
    // Another program is named by its kernel.
    const CsvTable& own = run.beside[i].cases;
    const std::string kernel = own.size() == 0 ? "" : own.text(0, "kernel");
    out += fmt::format("; beside it {} ({})",
                       kernel_name(kernel) == kernel ? names[i + 1] : kernel_name(kernel),
                       provenance_line(origin));
  }
  return out;
}

// `unasked`: nobody named it.
Figure draw(std::string_view name, const PlottedRun& run, bool unasked) {
  const KnownFigure* const known = find_figure(name);
  if (known == nullptr && !is_declared(name))
    throw UsageError(unknown_word("figure", name, kFigureNames));
  const bool joined = shows_runs_beside(name) && run.has_cases() && !run.beside.empty();
  PlottedRun all = run;
  if (joined) all.cases = joined_cases(run);
  const bool of_cases = known == nullptr || known->needs != Needs::other_tables;
  Figure figure;
  if (of_cases && !run.has_cases())
    figure = empty_figure("", "the run folder has no cases.csv");
  else
    figure = is_declared(name) ? declared_figure(declaration_of(name, known), all, unasked)
                               : known->draw(all);
  if (known != nullptr || figure.name.empty()) figure.name = name;
  if (figure.finding.empty() && known != nullptr) figure.finding = known->says;
  if (run.has_cases() && all_modelled(run.cases)) figure.finding = "Modelled. " + figure.finding;
  if (!figure.subtitle.empty()) figure.notes.push_back("Drawn: " + figure.subtitle + '.');
  order_by_need(figure.notes);
  figure.subtitle = joined ? joined_subtitle(all.cases, run) : subtitle(run.cases, run.provenance);
  return figure;
}

}  // namespace

bool is_declared(std::string_view figure) {
  const KnownFigure* const known = find_figure(figure);
  return known == nullptr ? figure.starts_with('{') : known->draw == nullptr;
}

bool shows_runs_beside(std::string_view figure) {
  const KnownFigure* const known = find_figure(figure);
  return known == nullptr || known->needs == Needs::joined_cases;
}

std::vector<Figure> figures_of_run(const PlottedRun& run, std::vector<std::string> names) {
  if (names.empty()) names = run.provenance.figures;
  const bool named = !names.empty();
  if (!named) names.assign(std::begin(kFigureNames), std::end(kFigureNames));
  std::vector<Figure> figures;
  for (const std::string& name : names) {
    Figure figure = draw(name, run, !named);
    if (named || figure.empty_reason.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace qb
