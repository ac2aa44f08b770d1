// SPDX-License-Identifier: Apache-2.0
// The columns of a run folder's tables besides the parameters, and when each of them is empty.
#pragma once

#include "base/schema/field.h"

namespace qb {

inline constexpr int kSchemaVersion = 11;  // a change of the columns' meaning or order raises it

namespace fields {

// cases.csv: the columns before the parameters.
inline constexpr Field kIdentityFields[] = {
    column(identity, "schema_version", integer, "the version of these columns"),
    column(identity, "case_id", text,
           "12 hex digits, a hash of the parameters and of `measure:`; it joins the tables, and "
           "runs resume by it"),
    column(identity, "experiment", text, "the `experiment:` of the spec"),
};

// A measure of how right gradients are.
[[nodiscard]] constexpr Field attention_gradient(std::string_view name, std::string_view meaning) {
  return empty("unless gradients of attention were verified",
               column(verification, name, real, meaning, 9));
}
[[nodiscard]] constexpr Field layer_gradient(std::string_view name, std::string_view meaning) {
  return empty("unless gradients of a layer were verified",
               column(verification, name, real, meaning, 9));
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
    empty("on a CPU", column(outcome, "gpu", text, "the name of the GPU", 4)),
    empty("unless the case is `ok`",
          column(outcome, "provenance", word, "`measured` or `model`", 3)),
    empty("where the case has no plan",
          quantity(prediction, "longest_subsequence_tokens",
                   "tokens that the worker with the most tokens holds")),
    empty("where the case has no plan",
          quantity(prediction, "shortest_subsequence_tokens",
                   "tokens that the worker with the fewest tokens holds")),
    empty("where the case has no plan",
          column(prediction, "mean_subsequence_tokens", real,
                 "tokens that a worker holds, the mean over the workers", 1, "tokens")),
    empty(
        "where the case has no plan",
        column(prediction, "stddev_subsequence_tokens", real,
               "tokens that a worker holds, the standard deviation over the workers", 1, "tokens")),
    column(prediction, "responsibility_ratio", real,
           "`unmasked_pairs` divided by `critical_path_pairs` (RR of CQS-Attention)"),
    quantity(prediction, "unmasked_pairs", "query-key pairs that the mask keeps, for one head"),
    empty("where the case has no plan, or where it is not known for the GPU",
          quantity(prediction, "executed_pairs",
                   "pairs that the kernel computes because it works in tiles, for one head")),
    quantity(prediction, "critical_path_pairs",
             "unmasked pairs on the critical path, for one head: those of the most loaded worker, "
             "or the sum over the rounds of the most loaded worker of each round"),
    column(prediction, "unmasked_flop", real,
           "4 x `unmasked_pairs` x heads x `head_dim`, with 10 in place of 4 for a backward pass "
           "and 14 for both; other workloads count their own products",
           1, "FLOP"),
    quantity(prediction, "moved_bytes",
             "what all workers receive and send, in both passes if the case times both"),
    empty("where the case has no plan",
          quantity(prediction, "device_sent_bytes",
                   "what the device of a worker sends, of the worker that sends most; in both "
                   "passes if the case times both",
                   11)),
    empty(
        "where no root scatters the inputs",
        quantity(prediction, "root_sent_bytes",
                 "what the root sends to all workers, in both passes if the case times both", 11)),
    empty("unless the case has a backward pass",
          quantity(prediction, "backward_sent_bytes",
                   "the bytes that the worker with the most sends in the backward pass", 9)),
    empty("where the case has no plan, or where it is not known for the GPU",
          quantity(prediction, "predicted_active_peak_bytes",
                   "the largest sum of tensors that exist at once, over all workers")),
    empty("where the case has no plan, or where it is not known for the GPU",
          quantity(prediction, "predicted_device_peak_bytes",
                   "the most that the device of a worker holds at once: its share of Q, K, V and "
                   "O, its buffers, partials and workspace; of the worker that needs most",
                   11)),
    empty("where no root scatters the inputs, and on a GPU",
          quantity(prediction, "predicted_root_peak_bytes",
                   "the most that the root's device holds: the whole tensors, and what worker 0 "
                   "has there",
                   11)),
    quantity(memory, "active_memory_peak_bytes",
             "the largest sum of tensors that existed at once in the process, all workers' and the "
             "caller's, as the ledger counted them in the memory pass"),
    quantity(memory, "reserved_memory_peak_bytes",
             "the most that the allocator held at once for these tensors"),
    quantity(memory, "resident_peak_bytes", "the peak of the process's resident memory"),
    empty("unless the case was measured",
          quantity(memory, "device_peak_bytes",
                   "what `predicted_device_peak_bytes` predicts, as the ledger counted it", 11)),
    empty("unless the case was measured and a root scatters the inputs",
          quantity(memory, "root_peak_bytes",
                   "what `predicted_root_peak_bytes` predicts, as the ledger counted it", 11)),
    empty(
        "unless `measure.device_memory` is set and the case ran on a GPU",
        quantity(memory, "gpu_memory_peak_bytes",
                 "the most that the GPU held at once, libraries included, as its driver counts it",
                 11)),
    column(time, "n_samples", integer, "timed repeats; warm-ups do not count", 1, "repeats"),
    column(time, "interval_coverage", real,
           "the probability that an interval contains the median; where it is below 0.95 the "
           "interval is the whole range of the samples"),
    quantity(time, "wall_time_median_s",
             "the real time of a repeat, from the inputs in place to the merged output"),
    quantity(time, "wall_time_low95_s", "the low end of the interval of its median"),
    quantity(time, "wall_time_high95_s", "the high end of the interval of its median"),
    empty("unless `pass` is `both` and the case is `ok`",
          quantity(time, "forward_time_median_s",
                   "the real time of the forward pass of a repeat that times both passes; the wall "
                   "clock is the sum of the two",
                   9)),
    empty("unless `pass` is `both` and the case is `ok`",
          quantity(time, "forward_time_low95_s", "the low end of the interval of its median", 9)),
    empty("unless `pass` is `both` and the case is `ok`",
          quantity(time, "forward_time_high95_s", "the high end of the interval of its median", 9)),
    empty("unless `pass` is `both` and the case is `ok`",
          quantity(time, "backward_time_median_s", "the real time of its backward pass", 9)),
    empty("unless `pass` is `both` and the case is `ok`",
          quantity(time, "backward_time_low95_s", "the low end of the interval of its median", 9)),
    empty(
        "unless `pass` is `both` and the case is `ok`",
        quantity(time, "backward_time_high95_s", "the high end of the interval of its median", 9)),
    quantity(time, "critical_path_median_s",
             "the time of the slowest worker with gather and merge; for rings the sum over the "
             "rounds of the slowest worker of each round"),
    quantity(time, "critical_path_low95_s", "the low end of the interval of its median"),
    quantity(time, "critical_path_high95_s", "the high end of the interval of its median"),
    quantity(time, "worker_sum_median_s", "the sum of the times of all workers"),
    quantity(time, "worker_sum_low95_s", "the low end of the interval of its median"),
    quantity(time, "worker_sum_high95_s", "the high end of the interval of its median"),
    quantity(time, "longest_subsequence_median_s",
             "the kernel time of the longest subsequence, without gather and merge (the time in "
             "the paper's S)"),
    quantity(time, "longest_subsequence_low95_s", "the low end of the interval of its median"),
    quantity(time, "longest_subsequence_high95_s", "the high end of the interval of its median"),
    quantity(time, "gather_median_s",
             "the time to copy the workers' groups together, summed over the workers"),
    quantity(time, "merge_median_s", "the time to merge the partial outputs, likewise"),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(
              time, "stage_scores_median_s",
              "the time of the first stage of kernel `staged` under serial ranks: dense x dense -> "
              "sparse",
              6)),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(time, "stage_softmax_median_s", "the time of its second stage: softmax", 6)),
    empty(
        "unless the kernel is `staged` and the ranks are `serial`",
        quantity(time, "stage_product_median_s", "the time of its third stage: sparse x dense", 6)),
    empty("on a CPU", quantity(time, "device_time_median_s", "the time by the GPU's own clock", 4)),
    empty("on a CPU, or where the driver does not report it",
          quantity(time, "sm_clock_median_hz",
                   "the clock of the GPU's multiprocessors, counted on the device", 4)),
    empty("on a CPU, or where the driver does not report it",
          column(time, "throttled_samples", integer,
                 "repeats in which the GPU driver reported a power, thermal or hardware slowdown",
                 4, "repeats")),
    empty("unless the case is `ok` and was measured",
          column(time, "disturbed_samples", integer,
                 "timed repeats that the host or the GPU's clock disturbed; they are kept, and the "
                 "medians leave them out if `min_repeats` others could be taken",
                 7, "repeats")),
    empty(
        "where nothing did",
        column(
            time, "disturbed_by", word,
            "what disturbed the row: most of its disturbed repeats, where the medians could not "
            "leave them out (`stopped`, `stolen`, `neighbours`, `waiting`, `paging`, `throttled`)",
            7)),
    empty("unless the case is `ok` and was measured",
          quantity(time, "cpu_time_median_s",
                   "the CPU time of the process, all threads, in a repeat", 7)),
    empty("where Linux does not count them",
          column(time, "instructions_median", real,
                 "instructions that the process retired in a repeat, as Linux counts them", 7,
                 "instructions")),
    empty("where Linux does not count them",
          column(time, "instructions_low95", real, "the low end of the interval of its median", 7,
                 "instructions")),
    empty("where Linux does not count them",
          column(time, "instructions_high95", real, "the high end of the interval of its median", 7,
                 "instructions")),
    empty("where Linux does not count them",
          column(time, "cycles_median", real, "cycles of the cores that it ran on, likewise", 7,
                 "cycles")),
    empty("unless the case is `ok`, and for layers",
          quantity(time, "compute_median_s",
                   "the time that the worker that ends last computes and merges; this, the exposed "
                   "communication and the idle time add up to the wall clock of a repeat",
                   3)),
    empty("unless the case is `ok`, and with `ranks: serial`",
          quantity(time, "communication_median_s", "the time that it communicates, hidden or not",
                   3)),
    empty(
        "unless the case is `ok`, and with `ranks: serial`",
        quantity(
            time, "exposed_communication_median_s",
            "the time that it waits for what is sent, scatter and gather included, and has nothing "
            "to compute",
            3)),
    empty("unless the case is `ok`, and with `ranks: serial`",
          quantity(time, "exposed_communication_low95_s",
                   "the low end of the interval of its median", 10)),
    empty("unless the case is `ok`, and with `ranks: serial`",
          quantity(time, "exposed_communication_high95_s",
                   "the high end of the interval of its median", 10)),
    empty(
        "unless the case is `ok`, and with `ranks: serial`",
        quantity(time, "idle_median_s", "the time that it waits while no message is under way", 3)),
    empty("unless the case is `ok` and was measured",
          quantity(time, "achieved_flop_per_s", "`unmasked_flop` divided by the wall clock")),
    empty("where it was not measured: for models, and for MPI ranks",
          quantity(time, "peak_flop_per_s",
                   "the measured peak of the processors that the case used", 2)),
    empty("where `peak_flop_per_s` is empty",
          column(time, "peak_fraction", real, "`achieved_flop_per_s` divided by `peak_flop_per_s`",
                 2)),
    empty("unless `model.device` is set and the case is `ok`",
          quantity(time, "modelled_wall_time_s",
                   "the time that the model predicts for the same plan", 3)),
    empty("unless `model.device` is set and the case was measured",
          column(time, "model_residual_ratio", real,
                 "the measured wall clock divided by the modelled one, minus 1", 3)),
    column(verification, "verified_rows", integer,
           "query rows that were compared with the float64 reference", 1, "rows"),
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
           "elements of the verified rows",
           8),
    empty("unless gradients of attention were verified",
          column(verification, "verified_keys", integer,
                 "keys whose dK and dV were compared with the float64 reference", 9, "keys")),
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
};

