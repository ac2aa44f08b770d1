// SPDX-License-Identifier: Apache-2.0
// Published numbers against ours, a mark a row on log axes with the diagonal, a panel a paper,
// since the numbers of two papers have other units. Colour and mark tell how the row stands.
#include "base/verdict.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

struct StandingLook {
  RowStanding standing;
  Style style;
};
constexpr StandingLook kLooks[] = {{RowStanding::reproduced, {0x56B4E9, 1}},
                                   {RowStanding::derived, {0x009E73, 0}},
                                   {RowStanding::predicted, {0x0072B2, 2}},
                                   {RowStanding::differs, {0xE69F00, 4}},
                                   {RowStanding::contradicts, {0xD55E00, 3}}};
constexpr std::size_t kMostPapers = 8;
constexpr double kBand = 2.0;  // the factor of the dotted lines beside the diagonal

double published(const Row& row) { return row.number_at("published"); }
double ours(const Row& row) { return row.number_at("ours"); }

const Columns kRowColumns = {"paper", "table", "line", "claim"};

Groups standing_lines(const Rows& rows) {
  Groups lines;
  for (const auto& [standing, style] : kLooks)
    lines.push_back({.rows = where(rows, [at = word(standing)](
                                             const Row& row) { return row.at("verdict") == at; }),
                     .name = std::string(word(standing)),
                     .style = style,
                     .draw = Draw::points});
  return lines;
}

Series diagonal(std::string name, const Rows& rows, double times, bool in_legend) {
  const auto [least, most] = std::ranges::minmax(numbers_of(rows, published));
  const double from = least / kBand;
  const double to = most * kBand;
  return {.name = std::move(name),
          .draw = Draw::line,
          .style = {kGrey, 0, times == 1.0 ? 1 : 2},
          .thin = true,
          .in_legend = in_legend,
          .points = {{.x = from, .y = from * times}, {.x = to, .y = to * times}}};
}

std::vector<Series> diagonals(const Group& paper) {
  if (paper.rows.empty()) return {};
  return {diagonal("equal", paper.rows, 1.0, true),
          diagonal("half or twice", paper.rows, kBand, true),
          diagonal("half", paper.rows, 1.0 / kBand, false)};
}

// Counts what parameters decide, what was modelled, and what contradicts other published cells.
std::string parity_title(const Rows& rows) {
  const auto stands = [](const Row& row, RowStanding at) { return row.at("verdict") == word(at); };
  const auto derived = [=](const Row& row) { return stands(row, RowStanding::derived); };
  const auto near = [](const Row& row) {
    return std::fmax(published(row) / ours(row), ours(row) / published(row)) <= kBand;
  };
  const auto share = [&](std::string_view kind, auto holds, std::string_view what) {
    const Rows some = where(rows, [=](const Row& row) { return row.at("kind") == kind; });
    return some.empty() ? "" : fmt::format("{} of {} {}", count(some, holds), some.size(), what);
  };
  const std::size_t against = count(rows, [=](const Row& row) {
    return stands(row, RowStanding::contradicts) && row.at("kind") != "exact";
  });
  return listed({share("exact", derived, "numbers that parameters decide agree"),
                 share("modelled", near, "modelled ones are within a factor of 2"),
                 against == 0 ? ""
                              : fmt::format("{} contradict{} other cells", against,
                                            against == 1 ? "s" : "")});
}

}  // namespace

Figure published_parity_figure(const CsvTable& answers) {
  const Rows positive = where(
      all_rows(answers), [](const Row& row) { return published(row) > 0.0 && ours(row) > 0.0; });
  Groups papers = panels_by(positive, {"paper"});
  std::ranges::stable_sort(papers, std::ranges::greater(),
                           [](const Group& paper) { return paper.rows.size(); });
  const std::size_t n_papers = papers.size();
  papers.resize(std::min(n_papers, kMostPapers));
  Rows rows;
  for (const Group& paper : papers) rows.insert(rows.end(), paper.rows.begin(), paper.rows.end());
  for (Group& paper : papers) paper.name = replaced(paper.name, {{"_", " "}});
  Figure figure = line_figure(
      {.name = "published_parity",
       .title = parity_title(rows),
       .finding = "Numbers that papers measured beside ours, a panel for each paper.",
       .nothing = "no published number has one of ours beside it",
       .lines = standing_lines(rows),
       .y = {{.y = {.label = "ours", .column = "ours", .log = true},
              .value =
                  [](const Row& row) {
                    return Point{.y = ours(row), .more = values_of(row, kRowColumns)};
                  },
              .reference = diagonals}},
       .panels = papers,
       .x = published,
       .x_axis = fixed({.label = "published", .column = "published", .log = true}),
       .notes = {
           "Each in the unit of its table. Predicted, differs: by the cost model. Derived: from "
           "parameters. Contradicts: those, or other cells.",
           not_drawn({{.number = answers.size() - positive.size(),
                       .what = "answer",
                       .reason = "not above zero",
                       .of = answers.size()},
                      {.number = n_papers - papers.size(),
                       .what = "paper",
                       .reason = "fewest answers",
                       .of = n_papers}})}});
  arrange_panels(figure, 4);
  figure.more_columns = kRowColumns;
  return figure;
}

}  // namespace qb
