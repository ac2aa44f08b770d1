// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page: figures as inline SVG with what they show in a sentence, tables,
// text. It needs no network and no other file, is complete without its script, and is readable on a
// phone, in the dark and on paper.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/run.h"
#include "plots/frame/table.h"
#include "plots/report/html.h"

namespace qb {

struct Report {
  struct Link {
    std::string text{};
    std::string address{};
  };
  struct Picture {
    std::string name{};     // stem of its files
    std::string title{};    // it stands in the picture
    std::string svg{};      // content of the SVG file
    std::string narrow{};   // another drawing for a phone; empty: the same
    std::string finding{};  // what it shows; empty: the title
    std::vector<std::string> notes{};
    std::string provenance{};
    std::vector<Link> files{};  // its downloads besides the SVG
  };
  // The page shows them in this order: paragraphs, figures, tables, code. It shows a long table
  // closed.
  struct Section {
    std::string title{};
    std::vector<std::string> paragraphs{};  // plain text
    std::vector<Picture> figures{};
    std::vector<Table> tables{};
    std::vector<std::string> code{};  // commands, set in a fixed font
    bool folded = false;              // the reader opens it
  };
  std::string title{};
  std::string subtitle{};  // provenance
  // The first is the opening, what a reader sees before anything else: it has no heading.
  std::vector<Section> sections{};
};

// Escapes everything but markup: titles, cells and messages may hold any text.
[[nodiscard]] std::string report_html(const Report& report);

// The `index`-th figure of a page, and beneath it what it shows, what its marks mean, where it
// comes from, and its files.
[[nodiscard]] std::string figure_html(const Report::Picture& figure, std::size_t index);
// A file that the page holds is saved as `name`.csv.
[[nodiscard]] std::string links_html(const std::vector<Report::Link>& links,
                                     std::string_view name = "");

// ---- the sections of a run folder --------------------------------------------------------------

// Draws the figures into `directory` and reads them back for a page. Empty figures are left out and
// listed in `missing`, one sentence each. Throws as write_figures does.
[[nodiscard]] std::vector<Report::Picture> draw_for_report(const std::vector<Figure>& figures,
                                                           const std::string& directory,
                                                           std::vector<std::string>& missing);

// Three sentences: what was run, what agrees, what does not.
[[nodiscard]] std::vector<std::string> conclusion(const PlottedRun& run);

// A sentence each on disturbed cases and on a torn table.
[[nodiscard]] std::vector<std::string> remarks(const PlottedRun& run);

// Makes the page of `qb report RUN`: the conclusion and the first figure, then the other figures,
// the single cases, and the machine.
[[nodiscard]] Report run_report(const PlottedRun& run, std::vector<Report::Picture> figures,
                                const std::vector<std::string>& missing);

// ---- the tables of a run ------------------------------------------------------------------------

// A row for each case: the parameters in which the cases differ, their times, memory, error and
// status.
[[nodiscard]] Table cases_table(const CsvTable& cases);

// A row for each reason why cases have no result.
[[nodiscard]] Table failed_cases_table(const CsvTable& cases);

// ---- the index of a folder ---------------------------------------------------------------------

// Makes the page FOLDER/index.html of the drawn figures, pages and tables of a folder such as
// paper_figures, with what the figures show, and links to the files that they were made of. They
// come in the order of FOLDER/order.txt, a line FOLDER/NAME for each after a line `# TOPIC`, and
// those that it does not name after them. A reader can choose by topic, by machine, and by whether
// numbers are measured, modelled or derived. Each folder in FOLDER, or its folders `figures` and
// `tables`, holds figures (NAME.csv, NAME.json, NAME.svg) and tables (NAME.md, NAME.csv). Throws
// UsageError if there is no such folder, or no figure and no table in it.
[[nodiscard]] std::string index_html(const std::string& folder);

}  // namespace qb
