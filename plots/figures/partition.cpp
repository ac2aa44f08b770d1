// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "base/status.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr std::size_t kMostToldApart = 128;  // workers
constexpr std::size_t kMostInLegend = 20;
constexpr double kBands = 64.0;
// A worker's number fits into a rectangle whose sides are at least this share of N.
constexpr double kTextShare = 0.045;

// Gives the rows, or bands of rows, of the pairs that a causal rectangle allows; a band is as wide
// as its last row.
std::vector<Point> causal_bands(const Point& whole, double offset) {
  const double rows = whole.high - whole.low;
  const double bands = std::min(rows, kBands);
  std::vector<Point> out;
  for (double band = 0.0; band < bands; band += 1.0) {
    const double first = std::floor(rows * band / bands);
    const double last = std::floor(rows * (band + 1.0) / bands);
    const double end = whole.x_low + std::min(last + offset, whole.x_high - whole.x_low);
    if (end > whole.x_low)
      out.push_back(box(whole.x_low, end, whole.low + first, whole.low + last));
  }
  return out;
}

struct Share {
  std::vector<Point> whole;
  std::vector<Point> bands;  // bands of causal rectangles, and cells of patterns
  std::vector<Point> some;   // cells of which a part is allowed
};

std::map<int, Share> by_worker(const CsvTable& table) {
  std::map<int, Share> found;
  for (const Row& row : all_rows(table)) {
    const Point one = box(row.number_at("k_begin"), row.number_at("k_end"),
                          row.number_at("q_begin"), row.number_at("q_end"));
    const double offset = row.number_at("offset");
    Share& share = found[static_cast<int>(row.number("worker"))];
    if (row.at("allowed") == "causal")
      std::ranges::copy(causal_bands(one, std::isnan(offset) ? 0.0 : offset),
                        std::back_inserter(share.bands));
    else
      (row.at("allowed") == "cells"  ? share.bands
       : row.at("allowed") == "some" ? share.some
                                     : share.whole)
          .push_back(one);
  }
  return found;
}

bool numbers_fit(const std::map<int, Share>& workers, double n_tokens) {
  for (const auto& [worker, share] : workers)
    for (const Point& one : share.whole)
      if (std::min(one.high - one.low, one.x_high - one.x_low) < kTextShare * n_tokens)
        return false;
  return true;
}

// Compares the most and the least loaded worker, if whole rectangles say how many pairs they have.
void say_loads(Figure& figure, const std::map<int, Share>& workers) {
  std::vector<double> pairs;
  for (const auto& [worker, share] : workers) {
    if (!share.bands.empty() || !share.some.empty()) return;
    double sum = 0.0;
    for (const Point& one : share.whole) sum += (one.high - one.low) * (one.x_high - one.x_low);
    pairs.push_back(sum);
  }
  const double most = std::ranges::max(pairs);
  const double all = std::accumulate(pairs.begin(), pairs.end(), 0.0);
  figure.title += fmt::format(": the most loaded of {} computes {} times the mean",
                              counted(pairs.size(), "worker"),
                              significant(most * static_cast<double>(pairs.size()) / all));
}

Panel partition_panel(const std::map<int, Share>& workers, bool numbered) {
  Panel panel;
  for (const auto& [worker, share] : workers) {
    const std::string name = fmt::format("worker {}", worker);
    const std::uint32_t colour = partition_colour(worker);
    Series whole = rectangles(name, colour, share.whole);
    Series bands = rectangles(name, colour, share.bands);
    Series some = rectangles(name + ", some pairs", lightened(colour), share.some);
    whole.thin = false;
    if (numbered) whole.text = fmt::format("{}", worker);
    if (!share.whole.empty()) bands.name += ", masked";
    some.in_legend = workers.size() == 1;
    bands.in_legend = share.whole.empty() && workers.size() <= kMostInLegend;
    whole.in_legend = workers.size() <= kMostInLegend;
    add(panel, {whole, bands, some});
  }
  panel.x = {.label = "key token", .column = "key_token", .tight = true};
  panel.y = {.label = "query token", .column = "query_token", .reversed = true, .tight = true};
  return panel;
}

}  // namespace

Figure partition_of(const CsvTable& rectangles, const std::string& title) {
  const auto workers = by_worker(rectangles);
  if (workers.empty()) throw UsageError("partition: the plan has no query-key pairs to draw");
  if (workers.size() > kMostToldApart)
    throw UsageError(
        fmt::format("partition: {} workers cannot be told apart in one picture; at "
                    "most {} are drawn",
                    workers.size(), kMostToldApart));
  const Rows rows = all_rows(rectangles);
  const double queries = largest(rows, [](const Row& row) { return row.number_at("q_end"); });
  const double keys = largest(rows, [](const Row& row) { return row.number_at("k_end"); });
  const bool numbered = numbers_fit(workers, std::max(queries, keys));
  Figure figure{
      .name = "partition",
      .title = title,
      .subtitle = listed({"N = " + grouped(queries), keys == queries ? "" : grouped(keys) + " keys",
                          fmt::format("W = {}", workers.rbegin()->first + 1)}),
      .panels = {partition_panel(workers, numbered)},
      .square = true};
  figure.notes = {"Colour: the worker that computes the pair."};
  if (std::any_of(workers.begin(), workers.end(),
                  [](const auto& worker) { return !worker.second.some.empty(); }))
    figure.notes.emplace_back("Pale: a square of tokens of which some pairs are computed.");
  say_loads(figure, workers);
  return figure;
}

}  // namespace qb
