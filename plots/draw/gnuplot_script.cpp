#include "plots/draw/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/numbers.h"
#include "plots/frame/figure_layout.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::string_view kFont = "DejaVu Sans";

template <class... Args>
void line(std::string& out, fmt::format_string<Args...> text, Args&&... args) {
  fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  out += '\n';
}

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
    case Draw::limit:
      return fmt::format("lines dt 4 lw {} lc rgb '{}'", size(1.4), colour);
  }
  return {};
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

// `rows` chooses the rows of the figure's CSV that the series has: `every ::0::4`.
void add_elements(std::vector<std::string>& out, const std::vector<std::string>& columns,
                  const std::string& rows, const Series& series, const Scale& y,
                  const Sheet& sheet) {
  const std::string at = fmt::format("{} using {}", rows, from_column(columns[kCsvX]));
  const std::string y_of_row = from_column(columns[kCsvY]);
  if (series.draw == Draw::rectangles) {
    out.push_back(fmt::format("{}:{}:{}:{}:{}:{} with {}", at, y_of_row,
                              from_column(columns.at(kCsvXLow)), from_column(columns.at(kCsvXHigh)),
                              from_column(columns[kCsvYLow]), from_column(columns[kCsvYHigh]),
                              line_look(series, sheet)));
    const std::vector<std::string> texts = text_lines(series.text);
    for (std::size_t i = 0; i < texts.size(); ++i)
      out.push_back(fmt::format("{}:{}:({}) with labels font ',{:g}'{}", at, y_of_row,
                                gnuplot_quote(texts[i]), sheet.small,
                                line_offset(i, texts.size())));
    return;
  }
  if (series.draw == Draw::out_of_memory) {
    out.push_back(fmt::format("{0}:(strlen(strcol('{1}')) > 0 ? column('{1}') : {2}) with {3}", at,
                              columns[kCsvY], to_text(y.max), line_look(series, sheet)));
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

std::string tic_list(const Scale& scale) {
  std::string out;
  for (const Axis::Tic& tic : scale.tics)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", gnuplot_quote(tic.label),
                       to_text(tic.value));
  for (const double value : scale.minor)
    if (std::none_of(scale.tics.begin(), scale.tics.end(), [&](const Axis::Tic& tic) {
          return std::abs(tic.value - value) < 1e-9 * value;
        }))
      out += fmt::format(", '' {} 1", to_text(value));
  return out;
}

void axis(std::string& out, char letter, const Axis& from, const Scale& scale) {
  line(out, "  {} logscale {}", scale.log ? "set" : "unset", letter);
  const double first = from.reversed ? scale.max : scale.min;
  const double last = from.reversed ? scale.min : scale.max;
  line(out, "  set {}range [{}:{}]", letter, to_text(first), to_text(last));
  line(out, "  set {}tics nomirror out ({})", letter, tic_list(scale));
  line(out, "  set {}label {}", letter, gnuplot_quote(from.label));
}

std::string at_x(const Layout& layout, double pixels) {
  return fmt::format("screen {:.5f}", pixels / layout.width);
}
std::string at_y(const Layout& layout, double pixels) {
  return fmt::format("screen {:.5f}", 1.0 - pixels / layout.height);
}

// Draws panel `p`, whose rows in the CSV begin at `row`, and moves `row` past them.
void panel(std::string& out, const Figure& figure, std::size_t p, const Layout& layout,
           std::size_t& row) {
  const Panel& from = figure.panels[p];
  const Layout::Box& box = layout.plots[p];
  const Sheet sheet = sheet_of(figure);
  line(out, "\n  # panel {}", p + 1);
  line(out, "  set lmargin at {}", at_x(layout, box.left));
  line(out, "  set rmargin at {}", at_x(layout, box.right));
  line(out, "  set tmargin at {}", at_y(layout, box.top));
  line(out, "  set bmargin at {}", at_y(layout, box.bottom));
  const Scale y = y_scale(figure, p);
  axis(out, 'x', from.x, x_scale(figure, p));
  axis(out, 'y', from.y, y);
  if (!from.title.empty())
    line(out, "  set label 1 {} at {}, {} left font ',{:g}'", gnuplot_quote(from.title),
         at_x(layout, box.left), at_y(layout, box.top - (sheet.paper ? 8.0 : 16.0)),
         sheet.panel_title);
  if (figure.legend == Figure::Legend::inside)
    line(out, "  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',{:g}'",
         sheet.small);
  const std::vector<std::string> columns = csv_columns(figure);
  std::vector<std::string> elements;
  for (const Series& series : from.series) {
    const std::size_t count = series.draw == Draw::limit ? 2 : series.points.size();
    if (count == 0) continue;
    const std::size_t first = elements.size();
    add_elements(elements, columns, fmt::format("every ::{}::{}", row, row + count - 1), series, y,
                 sheet);
    row += count;
    const bool keyed = figure.legend == Figure::Legend::inside && series.in_legend;
    for (std::size_t i = first; i < elements.size(); ++i)
      elements[i] += keyed && i + 1 == elements.size() ? " title " + gnuplot_quote(series.name)
                                                       : std::string(" notitle");
  }
  if (!elements.empty()) line(out, "  plot data {}", fmt::join(elements, ", \\\n       data "));
  line(out, "  unset label");
  line(out, "  unset key");
}

// The legend is an empty plot of its own, so that it never covers data.
void legend(std::string& out, const Figure& figure, const Layout& layout) {
  const std::vector<Series> entries = legend_entries(figure);
  if (entries.empty()) return;
  // A key that is higher than its plot would continue in a second column, off the canvas.
  out += R"(
  # legend
  unset logscale
  unset border
  unset xtics
  unset ytics
  unset xlabel
  unset ylabel
  unset grid
  set tmargin at screen 1
  set bmargin at screen 0
  set xrange [0:1]
  set yrange [0:1]
)";
  const Sheet sheet = sheet_of(figure);
  const std::string columns =
      sheet.paper ? fmt::format(" maxrows {} width 0", layout.legend_rows) : "";
  line(out, "  set key at {}, {} left top Left reverse samplen {:g} spacing {:g} font ',{:g}'{}",
       at_x(layout, layout.legend_left), at_y(layout, layout.legend_top), sheet.paper ? 2.0 : 2.4,
       sheet.paper ? 1.0 : 1.25, sheet.text, columns);
  std::vector<std::string> elements;
  for (const Series& like : entries) {
    const std::string look =
        like.draw == Draw::rectangles
            ? fmt::format("boxes fs solid 1.0 noborder lc rgb '{}'", colour_text(like.style.colour))
            : line_look(like, sheet);
    elements.push_back(fmt::format("NaN with {} title {}", look, gnuplot_quote(like.name)));
  }
  line(out, "  plot {}", fmt::join(elements, ", \\\n       "));
}

