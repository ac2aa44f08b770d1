// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text_table.h"

namespace qb {
namespace {

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.5g}", value); }

std::vector<std::string> coverage_row(const std::string& name, std::size_t tables, std::size_t rows,
                                      const std::map<RowStanding, std::size_t>& counted) {
  std::vector<std::string> row = {name, std::to_string(tables), std::to_string(rows)};
  for (const auto& [standing, text] : kWords<RowStanding>.rows) {
    const auto found = counted.find(standing);
    row.push_back(found == counted.end() ? "" : std::to_string(found->second));
  }
  return row;
}

// The keys of a row as `model=LLaMA-7B gpus=1x8`.
std::string row_name(const PublishedTable& table, std::size_t row) {
  std::string name;
  for (const std::string& key : table.keys())
    if (const std::string& value = table.cells.text(row, key); !value.empty())
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, value);
  return name;
}

// As coverage counts it: what is measured or modelled here differs, and contradicts nothing.
std::string verdict_text(const PublishedAnswer& answer) {
  std::string text = answer.verdict.text();
  const std::string_view word = qb::word(Answer::contradicts);
  if (standing_of(answer) == RowStanding::differs && text.starts_with(word))
    text.replace(0, word.size(), qb::word(RowStanding::differs));
  return text;
}

constexpr std::size_t kTextColumns = 100;

}  // namespace

Table coverage_table(std::span<const AnsweredPaper> papers) {
  Table table{.name = "papers",
              .title = "Published rows and what answers them",
              .header = {"paper", "tables", "rows"},
              .notes = {"A row counts once, under the first that one of its answers gives it. "
                        "contradicts: its own table, another one, or what follows from its "
                        "parameters; differs: our curve has another shape, or the model is off; "
                        "obeys: nothing but the rules that every table is tried against."}};
  for (const auto& [standing, text] : kWords<RowStanding>.rows) table.header.emplace_back(text);
  std::map<RowStanding, std::size_t> all;
  std::size_t tables = 0;
  std::size_t rows = 0;
  for (const AnsweredPaper& paper : papers) {
    const auto counted = paper.count();
    table.rows.push_back(
        coverage_row(paper.paper->name, paper.tables.size(), paper.rows(), counted));
    for (const auto& [standing, count] : counted) all[standing] += count;
    tables += paper.tables.size();
    rows += paper.rows();
  }
  if (papers.size() > 1) table.rows.push_back(coverage_row("all", tables, rows, all));
  return table;
}

Table claims_table(const AnsweredPaper& paper) {
  Table table{.name = "verdicts",
              .title = "How the paper's rows are answered",
              .header = {"table", "claim", "answers", "why"},
              .notes = {}};
  for (const AnsweredTable& answered : paper.tables) {
    std::vector<std::string> claims;  // in their order
    std::map<std::string, std::map<Answer, std::size_t>> counts;
    std::map<std::string, std::string> why;
    for (const PublishedAnswer& answer : answered.answers) {
      if (answer.verdict.answer == Answer::obeys) continue;
      const std::string claim = answer.column.empty() ? answer.claim : answer.column;
      if (counts[claim].empty()) claims.push_back(claim);
      ++counts[claim][answer.verdict.answer];
      const bool agrees =
          answer.verdict.answer == Answer::agrees || answer.verdict.answer == Answer::shape_agrees;
      if (!agrees && why[claim].empty()) why[claim] = verdict_text(answer);
    }
    for (const std::string& claim : claims) {
      std::string answers;
      for (const auto& [answer, count] : counts[claim]) {
        const std::string_view text = word(answer);  // without the beginning of a detail
        answers += fmt::format("{}{} {}", answers.empty() ? "" : ", ", count,
                               text.substr(0, std::min(text.find(':'), text.find(" because"))));
      }
      table.rows.push_back({answered.table->title, claim, answers, why[claim]});
    }
  }
  return table;
}

