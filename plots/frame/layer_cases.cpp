#include "plots/frame/layer_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/statistics.h"
#include "plots/frame/palette.h"

namespace qb {
namespace {

struct KnownPart {
  std::string_view name;
  std::string_view label;
  std::uint32_t colour;
};
// Products blue and green, attention red, passes over memory grey and yellow.
constexpr KnownPart kParts[] = {
    {"qkv", "QKV projection", 0x0072B2},
    {"attention", "attention", 0xD55E00},
    {"attention_output", "output projection", 0x56B4E9},
    {"attention_norm", "attention norm", 0x8A8A8A},
    {"feed_forward_in", "feed-forward in", 0x009E73},
    {"gelu", "GELU", 0xE6C300},
    {"feed_forward_out", "feed-forward out", 0x7BCBAF},
    {"output_norm", "output norm", 0xC4C4C4},
};

const KnownPart* known_part(const std::string& part) {
  const auto* const found =
      std::find_if(std::begin(kParts), std::end(kParts),
                   [&](const KnownPart& known) { return known.name == part; });
  return found == std::end(kParts) ? nullptr : found;
}

std::vector<std::size_t> layer_rows(const CsvTable& cases) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : standing_rows(cases))
    if (cases.text(row, "workload") == "transformer_layer") rows.push_back(row);
  return rows;
}

// A pattern by its name alone, `sliding_window`, where it is written with its arguments.
std::string with_short_mask(std::string name, const std::string& mask) {
  const std::size_t at = name.find(mask);
  const std::size_t colon = mask.find(':');
  if (at == std::string::npos || !mask.starts_with('{') || colon == std::string::npos) return name;
  return name.replace(at, mask.size(), mask.substr(1, colon - 1));
}

}  // namespace

std::vector<LayerVariant> layer_variants(const CsvTable& cases) {
  const std::vector<std::size_t> rows = layer_rows(cases);
  std::vector<std::string> others =
      splitting_columns(cases, rows, {"n_tokens", "kv_len", "layer_block_tokens"});
  // By block first: an empty field, the plain layer, comes before any number.
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  for (const std::size_t row : rows) {
    std::vector<std::string> key = {cases.text(row, "layer_block_tokens")};
    for (const std::string& column : others) key.push_back(cases.text(row, column));
    groups[key].push_back(row);
  }
  std::vector<LayerVariant> variants;
  for (auto& [key, members] : groups) {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return cases.number(a, "n_tokens") < cases.number(b, "n_tokens");
    });
    const bool plain = key.front().empty();
    const std::string block =
        plain ? "plain" : named_value("layer_block_tokens", key.front()) + " tokens";
    LayerVariant variant{.name = with_short_mask(name_with(block, cases, members.front(), others),
                                                 cases.text(members.front(), "mask")),
                         .plain = plain};
    variant.style = indexed_style(static_cast<int>(variants.size()));
    variant.rows = std::move(members);
    variants.push_back(std::move(variant));
  }
  return variants;
}

std::map<std::string, PartMedians> part_medians(const CsvTable& parts) {
  std::map<std::string, PartMedians> medians;
  for (const auto& [id, rows] : rows_of_cases(parts)) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<double>> times;
    for (const std::size_t row : rows) {
      if (parts.text(row, "warmup") != "0") continue;
      const std::string& part = parts.text(row, "part");
      if (!times.contains(part)) order.push_back(part);
      times[part].push_back(parts.number(row, "time_s"));
    }
    for (const std::string& part : order) medians[id].emplace_back(part, median(times[part]));
  }
  return medians;
}

double seconds_of(const PartMedians& parts, std::string_view part) {
  for (const auto& [name, seconds] : parts)
    if (name == part) return seconds;
  return kNaN;
}

double share_of(const PartMedians& parts, std::string_view part) {
  double sum = 0.0;
  for (const auto& [name, seconds] : parts) sum += seconds;
  return seconds_of(parts, part) / sum;
}

std::string part_label(const std::string& part) {
  const KnownPart* known = known_part(part);
  return known == nullptr ? part : std::string(known->label);
}

std::uint32_t part_colour(const std::string& part) {
  const KnownPart* known = known_part(part);
  return known == nullptr ? kBlack : known->colour;
}

double half_share_tokens(const CsvTable& cases, const LayerVariant& variant,
                         const std::map<std::string, PartMedians>& parts) {
  double n_before = kNaN;
  double share_before = kNaN;
  for (const std::size_t row : variant.rows) {
    const auto found = parts.find(cases.text(row, "case_id"));
    if (found == parts.end()) continue;
    const double n = cases.number(row, "n_tokens");
    const double share = share_of(found->second, "attention");
    if (share_before < 0.5 && share >= 0.5)
      return n_before * std::pow(n / n_before, (0.5 - share_before) / (share - share_before));
    n_before = n;
    share_before = share;
  }
  return kNaN;
}

}  // namespace qb
