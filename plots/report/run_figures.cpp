#include "plots/report/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/schema/column_fields.h"
#include "base/schema/parameter_fields.h"
#include "base/status.h"
#include "base/words.h"
#include "plots/figures/figures.h"
#include "plots/frame/case_series.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr const char* kNoMicrobench = "the run folder has no microbench.csv";
constexpr const char* kNoSteps = "the run folder has no steps.csv";

const CsvTable* pointer(const std::optional<CsvTable>& table) { return table ? &*table : nullptr; }

std::string subtitle(const CsvTable& cases, Provenance provenance) {
  // A model's numbers are the same wherever it is computed.
  if (all_modelled(cases)) provenance.machine.clear();
  const std::string shared = shared_parameters(cases);
  const std::string origin = provenance_line(provenance);
  return shared.empty() || origin.empty() ? shared + origin : fmt::format("{}; {}", shared, origin);
}

Figure memory_summary(const PlottedRun& run, const FigureContext& context) {
  return memory_summary_figure(run.cases, pointer(run.subsequences), context);
}
// Names of runs for people: run ids, or their folders where two runs share one.
std::vector<std::string> run_names(const PlottedRun& run) {
  std::vector<const PlottedRun*> runs = {&run};
  for (const PlottedRun& other : run.beside) runs.push_back(&other);
  std::vector<std::string> names;
  for (const PlottedRun* one : runs) {
    const std::string& id = one->provenance.run_id;
    const bool unique = std::count_if(runs.begin(), runs.end(), [&](const PlottedRun* other) {
                          return other->provenance.run_id == id;
                        }) == 1;
    names.push_back(id.empty() || !unique ? one->path : id);
  }
  return names;
}

// Of a figure that shows the cases of the runs beside it too.
template <Figure (*draw)(const CsvTable&, const FigureContext&)>
Figure of_joined_cases(const PlottedRun& run, const FigureContext& context) {
  const std::vector<std::string> names = run_names(run);
  std::vector<NamedCases> runs = {{names[0], &run.cases}};
  std::string beside;
  for (std::size_t i = 0; i < run.beside.size(); ++i) {
    runs.push_back({names[i + 1], &run.beside[i].cases});
    Provenance origin = run.beside[i].provenance;
    if (origin.machine == run.provenance.machine) origin.machine.clear();  // said once
    beside += fmt::format("; beside it {} ({})", names[i + 1], provenance_line(origin));
  }
  const CsvTable joined = join_runs(runs);
  FigureContext own = context;
  own.subtitle = subtitle(joined, run.provenance) + beside;
  return draw(joined, own);
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

Figure kernel_peak_fraction(const PlottedRun& run, const FigureContext& context) {
  if (!run.microbench) return empty_figure("kernel_peak_fraction", "", kNoMicrobench);
  return kernel_peak_fraction_figure(*run.microbench, context);
}
Figure cqs_overhead(const PlottedRun& run, const FigureContext& context) {
  if (!run.microbench) return empty_figure("cqs_overhead", "", kNoMicrobench);
  return cqs_overhead_figure(*run.microbench, context);
}

Figure gantt(const PlottedRun& run, const FigureContext& context) {
  if (!run.steps) return empty_figure("gantt", "", kNoSteps);
  return gantt_figure(run.cases, *run.steps, context);
}

Figure work_per_round(const PlottedRun& run, const FigureContext& context) {
  if (!run.steps) return empty_figure("work_per_round", "", kNoSteps);
  return work_per_round_figure(run.cases, *run.steps, context);
}

// Of a figure of the parts of layers.
template <Figure (*draw)(const CsvTable&, const CsvTable&, const FigureContext&)>
Figure of_parts(const PlottedRun& run, const FigureContext& context) {
  static const CsvTable none({"case_id", "repeat", "warmup", "part", "flop", "time_s"});
  return draw(run.cases, run.parts ? *run.parts : none, context);
}

using Maker = Figure (*)(const PlottedRun&, const FigureContext&);

// Of a figure that is drawn from cases.csv alone.
template <Figure (*draw)(const CsvTable&, const FigureContext&)>
Figure of_cases(const PlottedRun& run, const FigureContext& context) {
  return draw(run.cases, context);
}
struct KnownFigure {
  std::string_view name;
  Maker make;
  bool of_cases;  // drawn from cases.csv
};
constexpr auto kFigures = std::to_array<KnownFigure>({
    {"memory_summary", memory_summary, true},
    {"wall_clock", of_cases<wall_clock_figure>, true},
    {"speed_up", of_cases<speed_up_figure>, true},
    {"throughput", of_joined_cases<throughput_figure>, true},
    {"peak_memory", of_cases<peak_memory_figure>, true},
    {"memory_timeline", memory_timeline, true},
    {"responsibility_ratio", responsibility_ratio, false},
    {"partition", partition, false},
    {"kernel_peak_fraction", kernel_peak_fraction, false},
    {"cqs_overhead", cqs_overhead, false},
    {"scheme_comparison", of_cases<scheme_comparison_figure>, true},
    {"scheme_map", of_cases<scheme_map_figure>, true},
    {"ttft_miss_rate", of_cases<ttft_miss_rate_figure>, true},
    {"exposed_split", of_cases<exposed_split_figure>, true},
    {"decode_attention", of_cases<decode_attention_figure>, true},
    {"gantt", gantt, true},
    {"work_per_round", work_per_round, true},
    {"striped_speed_up", of_cases<striped_speed_up_figure>, true},
    {"exposed_communication", of_cases<exposed_communication_figure>, true},
    {"exposed_time", of_cases<exposed_time_figure>, true},
    {"model_residual", of_cases<model_residual_figure>, true},
    {"layer_shares", of_parts<layer_shares_figure>, true},
    {"layer_time", of_parts<layer_time_figure>, true},
    {"layer_memory", of_cases<layer_memory_figure>, true},
    {"sparse_attention", of_joined_cases<sparse_attention_figure>, true},
    {"worker_skew", of_cases<worker_skew_figure>, true},
    {"distillation_gain", of_cases<distillation_gain_figure>, true},
    {"product_speed_up", of_cases<product_speed_up_figure>, true},
    {"sparse_stages", of_cases<sparse_stages_figure>, true},
    {"sparse_ablation", of_cases<sparse_ablation_figure>, true},
});

Figure make_figure(std::string_view name, const PlottedRun& run, const FigureContext& context) {
  const auto known = std::find_if(kFigures.begin(), kFigures.end(),
                                  [&](const KnownFigure& figure) { return figure.name == name; });
  if (known == kFigures.end()) throw UsageError(unknown_word("figure", name, figure_names()));
  if (known->of_cases && !run.has_cases())
    return empty_figure(std::string(name), "", "the run folder has no cases.csv");
  return known->make(run, context);
}

CsvTable read_table(const std::filesystem::path& path) {
  return CsvTable::parse(read_file(path.string()), path.string());
}

// Throws UsageError on a table that another version of qb wrote.
CsvTable read_cases(const std::filesystem::path& path) {
  CsvTable cases = read_table(path);
  const auto require = [&](const auto& fields) {
    for (const Field& field : fields)
      if (!cases.has(field.column))
        throw UsageError(
            fmt::format("{} has no column {}: another version of qb wrote it, and "
                        "this one draws schema {}",
                        path.string(), field.column, kSchemaVersion));
  };
  require(kIdentityFields);
  require(kParameterFields);
  require(kResultFields);
  return cases;
}

std::optional<CsvTable> read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return read_table(path);
}

}  // namespace

