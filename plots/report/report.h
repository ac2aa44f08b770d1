// One self-contained HTML page: figures as inline SVG, tables, text. It has no script, needs no
// network, and is readable on a phone and on paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/run.h"
#include "plots/frame/table.h"

namespace qb {

struct Report {
  struct Picture {
    std::string name{};   // stem of its files, named under the picture
    std::string title{};  // for readers who cannot see the picture
    std::string svg{};    // content of the SVG file
    std::string csv{};    // plotted numbers, may be empty; folded away below the picture
  };
  // The page shows them in this order: paragraphs, figures, tables, code.
  struct Section {
    std::string title{};
    std::vector<std::string> paragraphs{};  // plain text
    std::vector<Picture> figures{};
    std::vector<Table> tables{};
    std::vector<std::string> code{};  // commands, set in a fixed font
    bool folded = false;              // the reader opens it: long tables
  };
  std::string title{};
  std::string subtitle{};  // provenance
  std::vector<Section> sections{};
};

// Escapes everything: titles, cells and messages may hold any text.
[[nodiscard]] std::string report_html(const Report& report);

// ---- the pieces of a page ----------------------------------------------------------------------

// Escapes text for elements and quoted attributes.
[[nodiscard]] std::string html_escape(std::string_view text);

// Returns the <svg> element of an SVG file, without its prolog, with every id and every reference
// to one prefixed by `prefix`, so that one page can hold several. Throws UsageError if there is
// none.
[[nodiscard]] std::string inline_svg(std::string_view svg, std::string_view prefix,
                                     std::string_view label);

// Writes a table with caption and notes; words of status and verdict are marked.
[[nodiscard]] std::string html_table(const Table& table);

// ---- the sections of a run folder --------------------------------------------------------------

// Draws the figures into `directory` and reads them back for a page. Empty figures are left out and
// listed in `missing`, one sentence each. Throws as write_figure does.
[[nodiscard]] std::vector<Report::Picture> draw_for_report(const std::vector<Figure>& figures,
                                                           const std::string& directory,
                                                           std::vector<std::string>& missing);

// Makes the page of `qb report RUN`: how many cases ended how, figures, tables (case study 2 if it
// applies, subsequence lengths, every case), every failed case with its message, what the columns
// of time mean, machine, build and libraries, and the commands that make the run again.
[[nodiscard]] Report run_report(const PlottedRun& run, std::vector<Report::Picture> figures,
                                const std::vector<std::string>& missing);

}  // namespace qb