void texts(std::string& out, const Figure& figure, const Layout& layout) {
  if (figure.paper_width_in > 0.0) return;  // they are in its caption
  line(out, "  set label 101 {} at {}, {} left font ',16'", gnuplot_quote(figure.title),
       at_x(layout, 18.0), at_y(layout, 24.0));
  std::size_t tag = 102;
  const auto small = [&](const std::vector<std::string>& lines, double top) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      line(out, "  set label {} {} at {}, {} left font ',11' textcolor rgb '#444444'", tag++,
           gnuplot_quote(lines[i]), at_x(layout, 18.0),
           at_y(layout, top + kNoteLine * static_cast<double>(i)));
  };
  small(layout.subtitle, kSubtitleTop);
  small(layout.notes, layout.notes_top + kNoteLine / 2);
}

void terminals(std::string& out, const Figure& figure, const Layout& layout) {
  const double text = sheet_of(figure).text;
  line(out,
       "  if (format eq 'svg') {{ set terminal svg size {},{} dynamic noenhanced "
       "font '{},{:g}' background '#ffffff' name {} }}",
       layout.width, layout.height, kFont, text, gnuplot_quote(figure.name));
  line(out,
       "  if (format eq 'pdf') {{ set terminal pdfcairo size {:.3f}in,{:.3f}in noenhanced "
       "font '{},{:g}' fontscale 0.75 background '#ffffff' }}",
       layout.width / kPixelsPerInch, layout.height / kPixelsPerInch, kFont, text);
  line(out,
       "  if (format eq 'png') {{ set terminal pngcairo size {},{} noenhanced "
       "font '{},{:g}' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }}",
       2 * layout.width, 2 * layout.height, kFont, text);
}

}  // namespace

std::string gnuplot_quote(std::string_view text) {
  return '\'' + replaced(text, {{"'", "''"}, {"\n", " "}, {"\r", " "}, {"\t", " "}}) + '\'';
}

std::string gnuplot_script(const Figure& figure) {
  const Layout layout = lay_out(figure);
  std::string out;
  line(out, "# Draws {0}.svg, {0}.pdf and {0}.png from {0}.csv: gnuplot {0}.gp", figure.name);
  line(out,
       "set encoding utf8\nset datafile separator ','\nset datafile columnheaders\n"
       "data = {}\nnum(name) = strlen(strcol(name)) > 0 ? column(name) : NaN\n"
       "do for [format in 'svg pdf png'] {{",
       gnuplot_quote(figure.name + ".csv"));
  terminals(out, figure, layout);
  line(out, "  set output {}.format", gnuplot_quote(figure.name + "."));
  out +=
      "  set multiplot\n  unset key\n  set border 3 lw 1 lc rgb '#444444'\n"
      "  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'\n";
  texts(out, figure, layout);
  std::size_t row = 0;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) panel(out, figure, p, layout, row);
  legend(out, figure, layout);
  return out + "  unset multiplot\n}\nunset output\n";
}

}  // namespace qb