// steps.csv: a row for each worker and step.
inline constexpr Field kStepFields[] = {
    column(identity, "case_id", text, "the id of the case"),
    column(identity, "worker", integer, "the worker"),
    column(identity, "step", integer,
           "the step of the plan; if the case times both passes, those of the backward plan follow "
           "those of the forward one"),
    quantity(prediction, "unmasked_pairs", "pairs that the mask keeps, for one head"),
    quantity(prediction, "executed_pairs", "pairs that the kernel computes, for one head"),
    quantity(prediction, "in_bytes", "what the worker receives for the step"),
    quantity(prediction, "out_bytes", "what the worker sends at the end of the step"),
    quantity(prediction, "kv_tokens", "keys that the worker holds", 3),
    empty("with `ranks: serial`",
          quantity(time, "start_s", "when the step began, from the start of the repeat", 3)),
    quantity(
        time, "compute_s",
        "the time that the worker computes; all times are those of one repeat, the median one"),
    empty("with `ranks: serial`",
          quantity(time, "communication_s", "the time that it communicates")),
    empty("with `ranks: serial`",
          quantity(time, "exposed_communication_s",
                   "the time that it waits for messages and has nothing to compute")),
    empty("with `ranks: serial`",
          quantity(time, "idle_s", "the time that it waits while no message is under way")),
    empty("with `ranks: serial`",
          quantity(time, "compute_start_s",
                   "when it began to compute, from the start of the repeat", 11)),
    empty("with `ranks: serial`",
          quantity(time, "compute_end_s", "when its last kernel of the step ended", 11)),
    empty("with `ranks: serial` and `nccl`, and where nothing is received",
          quantity(time, "receive_start_s",
                   "when the first message that the step computes with began to come, which may be "
                   "during the step before",
                   11)),
    empty("with `ranks: serial` and `nccl`, and where nothing is received",
          quantity(time, "receive_end_s", "when the last of them had come", 11)),
    empty("with `ranks: serial` and `nccl`, and where nothing is sent",
          quantity(time, "send_start_s", "when the first message of the step began to leave", 11)),
    empty("with `ranks: serial` and `nccl`, and where nothing is sent",
          quantity(time, "send_end_s", "when the last of them had left", 11)),
};

