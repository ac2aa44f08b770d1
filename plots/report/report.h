// One self-contained HTML page: figures as inline SVG, tables, text. It has no script, needs no
// network, and is readable on a phone and on paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/sparse_cases.h"
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

// Makes the page of `qb report RUN`.
[[nodiscard]] Report run_report(const PlottedRun& run, std::vector<Report::Picture> figures,
                                const std::vector<std::string>& missing);

// ---- the tables of a run ------------------------------------------------------------------------

// Case study 2 of CQS-Attention: times and speed-ups, published, ours and ours / published, for
// every case whose worker count and N (at the run's scale) are published. `published` has the
// columns of cqs_case_study_2.csv. The table has no rows if nothing matches.
[[nodiscard]] Table case_study_2_table(const CsvTable& cases, const CsvTable& published);

[[nodiscard]] Table memory_summary_table(const CsvTable& cases);
[[nodiscard]] Table cases_table(const CsvTable& cases);
[[nodiscard]] Table failed_cases_table(const CsvTable& cases);

// Lists the asymptotic responsibility ratios, ours and published: `sets` is the output of `qb sets
// table --csv`.
[[nodiscard]] Table interest_set_table(const CsvTable& sets);

// The tables of patterns have no rows if the run has no pattern.
[[nodiscard]] Table sparse_attention_table(const SparseCases& cases);

// Fits time = a N^b and a straight line to each line of four lengths or more.
[[nodiscard]] Table sparse_growth_table(const SparseCases& cases);

// States the exponents of the same fits, and for those near 1 the time per token with its largest
// deviation.
[[nodiscard]] std::vector<std::string> growth_notes(const SparseCases& cases);

}  // namespace qb
