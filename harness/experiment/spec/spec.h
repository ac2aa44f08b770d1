// Experiment specs: strict YAML over yaml-cpp (the only place that includes it).
//
// Every case parameter stands at the top level under its column name (algorithm, kernel, device,
// ranks, workers, threads, n_tokens, kv_len, batch, q_heads, kv_heads, head_dim, dtype, mask, seed,
// interest_set, scale, memory_budget, cpu.isa, workload, …) with a scalar; `sweep:` gives lists or
// ranges (cartesian product), `zip:` lists of equal length that move together, `exclude:` a list of
// maps that drop the cases which match all their entries; `measure:` how to time; `figures:` what
// to draw. In place of `sweep:`, `zip:` and `exclude:`, `cases:` lists maps of parameters, one a
// case; resolved specs are written so. experiments/README.md is the reference of every key.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/experiment/schema/case.h"

namespace qb {

// What `figures:` may name; each is one figure of plots/.
inline constexpr auto kFigureNames = std::to_array<std::string_view>({
    "memory_summary",
    "wall_clock",
    "speed_up",
    "throughput",
    "peak_memory",
    "memory_timeline",
    "responsibility_ratio",
    "partition",
    "kernel_peak_fraction",
    "cqs_overhead",
    "scheme_comparison",
    "scheme_map",
    "ttft_miss_rate",
    "exposed_split",
    "decode_attention",
    "gantt",
    "work_per_round",
    "striped_speed_up",
    "exposed_communication",
    "exposed_time",
    "model_residual",
    "layer_shares",
    "layer_time",
    "layer_memory",
    "sparse_attention",
    "worker_skew",
    "distillation_gain",
    "product_speed_up",
    "sparse_stages",
    "sparse_ablation",
});

struct Spec {
  std::string name;         // `experiment:`; letters, digits, '_' and '-'
  std::string description;  // one paragraph for the report
  std::vector<Case> cases;  // expanded, in spec order
  std::vector<std::string> figures;
  std::string resolved_yaml;  // what ran: reading it again gives the same cases
};

struct SpecOptions {
  std::vector<std::string> set;     // `key.path=value`, as --set
  std::vector<std::string> filter;  // `key=value`, `key!=value`, `key<value` …; all must hold
  std::size_t max_cases = 10'000;   // above it: UsageError with the count, asks for --yes
};

// Throws UsageError `file:line:column: message` (with the nearest valid key where one is near).
[[nodiscard]] Spec parse_spec(std::string_view yaml, std::string_view file_name,
                              const SpecOptions& options);
[[nodiscard]] Spec load_spec(const std::string& path, const SpecOptions& options);

}  // namespace qb