// parts.csv: a row for each part of a layer and repeat.
inline constexpr Field kPartFields[] = {
    column(identity, "case_id", text, "the id of the case", 5),
    column(identity, "repeat", integer, "the number of the repeat, as in samples.csv", 5),
    column(identity, "warmup", flag, "1 for a warm-up, as in samples.csv", 5),
    column(identity, "part", word, "the part of the layer", 5),
    column(prediction, "flop", real,
           "what the part computes, in both passes if the case times both", 5, "FLOP"),
    quantity(time, "time_s", "how long the part took, likewise", 5),
};

// memory_timeline.csv: a row for each event of the memory pass.
inline constexpr Field kTimelineFields[] = {
    column(identity, "case_id", text, "the id of the case"),
    quantity(time, "time_s", "when it happened, from the start of the memory pass"),
    column(outcome, "action", word, "`alloc`, `free`, `oom` and the like"),
    empty("where the event concerns no tensor", column(outcome, "label", text, "the tensor")),
    column(outcome, "worker", integer, "the worker; -1 for tensors that all share"),
    column(memory, "bytes", integer, "the size of the tensor", 1, "bytes"),
    quantity(memory, "active_bytes", "the size of all tensors after the event"),
    quantity(memory, "reserved_bytes", "what the allocator holds after the event"),
};