PlottedRun read_plotted_run(const std::string& path) {
  const std::filesystem::path folder(path);
  if (!std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("{}: no such run folder", path));
  const std::filesystem::path manifest = folder / "manifest.json";
  if (!std::filesystem::exists(manifest))
    throw UsageError(fmt::format("{}: no run folder, it has no manifest.json", path));
  std::optional<CsvTable> microbench = read_if_there(folder / "microbench.csv");
  // A folder of microbenchmarks alone has no cases, any other must have them.
  const bool no_cases = microbench && !std::filesystem::exists(folder / "cases.csv");
  return {path,
          read_provenance(read_file(manifest.string()), manifest.string()),
          no_cases ? CsvTable() : read_cases(folder / "cases.csv"),
          std::move(microbench),
          read_if_there(folder / "memory_timeline.csv"),
          read_if_there(folder / "subsequences.csv"),
          read_if_there(folder / "responsibility_ratio.csv"),
          read_if_there(folder / "partition.csv"),
          read_if_there(folder / "steps.csv"),
          read_if_there(folder / "parts.csv"),
          {}};
}

bool shows_runs_beside(std::string_view figure) {
  return figure == "throughput" || figure == "sparse_attention";
}

std::span<const std::string_view> figure_names() {
  static const auto names = [] {
    std::array<std::string_view, kFigures.size()> out;
    std::transform(kFigures.begin(), kFigures.end(), out.begin(),
                   [](const KnownFigure& figure) { return figure.name; });
    return out;
  }();
  return names;
}

std::vector<Figure> figures_of_run(const PlottedRun& run, const FigureChoice& choice) {
  std::vector<std::string> names = choice.names.empty() ? run.provenance.figures : choice.names;
  const bool named = !names.empty();
  if (!named) names.assign(figure_names().begin(), figure_names().end());
  FigureContext context{.subtitle = subtitle(run.cases, run.provenance),
                        .published = &published_case_study_2(),
                        .machine_memory_bytes = run.provenance.memory_bytes};
  if (choice.published != nullptr) {
    context.published = choice.published;
    context.published_for_any_shape = true;
  }
  std::vector<Figure> figures;
  for (const std::string& name : names) {
    Figure figure = make_figure(name, run, context);
    if (named || figure.empty_reason.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace qb
