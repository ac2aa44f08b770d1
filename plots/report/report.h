// One self-contained HTML page: figures as inline SVG, tables, text. No script, nothing from the
// network; readable on a phone and on paper.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/table.h"

namespace qb {

struct ReportFigure {
  std::string name{};   // stem of its files, named under the picture
  std::string title{};  // for those who cannot see it
  std::string svg{};    // content of the SVG file
  std::string csv{};    // plotted numbers; may be empty. Folded away below the picture.
};

// Shown in this order: paragraphs, figures, tables, code.
struct ReportSection {
  std::string title{};
  std::vector<std::string> paragraphs{};  // plain text
  std::vector<ReportFigure> figures{};
  std::vector<Table> tables{};
  std::vector<std::string> code{};  // commands, set in a fixed font
  bool folded = false;              // opened by the reader: long tables
};

struct Report {
  std::string title{};
  std::string subtitle{};  // provenance
  std::vector<ReportSection> sections{};
};

// Everything is escaped: titles, cells and messages may hold any text.
[[nodiscard]] std::string report_html(const Report& report);

}  // namespace qb
