// The numbers of the CMU 15-618 project "Sparse Attention in CUDA" (data/published/
// sparse_attention_15618_*.csv), and how they are laid over a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// Table 1: times by mode (full, window, random, global), device and N, of three stages where the
// mode is sparse; table 2: times at N = 1024 against one parameter.
[[nodiscard]] const CsvTable& published_sparse_times();
[[nodiscard]] const CsvTable& published_sparse_ablations();

// Its mode that a mask of ours is nearest to: `full`, block_local of 16 as `window`, element-wise
// `random`, `global` of the first 16. nullopt for others.
[[nodiscard]] std::optional<std::string> published_sparse_mode(const std::string& mask);

// Whether its numbers stand beside a run: 8 heads of 64 and, of the run's lengths, at least half
// among its own, 128 to 1024.
[[nodiscard]] bool of_published_sparse_shape(const CsvTable& cases);

// Times of one mode on `device`, cpu or gpu, against N, in ms, in the colour of ours; empty where
// there are none. Speed-ups over `full` on the same device.
[[nodiscard]] Series published_sparse_series(const std::string& mode, const std::string& device);
[[nodiscard]] Series published_sparse_speed_ups(const std::string& mode, const std::string& device);

// One row's stages in us by mode and N: dds_us, softmax_us, sdd_us. nullopt where not printed.
struct PublishedStages {
  double scores_us = 0.0;
  double softmax_us = 0.0;
  double product_us = 0.0;
};
[[nodiscard]] std::optional<PublishedStages> published_sparse_stages(const std::string& mode,
                                                                     double n_tokens);

inline constexpr const char* kPublishedSparseLegend = "published: 15-618, RTX 2080";
// What makes those numbers incomparable with ours.
[[nodiscard]] std::string published_sparse_note();

}  // namespace qb
