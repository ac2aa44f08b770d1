// The fixed columns of a run folder for kSchemaVersion; the order is the order in the files.
#include "harness/experiment/result.h"

namespace qb {

const std::vector<std::string>& case_columns() {
  static const std::vector<std::string> columns = {
      "schema_version", "case_id", "experiment",
      // parameters: case_parameters()
      "algorithm", "kernel", "device", "ranks", "workers", "threads", "n_tokens", "kv_len", "batch",
      "q_heads", "kv_heads", "head_dim", "dtype", "mask", "seed", "interest_set", "scale",
      "memory_budget_bytes", "cpu_isa", "sequences", "new_key_owner", "link_bandwidth_byte_per_s",
      "link_latency_s", "link_mode", "model_device", "model_cores", "distillation", "workload",
      "layer_feed_forward_dim", "layer_block_tokens", "layer_weights", "allocator", "launch",
      "clock", "l2_cache", "cuda_path", "worker_speeds", "group_sizes", "product_row_groups",
      "product_depth",
      // how it ended; provenance: measured | model
      "status", "message", "isa", "gpu", "provenance",
      // predicted from the plan; pairs are per head
      "longest_subsequence_tokens", "shortest_subsequence_tokens", "mean_subsequence_tokens",
      "stddev_subsequence_tokens", "responsibility_ratio", "unmasked_pairs", "executed_pairs",
      "critical_path_pairs", "unmasked_flop", "moved_bytes", "worker_sent_bytes",
      "predicted_active_peak_bytes", "predicted_worker_active_peak_bytes", "idle_workers",
      // memory pass
      "active_memory_peak_bytes", "reserved_memory_peak_bytes", "resident_peak_bytes",
      "worker_active_peak_bytes",
      // all that the GPU held at once, libraries included, by its driver
      "device_memory_peak_bytes",
      // timed pass
      "n_samples", "interval_coverage", "wall_time_median_s", "wall_time_low95_s",
      "wall_time_high95_s", "critical_path_median_s", "critical_path_low95_s",
      "critical_path_high95_s", "worker_sum_median_s", "worker_sum_low95_s", "worker_sum_high95_s",
      "longest_subsequence_median_s", "longest_subsequence_low95_s", "longest_subsequence_high95_s",
      "gather_median_s", "merge_median_s",
      // of the kernel `staged` under serial ranks: dense x dense -> sparse, softmax, sparse x dense
      "stage_scores_median_s", "stage_softmax_median_s", "stage_product_median_s",
      // of a GPU: by its own clock, the clock of its multiprocessors, samples it was slowed down in
      "device_time_median_s", "sm_clock_median_hz", "throttled_samples",
      // of the worker where each is largest, summed over its steps
      "compute_median_s", "communication_median_s", "exposed_communication_median_s",
      "idle_median_s", "achieved_flop_per_s", "peak_flop_per_s", "peak_fraction",
      // what the model executor says of the same plan, and measured wall / modelled wall - 1
      "modelled_wall_time_s", "model_residual_ratio",
      // verification
      "verified_rows", "max_error", "naive_error", "tolerance", "lse_max_error",
      // bookkeeping
      "started_at", "duration_s"};
  return columns;
}

const std::vector<std::string>& sample_columns() {
  static const std::vector<std::string> columns = {"case_id",
                                                   "repeat",
                                                   "warmup",
                                                   "wall_time_s",
                                                   "critical_path_s",
                                                   "worker_sum_s",
                                                   "longest_subsequence_s",
                                                   "gather_s",
                                                   "merge_s",
                                                   "device_time_s",
                                                   "sm_clock_hz",
                                                   "throttled",
                                                   "stage_scores_s",
                                                   "stage_softmax_s",
                                                   "stage_product_s"};
  return columns;
}

const std::vector<std::string>& step_columns() {
  static const std::vector<std::string> columns = {
      "case_id",        "worker",          "step",
      "unmasked_pairs", "executed_pairs",  "in_bytes",
      "out_bytes",      "kv_tokens",       "start_s",
      "compute_s",      "communication_s", "exposed_communication_s",
      "idle_s"};
  return columns;
}

const std::vector<std::string>& part_columns() {
  static const std::vector<std::string> columns = {"case_id", "repeat", "warmup",
                                                   "part",    "flop",   "time_s"};
  return columns;
}

const std::vector<std::string>& timeline_columns() {
  static const std::vector<std::string> columns = {
      "case_id", "time_s", "action", "label", "worker", "bytes", "active_bytes", "reserved_bytes"};
  return columns;
}

}  // namespace qb
