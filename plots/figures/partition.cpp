#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "plots/draw/gnuplot.h"

namespace qb {
namespace {

constexpr std::size_t kMostWorkers = 128;
constexpr std::size_t kMostInLegend = 20;
constexpr double kBands = 64.0;
// Least side, as a share of N, of a rectangle that a worker's number fits into.
constexpr double kTextShare = 0.045;

struct Rectangle {
  double q_begin = 0.0;
  double q_end = 0.0;
  double k_begin = 0.0;
  double k_end = 0.0;
};

Point corners(const Rectangle& from) {
  return {(from.k_begin + from.k_end) / 2,
          (from.q_begin + from.q_end) / 2,
          from.q_begin,
          from.q_end,
          from.k_begin,
          from.k_end};
}

// Rows, or bands of rows, of the pairs that a causal rectangle allows; a band is as wide as its
// last row.
std::vector<Rectangle> causal_bands(const Rectangle& whole, double offset) {
  const double rows = whole.q_end - whole.q_begin;
  const double bands = std::min(rows, kBands);
  std::vector<Rectangle> out;
  for (double band = 0.0; band < bands; band += 1.0) {
    const double first = std::floor(rows * band / bands);
    const double last = std::floor(rows * (band + 1.0) / bands);
    const double end = whole.k_begin + std::min(last + offset, whole.k_end - whole.k_begin);
    if (end > whole.k_begin)
      out.push_back({whole.q_begin + first, whole.q_begin + last, whole.k_begin, end});
  }
  return out;
}

struct Share {
  std::vector<Rectangle> whole;
  std::vector<Rectangle> bands;  // of causal rectangles, and cells of patterns
  std::vector<Rectangle> some;   // cells of which a part is allowed
};

std::map<int, Share> by_worker(const CsvTable& table) {
  std::map<int, Share> found;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Rectangle one{table.number(row, "q_begin"), table.number(row, "q_end"),
                        table.number(row, "k_begin"), table.number(row, "k_end")};
    Share& share = found[static_cast<int>(table.number(row, "worker"))];
    const std::string& allowed = table.text(row, "allowed");
    if (allowed != "causal") {
      (allowed == "cells"  ? share.bands
       : allowed == "some" ? share.some
                           : share.whole)
          .push_back(one);
      continue;
    }
    const double offset = table.number(row, "offset");
    for (const Rectangle& band : causal_bands(one, std::isnan(offset) ? 0.0 : offset))
      share.bands.push_back(band);
  }
  return found;
}

// Whether the number of each worker can be written into all its whole rectangles.
bool numbers_fit(const std::map<int, Share>& workers, double n_tokens) {
  for (const auto& [worker, share] : workers)
    for (const Rectangle& one : share.whole)
      if (std::min(one.q_end - one.q_begin, one.k_end - one.k_begin) < kTextShare * n_tokens)
        return false;
  return true;
}

double greatest_token(const std::map<int, Share>& workers) {
  double greatest = 0.0;
  for (const auto& [worker, share] : workers)
    for (const auto* part : {&share.whole, &share.bands, &share.some})
      for (const Rectangle& one : *part) greatest = std::max({greatest, one.q_end, one.k_end});
  return greatest;
}

Series cells(std::string name, int worker, const std::vector<Rectangle>& rectangles) {
  Series series{
      .name = std::move(name), .draw = Draw::rectangles, .style = {partition_colour(worker), 0}};
  for (const Rectangle& one : rectangles) series.points.push_back(corners(one));
  return series;
}

}  // namespace

Figure partition_figure(const CsvTable& rectangles, const std::string& title) {
  const auto workers = by_worker(rectangles);
  if (workers.empty()) throw UsageError("partition: the plan has no query-key pairs to draw");
  if (workers.size() > kMostWorkers)
    throw UsageError(
        fmt::format("partition: {} workers cannot be told apart in one picture; at "
                    "most {} are drawn",
                    workers.size(), kMostWorkers));
  const bool numbered = numbers_fit(workers, greatest_token(workers));
  Panel panel;
  for (const auto& [worker, share] : workers) {
    Series whole = cells(fmt::format("worker {}", worker), worker, share.whole);
    Series bands = cells(fmt::format("worker {}", worker), worker, share.bands);
    if (numbered) whole.text = fmt::format("{}", worker);
    Series some = cells(fmt::format("worker {}, some pairs", worker), worker, share.some);
    some.style.colour = lightened(some.style.colour);
    bands.thin = some.thin = true;
    if (!share.whole.empty()) bands.name += ", masked";
    some.in_legend = workers.size() == 1;
    bands.in_legend = share.whole.empty() && workers.size() <= kMostInLegend;
    whole.in_legend = workers.size() <= kMostInLegend;
    for (Series* series : {&whole, &bands, &some})
      if (!series->points.empty()) panel.series.push_back(std::move(*series));
  }
  panel.x = {.label = "key token", .column = "key_token", .tight = true};
  panel.y = {.label = "query token", .column = "query_token", .reversed = true, .tight = true};
  Figure figure{.name = "partition", .title = title, .panels = {std::move(panel)}, .square = true};
  figure.notes = {"Colour: the worker that computes the pair. White: no pair."};
  if (std::any_of(workers.begin(), workers.end(),
                  [](const auto& worker) { return !worker.second.some.empty(); }))
    figure.notes.emplace_back("Pale: a square of tokens of which some pairs are computed.");
  return figure;
}

void draw_partition(const CsvTable& rectangles, const std::string& path, const std::string& title) {
  write_picture(partition_figure(rectangles, title), path);
}

}  // namespace qb
