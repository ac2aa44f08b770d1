#include "plots/frame/figure_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "base/numbers.h"
#include "base/text_table.h"

namespace qb {
namespace {

constexpr double kWantedTics = 5.0;

std::string superscript(int value) {
  constexpr std::array<std::string_view, 10> digits = {"⁰", "¹", "²", "³", "⁴",
                                                       "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = value < 0 ? "⁻" : "";
  for (const char c : fmt::format("{}", std::abs(value)))
    out += digits[static_cast<std::size_t>(c - '0')];
  return out;
}

// Writes out up to six digits; more get an SI prefix.
std::string plain_label(double value, double step) {
  if (std::abs(value) >= 1e6) return format_si(value);
  if (step >= 1.0 && value == std::round(value))
    return format_grouped(static_cast<std::int64_t>(std::llround(value)));
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  // A step of 0.25 needs one decimal more than its magnitude says.
  const double unit = std::pow(10.0, -decimals);
  const bool coarse = std::abs(step / unit - std::round(step / unit)) > 1e-6;
  return fmt::format("{:.{}f}", value, decimals + (coarse ? 1 : 0));
}

std::string power_label(int mantissa, int exponent) {
  if (exponent >= -3 && exponent < 6)
    return plain_label(mantissa * std::pow(10.0, exponent), std::pow(10.0, exponent));
  return (mantissa == 1 ? "" : fmt::format("{}×", mantissa)) + "10" + superscript(exponent);
}

double nice_step(double range) {
  const double rough = range / kWantedTics;
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (rough <= factor * unit * 1.0000001) return factor * unit;
  return 10.0 * unit;
}

void linear_tics(Scale& scale, bool whole) {
  const double step = whole ? std::max(1.0, std::ceil(nice_step(scale.max - scale.min)))
                            : nice_step(scale.max - scale.min);
  // Adding 0 turns -0 into 0.
  for (double k = std::ceil(scale.min / step - 1e-9) + 0.0; k * step <= scale.max + step * 1e-9;
       k += 1.0)
    scale.tics.push_back({k * step, plain_label(k * step, step)});
}

// Uses decades; if few of them fit, also the mantissas 3, or 2 and 5, or all.
void log_tics(Scale& scale) {
  const int first = static_cast<int>(std::floor(std::log10(scale.min)));
  const int last = static_cast<int>(std::ceil(std::log10(scale.max)));
  const auto inside = [&](double value) {
    return value >= scale.min * (1 - 1e-9) && value <= scale.max * (1 + 1e-9);
  };
  constexpr std::array<std::array<int, 9>, 4> choices = {
      {{1}, {1, 3}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  for (const auto& mantissas : choices) {
    scale.tics.clear();
    for (int exponent = first; exponent <= last; ++exponent)
      for (const int mantissa : mantissas)
        if (const double value = mantissa * std::pow(10.0, exponent);
            mantissa > 0 && inside(value) && (scale.tics.size() < 12))
          scale.tics.push_back({value, power_label(mantissa, exponent)});
    if (scale.tics.size() >= 3) break;
  }
  if (scale.tics.size() < 3) {
    scale.tics.clear();
    linear_tics(scale, false);
  }
  if (last - first > 8) return;
  for (int exponent = first; exponent <= last; ++exponent)
    for (int mantissa = 1; mantissa < 10; ++mantissa)
      if (const double value = mantissa * std::pow(10.0, exponent); inside(value))
        scale.minor.push_back(value);
}

void linear_range(const Axis& axis, double low, double high, Scale& scale) {
  if (axis.from_zero) {
    scale.min = std::min(0.0, low);
    scale.max = high > 0.0 ? high * 1.06 : 1.0;
    return;
  }
  const double range = high > low ? high - low : std::max(1.0, std::abs(high)) * 0.5;
  double margin = axis.tight && high > low ? 0.0 : range * 0.05;
  margin = std::max(margin, (axis.least_span - (high - low)) / 2);
  scale.min = low - margin;
  scale.max = high + margin;
}

void log_range(const Axis& axis, double low, double high, Scale& scale) {
  const double factor = high > low ? std::pow(high / low, 0.05) : 2.0;
  scale.min = axis.tight && high > low ? low : low / std::max(factor, 1.05);
  scale.max = axis.tight && high > low ? high : high * std::max(factor, 1.05);
}

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
                                .left_of_plot = 46.0,
                                .tic_characters = 4,
                                .right_of_plot = 8.0,
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
    if (i != p && !shared) continue;
    for (const Series& series : figure.panels[i].series)
      for (const Point& point : series.points) visit(point);
  }
}

}  // namespace

Scale make_scale(const Axis& axis, std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value) || (axis.log && value <= 0.0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Scale scale;
  scale.log = axis.log;
  if (!(low <= high)) {
    low = axis.log ? 1.0 : 0.0;
    high = axis.log ? 10.0 : 1.0;
  }
  if (axis.log)
    log_range(axis, low, high, scale);
  else
    linear_range(axis, low, high, scale);
  if (!axis.tics.empty())
    scale.tics = axis.tics;
  else if (axis.log)
    log_tics(scale);
  else
    linear_tics(scale, axis.whole);
  return scale;
}

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
  if (series.draw == Draw::limit) return "limit";
  return series.published ? "published" : "data";
}

Scale x_scale(const Figure& figure, std::size_t p) {
  std::vector<double> values;
  for_points(figure, p, figure.shared_axes || figure.shared_x, [&](const Point& point) {
    values.insert(values.end(), {point.x, point.x_low, point.x_high});
  });
  for (const Axis::Tic& tic : figure.panels[p].x.tics) values.push_back(tic.value);
  return make_scale(figure.panels[p].x, values);
}

Scale y_scale(const Figure& figure, std::size_t p) {
  std::vector<double> values;
  for_points(figure, p, figure.shared_axes, [&](const Point& point) {
    values.insert(values.end(), {point.y, point.low, point.high});
  });
  for (const Axis::Tic& tic : figure.panels[p].y.tics) values.push_back(tic.value);
  return make_scale(figure.panels[p].y, values);
}

std::vector<Series> legend_entries(const Figure& figure) {
  std::vector<Series> entries;
  if (figure.legend != Figure::Legend::beside) return entries;
  std::set<std::string> seen;
  const bool shared = !figure.published_legend.empty();
  bool published = false;
  bool out_of_memory = false;
  std::vector<Series> limits;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series) {
      const bool in_shared = series.published && shared;
      published = published || in_shared;
      out_of_memory = out_of_memory || series.draw == Draw::out_of_memory;
      if (!series.in_legend || in_shared || series.draw == Draw::out_of_memory) continue;
      if (!seen.insert(series.name).second) continue;
      (series.draw == Draw::limit ? limits : entries).push_back(series);
    }
  if (published)
    entries.push_back({.name = figure.published_legend, .style = {kGrey, 0}, .published = true});
  if (out_of_memory) entries.push_back({.name = "out of memory", .draw = Draw::out_of_memory});
  entries.insert(entries.end(), limits.begin(), limits.end());
  return entries;
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
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const int column = static_cast<int>(i) % columns;
    if (column == 0) {
      const auto row_end = std::min(figure.panels.size(), i + static_cast<std::size_t>(columns));
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
