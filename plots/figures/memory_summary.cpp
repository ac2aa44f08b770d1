// The memory summary of the CQS-Attention demo: how long the workers' subsequences are, since peak
// memory grows with the longest of them.
//
// The first panel shows shortest to longest, mean and standard deviation per worker count at the
// greatest N that all of them have, in percent of N. If there is subsequences.csv (columns workers,
// worker, tokens), a panel per worker count shows the histogram of its subsequence lengths.
#include <fmt/format.h>

#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr std::size_t kMostHistograms = 6;
constexpr double kMostBins = 24.0;

Panel summary_panel(const Rows& rows) {
  Panel panel{
      .title = named_values(rows.front(), {"n_tokens"}),
      .x = {.label = "workers W", .column = "worker_count_index"},
      .y = {.label = "subsequence length (% of N)", .column = "length_percent", .from_zero = true}};
  for (const Row& row : rows) {
    const double percent = 100.0 / row.number("n_tokens");
    const auto share = [&](const char* column) { return row.number(column) * percent; };
    const auto x = static_cast<double>(panel.x.tics.size());
    const double low = share("shortest_subsequence_tokens");
    const double high = share("longest_subsequence_tokens");
    const std::string name = named_value("workers", row.text("workers"));
    panel.series.push_back({.name = name + ": shortest to longest",
                            .draw = Draw::rectangles,
                            .style = {0xCFE3F1, 0},
                            .thin = true,
                            .in_legend = false,
                            .points = {{x, (low + high) / 2, low, high, x - 0.3, x + 0.3}}});
    const double mean = share("mean_subsequence_tokens");
    const double deviation = share("stddev_subsequence_tokens");
    panel.series.push_back({.name = name + ": mean and standard deviation",
                            .style = worker_style(row.integer("workers")),
                            .in_legend = false,
                            .points = {{x, mean, mean - deviation, mean + deviation}}});
    panel.x.tics.push_back({x, row.text("workers")});
  }
  return panel;
}

// Makes bins of equal width over the lengths, at least a token wide.
Panel histogram_panel(const Group& of_count) {
  std::vector<double> tokens;
  for (const Row& row : of_count.rows) tokens.push_back(row.number("tokens"));
  const auto [least, most] = std::minmax_element(tokens.begin(), tokens.end());
  const double width = std::max(1.0, std::ceil((*most - *least + 1.0) / kMostBins));
  std::map<std::int64_t, double> bins;
  for (const double value : tokens) ++bins[static_cast<std::int64_t>((value - *least) / width)];
  Panel panel{
      .title = of_count.name,
      .x = {.label = "subsequence length (tokens)",
            .column = "length_tokens",
            .whole = true,
            .least_span = 5.0 * width},
      .y = {.label = "workers", .column = "worker_count", .from_zero = true, .whole = true}};
  Series series{.name = of_count.name + ": workers",
                .draw = Draw::rectangles,
                .style = worker_style(workers_of(of_count)),
                .in_legend = false};
  for (const auto& [bin, workers] : bins) {
    const double left = *least - 0.5 + width * static_cast<double>(bin);
    series.points.push_back({left + width / 2, workers / 2, 0.0, workers, left, left + width});
  }
  panel.series = {series};
  // If there are few distinct lengths, each gets a name.
  const std::set<double> distinct(tokens.begin(), tokens.end());
  if (distinct.size() <= 3 && width == 1.0)
    for (const double value : distinct) panel.x.tics.push_back({value, grouped(value)});
  return panel;
}

}  // namespace

Rows summary_rows(const CsvTable& cases) {
  std::map<double, std::map<std::int64_t, Row>> by_length;
  std::set<std::int64_t> workers;
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows) {
      if (std::isnan(row.number("longest_subsequence_tokens"))) continue;
      workers.insert(workers_of(line));
      by_length[row.number("n_tokens")].emplace(workers_of(line), row);
    }
  Rows rows;
  for (auto found = by_length.rbegin(); found != by_length.rend() && rows.empty(); ++found)
    if (found->second.size() == workers.size())
      for (const auto& [count, row] : found->second) rows.push_back(row);
  return rows;
}

Figure memory_summary_figure(const PlottedRun& run) {
  Figure figure{.title = "Subsequence lengths of the workers", .legend = Figure::Legend::none};
  const Rows rows = summary_rows(run.cases);
  if (rows.empty())
    return empty_figure(figure.title, "no length N has subsequences for every worker count");
  figure.panels.push_back(summary_panel(rows));
  if (run.subsequences)
    for (const Group& of_count : panels_by(all_rows(*run.subsequences), {"workers"}))
      if (workers_of(of_count) > 1 && figure.panels.size() <= kMostHistograms)
        figure.panels.push_back(histogram_panel(of_count));
  const std::size_t panels = figure.panels.size();
  figure.columns = panels > 4 ? 3 : panels > 1 ? 2 : 1;
  figure.panel_height = panels > 2 ? 220 : 330;
  figure.notes = {
      "First panel: light bar from the shortest to the longest subsequence, mark and whiskers are "
      "mean and standard deviation over workers. Peak memory of a materialized score matrix grows "
      "with the square of the longest."};
  if (panels > 1) figure.notes.emplace_back("Other panels: how many workers hold how many tokens.");
  return figure;
}

}  // namespace qb
