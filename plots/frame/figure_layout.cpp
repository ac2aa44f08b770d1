// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text_table.h"
#include "plots/frame/coincident_lines.h"

namespace qb {
namespace {

// Distances in pixels. A character of this sans serif font is 0.617 of its size wide in tics and
// legends, and 0.573 in running text.
struct Distances {
  double margin = 18.0;
  double header = 44.0;        // without subtitle
  double left_of_plot = 78.0;  // room for a label and tics of this many characters:
  std::size_t tic_characters = 6;
  double right_of_plot = 18.0;
  double above_plot = 14.0;
  double title_above_plot = 20.0;
  double below_plot = 66.0;
  double legend_sample = 52.0;
  double legend_line = 20.0;
};
constexpr Distances kOnScreen;
constexpr Distances kOnPaper = {.margin = 4.0,
                                .header = 2.0,
                                .left_of_plot = 52.0,
                                .tic_characters = 4,
                                .right_of_plot = 17.0,
                                .above_plot = 5.0,
                                .title_above_plot = 14.0,
                                .below_plot = 38.0,
                                .legend_sample = 38.0,
                                .legend_line = 13.0};

constexpr int kWidth = 960;
constexpr int kSquareWidth = 560;
constexpr double kCharacter = 7.4 / 12.0;
constexpr double kNoteCharacter = 6.3;
// On paper a panel is this wide at least, and its height this share of its width.
constexpr double kLeastPanel_in = 2.2;
constexpr double kPaperHeight = 0.66;

const Distances& distances_of(const Sheet& sheet) { return sheet.paper ? kOnPaper : kOnScreen; }

double legend_width(const std::vector<Series>& entries, const Sheet& sheet) {
  std::size_t longest = 0;
  for (const Series& entry : entries) longest = std::max(longest, display_width(entry.name));
  return entries.empty() ? 0.0
                         : distances_of(sheet).legend_sample +
                               kCharacter * sheet.text * static_cast<double>(longest);
}

double space_left_of_plots(const Figure& figure, const Sheet& sheet) {
  const Distances& distances = distances_of(sheet);
  std::size_t longest = distances.tic_characters;
  for (std::size_t p = 0; p < figure.panels.size(); ++p)
    for (const Axis::Tic& tic : y_scale(figure, p).tics)
      longest = std::max(longest, display_width(tic.label));
  return distances.left_of_plot +
         kCharacter * sheet.text * static_cast<double>(longest - distances.tic_characters);
}

template <class Visit>
void for_points(const Figure& figure, std::size_t p, bool shared, Visit visit) {
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const bool apart = figure.panels[i].own_axes || figure.panels[p].own_axes;
    if (i != p && (!shared || apart)) continue;
    for (const Series& series : figure.panels[i].series)
      for (const Point& point : series.points) visit(point);
  }
}

// Names the lines of a panel that lie on one another, unless the legend does. A background curve
// has no name that anybody looks for, and a few names say enough.
std::vector<Layout::Label> labels_of(const Figure& figure, std::size_t p, std::size_t columns) {
  constexpr std::size_t kMostLines = 5;
  const std::vector<Series>& series = figure.panels[p].series;
  std::vector<Layout::Label> labels;
  std::size_t more = 0;
  for (const Coincidence& found : coincident_lines(figure, p)) {
    const Series& drawn = series[found.drawn];
    if (found.in_legend || (!drawn.in_legend && drawn.draw == Draw::line)) continue;
    const std::vector<std::string> lines = wrap_text(found.name, columns);
    if (more > 0 || labels.size() + lines.size() > kMostLines) {
      ++more;
      continue;
    }
    for (const std::string& line : lines) labels.push_back({line, drawn.style.colour});
  }
  if (more > 0) labels.push_back({fmt::format("and {} more on one another", more)});
  return labels;
}

}  // namespace

std::vector<std::string> wrap_text(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string current;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view found = text.substr(at, end - at);
    at = end + 1;
    if (found.empty()) continue;
    if (!current.empty() && display_width(current) + 1 + display_width(found) > columns) {
      lines.push_back(std::move(current));
      current.clear();
    }
    if (!current.empty()) current += ' ';
    current += found;
  }
  if (!current.empty()) lines.push_back(std::move(current));
  return lines;
}

std::vector<std::string> csv_columns(const Figure& figure) {
  std::string x = figure.panels.at(0).x.column;
  std::string y = figure.panels.at(0).y.column;
  bool edges = false;
  bool disturbed = false;
  for (const Panel& panel : figure.panels) {
    if (panel.x.column != x) x.assign(1, 'x');
    if (panel.y.column != y) y.assign(1, 'y');
    for (const Series& series : panel.series)
      for (const Point& point : series.points) {
        edges = edges || std::isfinite(point.x_low) || std::isfinite(point.x_high);
        disturbed = disturbed || point.disturbed;
      }
  }
  std::vector<std::string> columns = {"panel", "series", "kind", x, y, y + "_low", y + "_high"};
  if (edges) columns.insert(columns.end(), {x + "_low", x + "_high"});
  if (disturbed) columns.emplace_back(kCsvDisturbed);
  return columns;
}

std::string_view kind_word(const Series& series) {
  if (series.draw == Draw::out_of_memory) return "out_of_memory";
  if (series.draw == Draw::not_tried) return "not_tried";
  if (series.draw == Draw::limit) return "limit";
  return series.published ? "published" : "data";
}

