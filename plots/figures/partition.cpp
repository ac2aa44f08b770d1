// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "base/status.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::size_t kMostToldApart = 128;  // workers
constexpr double kHalfLoad = 0.4;
constexpr std::uint32_t kHidden = 0xE2E2E2;
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

Panel partition_panel(const std::map<int, Share>& workers, const Point& all, bool numbered) {
  Panel panel;
  if (!std::isnan(all.y)) panel.series.push_back(rectangles("hidden by the mask", kHidden, {all}));
  for (const auto& [worker, share] : workers) {
    const std::string name = fmt::format("worker {}", worker);
    const std::uint32_t colour = partition_colour(worker);
    Series whole = rectangles(name, colour, share.whole);
    Series bands = rectangles(name + ", masked", colour, share.bands);
    Series some = rectangles(name + ", some pairs", lightened(colour), share.some);
    whole.thin = false;
    if (numbered) whole.text = fmt::format("{}", worker);
    for (Series* one : {&whole, &bands, &some}) one->in_legend = false;  // bars have their names
    add(panel, {whole, bands, some});
  }
  panel.x = {.label = "key token", .column = "key_token", .tight = true};
  panel.y = {.label = "query token", .column = "query_token", .reversed = true, .tight = true};
  return panel;
}

// A bar for the pairs of each worker, and their mean.
Panel loads_panel(const std::vector<double>& pairs) {
  Panel panel{.x = {.label = "pairs of a head", .column = "pairs", .from_zero = true},
              .y = {.label = "worker", .column = "worker_index", .reversed = true}};
  for (std::size_t worker = 0; worker < pairs.size(); ++worker) {
    const auto y = static_cast<double>(worker);
    Series bar = rectangles(fmt::format("worker {}", worker),
                            partition_colour(static_cast<int>(worker)),
                            {box(0.0, pairs[worker], y - kHalfLoad, y + kHalfLoad)});
    bar.in_legend = false;
    panel.series.push_back(std::move(bar));
    panel.y.tics.push_back({y, fmt::format("{}", worker)});
  }
  const double mean = std::reduce(pairs.begin(), pairs.end()) / static_cast<double>(pairs.size());
  panel.series.push_back(
      {.name = "mean",
       .draw = Draw::line,
       .style = {kGrey, 0, 1},
       .points = {{.x = mean, .y = -0.5},
                  {.x = mean, .y = static_cast<double>(pairs.size()) - 0.5}}});
  return panel;
}

std::string loads_title(const std::string& title, const std::vector<double>& pairs) {
  const auto [least, most] = std::ranges::minmax(pairs);
  const auto workers = static_cast<double>(pairs.size());
  if (least == most || pairs.size() == 1)
    return listed({title, pairs.size() == 1 ? "" : "all workers compute as many pairs"}, ": ");
  return fmt::format("{}: the most loaded of {} computes {} times the mean", title,
                     counted(pairs.size(), "worker"),
                     significant(most * workers / std::reduce(pairs.begin(), pairs.end())));
}

}  // namespace

Figure partition_of(const CsvTable& rectangles, const Partition& of) {
  const auto workers = by_worker(rectangles);
  if (workers.empty()) throw UsageError("partition: the plan has no query-key pairs to draw");
  if (of.pairs.size() > kMostToldApart)
    throw UsageError(
        fmt::format("partition: {} workers cannot be told apart in one picture; at "
                    "most {} are drawn",
                    of.pairs.size(), kMostToldApart));
  const Rows rows = all_rows(rectangles);
  double queries = largest(rows, [](const Row& row) { return row.number_at("q_end"); });
  double keys = largest(rows, [](const Row& row) { return row.number_at("k_end"); });
  const bool cut = queries < of.queries && keys < of.keys;  // to its first tokens
  if (!cut) std::tie(queries, keys) = std::pair(of.queries, of.keys);
  const bool masked = std::reduce(of.pairs.begin(), of.pairs.end()) < of.queries * of.keys;
  Figure figure{
      .name = "partition",
      .title = loads_title(of.title, of.pairs),
      .subtitle = listed({"N = " + grouped(of.queries),
                          of.keys == of.queries ? "" : grouped(of.keys) + " keys",
                          fmt::format("W = {}", of.pairs.size())}),
      .panels = {partition_panel(workers, masked ? box(0.0, keys, 0.0, queries) : Point{},
                                 numbers_fit(workers, std::max(queries, keys))),
                 loads_panel(of.pairs)},
      .columns = 2,
      .square = true};
  figure.notes = {"Colour: the worker that computes the pair.",
                  std::ranges::any_of(workers, [](const auto& one) { return !one.second.some.empty(); })
                      ? "Pale: a square of tokens of which some pairs are computed."
                      : "",
                  cut ? fmt::format("Drawn: the first {:.0f} tokens.", queries) : "",
                  std::ranges::count_if(of.pairs, [](double pairs) { return pairs > 0.0; }) >
                          std::ssize(workers)
                      ? "The first head is drawn; other workers compute the others."
                      : ""};
  std::erase(figure.notes, "");
  return figure;
}

}  // namespace qb
