// The list of a run's figures, by name. What `figures:` of a spec may name, what `qb plot` draws
// and which functions plots/figures/ declares are made from it, so that a spec which names an
// unknown figure fails at its line although the reader of specs does not include the plots. Figures
// without names in a spec or on the command line are drawn in this order.
#pragma once

#include <string_view>

namespace qb {

// What a figure needs of a run folder.
enum class FigureOf {
  cases,         // cases.csv
  joined_cases,  // cases.csv, and those of the runs beside it
  other_tables,  // the tables that its own file names
  plan_tables,   // such tables that follow from plans, whatever the machine
};

// FIGURE(name, needs): name_figure() draws it.
#define QB_FIGURES(FIGURE)                   \
  FIGURE(memory_summary, cases)              \
  FIGURE(wall_clock, cases)                  \
  FIGURE(speed_up, cases)                    \
  FIGURE(throughput, joined_cases)           \
  FIGURE(peak_memory, cases)                 \
  FIGURE(memory_timeline, cases)             \
  FIGURE(responsibility_ratio, plan_tables)  \
  FIGURE(partition, plan_tables)             \
  FIGURE(kernel_peak_fraction, other_tables) \
  FIGURE(cqs_overhead, other_tables)         \
  FIGURE(scheme_comparison, cases)           \
  FIGURE(scheme_map, cases)                  \
  FIGURE(ttft_miss_rate, cases)              \
  FIGURE(exposed_split, cases)               \
  FIGURE(decode_attention, cases)            \
  FIGURE(gantt, cases)                       \
  FIGURE(work_per_round, cases)              \
  FIGURE(striped_speed_up, cases)            \
  FIGURE(exposed_communication, cases)       \
  FIGURE(exposed_time, cases)                \
  FIGURE(model_residual, cases)              \
  FIGURE(layer_shares, cases)                \
  FIGURE(layer_time, cases)                  \
  FIGURE(layer_memory, cases)                \
  FIGURE(sparse_attention, joined_cases)     \
  FIGURE(worker_skew, cases)                 \
  FIGURE(distillation_gain, cases)           \
  FIGURE(sparse_stages, cases)               \
  FIGURE(sparse_ablation, cases)             \
  FIGURE(scaling, cases)                     \
  FIGURE(longest_context, cases)             \
  FIGURE(time_memory, cases)                 \
  FIGURE(ttft_nodes, cases)                  \
  FIGURE(selector_regret, cases)             \
  FIGURE(kernel_error, joined_cases)         \
  FIGURE(kernel_bars, joined_cases)          \
  FIGURE(scheme_passes, cases)               \
  FIGURE(gradient_error, cases)

#define QB_FIGURE_NAME(name, needs) #name,
inline constexpr std::string_view kFigureNames[] = {QB_FIGURES(QB_FIGURE_NAME)};
#undef QB_FIGURE_NAME

}  // namespace qb