Table answers_table(const AnsweredTable& answered, bool obeyed) {
  const PublishedTable& published = *answered.table;
  Table table{.name = published.file.substr(0, published.file.size() - 4),
              .title = published.title,
              .header = {"line", "row", "claim", "published", "ours", "ratio", "verdict", "why"},
              .notes = {}};
  if (!published.hardware.empty())
    table.notes.push_back(fmt::format("Published on: {}.", published.hardware));
  std::size_t left_out = 0;
  for (const PublishedAnswer& answer : answered.answers)
    if (obeyed || answer.verdict.answer != Answer::obeys)
      table.rows.push_back({std::to_string(answer.row + 2), row_name(published, answer.row),
                            answer.claim, number(answer.published.value), number(answer.ours.value),
                            number(answer.ratio()), verdict_text(answer), answer.why});
    else
      ++left_out;
  if (left_out > 0)
    table.notes.push_back(fmt::format("Left out: {} answers that a rule is obeyed.", left_out));
  return table;
}

CsvTable parity_csv(std::span<const AnsweredPaper> papers) {
  CsvTable out({"paper", "table", "line", "claim", "kind", "published", "ours", "verdict"});
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& answered : paper.tables)
      for (const PublishedAnswer& answer : answered.answers) {
        const RowStanding standing = standing_of(answer);
        const bool drawn = answer.column.empty() && answer.kind != ClaimKind::shape &&
                           standing != RowStanding::obeys && standing != RowStanding::unanswered &&
                           std::isfinite(answer.ratio());
        if (drawn)
          out.append({paper.paper->name, answered.table->file, std::to_string(answer.row + 2),
                      answer.claim, std::string(word(answer.kind)), to_text(answer.published.value),
                      to_text(answer.ours.value), std::string(word(standing))});
      }
  return out;
}

Table needs_table(std::span<const AnsweredPaper> papers, std::optional<Need> need) {
  Table table{.name = "needs",
              .title = "What would answer more rows",
              .header = {"needs", "paper", "table", "rows"},
              .notes = {}};
  for (const auto& [candidate, text] : kWords<Need>.rows) {
    if (need && candidate != *need) continue;
    for (const AnsweredPaper& paper : papers)
      for (const AnsweredTable& answered : paper.tables) {
        std::vector<std::size_t> rows;
        for (const PublishedAnswer& answer : answered.answers)
          if (answer.verdict.answer == Answer::not_measured &&
              std::ranges::find(answer.needs, candidate) != answer.needs.end())
            rows.push_back(answer.row);
        rows.erase(std::ranges::unique(rows).begin(), rows.end());
        if (!rows.empty())
          table.rows.push_back({std::string(text), paper.paper->name, answered.table->file,
                                std::to_string(rows.size())});
      }
  }
  return table;
}

Table contradictions_table(std::span<const FoundContradiction> found) {
  Table table{.name = "contradictions",
              .title = "Where published tables contradict themselves, each other or the hardware",
              .header = {"paper", "rows", "found by", "what"},
              .notes = {}};
  for (const FoundContradiction& one : found)
    table.rows.push_back({one.paper->name,
                          one.evidence.empty() ? "" : std::to_string(one.evidence.size()),
                          found_by(one), sentence(one)});
  return table;
}

std::string contradictions_text(std::span<const FoundContradiction> found) {
  std::string text;
  const Paper* paper = nullptr;
  std::size_t number = 0;
  for (const FoundContradiction& one : found) {
    if (one.paper != paper) {
      paper = one.paper;
      text += fmt::format("{}{}\n", text.empty() ? "" : "\n", paper->title);
    }
    std::string says = sentence(one);
    says += fmt::format(" [{}]", found_by(one));
    std::string margin = fmt::format("{:>4}. ", ++number);
    for (const std::string& line : wrap_text(says, kTextColumns)) {
      text += margin + line + "\n";
      margin.assign(margin.size(), ' ');
    }
  }
  return text;
}

std::string found_by(const FoundContradiction& found) {
  if (found.evidence.empty()) return "known";
  std::vector<std::string> claims;
  for (const PublishedAnswer* answer : found.evidence)
    if (std::ranges::find(claims, answer->claim) == claims.end()) claims.push_back(answer->claim);
  return fmt::format("{}", fmt::join(claims, ", "));
}

std::string sentence(const FoundContradiction& found) {
  if (found.entry != nullptr) return found.entry->says;
  const PublishedAnswer& first = *found.evidence.front();
  return fmt::format("{}, line {}: {}: {}.", first.table->file, first.row + 2, first.why,
                     first.verdict.detail);
}

}  // namespace qb
