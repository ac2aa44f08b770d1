#include "plots/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "harness/base/status.h"
#include "harness/base/words.h"
#include "harness/files/files.h"
#include "plots/case_series.h"
#include "plots/memory_summary.h"
#include "plots/memory_timeline.h"
#include "plots/partition.h"
#include "plots/peak_memory.h"
#include "plots/published.h"
#include "plots/responsibility_ratio.h"
#include "plots/speed_up.h"
#include "plots/wall_clock.h"

namespace qb {
namespace {

const CsvTable* pointer(const std::optional<CsvTable>& table) { return table ? &*table : nullptr; }

Figure memory_summary(const PlottedRun& run, const FigureContext& context) {
  return memory_summary_figure(run.cases, pointer(run.subsequences), context);
}
Figure wall_clock(const PlottedRun& run, const FigureContext& context) {
  return wall_clock_figure(run.cases, context);
}
Figure speed_up(const PlottedRun& run, const FigureContext& context) {
  return speed_up_figure(run.cases, context);
}
Figure peak_memory(const PlottedRun& run, const FigureContext& context) {
  return peak_memory_figure(run.cases, context);
}
Figure memory_timeline(const PlottedRun& run, const FigureContext& context) {
  if (!run.timeline)
    return empty_figure("memory_timeline", "",
                        "the run has no memory_timeline.csv (measure: {memory_timeline: true})");
  return memory_timeline_figure(run.cases, *run.timeline, context);
}
Figure responsibility_ratio(const PlottedRun& run, const FigureContext& context) {
  if (!run.responsibility)
    return empty_figure("responsibility_ratio", "",
                        "the run folder has no responsibility_ratio.csv (qb sets responsibility "
                        "--csv writes one)");
  return responsibility_ratio_figure(*run.responsibility, &published_interest_table(), context);
}
Figure partition(const PlottedRun& run, const FigureContext&) {
  if (!run.partition)
    return empty_figure("partition", "",
                        "the run folder has no partition.csv; qb plan --picture draws a plan");
  return partition_figure(*run.partition, "Query-key pairs by worker");
}

using Maker = Figure (*)(const PlottedRun&, const FigureContext&);
constexpr std::array<std::pair<std::string_view, Maker>, 7> kFigures = {
    {{"memory_summary", memory_summary},
     {"wall_clock", wall_clock},
     {"speed_up", speed_up},
     {"peak_memory", peak_memory},
     {"memory_timeline", memory_timeline},
     {"responsibility_ratio", responsibility_ratio},
     {"partition", partition}}};

CsvTable read_table(const std::filesystem::path& path) {
  return CsvTable::parse(read_file(path.string()), path.string());
}

std::optional<CsvTable> read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return read_table(path);
}

std::string subtitle(const PlottedRun& run) {
  const std::string shared = shared_parameters(run.cases);
  const std::string origin = provenance_line(run.provenance);
  return shared.empty() || origin.empty() ? shared + origin : fmt::format("{}; {}", shared, origin);
}

}  // namespace

PlottedRun read_plotted_run(const std::string& path) {
  const std::filesystem::path folder(path);
  if (!std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("{}: no such run folder", path));
  const std::filesystem::path manifest = folder / "manifest.json";
  if (!std::filesystem::exists(manifest))
    throw UsageError(fmt::format("{}: no run folder, it has no manifest.json", path));
  return {path,
          read_provenance(read_file(manifest.string()), manifest.string()),
          read_table(folder / "cases.csv"),
          read_if_there(folder / "memory_timeline.csv"),
          read_if_there(folder / "subsequences.csv"),
          read_if_there(folder / "responsibility_ratio.csv"),
          read_if_there(folder / "partition.csv")};
}

std::span<const std::string_view> figure_names() {
  static const auto names = [] {
    std::array<std::string_view, kFigures.size()> out;
    std::transform(kFigures.begin(), kFigures.end(), out.begin(),
                   [](const auto& figure) { return figure.first; });
    return out;
  }();
  return names;
}

std::vector<Figure> figures_of_run(const PlottedRun& run, const FigureChoice& choice) {
  std::vector<std::string> names = choice.names.empty() ? run.provenance.figures : choice.names;
  const bool named = !names.empty();
  if (!named) names.assign(figure_names().begin(), figure_names().end());
  FigureContext context{.subtitle = subtitle(run),
                        .published = &published_case_study_2(),
                        .machine_memory_bytes = run.provenance.memory_bytes};
  if (choice.published != nullptr) {
    context.published = choice.published;
    context.published_for_any_shape = true;
  }
  std::vector<Figure> figures;
  for (const std::string& name : names) {
    const auto found = std::find_if(kFigures.begin(), kFigures.end(),
                                    [&](const auto& figure) { return figure.first == name; });
    if (found == kFigures.end()) throw UsageError(unknown_word("figure", name, figure_names()));
    Figure figure = found->second(run, context);
    if (named || figure.empty_reason.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace qb
