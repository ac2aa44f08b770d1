// Cases of transformer layers and the times of their parts, for the figures of layers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "plots/frame/case_series.h"

namespace qb {

// Layers that differ in n_tokens alone, named by what tells them from the others: `plain`,
// `blocks of 1024`, `plain, causal mask`.
struct LayerVariant {
  std::string name{};
  bool plain = true;  // not in blocks
  Style style{};
  std::vector<std::size_t> rows{};  // of the cases, ascending n_tokens
};

// The plain ones first. Empty where the run has no layers.
[[nodiscard]] std::vector<LayerVariant> layer_variants(const CsvTable& cases);

// Parts of a layer in the order in which they run, with the median seconds of each.
using PartMedians = std::vector<std::pair<std::string, double>>;

// By case id, over the repeats without warm-ups. `parts` has the columns of parts.csv.
[[nodiscard]] std::map<std::string, PartMedians> part_medians(const CsvTable& parts);

// Seconds of one part; NaN where there is none of that name.
[[nodiscard]] double seconds_of(const PartMedians& parts, std::string_view part);
// Its share of the sum of all.
[[nodiscard]] double share_of(const PartMedians& parts, std::string_view part);

// How a part is called in a figure, and its colour.
[[nodiscard]] std::string part_label(const std::string& part);
[[nodiscard]] std::uint32_t part_colour(const std::string& part);

// N at which attention takes half of the layer, log-interpolated between the two cases around it;
// NaN where the rows do not cross. Rows without parts are left out.
[[nodiscard]] double half_share_tokens(const CsvTable& cases, const LayerVariant& variant,
                                       const std::map<std::string, PartMedians>& parts);

inline constexpr const char* kNoLayers =
    "the run has no case of workload transformer_layer with times in parts.csv";

}  // namespace qb
