// SPDX-License-Identifier: Apache-2.0
// The columns of a run folder's tables besides the parameters, and when each of them is empty.
#pragma once

#include "base/schema/field.h"

namespace qb {

inline constexpr int kSchemaVersion = 3;  // a change of the columns' meaning or order raises it

namespace fields {

// cases.csv: the columns before the parameters.
inline constexpr Field kIdentityFields[] = {
    column(identity, "schema_version", integer, "the version of these columns"),
    column(identity, "case_id", text,
           "a hash of the parameters and of `measure:`: a letter and 11 hex digits; it joins the "
           "tables, and runs resume by it"),
    column(identity, "experiment", text, "the `experiment:` of the spec"),
};

// Workers that are launched together have no times of their own.
[[nodiscard]] constexpr Field of_each_worker(Field field) {
  return empty("unless the case is `ok`, and where workers are launched together", field);
}

[[nodiscard]] constexpr Field of_pipeline(Field field) {
  return empty("unless `workload` is `pipeline`", field);
}

[[nodiscard]] constexpr Field of_both_passes(Field field) {
  return empty("unless `pass` is `both` and the case is `ok`", field);
}

[[nodiscard]] constexpr Field of_messages(Field field) {
  return empty("unless the case is `ok`, and with `ranks: serial`", field);
}

// The median of a time and the ends of its interval, each of which `of` takes.
#define QB_INTERVAL_FIELDS(of, name, meaning)                                           \
  of(quantity(time, name "_median_s", meaning)),                                        \
      of(quantity(time, name "_low95_s", "the low end of the interval of its median")), \
      of(quantity(time, name "_high95_s", "the high end of the interval of its median"))

// A measure of how right gradients are.
[[nodiscard]] constexpr Field attention_gradient(std::string_view name, std::string_view what) {
  return empty("unless gradients of attention or an operator were verified",
               column(verification, name, real, what));
}
[[nodiscard]] constexpr Field layer_gradient(std::string_view name, std::string_view what) {
  return empty("unless gradients of a layer were verified", column(verification, name, real, what));
}

// cases.csv: the columns after the parameters.
inline constexpr Field kResultFields[] = {
    column(outcome, "status", word,
           "how the case ended: `ok`, `oom`, `oom_skipped` (a smaller N of the same case ran out "
           "of memory already), `infeasible`, `unsupported`, `incorrect`, `timeout`, `crashed`, "
           "`error`, `interrupted`; only `ok` rows have times"),
    empty("where there is nothing to say",
          column(outcome, "message", text, "what went wrong, or a remark; one line")),
    empty("where the case ended before a kernel was chosen",
          column(outcome, "isa", word, "the instruction set that the kernel used")),
    empty("on a CPU", column(outcome, "gpu", text, "the name of the GPU")),
    empty("unless the case is `ok`", column(outcome, "provenance", word, "`measured` or `model`")),
    empty("where the case has no plan",
          quantity(prediction, "longest_subsequence_tokens",
                   "tokens that the worker with the most tokens holds")),
    empty("where the case has no plan",
          quantity(prediction, "shortest_subsequence_tokens",
                   "tokens that the worker with the fewest tokens holds")),
    empty("where the case has no plan",
          column(prediction, "mean_subsequence_tokens", real,
                 "tokens that a worker holds, the mean over the workers", "tokens")),
    empty("where the case has no plan",
          column(prediction, "stddev_subsequence_tokens", real,
                 "tokens that a worker holds, the standard deviation over the workers", "tokens")),
    column(prediction, "responsibility_ratio", real,
           "`unmasked_pairs` divided by `critical_path_pairs` (RR of CQS-Attention)"),
    quantity(prediction, "unmasked_pairs", "query-key pairs that the mask keeps, for one head"),
    empty(
        "where the case has no plan, or where it is not known for the GPU",
        tiled(quantity(prediction, "executed_pairs",
                       "pairs that the kernel computes because it works in tiles, for one head"))),
    quantity(prediction, "critical_path_pairs",
             "unmasked pairs on the critical path, for one head: those of the most loaded worker, "
             "or the sum over the rounds of the most loaded worker of each round"),
    column(prediction, "unmasked_flop", real,
           "4 x `unmasked_pairs` x heads x `head_dim`, with 10 in place of 4 for a backward pass "
           "and 14 for both; other workloads count their own products",
           "FLOP"),
    quantity(prediction, "moved_bytes",
             "what all workers receive and send, in both passes if the case times both"),
    empty("where the case has no plan",
          quantity(prediction, "device_sent_bytes",
                   "what the device of a worker sends, of the worker that sends most; in both "
                   "passes if the case times both")),
    empty("where the case has no plan or no cluster",
          quantity(prediction, "between_hosts_bytes",
                   "what a worker sends to workers of other hosts, of the worker that sends most "
                   "there, without what a root scatters and gathers; in both passes if the case "
                   "times both")),
    empty("where no root scatters the inputs",
          quantity(prediction, "root_sent_bytes",
                   "what the root sends to all workers, in both passes if the case times both")),
    empty("unless the case has a backward pass",
          quantity(prediction, "backward_sent_bytes",
                   "the bytes that the worker with the most sends in the backward pass")),
    empty("unless workers share the state of an operator",
          quantity(prediction, "state_bytes",
                   "what tokens leave to those of other workers, in all exchanges")),
    empty("unless workers share the state of an operator",
          column(prediction, "sent_states", real,
                 "states that a worker sends, of the worker that sends most", "states")),
    empty("unless workers share an operator",
          column(
              prediction, "scan_rounds", integer,
              "rounds of messages until each worker has the states that it needs, in both passes "
              "if the case times both; of `axial` 2, to its columns and back, 3 backwards, and one "
              "more for its pair bias",
              "rounds")),
    empty("unless workers share an operator over links with a limit",
          quantity(prediction, "predicted_scan_s",
                   "the time that the links take for these rounds, without any computing")),
    of_pipeline(quantity(prediction, "between_stages_bytes",
                         "what a worker sends to workers of other stages, of the worker that sends "
                         "most there; `moved_bytes` also has what groups send inside")),
    of_pipeline(column(prediction, "predicted_bubble_ratio", real,
                       "the share of time in which stages are idle, by the closed form of equal "
                       "units without links: (S - 1) / (v m c + S - 1) with c chunks")),
    of_pipeline(column(
        prediction, "plan_bubble_ratio", real,
        "the same from stepping through the schedule with the FLOP of each unit as its time")),
    of_pipeline(column(prediction, "kept_microbatches", real,
                       "microbatches whose activations a stage keeps at once, of the stage that "
                       "keeps most; chunks and virtual stages count as parts of one",
                       "microbatches")),
    empty("unless `workload` is `pipeline` and its links have a limit",
          quantity(prediction, "predicted_pipeline_s",
                   "the time that the links take for the messages of the schedule, without any "
                   "computing")),
    empty("where the case has no plan, or where it is not known for the GPU",
          tiled(quantity(
              prediction, "predicted_active_peak_bytes",
              "the largest sum of tensors that exist at once, over all workers; where they "
              "send each other messages, an upper bound"))),
    empty("where the case has no plan, or where it is not known for the GPU",
          tiled(quantity(
              prediction, "predicted_device_peak_bytes",
              "the most that the device of a worker holds at once: its share of Q, K, V and "
              "O, its buffers, partials and workspace; of the worker that needs most"))),
    empty("where no root scatters the inputs, and on a GPU",
          tiled(quantity(
              prediction, "predicted_root_peak_bytes",
              "the most that the root's device holds: the whole tensors, and what worker 0 "
              "has there"))),
    quantity(memory, "active_memory_peak_bytes",
             "the largest sum of tensors that existed at once in the process, all workers' and the "
             "caller's, as the ledger counted them in the memory pass"),
    quantity(memory, "reserved_memory_peak_bytes",
             "the most that the allocator held at once for these tensors"),
    quantity(memory, "resident_peak_bytes", "the peak of the process's resident memory"),
    empty("unless the case was measured",
          tiled(counted(
              quantity(memory, "device_peak_bytes",
                       "what `predicted_device_peak_bytes` predicts, as the ledger counted it")))),
    empty("unless the case was measured and a root scatters the inputs",
          tiled(counted(
              quantity(memory, "root_peak_bytes",
                       "what `predicted_root_peak_bytes` predicts, as the ledger counted it")))),
    empty("unless `measure.device_memory` is set and the case ran on a GPU",
          quantity(
              memory, "gpu_memory_peak_bytes",
              "the most that the GPU held at once, libraries included, as its driver counts it")),
    column(time, "n_samples", integer, "timed repeats; warm-ups do not count", "repeats"),
    column(time, "interval_coverage", real,
           "the probability that an interval contains the median; where it is below 0.95 the "
           "interval is the whole range of the samples"),
    QB_INTERVAL_FIELDS(Field, "wall_time",
                       "the real time of a repeat, from the inputs in place to the merged output"),
    QB_INTERVAL_FIELDS(
        of_both_passes, "forward_time",
        "the real time of the forward pass of a repeat that times both passes; the wall "
        "clock is the sum of the two"),
    QB_INTERVAL_FIELDS(of_both_passes, "backward_time", "the real time of its backward pass"),
    QB_INTERVAL_FIELDS(
        Field, "critical_path",
        "the time of the slowest worker with gather and merge; for rings the sum over the "
        "rounds of the slowest worker of each round"),
    QB_INTERVAL_FIELDS(of_each_worker, "worker_sum", "the sum of the times of all workers"),
    QB_INTERVAL_FIELDS(
        of_each_worker, "longest_subsequence",
        "the kernel time of the longest subsequence, without gather and merge (the time in "
        "the paper's S)"),
    of_each_worker(
        quantity(time, "gather_median_s",
                 "the time to copy the workers' groups together, summed over the workers")),
    of_each_worker(
        quantity(time, "merge_median_s", "the time to merge the partial outputs, likewise")),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(
              time, "stage_scores_median_s",
              "the time of the first stage of kernel `staged` under serial ranks: dense x dense -> "
              "sparse")),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(time, "stage_softmax_median_s", "the time of its second stage: softmax")),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(time, "stage_product_median_s", "the time of its third stage: sparse x dense")),
    empty("on a CPU", quantity(time, "device_time_median_s", "the time by the GPU's own clock")),
    empty("on a CPU, or where the driver does not report it",
          quantity(time, "sm_clock_median_hz",
                   "the clock of the GPU's multiprocessors, counted on the device")),
    empty("on a CPU, or where the driver does not report it",
          column(time, "throttled_samples", integer,
                 "repeats in which the GPU driver reported a power, thermal or hardware slowdown",
                 "repeats")),
    empty("unless the case is `ok` and was measured",
          column(time, "disturbed_samples", integer,
                 "timed repeats that the host or the GPU's clock disturbed; they are kept, and the "
                 "medians leave them out if `min_repeats` others could be taken",
                 "repeats")),
    empty(
        "where nothing did",
        column(
            time, "disturbed_by", word,
            "what disturbed the row: most of its disturbed repeats, where the medians could not "
            "leave them out (`stopped`, `stolen`, `neighbours`, `waiting`, `paging`, `throttled`, "
            "`oversubscribed`)")),
    empty("unless the case is `ok` and was measured",
          quantity(time, "cpu_time_median_s",
                   "the CPU time of the process, all threads, in a repeat")),
    empty("where Linux does not count them",
          column(time, "instructions_median", real,
                 "instructions that the process retired in a repeat, as Linux counts them",
                 "instructions")),
    empty("where Linux does not count them",
          column(time, "instructions_low95", real, "the low end of the interval of its median",
                 "instructions")),
    empty("where Linux does not count them",
          column(time, "instructions_high95", real, "the high end of the interval of its median",
                 "instructions")),
    empty("where Linux does not count them",
          column(time, "cycles_median", real, "cycles of the cores that it ran on, likewise",
                 "cycles")),
    empty("unless the case is `ok`, and for layers and workers that are launched together",
          quantity(time, "compute_median_s",
                   "the time that the worker that ends last computes and merges; this, the exposed "
                   "communication and the idle time add up to the wall clock of a repeat")),
    of_messages(
        quantity(time, "communication_median_s", "the time that it communicates, hidden or not")),
    QB_INTERVAL_FIELDS(
        of_messages, "exposed_communication",
        "the time that it waits for what is sent, scatter and gather included, and has nothing "
        "to compute"),
    of_messages(
        quantity(time, "idle_median_s", "the time that it waits while no message is under way")),
    empty("unless the case is `ok` and `workload` is `pipeline`",
          column(time, "bubble_ratio", real,
                 "what `predicted_bubble_ratio` predicts, by the model: 1 minus the time of all "
                 "units divided by S times `critical_path_median_s`")),
    empty("unless the case is `ok` and was measured",
          quantity(time, "achieved_flop_per_s", "`unmasked_flop` divided by the wall clock")),
    empty("where it was not measured: for models, and for MPI ranks",
          quantity(time, "peak_flop_per_s",
                   "the measured peak of the processors that the case used")),
    empty(
        "where `peak_flop_per_s` is empty",
        column(time, "peak_fraction", real, "`achieved_flop_per_s` divided by `peak_flop_per_s`")),
    empty("unless `model.device` is set and the case is `ok`",
          quantity(time, "modelled_wall_time_s",
                   "the time that the model predicts for the same plan; of operators other than "
                   "softmax a lower bound, since no kernel of this program was measured there: the "
                   "products of the slowest worker at the device's product rate, or its tensors "
                   "once through the device's memory, whichever takes longer, and then "
                   "`predicted_scan_s`")),
    empty("unless `model.device` is set and the case was measured",
          column(time, "model_residual_ratio", real,
                 "the measured wall clock divided by the modelled one, minus 1")),
    column(verification, "verified_rows", integer,
           "query rows that were compared with the float64 reference", "rows"),
    column(verification, "max_error", real,
           "the largest absolute output error in the class of rows nearest to its tolerance"),
    column(verification, "naive_error", real,
           "the error of a naive computation in the precision of the inputs"),
    column(verification, "tolerance", real,
           "the largest error that passes; a multiple of the naive one"),
    empty("unless attention was verified",
          column(verification, "lse_max_error", real,
                 "the largest error of a log-sum-exp, a natural logarithm")),
    column(verification, "relative_l2_error", real,
           "the L2 norm of the output's error divided by that of the float64 reference, over all "
           "elements of the verified rows"),
    empty("unless `workload` is `sequence_mixer` and the output was verified",
          column(verification, "distance_to_exact", real,
                 "the L2 norm of the output minus float64 softmax attention over the same inputs, "
                 "causal where the mask is and else full, divided by that of the attention, over "
                 "the verified rows; it says how far the operator is from attention, and judges "
                 "nothing")),
    empty("unless gradients of attention or an operator were verified",
          column(verification, "verified_keys", integer,
                 "keys whose dK and dV were compared with the float64 reference", "keys")),
    attention_gradient(
        "d_q_max_error",
        "the largest absolute error of dQ in the verified rows; the float64 reference "
        "begins with the O and LSE of the forward pass, which are verified before"),
    attention_gradient("d_q_naive_error",
                       "the error of naive gradients in the precision of the inputs"),
    attention_gradient(
        "d_q_tolerance",
        "the largest error that passes: 1.5 x the naive one + 1e-4 + a rounding to the "
        "type of the inputs"),
    attention_gradient("d_q_relative_l2_error",
                       "the L2 norm of the error of dQ divided by that of the reference"),
    attention_gradient("d_k_max_error",
                       "the same four of dK, in the verified keys: its largest absolute error"),
    attention_gradient("d_k_naive_error", "the error of naive gradients"),
    attention_gradient("d_k_tolerance", "the largest error that passes"),
    attention_gradient("d_k_relative_l2_error", "the relative L2 error"),
    attention_gradient("d_v_max_error",
                       "the same four of dV, in the verified keys: its largest absolute error"),
    attention_gradient("d_v_naive_error", "the error of naive gradients"),
    attention_gradient("d_v_tolerance", "the largest error that passes"),
    attention_gradient("d_v_relative_l2_error", "the relative L2 error"),
    layer_gradient(
        "d_x_max_error",
        "the largest absolute error of dX, the gradient of a layer's hidden states, over "
        "all tokens"),
    layer_gradient("d_x_naive_error",
                   "the error of a naive backward pass in the precision of the layer"),
    layer_gradient("d_x_tolerance",
                   "the largest error that passes: 4 x the naive one + roundings of the largest "
                   "gradient"),
    layer_gradient("d_x_relative_l2_error",
                   "the L2 norm of the error of dX divided by that of the reference"),
    layer_gradient("d_weights_max_error",
                   "the same four of the gradients of weights, biases and norms: the largest "
                   "absolute error in the tensor nearest to its tolerance"),
    layer_gradient("d_weights_naive_error", "the error of a naive backward pass in that tensor"),
    layer_gradient("d_weights_tolerance", "the largest error that passes in that tensor"),
    layer_gradient("d_weights_relative_l2_error", "the relative L2 error over all of them"),
    column(bookkeeping, "started_at", text, "when the case began, UTC"),
    quantity(bookkeeping, "duration_s", "how long the case took in all"),
    empty("unless the run was joined from shards of machines that differ",
          column(bookkeeping, "node", text, "the machine of the row", {}, 3)),
};
#undef QB_INTERVAL_FIELDS

}  // namespace fields

// What the columns of the errors of dQ, dK and dV begin with.
inline constexpr std::string_view kGradientColumns[] = {"d_q", "d_k", "d_v"};
// What those of a layer begin with: of the gradient of its hidden states, and of its weights.
inline constexpr std::string_view kLayerGradientColumns[] = {"d_x", "d_weights"};

using fields::kIdentityFields;
using fields::kResultFields;

}  // namespace qb
