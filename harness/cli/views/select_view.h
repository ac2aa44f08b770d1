// What `qb select` prints: pairs of pass-KV and pass-Q cases of a run, and how well the selectors
// would have chosen between them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "harness/cli/views/table_form.h"
#include "harness/plan/theory/selector.h"

namespace qb {

struct RingVariantPairs {
  std::vector<SelectorSample> samples;
  std::size_t unpaired = 0;  // ok rows of either variant without the other
  bool any_serial = false;   // some times leave out transfers
};

// Pairs the ok rows of pass_kv and pass_q whose parameters are equal except for the algorithm;
// their wall_time_median_s decides. Messages use `name`. C is compute_flop_per_s if given and
// otherwise the rows' peak_flop_per_s; B is link_byte_per_s or otherwise their
// link_bandwidth_byte_per_s. Throws UsageError if a column is missing, C or B is unknown, or two
// rows are the same case.
[[nodiscard]] RingVariantPairs pair_ring_variants(const CsvTable& cases, std::string_view name,
                                                  std::optional<double> compute_flop_per_s,
                                                  std::optional<double> link_byte_per_s);

struct NamedScore {
  std::string selector;
  SelectorScore score;
  std::optional<LogLinearSelector> fitted;
};
// Scores Algorithm 1, Algorithm 5, Appendix D refitted (to all samples, and for each sample to all
// others), always pass-KV, and always pass-Q. It needs a sample; leaving one out needs two.
[[nodiscard]] std::vector<NamedScore> score_selectors(std::span<const SelectorSample> samples);

[[nodiscard]] std::string selector_table(std::span<const NamedScore> scores, TableForm form);
// Gives `h = … log T + … log m + …`, how many pairs there are, and what limits them.
[[nodiscard]] std::string selector_summary(const RingVariantPairs& pairs,
                                           std::span<const NamedScore> scores);

}  // namespace qb
