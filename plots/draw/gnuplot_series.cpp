// SPDX-License-Identifier: Apache-2.0
#include "plots/draw/gnuplot_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "plots/draw/gnuplot.h"

namespace qb {
namespace {

// Gives filled and hollow point types of the marks, in the order of Style::mark.
int point_type(const Style& style, bool hollow) {
  constexpr int filled[kMarks] = {7, 5, 9, 11, 13, 15};
  return filled[style.mark % kMarks] - (hollow ? 1 : 0);
}

std::string dash_look(const Style& style) {
  constexpr std::string_view looks[kDashes] = {"", "dt (7,3) ", "dt (2,3) "};
  return std::string(looks[style.dash % kDashes]);
}

// The size of a mark or the width of a line.
std::string sized(double size, const Sheet& sheet) {
  return fmt::format("{:g}", size * sheet.stroke);
}

std::string from_column(const std::string& column) { return fmt::format("(num('{}'))", column); }

std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string line_offset(std::size_t i, std::size_t count) {
  if (count < 2) return {};
  const double up = (static_cast<double>(count) - 1.0) / 2.0 - static_cast<double>(i);
  return fmt::format(" offset 0,{:.2f}", 1.05 * up);
}

// Marks of cases without a value are on one line; those of the next lines stand below them, so that
// none hides another.
std::string cross_height(const std::string& column, const Scale& y, int place) {
  const std::string height =
      fmt::format("(strlen(strcol('{0}')) > 0 ? column('{0}') : {1})", column, to_text(y.max));
  if (place == 0) return height;
  const double share = 0.045 * place;
  const double down = y.log ? std::pow(y.max / y.min, -share) : -share * (y.max - y.min);
  return fmt::format("({} {} {})", height, y.log ? '*' : '+', to_text(down));
}

// A text on a filled rectangle is black or white, whichever can be read; one above or below it is
// black.
std::string text_look(const Series& series, const Sheet& sheet) {
  const bool inside = std::ranges::all_of(series.points, [](const Point& point) {
    return point.y >= std::min(point.low, point.high) && point.y <= std::max(point.low, point.high);
  });
  const std::uint32_t colour = inside ? text_colour_on(series.style.colour) : kBlack;
  return fmt::format(
      "labels font ',{:g}'{}", sheet.small,
      colour == kBlack ? "" : fmt::format(" textcolor rgb '{}'", colour_text(colour)));
}

}  // namespace

std::string line_look(const Series& series, const Sheet& sheet) {
  const std::string colour = colour_text(series.style.colour);
  const auto size = [&](double value) { return sized(value, sheet); };
  switch (series.draw) {
    case Draw::line_points:
      if (series.published)
        return fmt::format("linespoints dt 2 lw {} pt {} ps {} lc rgb '{}'", size(1.4),
                           point_type(series.style, true), size(0.75), colour);
      return fmt::format("linespoints {}lw {} pt {} ps {} lc rgb '{}'", dash_look(series.style),
                         size(series.thin ? 0.8 : 1.8), point_type(series.style, series.thin),
                         size(0.75), colour);
    case Draw::points:
      return fmt::format("points pt {} ps {} lc rgb '{}'", point_type(series.style, series.thin),
                         size(0.9), colour);
    case Draw::line:
      return fmt::format("lines {}lw {} lc rgb '{}'",
                         series.published ? "dt 2 " : dash_look(series.style),
                         size(series.thin ? 0.6 : 1.8), colour);
    case Draw::steps:
      return fmt::format("steps lw {} lc rgb '{}'", size(series.thin ? 0.8 : 1.6), colour);
    case Draw::rectangles:
      return fmt::format("boxxyerror fs solid 1.0 border lc rgb '{}' lw 0.5 fc rgb '{}'",
                         series.thin ? colour : "#ffffff", colour);
    case Draw::out_of_memory:
      return fmt::format("points pt 2 ps {} lw {} lc rgb '{}'", size(1.3), size(2.6), colour);
    case Draw::not_tried:
      return fmt::format("points pt 1 ps {} lw {} lc rgb '{}'", size(1.1), size(1.4), colour);
    case Draw::limit:
      return fmt::format("lines dt 4 lw {} lc rgb '{}'", size(1.4), colour);
  }
  return {};
}

void add_elements(std::vector<std::string>& out, const std::vector<std::string>& columns,
                  const std::string& rows, const Series& series, const Scale& y, const Sheet& sheet,
                  int place) {
  const std::string at = fmt::format("{} using {}", rows, from_column(columns[kCsvX]));
  const std::string y_of_row = from_column(columns[kCsvY]);
  if (series.draw == Draw::rectangles) {
    out.push_back(fmt::format("{}:{}:{}:{}:{}:{} with {}", at, y_of_row,
                              from_column(columns.at(kCsvXLow)), from_column(columns.at(kCsvXHigh)),
                              from_column(columns[kCsvYLow]), from_column(columns[kCsvYHigh]),
                              line_look(series, sheet)));
    const std::vector<std::string> texts = text_lines(series.text);
    for (std::size_t i = 0; i < texts.size(); ++i)
      out.push_back(fmt::format("{}:{}:({}) with {}{}", at, y_of_row, gnuplot_quote(texts[i]),
                                text_look(series, sheet), line_offset(i, texts.size())));
    return;
  }
  if (is_cross(series)) {
    out.push_back(fmt::format("{}:{} with {}", at, cross_height(columns[kCsvY], y, place),
                              line_look(series, sheet)));
    return;
  }
  // Bars are vectors with flat heads, because gnuplot's error bars blank what is under their
  // points.
  if (std::ranges::any_of(series.points, [](const Point& point) {
        return std::isfinite(point.low) && std::isfinite(point.high);
      }))
    out.push_back(
        fmt::format("{0}:(num('{1}')):(0):(num('{2}') - num('{1}')) with vectors heads size screen "
                    "0.004,90 lw {4} lc rgb '{3}'",
                    at, columns[kCsvYLow], columns[kCsvYHigh], colour_text(series.style.colour),
                    sized(1.2, sheet)));
  out.push_back(fmt::format("{}:{} with {}", at, y_of_row, line_look(series, sheet)));
  if (columns.back() == kCsvDisturbed &&
      (series.draw == Draw::line_points || series.draw == Draw::points))
    out.push_back(fmt::format(
        "{}:(column('{}') > 0 ? {} : NaN) with points pt {} ps {} lc rgb "
        "'#ffffff'",
        at, kCsvDisturbed, y_of_row, point_type(series.style, false), sized(0.4, sheet)));
}

}  // namespace qb
