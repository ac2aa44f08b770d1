// SPDX-License-Identifier: Apache-2.0
// The list of a run's figures, by name. What `figures:` of a spec may name, what `qb plot` draws
// and which functions plots/figures/ declares are made from it, so that a spec which names an
// unknown figure fails at its line although the reader of specs does not include the plots. Figures
// without names in a spec or on the command line are drawn in this order.
#pragma once

#include <string_view>

namespace qb {

// FIGURE(name, needs, says): name_figure() draws it, from cases.csv, also of the runs beside it
// (joined_cases), or from other tables. PRESET(name, declaration, says): a declared figure
// (declared_figure.h). `says` is one sentence for `qb plot --list`.
// clang-format off
#define QB_FIGURES(FIGURE, PRESET) \
  PRESET(wall_clock, R"({"y": ["longest_subsequence", "critical_path"], "log": "y"})", "Time against N, of the longest worker and with gather and merge.") \
  PRESET(speed_up, R"({"y": ["paper_speed_up", "speed_up"], "only": "workers>1", "bound": "pairs"})", "Speed-up over one worker against N, as the paper defines it and of the whole.") \
  PRESET(throughput, R"({"y": "achieved_flop_per_s", "panels": ["head_dim", "mask"], "bound": "peak"})", "Achieved FLOP/s against N, beside the measured peak.") \
  PRESET(peak_memory, R"({"y": "device_peak", "bound": "memory"})", "Peak memory of the fullest device against N.") \
  FIGURE(memory_timeline, cases, "Active memory over the time of a case.") \
  PRESET(scheme_comparison, R"({"y": ["imbalance", "device_sent", "device_peak", "time"], "x": "workers", "lines": "algorithm", "only": "workers>1"})", "Pairs, bytes, memory and times of schemes against W.") \
  FIGURE(scheme_map, cases, "Which scheme is the fastest for each link and length.") \
  PRESET(ttft_miss_rate, R"({"y": "speed_up", "x": "miss_rate", "lines": "algorithm", "panels": "workers", "base": {"algorithm": "pass_q"}, "only": "algorithm=pass_kv", "bound": "one"})", "Time to first token of pass_q over that of pass_kv, by the miss rate of the cache.") \
  PRESET(decode_attention, R"({"y": "time", "x": "workers", "lines": "algorithm", "panels": ["kv_len", "batch"], "only": ["algorithm=dense|decode|flash_decoding|tree_decode|helix", "n_tokens<kv_len"]})", "Time of a decode step against W.") \
  FIGURE(gantt, cases, "What each worker does when: computing, communicating, waiting.") \
  FIGURE(work_per_round, cases, "Pairs of the least and of the most busy worker in each round.") \
  PRESET(striped_speed_up, R"({"y": "speed_up", "x": "tokens_per_worker", "lines": "algorithm", "panels": "workers", "base": {"algorithm": "ring"}, "only": ["algorithm=striped|zigzag", "mask=causal", "workers>1"], "bound": "pairs"})", "Speed-up of striped and zigzag over contiguous rings against the tokens of a worker.") \
  PRESET(exposed_time, R"({"y": "exposed_ratio", "x": "link_bandwidth_byte_per_s", "lines": "algorithm", "panels": ["n_tokens", "workers"], "only": "workers>1", "bound": "one"})", "Exposed communication over what its bytes take on the link, against the bandwidth.") \
  FIGURE(model_residual, cases, "Measured over modelled time minus one, for each algorithm.") \
  FIGURE(layer_shares, cases, "Share of each part in the time of a transformer layer against N.") \
  PRESET(sparse_attention, R"({"y": ["time", "over_ideal"], "lines": ["mask", "kernel"], "panels": "device", "log": "y", "bound": "one"})", "Time of sparse patterns against N, and over that of dense attention for as many pairs.") \
  PRESET(distillation_gain, R"({"y": "speed_up", "x": "workers", "lines": "algorithm", "panels": "mask", "base": {"distillation": "published"}, "only": "distillation=balanced", "bound": "pairs"})", "Time with the published self-distillation over that with the balanced one against W.") \
  PRESET(efficiency, R"({"y": "efficiency", "x": "workers", "lines": "algorithm", "panels": ["n_tokens", "mask"], "only": "workers>1", "bound": "one"})", "Speed-up over W against W: strong scaling.") \
  PRESET(weak_scaling, R"({"y": "worker_speed", "x": "workers", "lines": "algorithm", "panels": ["tokens_per_worker", "mask"], "only": "workers>1"})", "FLOP/s of one of W workers against W, each with as many tokens.") \
  PRESET(mfu, R"({"y": "mfu", "x": "workers", "lines": "algorithm", "panels": ["n_tokens", "mask"], "only": "workers>1"})", "Model FLOP utilisation against W: the FLOP/s of all workers over the peak of their devices.") \
  FIGURE(worker_time, cases, "Where the time of the worker that ends last goes, by scheme and W.") \
  PRESET(bytes_by_workers, R"({"y": "device_sent", "x": "workers", "lines": "algorithm", "panels": "pass", "log": "xy", "only": ["workers>1", "pass!=both"]})", "Bytes that a device sends against W, forward and backward.") \
  PRESET(device_memory, R"({"y": "planned_peak", "lines": "algorithm", "panels": "workers", "log": "xy", "bound": "memory"})", "Planned memory of the fullest device against N for each scheme.") \
  PRESET(operators, R"({"y": "time", "lines": ["mixer_operator", "mask"], "panels": "inputs", "only": ["workload=sequence_mixer", "workers=1"]})", "Time of operators in place of attention against N.") \
  FIGURE(pareto, cases, "Time of operators against their distance to exact attention, a mark each.") \
  FIGURE(roofline, other_tables, "Speed of single kernels under the measured ceilings of products and memory, and their shares of these against N, from microbench.csv.") \
  PRESET(error_by_workers, R"({"y": "relative_l2_error", "x": "workers", "lines": "dtype"})", "Relative L2 error of O against W, by type.") \
  FIGURE(longest_context, cases, "The longest sequence that a memory budget holds, for each scheme.") \
  FIGURE(kernel_bars, joined_cases, "Speed of kernels over that of another program, or in FLOP/s, of a GPU beside published ones.") \
  PRESET(gradient_error, R"({"y": ["d_q_relative_l2_error", "d_k_relative_l2_error", "d_v_relative_l2_error"], "x": "algorithm", "lines": "dtype", "only": "gradient_dtype=f32", "log": "y"})", "Relative L2 error of dQ, dK and dV by scheme, a mark for each W.") \
  PRESET(score_error, R"({"y": "relative_l2_error", "x": "typical_score", "lines": ["algorithm", "lse"], "log": "xy"})", "Relative L2 error of O against the size of the scores, by how LSE travels.")
// clang-format on

#define QB_FIGURE_NAME(name, how, says) #name,
inline constexpr std::string_view kFigureNames[] = {QB_FIGURES(QB_FIGURE_NAME, QB_FIGURE_NAME)};
#undef QB_FIGURE_NAME

#define QB_FIGURE_SENTENCE(name, how, says) says,  // in the order of kFigureNames
inline constexpr std::string_view kFigureSentences[] = {
    QB_FIGURES(QB_FIGURE_SENTENCE, QB_FIGURE_SENTENCE)};
#undef QB_FIGURE_SENTENCE

}  // namespace qb
