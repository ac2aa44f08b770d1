// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_reproduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"
#include "harness/cli/views/paper_tables.h"
#include "harness/cli/views/publish.h"
#include "plots/frame/claims.h"

namespace qb {
namespace {

// The page has them all.
constexpr std::size_t kMostDisputed = 6;

std::string lines(const std::string& margin, const std::string& words) {
  return wrapped_beside(margin, words, 80);
}

// `Speed-up over N (Case study 2, 28 rows): published 1.4 to 27, here 1.7 to 26. …`
std::string comparison(const AnsweredTable& answered, const Claim& claim) {
  const std::vector<RowStanding> standings = answered.standings();
  std::vector<double> published;
  std::vector<double> ours;
  std::size_t open = 0;
  std::size_t differ = 0;
  std::size_t disputed = 0;  // though this claim is not against the row
  std::string why;           // the first is open
  for (const PublishedAnswer& answer : answered.answers) {
    if (answer.claim != claim.name || !answer.ours.known()) continue;
    published.push_back(answer.published.value);
    ours.push_back(answer.ours.value);
    if (is_against(answer))
      ++differ;
    else if (standings[answer.row] <= RowStanding::differs)
      ++disputed;
    if (standing_of(answer) != RowStanding::open) continue;
    if (open++ == 0) why = fmt::format(" (line {}: {})", answer.row + 2, answer.verdict.text());
  }
  const std::string& name = claim.what.empty() ? claim.name : claim.what;
  if (ours.empty()) return name + ": the run has no case of these rows.";
  return fmt::format(
      "{} ({}, {}): published {}, here {}. {} {}, {} differ, {} stay open{}.{}", name,
      answered.table->title, counted(ours.size(), "row"), range_text(published), range_text(ours),
      ours.size() - differ - open, claim.kind == ClaimKind::shape ? "have the same order" : "agree",
      differ, open, why,
      disputed == 0 ? "" : fmt::format(" For other reasons {} are disputed.", disputed));
}

std::string own_text(const Reproduction& all) {
  if (all.own.empty())
    return lines("",
                 fmt::format("On your machine: nothing was measured for this. {}.",
                             all.from.empty() ? "Calculations and committed runs answer the rows"
                                              : "The runs are those of " + all.from));
  std::string text;
  std::size_t here = 0;
  std::size_t committed = 0;
  for (const AnsweredPaper& paper : all.here) here += shown_rows(paper);
  for (const AnsweredPaper& paper : all.committed) committed += shown_rows(paper);
  for (const OwnRun& run : all.own) {
    text += fmt::format("On your machine: {}\n", run.experiment);
    std::vector<std::string> said = run.measured;
    std::ranges::move(comparisons(all.here, run.experiment), std::back_inserter(said));
    for (const std::string& sentence : said) text += lines("  - ", sentence);
  }
  return text + lines("  ", fmt::format("With your runs {} rows are shown by other means than the "
                                        "paper's own cells; by the committed runs alone {}.",
                                        here, committed));
}

// `  116 derived: Case study 1 (7); …`, a line for each standing from one to another.
std::string rows_by_table(const AnsweredPaper& paper, RowStanding from, RowStanding to) {
  std::string text;
  for (const auto& [standing, name] : kWords<RowStanding>.rows) {
    if (standing < from || standing > to) continue;
    std::vector<std::string> tables;
    for (const AnsweredTable& table : paper.tables)
      if (const auto rows = std::ranges::count(table.standings(), standing); rows > 0)
        tables.push_back(fmt::format("{} ({})", table.table->title, rows));
    if (!tables.empty())
      text += lines(fmt::format("{:>5} ", paper.count()[standing]),
                    fmt::format("{}: {}", name, listed(tables, "; ")));
  }
  return text;
}

std::string evidence_text(const Reproduction& all) {
  const auto& papers = all.from.empty() ? all.committed : all.here;
  std::string text = all.from.empty() ? "Committed evidence:\n"
                                      : lines("", fmt::format("Evidence with {}:", all.from));
  for (const AnsweredPaper& paper : papers)
    text +=
        lines("  ", fmt::format("{}: {} of {} rows are shown by other means than its own cells.",
                                paper.paper->name, shown_rows(paper), paper.rows()));
  return papers.size() > 1
             ? text
             : text + rows_by_table(papers[0], RowStanding::reproduced, RowStanding::open);
}

// The rows, and of each contradiction its first sentence, the weightiest first.
std::string disputed_text(const Reproduction& all) {
  const bool one = all.here.size() == 1;
  std::string text =
      one ? rows_by_table(all.here[0], RowStanding::contradicts, RowStanding::differs) : "";
  for (const AnsweredTable& table : all.here[0].tables)
    if (const auto first = std::ranges::find(table.answers, RowStanding::differs, standing_of);
        one && first != table.answers.end())
      text += lines("  - ",
                    fmt::format("{}, line {}: {} {}: {}.", table.table->title, first->row + 2,
                                first->claim, word(RowStanding::differs), first->verdict.detail));
  std::vector<FoundContradiction> found = by_weight(all.disputed);
  const std::size_t remarks = std::erase_if(found, is_remark);
  const std::size_t shown = std::min(found.size(), kMostDisputed);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string said = sentence(found[i]);
    text += lines("  - ", fmt::format("{}{}.", one ? "" : found[i].paper->name + ": ",
                                      said.substr(0, std::min(said.find(". "), said.size() - 1))));
  }
  if (text.empty()) text = "  No row.\n";
  if (found.size() > shown || remarks > 0)
    text += lines("  ", fmt::format("Also on the page: further reasons ({}), and remarks that are "
                                    "held against no row ({}).",
                                    found.size() - shown, remarks));
  return "Disputed:\n" + text;
}

}  // namespace

OwnRun read_own_run(const std::string& experiment, const std::string& folder) {
  PlottedRun run = run_to_plot(folder);
  run.published = true;
  OwnRun own{.experiment = experiment, .measured = conclusion(run)};
  const std::vector<Figure> figures = figures_of_run(run);
  const auto first = std::ranges::find(figures, "", &Figure::empty_reason);
  if (first == figures.end()) return own;
  try {
    std::vector<std::string> missing;
    own.pictures = draw_for_report({*first}, folder + "/figures", missing);
    own.measured.push_back(fmt::format("{}: {}/figures/{}.svg", first->title, folder, first->name));
  } catch (const EnvironmentError& error) {
    own.measured.push_back(fmt::format("{}. There is no picture: {}.", first->title, error.what()));
  }
  return own;
}

std::vector<std::string> comparisons(std::span<const AnsweredPaper> papers,
                                     const std::string& experiment) {
  std::vector<std::string> sentences;
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& answered : paper.tables)
      for (const Claim& claim : answered.table->claims)
        if (claim.run == experiment) sentences.push_back(comparison(answered, claim));
  return sentences;
}

std::string summary_text(const Reproduction& all) {
  return fmt::format("{}\n{}\n{}\nEvery row and its reason: {}\n", own_text(all),
                     evidence_text(all), disputed_text(all), all.page);
}

}  // namespace qb