// samples.csv: the columns before the numbers of a repeat.
inline constexpr Field kSampleKeys[] = {
    column(identity, "case_id", text, "the id of the case"),
    column(identity, "repeat", integer,
           "the number of the repeat; warm-ups and timed repeats count separately"),
    column(identity, "warmup", flag, "1 for a warm-up, which no median contains"),
    empty("where nothing did",
          column(outcome, "disturbed_by", word,
                 "what disturbed the repeat, by the rule under Disturbed repeats in README", 7)),
};

// samples.csv: the numbers of a repeat.
inline constexpr Field kSampleFields[] = {
    quantity(time, "wall_time_s", "the real time of the repeat"),
    quantity(time, "critical_path_s",
             "the time of the slowest worker with gather and merge; for rings the sum over the "
             "rounds of the slowest worker of each round"),
    quantity(time, "worker_sum_s", "the sum of the times of all workers"),
    quantity(time, "longest_subsequence_s",
             "the kernel time of the longest subsequence, without gather and merge"),
    quantity(time, "gather_s",
             "the time to copy the workers' groups together, summed over the workers"),
    quantity(time, "merge_s", "the time to merge the partial outputs"),
    empty("for layers that no workers share",
          quantity(time, "compute_s",
                   "the time that the worker with the most of it computes, summed over its steps",
                   10)),
    empty("with `ranks: serial`",
          quantity(time, "communication_s", "likewise, the time that it communicates", 10)),
    empty("with `ranks: serial`",
          quantity(time, "exposed_communication_s",
                   "likewise, the time that it waits for messages and has nothing to compute", 10)),
    empty("with `ranks: serial`",
          quantity(time, "idle_s", "likewise, the time that it waits while no message is under way",
                   10)),
    empty("unless `pass` is `both`",
          quantity(time, "forward_time_s", "the real time of the forward pass", 9)),
    empty("unless `pass` is `both`",
          quantity(time, "backward_time_s", "the real time of the backward pass", 9)),
    empty("on a CPU", quantity(time, "device_time_s", "the time by the GPU's own clock", 4)),
    empty("on a CPU, or where the driver does not report it",
          quantity(time, "sm_clock_hz", "the clock of the GPU's multiprocessors", 4)),
    empty("on a CPU, or where the driver does not report it",
          column(time, "throttled", flag, "1 if the GPU was slowed down", 4)),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(
              time, "stage_scores_s",
              "the time of the first stage of kernel `staged` under serial ranks: dense x dense -> "
              "sparse",
              6)),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(time, "stage_softmax_s", "the time of its second stage: softmax", 6)),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(time, "stage_product_s", "the time of its third stage: sparse x dense", 6)),
    empty("for models, and where Linux does not report it",
          quantity(time, "cpu_time_s", "the CPU time of the process, all its threads", 7)),
    empty("for models, and where threads share cores or ended",
          quantity(time, "run_delay_s",
                   "the time that its threads were ready and waited for a core", 7)),
    empty("for models, for MPI and NCCL ranks, and where Linux does not report it",
          quantity(time, "other_cpu_time_s",
                   "the CPU time of other processes on the cores that it may use", 7)),
    empty("for models, and where Linux does not report it",
          quantity(time, "stolen_s", "the time that the hypervisor took from these cores", 7)),
    empty("for models, and where Linux does not report it",
          quantity(time, "memory_stall_s", "the time that some process waited for memory", 7)),
    empty("for models, and where Linux does not report it",
          quantity(time, "stopped_s", "the time that the process or its machine stood still", 7)),
    empty("for models, and where Linux does not report it",
          column(time, "involuntary_switches", FieldKind::integer,
                 "how often another thread took the core of one of its threads", 7, "switches")),
    empty("for models, and where Linux does not report it",
          column(time, "minor_faults", FieldKind::integer,
                 "page faults that read nothing from a disk", 7, "faults")),
    empty("for models, and where Linux does not report it",
          column(time, "major_faults", FieldKind::integer, "page faults that read from a disk", 7,
                 "faults")),
    empty("where Linux does not count them",
          column(time, "instructions", FieldKind::real,
                 "instructions that the process retired, as Linux counts them", 7, "instructions")),
    empty("where Linux does not count them",
          column(time, "cycles", FieldKind::real, "cycles of the cores that it ran on, likewise", 7,
                 "cycles")),
};

}  // namespace fields

// What the columns of the errors of dQ, dK and dV begin with.
inline constexpr std::string_view kGradientColumns[] = {"d_q", "d_k", "d_v"};
// What those of a layer begin with: of the gradient of its hidden states, and of its weights.
inline constexpr std::string_view kLayerGradientColumns[] = {"d_x", "d_weights"};

using fields::kIdentityFields;
using fields::kPartFields;
using fields::kResultFields;
using fields::kSampleFields;
using fields::kSampleKeys;
using fields::kStepFields;
using fields::kTimelineFields;

}  // namespace qb
