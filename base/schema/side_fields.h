// SPDX-License-Identifier: Apache-2.0
// The columns of the tables beside cases.csv, which several rows of a case fill.
#pragma once

#include "base/schema/field.h"

namespace qb {

namespace fields {

[[nodiscard]] constexpr Field of_ranks(Field field) { return empty("with `ranks: serial`", field); }

// A count of the host's kernel.
[[nodiscard]] constexpr Field of_host(Field field) {
  return empty("for models, and where Linux does not report it", field);
}

// steps.csv: a row for each worker and step.
inline constexpr Field kStepFields[] = {
    column(identity, "case_id", text, "the id of the case"),
    column(identity, "worker", integer, "the worker"),
    column(identity, "step", integer,
           "the step of the plan; if the case times both passes, those of the backward plan follow "
           "those of the forward one"),
    quantity(prediction, "unmasked_pairs", "pairs that the mask keeps, for one head"),
    empty("where it is not known for the GPU",
          quantity(prediction, "executed_pairs", "pairs that the kernel computes, for one head")),
    quantity(prediction, "in_bytes", "what the worker receives for the step"),
    quantity(prediction, "out_bytes", "what the worker sends at the end of the step"),
    quantity(prediction, "kv_tokens", "keys that the worker holds"),
    of_ranks(quantity(time, "start_s", "when the step began, from the start of the repeat")),
    quantity(
        time, "compute_s",
        "the time that the worker computes; all times are those of one repeat, the median one"),
    of_ranks(quantity(time, "communication_s", "the time that it communicates")),
    of_ranks(quantity(time, "exposed_communication_s",
                      "the time that it waits for messages and has nothing to compute")),
    of_ranks(quantity(time, "idle_s", "the time that it waits while no message is under way")),
    of_ranks(quantity(time, "compute_start_s",
                      "when it began to compute, from the start of the repeat")),
    of_ranks(quantity(time, "compute_end_s", "when its last kernel of the step ended")),
    empty("with `ranks: serial` and `nccl`, and where nothing is received",
          quantity(time, "receive_start_s",
                   "when the first message that the step computes with began to come, which may be "
                   "during the step before")),
    empty("with `ranks: serial` and `nccl`, and where nothing is received",
          quantity(time, "receive_end_s", "when the last of them had come")),
    empty("with `ranks: serial` and `nccl`, and where nothing is sent",
          quantity(time, "send_start_s", "when the first message of the step began to leave")),
    empty("with `ranks: serial` and `nccl`, and where nothing is sent",
          quantity(time, "send_end_s", "when the last of them had left")),
};

// parts.csv: a row for each part of a layer and repeat.
inline constexpr Field kPartFields[] = {
    column(identity, "case_id", text, "the id of the case"),
    column(identity, "repeat", integer, "the number of the repeat, as in samples.csv"),
    column(identity, "warmup", flag, "1 for a warm-up, as in samples.csv"),
    column(identity, "part", word, "the part of the layer"),
    column(prediction, "flop", real,
           "what the part computes, in both passes if the case times both", "FLOP"),
    quantity(time, "time_s", "how long the part took, likewise"),
    empty("of a layer, and with `ranks: serial`",
          quantity(time, "exposed_communication_s",
                   "the time of it that its worker waits and has nothing to compute")),
    empty("of a layer",
          quantity(prediction, "sent_bytes", "what the worker sends that sends most in the part")),
};

// memory_timeline.csv: a row for each event of the memory pass.
inline constexpr Field kTimelineFields[] = {
    column(identity, "case_id", text, "the id of the case"),
    quantity(time, "time_s", "when it happened, from the start of the memory pass"),
    column(outcome, "action", word, "`alloc`, `free`, `oom` and the like"),
    empty("where the event concerns no tensor", column(outcome, "label", text, "the tensor")),
    column(outcome, "worker", integer, "the worker; -1 for tensors that all share"),
    column(memory, "bytes", integer, "the size of the tensor", "bytes"),
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
                 "what disturbed the repeat, by the rule under Disturbed repeats in README")),
};

