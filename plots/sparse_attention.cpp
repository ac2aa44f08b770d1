#include "plots/sparse_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "plots/scale.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Sparse attention against sequence length";

// `{sliding_window: {left: 8, right: 7}}` is of kind `sliding_window`.
std::string kind_of(const std::string& mask) {
  if (mask.empty() || mask.front() != '{') return mask;
  return mask.substr(1, mask.find(':') - 1);
}

using LineKey = std::pair<std::string, std::string>;  // mask, kernel

struct Dense {
  double time_s = kNaN;
  double pairs = kNaN;
};

using Value = std::function<Point(std::size_t row, const Dense& dense)>;

class SparseCases {
 public:
  explicit SparseCases(const CsvTable& cases) : cases_(cases) {
    std::set<std::string> masks;
    std::set<std::string> kernels;
    for (const std::size_t row : standing_rows(cases)) {
      if (!ran(cases, row)) continue;
      const LineKey key{cases.text(row, "mask"), cases.text(row, "kernel")};
      masks.insert(key.first);
      kernels.insert(key.second);
      rows_[key].push_back(row);
      if (key == LineKey{"full", "flash"})
        dense_[tokens(row)] = {cases.number(row, "wall_time_median_s"),
                               cases.number(row, "unmasked_pairs")};
    }
    const std::map<std::string, std::string> names = mask_names(masks);
    for (auto& [key, rows] : rows_) {
      std::sort(rows.begin(), rows.end(),
                [this](std::size_t a, std::size_t b) { return tokens(a) < tokens(b); });
      names_[key] = names.at(key.first);
      if (kernels.size() > 1) names_[key] += ", " + key.second;
    }
  }

  [[nodiscard]] bool has_patterns() const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [](const auto& line) { return line.first.first.starts_with('{'); });
  }

  [[nodiscard]] Panel panel(std::string title, Axis y, const Value& value) const {
    Panel panel{.title = std::move(title), .y = std::move(y)};
    int index = 0;
    for (const auto& [key, rows] : rows_) {
      Series series{.name = names_.at(key), .style = indexed_style(index++)};
      for (const std::size_t row : rows) {
        const auto dense = dense_.find(tokens(row));
        Point point = value(row, dense == dense_.end() ? Dense{} : dense->second);
        point.x = cases_.number(row, "n_tokens");
        if (std::isfinite(point.y)) series.points.push_back(point);
      }
      if (!series.points.empty()) panel.series.push_back(std::move(series));
    }
    return panel;
  }

  [[nodiscard]] double number(std::size_t row, const char* column) const {
    return cases_.number(row, column);
  }

 private:
  [[nodiscard]] std::int64_t tokens(std::size_t row) const {
    return static_cast<std::int64_t>(cases_.number(row, "n_tokens"));
  }

  const CsvTable& cases_;
  std::map<LineKey, std::vector<std::size_t>> rows_;
  std::map<LineKey, std::string> names_;
  std::map<std::int64_t, Dense> dense_;
};

// The time times a factor, with its interval.
Point timed(const SparseCases& cases, std::size_t row, double factor) {
  return {.y = factor * cases.number(row, "wall_time_median_s"),
          .low = factor * cases.number(row, "wall_time_low95_s"),
          .high = factor * cases.number(row, "wall_time_high95_s")};
}

}  // namespace

std::map<std::string, std::string> mask_names(const std::set<std::string>& masks) {
  std::map<std::string, int> kinds;
  for (const std::string& mask : masks) ++kinds[kind_of(mask)];
  std::map<std::string, std::string> names;
  for (const std::string& mask : masks) {
    std::string name = kind_of(mask);
    if (kinds[name] > 1) {
      std::string inside = mask.substr(mask.find(':') + 1);
      std::erase_if(inside, [](char c) { return c == '{' || c == '}'; });
      name += ',' + inside;
    }
    names.emplace(mask, std::move(name));
  }
  return names;
}

Figure sparse_attention_figure(const CsvTable& cases, const FigureContext& context) {
  const SparseCases sparse(cases);
  if (!sparse.has_patterns())
    return empty_figure("sparse_attention", kTitle, "no case with a sparse mask has a time");
  Figure figure{.name = "sparse_attention", .title = kTitle, .subtitle = context.subtitle};
  constexpr double kMilli = 1e3;
  constexpr double kMiB = 1024.0 * 1024.0;
  figure.panels = {
      sparse.panel("time", {.label = "time (ms)", .column = "time_ms", .log = true},
                   [&](std::size_t row, const Dense&) { return timed(sparse, row, kMilli); }),
      sparse.panel("speed-up over dense",
                   {.label = "dense time / time", .column = "speed_up_ratio", .log = true},
                   [&](std::size_t row, const Dense& dense) {
                     return Point{.y = dense.time_s / sparse.number(row, "wall_time_median_s"),
                                  .low = dense.time_s / sparse.number(row, "wall_time_high95_s"),
                                  .high = dense.time_s / sparse.number(row, "wall_time_low95_s")};
                   }),
      sparse.panel(
          "time over the ideal",
          {.label = "time / (dense time × pairs kept)", .column = "over_ideal_ratio", .log = true},
          [&](std::size_t row, const Dense& dense) {
            const double kept = sparse.number(row, "unmasked_pairs") / dense.pairs;
            return timed(sparse, row, 1.0 / (dense.time_s * kept));
          }),
      sparse.panel("work beyond the mask",
                   {.label = "executed / useful pairs", .column = "executed_ratio", .log = true},
                   [&](std::size_t row, const Dense&) {
                     return Point{.y = sparse.number(row, "executed_pairs") /
                                       sparse.number(row, "unmasked_pairs")};
                   }),
      sparse.panel(
          "memory",
          {.label = "peak active memory (MiB)", .column = "active_memory_mib", .log = true},
          [&](std::size_t row, const Dense&) {
            return Point{.y = sparse.number(row, "active_memory_peak_bytes") / kMiB};
          })};
  std::erase_if(figure.panels, [](const Panel& panel) { return panel.series.empty(); });
  const Axis x = tokens_axis(all_x(figure.panels));
  for (Panel& panel : figure.panels) panel.x = x;
  arrange_panels(figure);
  figure.notes = case_notes(cases);
  figure.notes.emplace_back(
      "Dense: full mask, flash, the same N. Ideal: its time × the share of pairs that the mask "
      "keeps.");
  return figure;
}

}  // namespace qb
