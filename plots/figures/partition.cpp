// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "base/numbers.h"
#include "base/status.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::size_t kMostToldApart = 128;  // workers
constexpr double kHalfLoad = 0.4;
constexpr std::uint32_t kHidden = 0xE2E2E2;
// A worker's number fits into a rectangle whose sides are at least this share of N.
constexpr double kTextShare = 0.045;

struct Share {
  std::vector<Point> whole;
  std::vector<Point> some;  // of which the mask hides a part
};

std::map<int, Share> by_worker(const CsvTable& table) {
  std::map<int, Share> found;
  for (const Row& row : all_rows(table)) {
    Share& share = found[static_cast<int>(row.number("worker"))];
    (row.at("allowed") == "all" ? share.whole : share.some)
        .push_back(box(row.number_at("k_begin"), row.number_at("k_end"), row.number_at("q_begin"),
                       row.number_at("q_end")));
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
    Series some = rectangles(name + ", some pairs", lightened(colour), share.some);
    whole.thin = !numbered;
    if (numbered) whole.text = fmt::format("{}", worker);
    whole.in_legend = some.in_legend = false;  // bars have their names
    add(panel, {whole, some});
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
    const double y = add_tic(panel.y, fmt::format("{}", worker));
    Series bar =
        rectangles(fmt::format("worker {}", worker), partition_colour(static_cast<int>(worker)),
                   {box(0.0, pairs[worker], y - kHalfLoad, y + kHalfLoad)});
    bar.in_legend = false;
    bar.text = grouped(pairs[worker]);
    panel.series.push_back(std::move(bar));
  }
  const double mean = std::reduce(pairs.begin(), pairs.end()) / static_cast<double>(pairs.size());
  panel.series.push_back({.name = "mean",
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

Figure partition_of(const Partition& partition) {
  const CsvTable& rectangles = partition.rectangles;
  const std::vector<double>& pairs = partition.pairs;
  if (pairs.size() > kMostToldApart)
    throw UsageError(
        fmt::format("partition: {} workers cannot be told apart in one picture; at "
                    "most {} are drawn",
                    pairs.size(), kMostToldApart));
  const auto workers = by_worker(rectangles);
  const auto most = [&](const char* column) {
    return largest(all_rows(rectangles), [=](const Row& row) { return row.number_at(column); });
  };
  Point whole =
      box(0.0, static_cast<double>(partition.keys), 0.0, static_cast<double>(partition.queries));
  const bool cut = most("q_end") < whole.high && most("k_end") < whole.x_high;
  if (cut) whole = box(0.0, most("k_end"), 0.0, most("q_end"));
  return {
      .name = "partition",
      .title = loads_title(partition.title, pairs),
      .subtitle = listed(
          {"N = " + format_grouped(partition.queries),
           partition.keys == partition.queries ? "" : format_grouped(partition.keys) + " keys",
           fmt::format("W = {}", pairs.size())}),
      .panels = {partition_panel(workers, partition.masked ? whole : Point{},
                                 numbers_fit(workers, std::max(whole.high, whole.x_high))),
                 loads_panel(pairs)},
      .columns = 2,
      .square = true,
      .notes = joined_notes(
          {{"Colour: the worker that computes the pair.",
            std::ranges::any_of(workers, [](const auto& one) { return !one.second.some.empty(); })
                ? "Pale: a square of tokens of which some pairs are computed."
                : "",
            cut ? fmt::format("Drawn: the first {:.0f} tokens.", whole.high) : "",
            std::ranges::count_if(pairs, [](double own) { return own > 0.0; }) > std::ssize(workers)
                ? "The first head is drawn; other workers compute the others."
                : ""}})};
}

}  // namespace qb
