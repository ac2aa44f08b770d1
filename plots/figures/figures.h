// Every figure of a run, and the few figures that have no run behind them.
//
// A figure is a function from tables to a Figure (plots/frame/figure.h): C++ computes each plotted
// number, gnuplot only draws. Where nothing else is said, `cases` has the columns of cases.csv, and
// a figure that has nothing to draw says why in its empty_reason. Names for specs stand in
// plots/report/run_figures.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// ---- connectivity ------------------------------------------------------------------------------
//
// Which pairs of tokens sparse patterns keep: a square a pattern, queries down, keys across.

// One pattern over n_tokens. `rectangles` has the columns of a partition of one worker (see
// partition_figure()).
struct Connectivity {
  std::string mask{};  // as it is written
  std::int64_t n_tokens = 0;
  double kept_share = 0.0;  // of all pairs
  CsvTable rectangles{};
};

// Name of the figure: sparse_connectivity. Kept pairs in the colour of the pattern, pale where a
// square of tokens has some of them.
[[nodiscard]] Figure connectivity_figure(std::span<const Connectivity> patterns);

// ---- cqs_overhead ------------------------------------------------------------------------------
//
// What splitting attention over the workers of CQS costs in all, against dense attention on the
// same problem and device.

// More than this is what the project calls too much.
inline constexpr double kOverheadLimit = 1.08;

// `microbench` has the columns of microbench.csv; its rows of cqs are drawn, a line a worker count.
[[nodiscard]] Figure cqs_overhead_figure(const CsvTable& microbench, const FigureContext& context);

// ---- decode_attention --------------------------------------------------------------------------
//
// Attention of a decode step against the worker count: wall clock with its computing and exposed
// communication, and relative to one worker beside the published tables.

// Cases of decode, flash_decoding, tree_decode, and of dense on one worker, in which n_tokens
// decode steps in a row end at kv_len keys. `cases` has the columns of cases.csv.
[[nodiscard]] Figure decode_attention_figure(const CsvTable& cases, const FigureContext& context);

// ---- exposed_communication ---------------------------------------------------------------------
//
// What communication computing does not hide, against the bandwidth of the link: where a scheme
// begins to pay for what it sends.

// As a share of the wall clock. A line per algorithm, a panel per N, W and ranks; what the cost
// model says of the same N and W is thin and dashed. Cases over a link without a limit stand at the
// right, apart. Serial cases have no clock that communication could be a share of.
[[nodiscard]] Figure exposed_communication_figure(const CsvTable& cases,
                                                  const FigureContext& context);

// In seconds, beside what each scheme's bytes alone take on the link; of cases that name a
// bandwidth.
[[nodiscard]] Figure exposed_time_figure(const CsvTable& cases, const FigureContext& context);

// ---- exposed_split -----------------------------------------------------------------------------
//
// Where the time of pass_kv and pass_q goes by miss rate: a stacked bar a case, of computing,
// exposed communication and waiting; the published breakdown under it.

//.
[[nodiscard]] Figure exposed_split_figure(const CsvTable& cases, const FigureContext& context);

// ---- gantt -------------------------------------------------------------------------------------
//
// Gantt chart of cases: what each worker does when, a panel a case, all over one range of time.

// `steps` has the columns of steps.csv. A step that has no start_s (the serial executor plays the
// workers one after another) starts when the slowest worker of the step before ended; the others'
// wait is drawn as idle time. Of the
// cases that ran with two workers or more six are drawn, the longest sequences first.
[[nodiscard]] Figure gantt_figure(const CsvTable& cases, const CsvTable& steps,
                                  const FigureContext& context);

// ---- interest_set_figures ----------------------------------------------------------------------
//
// Figures of interest sets: how small they are, how many there are, how even their work is.

// m / sqrt(W) of the smallest known set against W, by its standing, over the proved lower bound.
// `sets`: workers, quorum_size, lower_bound, standing.
[[nodiscard]] Figure set_size_figure(const CsvTable& sets);

// Minimum sets with 0 and 1, and their orbits, against W; below, their size m. `counts`: workers,
// quorum_size, orbits, sets.
[[nodiscard]] Figure set_count_figure(const CsvTable& counts);

// asym-RR / W against W, published and balanced. `table`: that of `qb sets table --distillation
// balanced --csv`.
[[nodiscard]] Figure distillation_figure(const CsvTable& table);