bool is_cross(const Series& series) {
  return series.draw == Draw::out_of_memory || series.draw == Draw::not_tried;
}

Scale x_scale(const Figure& figure, std::size_t p, double width) {
  // The first label and the last reach half their length beyond the frame.
  constexpr double kBeyond = 4.0;
  constexpr double kMostLetters = 30.0;
  const double letters = width / (kCharacter * sheet_of(figure).text) + kBeyond;
  std::vector<double> values;
  for_points(figure, p, figure.shared_axes || figure.shared_x, [&](const Point& point) {
    values.insert(values.end(), {point.x, point.x_low, point.x_high});
  });
  for (const Axis::Tic& tic : figure.panels[p].x.tics) values.push_back(tic.value);
  return make_scale(figure.panels[p].x, values,
                    static_cast<std::size_t>(std::min(kMostLetters, letters)));
}

Scale y_scale(const Figure& figure, std::size_t p) {
  std::vector<double> values;
  for_points(figure, p, figure.shared_axes, [&](const Point& point) {
    values.insert(values.end(), {point.y, point.low, point.high});
  });
  for (const Axis::Tic& tic : figure.panels[p].y.tics) values.push_back(tic.value);
  return make_scale(figure.panels[p].y, values);
}

Sheet sheet_of(const Figure& figure) {
  if (figure.paper_width_in <= 0.0) return {};
  return {.paper = true, .text = 9.6, .panel_title = 9.6, .small = 9.4, .stroke = 0.7};
}

Layout lay_out(const Figure& figure) {
  const Sheet sheet = sheet_of(figure);
  const Distances& d = distances_of(sheet);
  const std::vector<Series> entries = legend_entries(figure);
  const double entry_width = legend_width(entries, sheet);
  const double beside = sheet.paper ? 0.0 : entry_width;
  const auto n_panels = static_cast<int>(figure.panels.size());
  int columns = std::max(1, figure.columns);
  if (sheet.paper)
    columns = std::clamp(static_cast<int>(figure.paper_width_in / kLeastPanel_in), 1,
                         std::max(1, n_panels));

  Layout layout;
  layout.width = sheet.paper ? static_cast<int>(std::lround(figure.paper_width_in * kPixelsPerInch))
                 : figure.square && columns == 1 ? kSquareWidth + static_cast<int>(beside)
                                                 : kWidth;
  const double left_of_plot = space_left_of_plots(figure, sheet);
  const double cell = (layout.width - beside - d.margin) / columns;
  const double plot_width = cell - left_of_plot - d.right_of_plot;
  const double plot_height = figure.square ? plot_width
                             : sheet.paper ? plot_width * kPaperHeight
                                           : figure.panel_height;
  const auto text_columns =
      static_cast<std::size_t>((layout.width - 2 * d.margin) / kNoteCharacter);
  if (!sheet.paper) layout.subtitle = wrap_text(figure.subtitle, text_columns);
  const double top = d.header + kNoteLine * static_cast<double>(layout.subtitle.size());
  double bottom = top;
  const double letters = std::max(10.0, plot_width / (kCharacter * sheet.small));
  for (std::size_t p = 0; p < figure.panels.size(); ++p)
    layout.labels.push_back(labels_of(figure, p, static_cast<std::size_t>(letters)));
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const int column = static_cast<int>(i) % columns;
    if (column == 0) {
      const auto row_end = std::min(figure.panels.size(), i + static_cast<std::size_t>(columns));
      std::size_t labels = 0;
      for (std::size_t p = i; p < row_end; ++p) labels = std::max(labels, layout.labels[p].size());
      bottom += kLabelLine * static_cast<double>(labels);
      const bool titled = std::any_of(figure.panels.begin() + static_cast<std::ptrdiff_t>(i),
                                      figure.panels.begin() + static_cast<std::ptrdiff_t>(row_end),
                                      [](const Panel& panel) { return !panel.title.empty(); });
      bottom += d.above_plot + (titled ? d.title_above_plot : 0.0) + plot_height + d.below_plot;
    }
    const double left = d.margin / 2 + column * cell + left_of_plot;
    const double frame_bottom = bottom - d.below_plot;
    layout.plots.push_back({left, left + plot_width, frame_bottom - plot_height, frame_bottom});
  }
  if (sheet.paper) {
    const int across = std::max(1, static_cast<int>((layout.width - d.margin) / entry_width));
    layout.legend_rows = (static_cast<int>(entries.size()) + across - 1) / across;
    layout.legend_left = d.margin;
    layout.legend_top = bottom + d.margin / 2;
    layout.height = static_cast<int>(
        std::lround(layout.legend_top + d.legend_line * layout.legend_rows + d.margin / 2));
    return layout;
  }
  layout.legend_left = layout.width - beside;
  layout.legend_top = layout.plots.empty() ? top : layout.plots.front().top;
  const double legend_bottom =
      layout.legend_top + d.legend_line * static_cast<double>(entries.size()) + d.margin;
  layout.notes_top = std::max(bottom, legend_bottom) + 6.0;
  for (const std::string& note : figure.notes)
    for (std::string& line : wrap_text(note, text_columns)) layout.notes.push_back(std::move(line));
  layout.height = static_cast<int>(std::lround(
      layout.notes_top + kNoteLine * static_cast<double>(layout.notes.size()) + d.margin / 2));
  return layout;
}

}  // namespace qb