// samples.csv: the numbers of a repeat.
inline constexpr Field kSampleFields[] = {
    quantity(time, "wall_time_s", "the real time of the repeat"),
    quantity(time, "critical_path_s",
             "the time of the slowest worker with gather and merge; for rings the sum over the "
             "rounds of the slowest worker of each round"),
    empty("where workers are launched together",
          quantity(time, "worker_sum_s", "the sum of the times of all workers")),
    empty("where workers are launched together",
          quantity(time, "longest_subsequence_s",
                   "the kernel time of the longest subsequence, without gather and merge")),
    empty("where workers are launched together",
          quantity(time, "gather_s",
                   "the time to copy the workers' groups together, summed over the workers")),
    empty("where workers are launched together",
          quantity(time, "merge_s", "the time to merge the partial outputs")),
    empty(
        "for layers that no workers share, and where workers are launched together",
        quantity(time, "compute_s", "the time that the worker that ends last computes and merges")),
    of_ranks(quantity(time, "communication_s", "likewise, the time that it communicates")),
    of_ranks(quantity(time, "exposed_communication_s",
                      "likewise, the time that it waits for messages and has nothing to compute")),
    of_ranks(
        quantity(time, "idle_s", "likewise, the time that it waits while no message is under way")),
    empty("unless `pass` is `both`",
          quantity(time, "forward_time_s", "the real time of the forward pass")),
    empty("unless `pass` is `both`",
          quantity(time, "backward_time_s", "the real time of the backward pass")),
    empty("on a CPU", quantity(time, "device_time_s", "the time by the GPU's own clock")),
    empty("on a CPU, or where the driver does not report it",
          quantity(time, "sm_clock_hz", "the clock of the GPU's multiprocessors")),
    empty("on a CPU, or where the driver does not report it",
          column(time, "throttled", flag, "1 if the GPU was slowed down")),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(
              time, "stage_scores_s",
              "the time of the first stage of kernel `staged` under serial ranks: dense x dense -> "
              "sparse")),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(time, "stage_softmax_s", "the time of its second stage: softmax")),
    empty("unless the kernel is `staged` and the ranks are `serial`",
          quantity(time, "stage_product_s", "the time of its third stage: sparse x dense")),
    of_host(quantity(time, "cpu_time_s", "the CPU time of the process, all its threads")),
    empty("for models, and where threads share cores or ended",
          quantity(time, "run_delay_s",
                   "the time that its threads were ready and waited for a core")),
    empty("for models, for MPI and NCCL ranks, and where Linux does not report it",
          quantity(time, "other_cpu_time_s",
                   "the CPU time of other processes on the cores that it may use")),
    of_host(quantity(time, "stolen_s", "the time that the hypervisor took from these cores")),
    of_host(quantity(time, "memory_stall_s", "the time that some process waited for memory")),
    of_host(quantity(time, "stopped_s", "the time that the process or its machine stood still")),
    of_host(column(time, "involuntary_switches", FieldKind::integer,
                   "how often another thread took the core of one of its threads", "switches")),
    of_host(column(time, "minor_faults", FieldKind::integer,
                   "page faults that read nothing from a disk", "faults")),
    of_host(column(time, "major_faults", FieldKind::integer, "page faults that read from a disk",
                   "faults")),
    empty("where Linux does not count them",
          column(time, "instructions", FieldKind::real,
                 "instructions that the process retired, as Linux counts them", "instructions")),
    empty("where Linux does not count them",
          column(time, "cycles", FieldKind::real, "cycles of the cores that it ran on, likewise",
                 "cycles")),
};

}  // namespace fields

using fields::kPartFields;
using fields::kSampleFields;
using fields::kSampleKeys;
using fields::kStepFields;
using fields::kTimelineFields;

}  // namespace qb
