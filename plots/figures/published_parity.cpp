// SPDX-License-Identifier: Apache-2.0
// Published numbers against ours, a mark a row on log axes with the diagonal: filled marks were
// modelled here, hollow ones follow from the row's own parameters. Colour tells the verdict.
#include "plots/figures/figures.h"

namespace qb {
namespace {

struct KnownVerdict {
  const char* word;
  std::uint32_t colour;
  int mark;
};
// As harness/papers counts rows, best first.
constexpr KnownVerdict kVerdicts[] = {{"reproduced", 0x56B4E9, 1},
                                      {"derived", 0x009E73, 0},
                                      {"predicted", 0x0072B2, 2},
                                      {"differs", 0xE69F00, 4},
                                      {"contradicts", 0xD55E00, 3}};
constexpr double kBand = 2.0;  // the factor of the dotted lines beside the diagonal

double published(const Row& row) { return row.number_at("published"); }
double ours(const Row& row) { return row.number_at("ours"); }
bool of_model(const Row& row) { return row.at("kind") == "modelled"; }
double times_apart(const Row& row) {
  return std::fmax(published(row) / ours(row), ours(row) / published(row));
}

const Columns kRowColumns = {"paper", "table", "line", "claim"};

Groups verdict_lines(const Rows& rows) {
  Groups lines;
  for (const KnownVerdict& one : kVerdicts)
    lines.push_back(
        {.rows = where(rows, [&](const Row& row) { return row.at("verdict") == one.word; }),
         .name = one.word,
         .style = {one.colour, one.mark},
         .draw = Draw::points});
  return lines;
}

Series diagonal(std::string name, double least, double most, double times, bool in_legend) {
  return {.name = std::move(name),
          .draw = Draw::line,
          .style = {kGrey, 0, times == 1.0 ? 1 : 2},
          .thin = true,
          .in_legend = in_legend,
          .points = {{.x = least, .y = least * times}, {.x = most, .y = most * times}}};
}

std::vector<Series> diagonals(const Rows& rows) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const Row& row : rows) {
    least = std::fmin(least, published(row));
    most = std::fmax(most, published(row));
  }
  if (!(least < most)) return {};
  return {diagonal("equal", least, most, 1.0, true),
          diagonal("half or twice", least, most, kBand, true),
          diagonal("half", least, most, 1.0 / kBand, false)};
}

std::string parity_title(const Rows& rows) {
  const Rows exact = where(rows, [](const Row& row) { return !of_model(row); });
  const Rows model = where(rows, of_model);
  const auto agrees = [](const Row& row) { return row.at("verdict") == "derived"; };
  const auto near = [](const Row& row) { return times_apart(row) <= kBand; };
  const auto share = [](const Rows& some, auto holds, std::string_view what) {
    return some.empty()
               ? ""
               : fmt::format("{} of {} {}", grouped(static_cast<double>(count(some, holds))),
                             grouped(static_cast<double>(some.size())), what);
  };
  return listed({share(exact, agrees, "numbers that parameters decide agree"),
                 share(model, near, "modelled ones are within a factor of 2")});
}

}  // namespace

Figure published_parity_figure(const CsvTable& answers) {
  const Rows rows = where(all_rows(answers),
                          [](const Row& row) { return published(row) > 0.0 && ours(row) > 0.0; });
  LineFigure declared{
      .title = parity_title(rows),
      .nothing = "no published number has one of ours beside it",
      .x = published,
      .x_axis = fixed({.label = "published", .column = "published", .log = true}),
      .notes = {"Each in the unit of its table. Modelled: by the cost model on the published "
                "device; calculated: from the paper's parameters.",
                not_drawn({{.number = answers.size() - rows.size(),
                            .what = "answer",
                            .reason = "not above zero",
                            .of = answers.size()}})}};
  for (const bool model : {false, true}) {
    const Rows own = where(rows, [=](const Row& row) { return of_model(row) == model; });
    if (own.empty()) continue;
    declared.y.push_back({.title = model ? "modelled here" : "calculated",
                          .y = {.label = "ours", .column = "ours", .log = true},
                          .value =
                              [](const Row& row) {
                                return Point{.y = ours(row), .more = values_of(row, kRowColumns)};
                              },
                          .lines = [=](const Group&) { return verdict_lines(own); },
                          .reference = [=](const Group&) { return diagonals(own); }});
  }
  Figure figure = line_figure(declared);
  figure.name = "published_parity";
  figure.finding = "Numbers that papers measured beside ours, calculated or modelled.";
  figure.more_columns = kRowColumns;
  return figure;
}

}  // namespace qb
