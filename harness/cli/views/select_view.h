// What `qb select` prints: pairs of pass-KV and pass-Q cases of a run, and how well the selectors
// would have chosen between them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "harness/plan/theory/selector.h"

namespace qb {

struct SelectorMachine {
  std::optional<double> compute_flop_per_s;  // else peak_flop_per_s of the rows
  std::optional<double> link_byte_per_s;     // else link_bandwidth_byte_per_s of the rows
};

struct RingVariantPairs {
  std::vector<SelectorSample> samples;
  std::size_t unpaired = 0;  // ok rows of either variant without the other
  bool any_serial = false;   // times without transfers
};

// Pairs the ok rows of pass_kv and pass_q whose parameters are equal but for the algorithm; their
// wall_time_median_s decides. `name` stands in messages. Throws UsageError where a column is
// missing, neither machine nor rows know C or B, or two rows are the same case.
[[nodiscard]] RingVariantPairs pair_ring_variants(const CsvTable& cases, std::string_view name,
                                                  const SelectorMachine& machine);

struct NamedScore {
  std::string selector;
  SelectorScore score;
  std::optional<LogLinearSelector> fitted;
};
// Algorithm 1, Algorithm 5, Appendix D refitted (to all samples, and each time to all but the one
// judged), always pass-KV, always pass-Q. Needs a sample; leaving one out needs two.
[[nodiscard]] std::vector<NamedScore> score_selectors(std::span<const SelectorSample> samples);

[[nodiscard]] std::string selector_table(std::span<const NamedScore> scores);
[[nodiscard]] std::string selector_csv(std::span<const NamedScore> scores);
// `h = … log T + … log m + …`, how many pairs, and what limits them.
[[nodiscard]] std::string selector_summary(const RingVariantPairs& pairs,
                                           std::span<const NamedScore> scores);

}  // namespace qb
