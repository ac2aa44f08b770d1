#include "plots/frame/stacked_bars.h"

#include <fmt/format.h>

#include <cmath>

namespace qb {
namespace {

Series empty_series(const Slice& slice, std::string name) {
  return {.name = std::move(name),
          .draw = Draw::rectangles,
          .style = {slice.published ? lightened(slice.colour) : slice.colour},
          .published = slice.published,
          .thin = true};
}

Series& series_of(Panel& panel, const Slice& slice) {
  for (Series& series : panel.series)
    if (series.name == slice.name) return series;
  panel.series.push_back(empty_series(slice, slice.name));
  return panel.series.back();
}

}  // namespace

void add_slice(Panel& panel, const Slice& slice, const std::string& place) {
  const double middle = (slice.low + slice.high) / 2.0;
  const Point point{.x = (slice.x_low + slice.x_high) / 2.0,
                    .y = middle,
                    .low = slice.low,
                    .high = slice.high,
                    .x_low = slice.x_low,
                    .x_high = slice.x_high};
  series_of(panel, slice).points.push_back(point);
  if (slice.text.empty()) return;
  Series text = empty_series(slice, fmt::format("{} at {}", slice.name, place));
  text.in_legend = false;
  text.text = slice.text;
  text.points = {point};
  if (std::isfinite(slice.text_y)) text.points[0].y = slice.text_y;
  panel.series.push_back(std::move(text));
}

}  // namespace qb