// RR against N for both distillations, a panel for each W (supplement E of CQS-Attention).
// `ratios`: workers, distillation, n_tokens, responsibility_ratio.
[[nodiscard]] Figure distillation_ratio_figure(const CsvTable& ratios);

// 1 - RR / W against N, log-log: what is lost to uneven work as N grows. `ratios` as above.
[[nodiscard]] Figure balance_growth_figure(const CsvTable& ratios);

// ---- kernel_peak_fraction ----------------------------------------------------------------------
//
// How much of the machine's measured ceiling a kernel reaches, against sequence length.

// `microbench` has the columns of microbench.csv: its rows of flash, a line per element type and
// thread count, and those of materialized, thin.
[[nodiscard]] Figure kernel_peak_fraction_figure(const CsvTable& microbench,
                                                 const FigureContext& context);

// ---- layer_memory ------------------------------------------------------------------------------
//
// Peak memory of a transformer layer against N, plain and in blocks.

// A line per kind of layer (mask, blocks).
[[nodiscard]] Figure layer_memory_figure(const CsvTable& cases, const FigureContext& context);

// ---- layer_shares ------------------------------------------------------------------------------
//
// Where the time of a transformer layer goes: the share of each part against N.

// `parts` has the columns of parts.csv. A stacked bar per N, a panel per kind of layer (mask,
// blocks); beside them the published split of the 15-618 project.
[[nodiscard]] Figure layer_shares_figure(const CsvTable& cases, const CsvTable& parts,
                                         const FigureContext& context);

// ---- layer_time --------------------------------------------------------------------------------
//
// Time of a transformer layer against N, and of the attention in it.

// `parts` has the columns of parts.csv. A line per kind of layer (mask, blocks), and dashed the
// attention of the plain ones.
[[nodiscard]] Figure layer_time_figure(const CsvTable& cases, const CsvTable& parts,
                                       const FigureContext& context);

// ---- memory_summary ----------------------------------------------------------------------------
//
// The memory summary of the CQS-Attention demo: how long the workers' subsequences are, since peak
// memory grows with the longest of them.

// First panel: shortest to longest, mean and standard deviation per worker count at the greatest N
// that all of them have, in percent of N. With `subsequences` (columns workers, worker, tokens), a
// panel a worker count with the histogram of its subsequence lengths; `subsequences` may be null.
[[nodiscard]] Figure memory_summary_figure(const CsvTable& cases, const CsvTable* subsequences,
                                           const FigureContext& context);

// Rows of `cases` for the first panel: one a worker count, ascending, all of the same n_tokens.
[[nodiscard]] std::vector<std::size_t> summary_rows(const CsvTable& cases);

// ---- memory_timeline ---------------------------------------------------------------------------
//
// Active memory over time, one worker against many, as in supplement D of CQS-Attention.

// A panel for each of up to four lengths, and in it the fewest and the most workers that have a
// timeline. `cases` and `timeline` have the columns of cases.csv and memory_timeline.csv.
[[nodiscard]] Figure memory_timeline_figure(const CsvTable& cases, const CsvTable& timeline,
                                            const FigureContext& context);

// ---- model_residual ----------------------------------------------------------------------------
//
// How far the cost model is off: measured over modelled wall clock, less one, a mark a case.

// `cases` has model_residual_ratio and modelled_wall_time_s; rows without them have no mark. The
// colour tells the algorithm, the mark who played the workers.
[[nodiscard]] Figure model_residual_figure(const CsvTable& cases, const FigureContext& context);

// ---- paired_cases ------------------------------------------------------------------------------
//
// Cases that differ in one choice: what choosing the second value gains, by worker count.
//
// The left panels show the times of both, a panel for each mask; the last one the time of the
// second over that of the first, a mark for each other parameter in which the cases differ.

// Groups of equal size against groups by speed, of cases with slower workers.
[[nodiscard]] Figure worker_skew_figure(const CsvTable& cases, const FigureContext& context);

// Published against balanced self-distillation, with what the pairs of the slowest worker promise.
[[nodiscard]] Figure distillation_gain_figure(const CsvTable& cases, const FigureContext& context);

// ---- partition ---------------------------------------------------------------------------------
//
// The N x N matrix of query-key pairs, coloured by the worker that computes them.

