// SPDX-License-Identifier: Apache-2.0
// The list of a run's figures, by name. What `figures:` of a spec may name, what `qb plot` draws
// and which functions plots/figures/ declares are made from it, so that a spec which names an
// unknown figure fails at its line although the reader of specs does not include the plots. Figures
// without names in a spec or on the command line are drawn in this order.
#pragma once

#include <string_view>

namespace qb {

// FIGURE(name, needs, says): name_figure() draws it, from cases.csv, also of the runs beside it
// (joined_cases), or from other tables; `says` is one sentence for `qb plot --list`.
// clang-format off
#define QB_FIGURES(FIGURE) \
  FIGURE(wall_clock, cases, "Time against N, a line for each worker count or operator.") \
  FIGURE(speed_up, cases, "Speed-up over one worker against N, as the paper defines it and by the critical path.") \
  FIGURE(throughput, joined_cases, "Achieved FLOP/s against N, a line for each kernel and type.") \
  FIGURE(peak_memory, cases, "Peak memory against N, a line for each worker count.") \
  FIGURE(memory_timeline, cases, "Active memory over the time of a case.") \
  FIGURE(scheme_comparison, cases, "Times, bytes and memory of all schemes against W.") \
  FIGURE(scheme_map, cases, "Which scheme is the fastest for each link and length.") \
  FIGURE(ttft_miss_rate, cases, "Time to first token of pass_q over that of pass_kv, by the miss rate of the cache.") \
  FIGURE(decode_attention, cases, "Time of a decode step and its parts by W, beside its base of one worker.") \
  FIGURE(gantt, cases, "What each worker does when: computing, communicating, waiting.") \
  FIGURE(work_per_round, cases, "Pairs of the least and of the most busy worker in each round.") \
  FIGURE(striped_speed_up, cases, "Speed-up of striped and zigzag over contiguous rings against the tokens of a worker.") \
  FIGURE(exposed_time, cases, "Exposed communication over what its bytes take on the link, against the bandwidth.") \
  FIGURE(model_residual, cases, "Measured over modelled time minus one, for each algorithm.") \
  FIGURE(layer_shares, cases, "Share of each part in the time of a transformer layer against N.") \
  FIGURE(sparse_attention, joined_cases, "Time of sparse patterns against N, and over the ideal time.") \
  FIGURE(distillation_gain, cases, "Times of published and balanced self-distillation against W.") \
  FIGURE(efficiency, cases, "FLOP/s of one of W workers over those of one base: strong and weak scaling.") \
  FIGURE(mfu, cases, "Model FLOP utilisation against W: the FLOP/s of all workers over the peak of their devices.") \
  FIGURE(worker_time, cases, "Where the time of the worker that ends last goes, by scheme and W.") \
  FIGURE(bytes_by_workers, cases, "Bytes that a device sends against W, forward and backward.") \
  FIGURE(device_memory, cases, "Memory of one device against N for each scheme, below the memory of two GPUs.") \
  FIGURE(pareto, cases, "Time of operators against their distance to exact attention, a mark each.") \
  FIGURE(roofline, other_tables, "Speed of single kernels under the measured ceilings of products and memory, and their shares of these against N, from microbench.csv.") \
  FIGURE(error_by_workers, cases, "Relative L2 error of O against W, by type.") \
  FIGURE(longest_context, cases, "The longest sequence that a memory budget holds, for each scheme.") \
  FIGURE(kernel_bars, joined_cases, "Speed of kernels over that of another program, or in FLOP/s, of a GPU beside published ones.") \
  FIGURE(gradient_error, cases, "Relative L2 error of dQ, dK and dV at the longest sequence.") \
  FIGURE(score_error, cases, "Relative L2 error of O against the size of the scores, by how LSE travels.")
// clang-format on

#define QB_FIGURE_NAME(name, needs, says) #name,
inline constexpr std::string_view kFigureNames[] = {QB_FIGURES(QB_FIGURE_NAME)};
#undef QB_FIGURE_NAME

#define QB_FIGURE_SENTENCE(name, needs, says) says,  // in the order of kFigureNames
inline constexpr std::string_view kFigureSentences[] = {QB_FIGURES(QB_FIGURE_SENTENCE)};
#undef QB_FIGURE_SENTENCE

}  // namespace qb
