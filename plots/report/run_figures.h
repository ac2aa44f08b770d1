// The figures of a run folder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"
#include "plots/frame/provenance.h"

namespace qb {

// What figures, tables and the report read of a run folder.
struct PlottedRun {
  std::string path{};
  Provenance provenance{};
  CsvTable cases{};                          // without columns where the run has none
  std::optional<CsvTable> microbench{};      // repeats of single kernels, see microbench_curves.h
  std::optional<CsvTable> timeline{};        // memory_timeline.csv
  std::optional<CsvTable> subsequences{};    // workers, worker, tokens
  std::optional<CsvTable> responsibility{};  // responsibility_ratio.csv: workers, interest_set, …
  std::optional<CsvTable> partition{};       // rectangles, see partition.h
  std::optional<CsvTable> steps{};           // steps.csv, a row a worker and step
  std::optional<CsvTable> parts{};           // parts.csv, a row a repeat and part of a layer
  std::vector<PlottedRun> beside{};          // whose cases stand in the panels of some figures

  [[nodiscard]] bool has_cases() const { return !cases.header().empty(); }
};

// Needs manifest.json and cases.csv or microbench.csv; throws UsageError where one is missing or no
// table.
[[nodiscard]] PlottedRun read_plotted_run(const std::string& path);

// The names of figures that show the runs beside a run.
[[nodiscard]] bool shows_runs_beside(std::string_view figure);

// memory_summary, wall_clock, speed_up, throughput, …: what `figures:` of a spec may name.
[[nodiscard]] std::span<const std::string_view> figure_names();

struct FigureChoice {
  std::vector<std::string> names{};     // empty: those of the manifest, or if it names none, all
  const CsvTable* published = nullptr;  // the user's own; null: the compiled-in case study 2
};

// Figures in the order of the names. One that the run has no data for comes back empty, with its
// reason, when it was named, and is left out when it was not. Throws UsageError for a name that is
// no figure.
[[nodiscard]] std::vector<Figure> figures_of_run(const PlottedRun& run, const FigureChoice& choice);

}  // namespace qb
