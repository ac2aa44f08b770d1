#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/numbers.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Subsequence lengths of the workers";
constexpr std::size_t kMostHistograms = 6;
constexpr double kMostBins = 24.0;

Panel summary_panel(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  Panel panel{.title = fmt::format("N = {}", format_grouped(static_cast<std::int64_t>(
                                                 cases.number(rows.front(), "n_tokens"))))};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    const double percent = 100.0 / cases.number(row, "n_tokens");
    const auto share = [&](const char* column) { return cases.number(row, column) * percent; };
    const double x = static_cast<double>(i);
    const auto workers = static_cast<std::int64_t>(cases.number(row, "workers"));
    const std::string name = fmt::format("W = {}", workers);
    const double low = share("shortest_subsequence_tokens");
    const double high = share("longest_subsequence_tokens");
    panel.series.push_back({.name = name + ": shortest to longest",
                            .draw = Draw::rectangles,
                            .style = {0xCFE3F1, 0},
                            .thin = true,
                            .in_legend = false,
                            .points = {{x, (low + high) / 2, low, high, x - 0.3, x + 0.3}}});
    const double mean = share("mean_subsequence_tokens");
    const double deviation = share("stddev_subsequence_tokens");
    panel.series.push_back({.name = name + ": mean and standard deviation",
                            .style = worker_style(workers),
                            .in_legend = false,
                            .points = {{x, mean, mean - deviation, mean + deviation}}});
    panel.x.tics.push_back({x, fmt::format("{}", workers)});
  }
  panel.x.label = "workers W";
  panel.x.column = "worker_count_index";
  panel.y = {.label = "subsequence length (% of N)", .column = "length_percent", .from_zero = true};
  return panel;
}

// Bins of equal width over the lengths, at least a token wide.
Panel histogram_panel(std::int64_t workers, const std::vector<double>& tokens) {
  const auto [least, most] = std::minmax_element(tokens.begin(), tokens.end());
  const double width = std::max(1.0, std::ceil((*most - *least + 1.0) / kMostBins));
  std::map<std::int64_t, double> counts;
  for (const double value : tokens) ++counts[static_cast<std::int64_t>((value - *least) / width)];
  Panel panel{.title = fmt::format("W = {}", workers)};
  Series series{.name = fmt::format("W = {}: workers", workers),
                .draw = Draw::rectangles,
                .style = worker_style(workers),
                .in_legend = false};
  for (const auto& [bin, count] : counts) {
    const double left = *least - 0.5 + width * static_cast<double>(bin);
    series.points.push_back({left + width / 2, count / 2, 0.0, count, left, left + width});
  }
  panel.series.push_back(std::move(series));
  panel.x = {.label = "subsequence length (tokens)",
             .column = "length_tokens",
             .whole = true,
             .least_span = 5.0 * width};
  // Few distinct lengths: name each.
  const std::set<double> distinct(tokens.begin(), tokens.end());
  if (distinct.size() <= 3 && width == 1.0)
    for (const double value : distinct)
      panel.x.tics.push_back({value, format_grouped(static_cast<std::int64_t>(value))});
  panel.y = {.label = "workers", .column = "worker_count", .from_zero = true, .whole = true};
  return panel;
}

std::vector<Panel> histograms(const CsvTable& subsequences) {
  std::map<std::int64_t, std::vector<double>> tokens;
  for (std::size_t row = 0; row < subsequences.size(); ++row)
    tokens[static_cast<std::int64_t>(subsequences.number(row, "workers"))].push_back(
        subsequences.number(row, "tokens"));
  std::vector<Panel> panels;
  for (const auto& [workers, lengths] : tokens)
    if (workers > 1 && panels.size() < kMostHistograms)
      panels.push_back(histogram_panel(workers, lengths));
  return panels;
}

}  // namespace

std::vector<std::size_t> summary_rows(const CsvTable& cases) {
  std::map<double, std::map<std::int64_t, std::size_t>> by_length;
  std::set<std::int64_t> workers;
  for (const CaseSeries& group : case_series(cases))
    for (const std::size_t row : group.rows) {
      if (std::isnan(cases.number(row, "longest_subsequence_tokens"))) continue;
      workers.insert(group.workers);
      by_length[cases.number(row, "n_tokens")].emplace(group.workers, row);
    }
  std::vector<std::size_t> rows;
  for (auto found = by_length.rbegin(); found != by_length.rend(); ++found) {
    if (found->second.size() != workers.size()) continue;
    for (const auto& [count, row] : found->second) rows.push_back(row);
    break;
  }
  return rows;
}

Figure memory_summary_figure(const CsvTable& cases, const CsvTable* subsequences,
                             const FigureContext& context) {
  Figure figure{.name = "memory_summary", .title = kTitle, .subtitle = context.subtitle};
  const std::vector<std::size_t> rows = summary_rows(cases);
  if (rows.empty())
    return empty_figure(figure.name, kTitle, "no length N has subsequences for every worker count");
  figure.panels.push_back(summary_panel(cases, rows));
  if (subsequences != nullptr)
    for (Panel& panel : histograms(*subsequences)) figure.panels.push_back(std::move(panel));
  if (figure.panels.size() > 1) figure.columns = figure.panels.size() == 5 ? 3 : 2;
  if (figure.panels.size() > 4) figure.columns = 3;
  figure.panel_height = figure.panels.size() > 2 ? 220 : 330;
  figure.legend = Legend::none;
  figure.notes = {
      "First panel: light bar from the shortest to the longest subsequence, mark and whiskers are "
      "mean and standard deviation over workers. Peak memory of a materialized score matrix grows "
      "with the square of the longest."};
  if (figure.panels.size() > 1)
    figure.notes.emplace_back("Other panels: how many workers hold how many tokens.");
  return figure;
}

}  // namespace qb
