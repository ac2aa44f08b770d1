#include "plots/report/findings.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "base/csv.h"
#include "base/files.h"
#include "plots/frame/frame.h"
#include "plots/report/finding_parts.h"

namespace qb {
namespace finding {
namespace {

bool has_marks(const Series& series) {
  return series.draw == Draw::line_points || series.draw == Draw::points ||
         series.draw == Draw::steps;
}

// Where lines have marks, a curve without them is a bound or another reference.
std::vector<Line> lines_of(const Panel& panel) {
  const bool marked = std::ranges::any_of(panel.series, has_marks);
  std::vector<Line> lines;
  for (const Series& series : panel.series) {
    const bool drawn = has_marks(series) || (!marked && series.draw == Draw::line);
    if (!drawn || series.published || series.thin) continue;
    Line line{.name = series.name, .joined = series.draw != Draw::points};
    for (const Point& point : series.points)
      if (std::isfinite(point.x) && std::isfinite(point.y)) line.points[point.x] = point;
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Quantity> quantities_of(const Figure& figure) {
  std::vector<Quantity> quantities;
  std::map<std::vector<std::string>, std::size_t> known;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    if (panel.y.label.empty()) continue;  // rows with names, not a quantity
    Curves curves{panel_name(figure, p), &panel, lines_of(panel)};
    if (curves.lines.empty()) continue;
    const std::vector<std::string> shown = {panel.x.label, panel.x.column, panel.y.label,
                                            panel.y.column};
    const auto [at, is_new] = known.try_emplace(shown, quantities.size());
    if (is_new) quantities.emplace_back();
    Quantity& quantity = quantities[at->second];
    for (const Line& line : curves.lines)
      for (const auto& [x, point] : line.points)
        quantity.intervals = quantity.intervals || has_interval(point);
    quantity.panels.push_back(std::move(curves));
  }
  return quantities;
}

}  // namespace
}  // namespace finding

std::vector<std::string> findings(const Figure& figure) {
  // Of many quantities the first is what the figure is about.
  constexpr std::size_t kFewQuantities = 2;
  const std::vector<finding::Quantity> quantities = finding::quantities_of(figure);
  std::vector<std::string> out = figure.findings;
  for (const finding::Quantity& quantity : quantities) {
    finding::add_gap(quantity, out);
    if (quantities.size() > kFewQuantities && &quantity != &quantities.front()) continue;
    finding::add_crossings(quantity, out);
    finding::add_growth(quantity, out);
  }
  finding::add_shares(figure, out);
  std::erase(out, "");
  return out;
}

std::string write_findings(const std::vector<Figure>& figures, const std::string& directory) {
  ensure_directory(directory);
  const std::string path = (std::filesystem::path(directory) / "findings.csv").string();
  std::map<std::string, std::vector<std::vector<std::string>>> rows;  // by figure
  if (std::filesystem::exists(path)) {
    const CsvTable old = CsvTable::parse(read_file(path), path);
    for (const Row& row : all_rows(old))
      rows[row.text(kFindingColumns[0])].push_back(old.row(row.index));
  }
  for (const Figure& figure : figures) {
    if (!figure.empty_reason.empty()) continue;
    std::vector<std::vector<std::string>>& own = rows[figure.name];
    own.clear();
    for (const std::string& text : findings(figure))
      own.push_back({figure.name, figure.title, text});
    if (own.empty()) own.push_back({figure.name, figure.title, ""});
  }
  CsvTable table({std::begin(kFindingColumns), std::end(kFindingColumns)});
  for (const auto& [name, of_figure] : rows)
    for (const std::vector<std::string>& row : of_figure) table.append(row);
  write_file_atomically(path, table.to_string());
  return path;
}

}  // namespace qb