// `rectangles` has the columns worker, q_begin, q_end, k_begin, k_end (half-open token ranges),
// allowed and offset. allowed: `all`; `causal`, only pairs with local key index <= local query
// index
// + offset; of patterns `cells`, every pair, and `some`, a part of them, drawn pale. A causal
// rectangle is drawn as rows of whole pairs, or in 64 bands where it has more rows. Throws
// UsageError where there are no rectangles, or more workers than can be told apart (128).
[[nodiscard]] Figure partition_figure(const CsvTable& rectangles, const std::string& title);

// Draws it to `path`, which ends in .svg, .pdf or .png. Throws as partition_figure and
// write_picture.
void draw_partition(const CsvTable& rectangles, const std::string& path, const std::string& title);

// ---- peak_memory -------------------------------------------------------------------------------
//
// Peak active memory against sequence length, a line per worker count, with the device's limit and
// a cross on it where a case ran out of memory.

// The limit is the cases' memory_budget_bytes where they share one, else the machine's memory.
// `cases` has the columns of cases.csv.
[[nodiscard]] Figure peak_memory_figure(const CsvTable& cases, const FigureContext& context);

// `GiB` or `MiB`, whichever shows `largest` bytes with few digits.
struct ByteUnit {
  std::string name;
  std::string suffix;  // of a column
  double bytes = 1.0;
};
[[nodiscard]] ByteUnit byte_unit(double largest);

// ---- product_speed_up --------------------------------------------------------------------------
//
// CQS for a matrix product: speed-up over the whole product, and idle workers, by worker count.

// Of workload matrix_product: a panel for each size with the time of the whole product (algorithm
// dense) over that of the slowest worker beside the greatest that the split allows; a last panel
// with the share of workers without a block. A mark for each way to part W into W1 + W2.
[[nodiscard]] Figure product_speed_up_figure(const CsvTable& cases, const FigureContext& context);

// ---- responsibility_ratio ----------------------------------------------------------------------
//
// Responsibility ratio against sequence length for every smallest interest set of some worker
// counts, and its means over whole intervals of W (supplement E of CQS-Attention).

// `ratios` has the columns workers, interest_set, n_tokens, responsibility_ratio; a panel for each
// worker count. `published`, when not null, has those of cqs_interest_set_table.csv.
[[nodiscard]] Figure responsibility_ratio_figure(const CsvTable& ratios, const CsvTable* published,
                                                 const FigureContext& context);

// ---- scheme_comparison -------------------------------------------------------------------------
//
// The schemes side by side at one length, mask and link: balance, work, bytes sent, peak memory,
// exposed communication and wall clock against the worker count.

// Draws the cases of one setting: that with the most schemes, of several the one of most tokens, of
// those the one with most measured cases; the notes name the others. `cases` has the columns of
// cases.csv.
[[nodiscard]] Figure scheme_comparison_figure(const CsvTable& cases, const FigureContext& context);

// ---- scheme_map --------------------------------------------------------------------------------
//
// Which scheme is the fastest where: a cell for each link and length (or worker count), in the
// colour of the winner, with its name and how many times faster it is than the next best.

// The times compared are those of cases that are equal but for their algorithm. Dense attention,
// which splits nothing, is no candidate, nor are cases under `serial`, which have no wall clock of
// their workers. `cases` has the columns of cases.csv.
[[nodiscard]] Figure scheme_map_figure(const CsvTable& cases, const FigureContext& context);

// ---- sparse_ablation ---------------------------------------------------------------------------
//
// What one parameter of a pattern costs: time and pairs kept against window, random fraction and
// number of global tokens, beside the ideal.

// Two panels a parameter of which the run has two values or more, all else of the pattern equal; a
// line for each pattern, N, kernel and device. The ideal is the dense time at the same N times the
// share of pairs kept.
[[nodiscard]] Figure sparse_ablation_figure(const CsvTable& cases, const FigureContext& context);

// ---- sparse_attention --------------------------------------------------------------------------
//
// Sparse attention against dense: time, time a token, speed-up, time over the ideal, executed over
// useful pairs and peak memory against sequence length, a line per mask and kernel.

// Dense is the full mask with the flash kernel at the same N; the ideal is its time times the share
// of pairs kept. `cases` has the columns of cases.csv, or is what join_runs makes of several. Where
// CPU and GPU both ran, their panels stand side by side. The numbers of the 15-618 report are
// beside a run of its shape.
[[nodiscard]] Figure sparse_attention_figure(const CsvTable& cases, const FigureContext& context);

