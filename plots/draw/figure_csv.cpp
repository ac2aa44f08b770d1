#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/numbers.h"
#include "plots/draw/gnuplot.h"
#include "plots/frame/figure_layout.h"

namespace qb {
namespace {

void append_point(CsvTable& table, const std::vector<std::string>& key, const Point& point,
                  bool edges) {
  std::vector<std::string> row = key;
  for (const double value : {point.x, point.y, point.low, point.high})
    row.push_back(to_text(value));
  if (edges)
    for (const double value : {point.x_low, point.x_high}) row.push_back(to_text(value));
  table.append(std::move(row));
}

}  // namespace

CsvTable figure_csv(const Figure& figure) {
  const CsvNames names = csv_names(figure);
  std::vector<std::string> header = {"panel", "series",      "kind",        names.x,
                                     names.y, names.y_low(), names.y_high()};
  if (names.edges) {
    header.push_back(names.x_low());
    header.push_back(names.x_high());
  }
  CsvTable table(header);
  std::set<std::tuple<std::size_t, std::string, std::string>> seen;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Scale x = x_scale(figure, p);
    for (const Series& series : figure.panels[p].series) {
      const std::string kind(kind_word(series));
      if (!seen.insert({p, series.name, kind}).second)
        throw std::logic_error(
            fmt::format("figure {}: two series '{}' in one panel", figure.name, series.name));
      const std::vector<std::string> key = {fmt::format("{}", p + 1), series.name, kind};
      if (series.draw == Draw::limit) {
        for (const double end : {x.min, x.max})
          append_point(table, key, {.x = end, .y = series.points.at(0).y}, names.edges);
        continue;
      }
      for (const Point& point : series.points) append_point(table, key, point, names.edges);
    }
  }
  return table;
}

}  // namespace qb
