// SPDX-License-Identifier: Apache-2.0
// What specs, tables and the command line no longer have. A message about such a name says what to
// use instead, and readers of older runs drop its column.
#pragma once

#include <string_view>

namespace qb {

struct GoneName {
  std::string_view what;  // as unknown_word() says it: a key, a figure, a word of a parameter
  std::string_view name;
  int until = 0;              // the first schema version without it
  std::string_view instead;   // the end of a sentence
  std::string_view column{};  // of cases.csv
  // A resolved spec that gives the key this value, ~ for none, is still read.
  std::string_view neutral{};
};

inline constexpr std::string_view kInsteadOfProducts =
    "figure cqs_product of `qb sets figures` shows how CQS splits a matrix product";

inline constexpr std::string_view kInsteadOfSpeeds = "the workers of a case are equally fast";

inline constexpr GoneName kGoneNames[] = {
    {"workload", "matrix_product", 11, kInsteadOfProducts},
    {"key", "product.row_groups", 11, kInsteadOfProducts, "product_row_groups", "0"},
    {"key", "product.depth", 11, kInsteadOfProducts, "product_depth", "0"},
    {"key", "worker_speeds", 19, kInsteadOfSpeeds, "worker_speeds", "~"},
    {"key", "group_sizes", 19, kInsteadOfSpeeds, "group_sizes", "equal"},
    {"key", "layer.weights", 19, "the weights of a layer follow from seed", "layer_weights", "~"},
    {"column", "idle_workers", 11, kInsteadOfProducts, "idle_workers"},
    {"figure", "product_speed_up", 11, kInsteadOfProducts},
    {"figure", "exposed_communication", 11, "figure exposed_time shows the same in seconds"},
    {"figure", "memory_summary", 11, "`qb table --value device_peak` prints its numbers"},
    {"figure", "time_memory", 11, "figure scheme_comparison shows both against W"},
    {"figure", "ttft_nodes", 11, "figure scheme_comparison shows time against W"},
    {"figure", "cqs_overhead", 12, "microbench.csv has its numbers, in column overhead"},
    {"figure", "exposed_split", 12, "figure gantt shows what each worker does when"},
    {"figure", "kernel_error", 12, "`qb table --value max_error` prints its numbers"},
    {"figure", "kernel_peak_fraction", 12, "figure roofline shows kernels under measured ceilings"},
    {"figure", "layer_memory", 12, "figure peak_memory shows memory against N"},
    {"figure", "layer_time", 12, "figure wall_clock shows time against N"},
    {"figure", "partition", 12, "`qb plan --picture FILE` draws which worker computes what"},
    {"figure", "responsibility_ratio", 12, "`qb sets responsibility` prints its numbers"},
    {"figure", "scaling", 12, "figure efficiency shows strong and weak scaling"},
    {"figure", "scheme_passes", 12, "figure scheme_comparison shows a pass at one length"},
    {"figure", "selector_regret", 12, "`qb select` prints the regret of each selector"},
    {"figure", "sparse_ablation", 12, "figure sparse_attention shows each pattern against N"},
    {"figure", "sparse_stages", 12, "`qb table --value stage_scores_median_s` prints a stage"},
    {"figure", "worker_skew", 12, "`qb table --value critical_path` prints its times"},
};

// Returns null where nothing of that name is gone.
[[nodiscard]] constexpr const GoneName* find_gone(std::string_view what, std::string_view name) {
  for (const GoneName& gone : kGoneNames)
    if (gone.what == what && gone.name == name) return &gone;
  return nullptr;
}

}  // namespace qb
