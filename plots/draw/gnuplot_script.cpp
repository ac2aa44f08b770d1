// SPDX-License-Identifier: Apache-2.0
#include "plots/draw/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/numbers.h"
#include "plots/draw/gnuplot_series.h"
#include "plots/frame/coincident_lines.h"
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

bool is_hidden(const std::vector<Coincidence>& all, std::size_t series) {
  return std::ranges::any_of(
      all, [&](const Coincidence& one) { return std::ranges::count(one.hidden, series) > 0; });
}

std::string name_of(const Panel& panel, const std::vector<Coincidence>& all, std::size_t series) {
  const auto found = std::ranges::find(all, series, &Coincidence::drawn);
  return found == all.end() ? panel.series[series].name : found->name;
}

// Writes the title of a panel and the names of lines that lie on one another.
void texts_above(std::string& out, const Figure& figure, std::size_t p, const Layout& layout) {
  const Layout::Box& box = layout.plots[p];
  const std::string& title = figure.panels[p].title;
  const Sheet sheet = sheet_of(figure);
  const std::vector<Layout::Label>& labels = layout.labels[p];
  const auto above = [&](std::size_t lines) {
    return at_y(layout,
                box.top - (sheet.paper ? 8.0 : 16.0) - kLabelLine * static_cast<double>(lines));
  };
  if (!title.empty())
    line(out, "  set label 1 {} at {}, {} left font ',{:g}'", gnuplot_quote(title),
         at_x(layout, box.left), above(labels.size()), sheet.panel_title);
  for (std::size_t i = 0; i < labels.size(); ++i)
    line(out, "  set label {} {} at {}, {} left font ',{:g}' textcolor rgb '{}'", i + 2,
         gnuplot_quote(labels[i].text), at_x(layout, box.left), above(labels.size() - 1 - i),
         sheet.small, colour_text(labels[i].colour));
}

// The elements of the `plot` command of panel `p`; moves `row` as panel() does.
std::vector<std::string> panel_elements(const Figure& figure, std::size_t p, const Scale& y,
                                        const Sheet& sheet, std::size_t& row) {
  const Panel& from = figure.panels[p];
  const std::vector<Coincidence> coincident = coincident_lines(figure, p);
  const std::vector<std::string> columns = csv_columns(figure);
  std::vector<std::string> elements;
  std::map<std::string, std::map<std::string, int>> crossed;  // places of lines, by height
  for (std::size_t s = 0; s < from.series.size(); ++s) {
    const Series& series = from.series[s];
    const std::size_t count = series.draw == Draw::limit ? 2 : series.points.size();
    if (count == 0) continue;
    const std::size_t first = elements.size();
    const std::string rows = fmt::format("every ::{}::{}", row, row + count - 1);
    row += count;
    if (is_hidden(coincident, s)) continue;
    int place = 0;
    if (is_cross(series)) {
      auto& lines = crossed[to_text(series.points.front().y)];
      place = lines.emplace(series.name, static_cast<int>(lines.size())).first->second;
    }
    add_elements(elements, columns, rows, series, y, sheet, place);
    const bool keyed = figure.legend == Figure::Legend::inside && series.in_legend;
    for (std::size_t i = first; i < elements.size(); ++i)
      elements[i] += keyed && i + 1 == elements.size()
                         ? " title " + gnuplot_quote(name_of(from, coincident, s))
                         : std::string(" notitle");
  }
  return elements;
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
  axis(out, 'x', from.x, x_scale(figure, p, box.right - box.left));
  axis(out, 'y', from.y, y);
  texts_above(out, figure, p, layout);
  if (figure.legend == Figure::Legend::inside)
    line(out, "  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',{:g}'",
         sheet.small);
  const std::vector<std::string> elements = panel_elements(figure, p, y, sheet, row);
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
  // pdfcairo draws a letter of one point in 1/54 in: it takes the page for one of 96 dots an inch.
  line(out,
       "  if (format eq 'svg') {{ set terminal svg size {},{} dynamic noenhanced "
       "font '{},{:g}' background '#ffffff' name {} }}",
       layout.width, layout.height, kFont, text, gnuplot_quote(figure.name));
  line(out,
       "  if (format eq 'pdf') {{ set terminal pdfcairo size {:.3f}in,{:.3f}in noenhanced "
       "font '{},{:g}' fontscale 0.5625 background '#ffffff' }}",
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