// ---- sparse_stages -----------------------------------------------------------------------------
//
// Where the time of attention in three stages goes: dense x dense -> sparse, softmax, sparse x
// dense, and what the fused kernel takes beside them, for each mask and N.

// From the columns stage_*_median_s of cases.csv; a panel a mask. All bars are shares of the staged
// kernel's time. The stages of the 15-618 report stand beside a run of its shape.
[[nodiscard]] Figure sparse_stages_figure(const CsvTable& cases, const FigureContext& context);

// ---- speed_up ----------------------------------------------------------------------------------
//
// Speed-up against sequence length, a line per worker count: the paper's own S beside the one that
// counts gather and merge. Raw data hold no speed-up; it is made here and its base case named.

// The base of a case is the case of one worker with the same n_tokens, kernel, device, ranks,
// threads, dtype, mask and shape; without one it has no speed-up. `cases` has the columns of
// cases.csv.
[[nodiscard]] Figure speed_up_figure(const CsvTable& cases, const FigureContext& context);

// Row of the base case, or nothing.
[[nodiscard]] std::optional<std::size_t> base_case(const CsvTable& cases, std::size_t row);

// ---- striped_speed_up --------------------------------------------------------------------------
//
// Time of a ring over contiguous blocks / time of a striped (or zigzag) one of the same causal
// case, against tokens a worker: what balancing the rounds gains, beside what it can
// gain (striped_bound.h).

// The ring case with the parameters of this one, algorithm aside; of several the last.
[[nodiscard]] std::optional<std::size_t> ring_case(const CsvTable& cases, std::size_t row);

// Serial cases by their critical path, others by the wall clock. A panel a worker count.
[[nodiscard]] Figure striped_speed_up_figure(const CsvTable& cases, const FigureContext& context);

// ---- throughput --------------------------------------------------------------------------------
//
// Achieved FLOP/s against sequence length: a line per kernel and element type, a panel per head
// dimension and mask. Other runs' cases, of this program or another, stand in the same panels.

// A run's cases.csv under a name that no other of the figure has.
struct NamedCases {
  std::string run{};
  const CsvTable* cases = nullptr;
};

// One table of the first run's columns and `run`, the rows run by run; cases of different runs
// never share a case_id in it. Throws UsageError where a later run lacks a column of the first.
[[nodiscard]] CsvTable join_runs(std::span<const NamedCases> runs);

// `cases` is what join_runs gives. The rate is unmasked FLOP over the wall clock of the whole call.
[[nodiscard]] Figure throughput_figure(const CsvTable& cases, const FigureContext& context);

// ---- ttft_miss_rate ----------------------------------------------------------------------------
//
// pass_kv against pass_q by the share of tokens that are new: wall clock, and their ratio beside
// the published one. Where the ratio crosses 1 is what a selector between the two must hit.

// `cases` has the columns of cases.csv.
[[nodiscard]] Figure ttft_miss_rate_figure(const CsvTable& cases, const FigureContext& context);

// The x at which a curve of positive y, ascending in x, passes through 1, between points on log
// axes; empty where it does not.
[[nodiscard]] std::vector<double> crossings_of_one(const std::vector<Point>& curve);

// ---- wall_clock --------------------------------------------------------------------------------
//
// Wall clock against sequence length, a line per worker count, as in case study 2 of
// CQS-Attention; the paper's own quantity (kernel time of the worker with the longest subsequence)
// beside the critical path, which counts gather and merge.

// `cases` has the columns of cases.csv.
[[nodiscard]] Figure wall_clock_figure(const CsvTable& cases, const FigureContext& context);

// ---- work_per_round ----------------------------------------------------------------------------
//
// Query-key pairs of the busiest worker in each round: what a ring's critical path is made of.
// Counts of the plans alone, no times.

// `steps` has the columns of steps.csv. A line per algorithm and a thin one for the least busy
// worker, a panel per N, W and mask of two workers and rounds or more. Cases whose counts are the
// same (other kernels, element types, ranks) are one line.
[[nodiscard]] Figure work_per_round_figure(const CsvTable& cases, const CsvTable& steps,
                                           const FigureContext& context);

}  // namespace qb
