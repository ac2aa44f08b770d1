// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "base/text_table.h"

namespace qb {
namespace {

// Of -0 too the digit alone.
std::string number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.5g}", value + 0.0);
}

std::vector<std::string> coverage_row(const std::string& name, std::size_t tables, std::size_t rows,
                                      const std::map<RowStanding, std::size_t>& counted,
                                      std::size_t answers) {
  std::vector<std::string> row = {name, std::to_string(tables), std::to_string(rows)};
  for (const auto& [standing, text] : kWords<RowStanding>.rows) {
    const auto found = counted.find(standing);
    row.push_back(found == counted.end() ? "0" : std::to_string(found->second));
  }
  row.push_back(std::to_string(answers));
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
  if (text.starts_with(word) && standing_of(answer) != RowStanding::contradicts)
    text.replace(0, word.size(), answer.remark ? "remark" : qb::word(RowStanding::differs));
  return text;
}

constexpr std::size_t kAnswerColumns = 120;

// The answers of a table that are asked for, by row: what is of the headline first.
std::vector<const PublishedAnswer*> chosen(const AnsweredTable& answered,
                                           const AnswerChoice& choice) {
  const std::vector<RowStanding> standings = answered.standings();
  std::vector<const PublishedAnswer*> answers;
  for (const PublishedAnswer& answer : answered.answers)
    if ((!choice.standing || standings[answer.row] == *choice.standing) &&
        (choice.claims.empty() || std::ranges::count(choice.claims, answer.claim) > 0) &&
        (choice.obeyed || answer.verdict.answer != Answer::obeys))
      answers.push_back(&answer);
  std::ranges::stable_sort(answers, {}, [](const PublishedAnswer* answer) {
    return std::pair(answer->row, !answer->headline);
  });
  return answers;
}

const std::vector<std::string> kAnswerHeader = {"line",    "row",       "standing", "of",
                                                "claim",   "published", "ours",     "ratio",
                                                "verdict", "why",       "formula"};

std::vector<std::string> answer_cells(const PublishedAnswer& answer, RowStanding standing) {
  return {std::to_string(answer.row + 2),
          row_name(*answer.table, answer.row),
          std::string(word(standing)),
          answer.headline ? "headline" : "side",
          answer.claim,
          number(answer.published.value),
          number(answer.ours.value),
          number(answer.ratio()),
          verdict_text(answer),
          answer.why,
          answer.formula};
}

std::string stem_of(const PublishedTable& table) {
  return table.file.substr(0, table.file.size() - 4);
}

// `3 contradicts, 20 predicted`, in the order of the summary.
std::string counted_text(const std::map<RowStanding, std::size_t>& counted) {
  std::string text;
  for (const auto& [standing, count] : counted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word(standing));
  return text;
}

std::string answer_text(const PublishedAnswer& answer) {
  std::string text = fmt::format("{}: {}", answer.claim, verdict_text(answer));
  if (answer.ours.known())
    text += fmt::format(" [{} published, {} ours, ratio {}]", number(answer.published.value),
                        number(answer.ours.value), number(answer.ratio()));
  if (!answer.why.empty()) text += " " + answer.why;
  return text;
}

// What a row that is open needs, or what leaves it open.
std::string standing_words(const AnsweredTable& answered, RowStanding standing, std::size_t row) {
  const std::string text(word(standing));
  if (standing != RowStanding::open) return text;
  const PublishedAnswer* reason = nullptr;
  for (const PublishedAnswer& answer : answered.answers)
    if (answer.row == row && answer.headline &&
        (reason == nullptr || answer.verdict.answer == Answer::not_measured))
      reason = &answer;
  if (reason == nullptr)
    return text +
           ": no run and no model here gives the quantity that the paper reports in this row";
  return reason->verdict.answer == Answer::not_measured
             ? fmt::format("{}: needs {}", text, reason->verdict.detail)
             : fmt::format("{}: {}", text, reason->verdict.text());
}

}  // namespace

Table coverage_table(std::span<const AnsweredPaper> papers) {
  Table table{
      .name = "papers",
      .title = "Published rows and what is known of them",
      .header = {"paper", "tables", "rows"},
      .notes = {"A row counts once, by its headline: the quantity that the paper measured. "
                "Side claims never make it better; one that contradicts or differs counts."}};
  for (const auto& [standing, text] : kWords<RowStanding>.rows) table.header.emplace_back(text);
  table.header.emplace_back("answers");
  std::map<RowStanding, std::size_t> all;
  std::size_t tables = 0;
  std::size_t rows = 0;
  std::size_t answers = 0;
  for (const AnsweredPaper& paper : papers) {
    const auto counted = paper.count();
    table.rows.push_back(coverage_row(paper.paper->name, paper.tables.size(), paper.rows(), counted,
                                      paper.answers()));
    for (const auto& [standing, count] : counted) all[standing] += count;
    tables += paper.tables.size();
    rows += paper.rows();
    answers += paper.answers();
  }
  if (papers.size() > 1) table.rows.push_back(coverage_row("all", tables, rows, all, answers));
  return table;
}

std::size_t shown_rows(const AnsweredPaper& paper) {
  auto counted = paper.count();
  return counted[RowStanding::reproduced] + counted[RowStanding::shape_reproduced] +
         counted[RowStanding::predicted] + counted[RowStanding::derived];
}

std::string conclusion_of(const AnsweredPaper& paper) {
  auto counted = paper.count();
  const std::size_t contradict = counted[RowStanding::contradicts];
  const std::size_t differ = counted[RowStanding::differs];
  return fmt::format(
      "Of {} rows {} are shown here by other means than the paper's own cells: {} measured, {} by "
      "shape, {} predicted, {} derived. {} are disputed: {} contradict the paper itself, another "
      "table or the hardware, and {} differ from ours. Of the others {} are only consistent with "
      "their own table, {} follow from a constant fitted to it, and {} are open.",
      paper.rows(), shown_rows(paper), counted[RowStanding::reproduced],
      counted[RowStanding::shape_reproduced], counted[RowStanding::predicted],
      counted[RowStanding::derived], contradict + differ, contradict, differ,
      counted[RowStanding::consistent], counted[RowStanding::fitted], counted[RowStanding::open]);
}

Table answers_table(const AnsweredTable& answered, const AnswerChoice& choice) {
  const PublishedTable& published = *answered.table;
  Table table{
      .name = stem_of(published), .title = published.title, .header = kAnswerHeader, .notes = {}};
  if (!published.hardware.empty())
    table.notes.push_back(fmt::format("Published on: {}.", published.hardware));
  if (published.digitised)
    table.notes.emplace_back("Read off a picture: no number of it is printed.");
  const std::vector<RowStanding> standings = answered.standings();
  for (const PublishedAnswer* answer : chosen(answered, choice))
    table.rows.push_back(answer_cells(*answer, standings[answer->row]));
  const auto obeyed = std::ranges::count_if(answered.answers, [](const PublishedAnswer& answer) {
    return answer.verdict.answer == Answer::obeys;
  });
  if (!choice.obeyed && obeyed > 0)
    table.notes.push_back(fmt::format("Left out: {} answers that a rule is obeyed.", obeyed));
  return table;
}

CsvTable parity_csv(std::span<const AnsweredPaper> papers) {
  CsvTable out({"paper", "table", "line", "claim", "kind", "published", "ours", "verdict"});
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& answered : paper.tables)
      for (const PublishedAnswer& answer : answered.answers) {
        const RowStanding standing = standing_of(answer);
        const bool independent =
            standing <= RowStanding::derived && standing != RowStanding::shape_reproduced;
        if (independent && answer.headline && answer.column.empty() &&
            answer.kind != ClaimKind::shape && std::isfinite(answer.ratio()))
          out.append({paper.paper->name, answered.table->file, std::to_string(answer.row + 2),
                      answer.claim, std::string(word(answer.kind)), to_text(answer.published.value),
                      to_text(answer.ours.value), std::string(word(standing))});
      }
  return out;
}

Table all_answers_table(const AnsweredPaper& paper, const AnswerChoice& choice) {
  Table all{.name = paper.paper->name,
            .title = paper.paper->title,
            .header = {"paper", "table"},
            .notes = {}};
  std::ranges::copy(kAnswerHeader, std::back_inserter(all.header));
  for (const AnsweredTable& answered : paper.tables) {
    if (!choice.table.empty() && stem_of(*answered.table) != choice.table) continue;
    for (std::vector<std::string>& row : answers_table(answered, choice).rows) {
      row.insert(row.begin(), {paper.paper->name, stem_of(*answered.table)});
      all.rows.push_back(std::move(row));
    }
  }
  return all;
}

std::string wrapped_beside(std::string margin, std::string_view words, std::size_t columns) {
  std::string text;
  for (const std::string& line : wrap_text(words, columns - margin.size())) {
    text += margin + line + "\n";
    margin.assign(margin.size(), ' ');
  }
  return text;
}

std::string answers_text(const AnsweredPaper& paper, const AnswerChoice& choice) {
  std::string text =
      wrapped_beside("", paper.paper->title + ". " + paper.paper->cite, kAnswerColumns) +
      wrapped_beside("", conclusion_of(paper), kAnswerColumns);
  for (const AnsweredTable& answered : paper.tables) {
    if (!choice.table.empty() && stem_of(*answered.table) != choice.table) continue;
    const std::vector<RowStanding> standings = answered.standings();
    std::map<RowStanding, std::size_t> counted;
    for (const RowStanding standing : standings) ++counted[standing];
    text += "\n";
    text +=
        wrapped_beside("", fmt::format("{} [{}]", answered.table->title, stem_of(*answered.table)),
                       kAnswerColumns);
    text += wrapped_beside("  ", counted_text(counted), kAnswerColumns);
    if (choice.summary) continue;
    const PublishedAnswer* before = nullptr;
    for (const PublishedAnswer* answer : chosen(answered, choice)) {
      if (before == nullptr || before->row != answer->row)
        text += wrapped_beside(
            fmt::format("  line {:<4} ", answer->row + 2),
            fmt::format("{}: {}", row_name(*answered.table, answer->row),
                        standing_words(answered, standings[answer->row], answer->row)),
            kAnswerColumns);
      text += wrapped_beside(answer->headline ? "      headline  " : "      side      ",
                             answer_text(*answer), kAnswerColumns);
      before = answer;
    }
  }
  if (choice.summary)
    text += fmt::format(
        "\nEach row, with what it was compared with: qb papers {0} --all, or qb papers {0} "
        "TABLE.\n",
        paper.paper->name);
  return text;
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

std::vector<FoundContradiction> by_weight(std::vector<FoundContradiction> found) {
  std::ranges::stable_sort(found, {}, [](const FoundContradiction& one) {
    return one.entry == nullptr ? 0 : one.entry->remark ? 4 : 3 - one.entry->weight;
  });
  return found;
}

Table contradictions_table(std::span<const FoundContradiction> found) {
  Table table{.name = "contradictions",
              .title = "Where published tables contradict themselves, each other or the hardware",
              .header = {"paper", "kind", "rows", "found by", "what"},
              .notes = {"By weight: those that change what a paper claims come first. A remark is "
                        "not held against its rows."}};
  for (const FoundContradiction& one : by_weight({found.begin(), found.end()}))
    table.rows.push_back({one.paper->name, is_remark(one) ? "remark" : "contradiction",
                          one.evidence.empty() ? "" : std::to_string(one.evidence.size()),
                          found_by(one), sentence(one)});
  return table;
}

std::string contradictions_text(std::span<const FoundContradiction> found) {
  std::string text;
  std::size_t number = 0;
  bool remarks = false;
  for (const FoundContradiction& one : by_weight({found.begin(), found.end()})) {
    if (is_remark(one) && !std::exchange(remarks, true))
      text += fmt::format("{}Remarks, which are not held against their rows\n",
                          text.empty() ? "" : "\n");
    text += wrapped_beside(
        fmt::format("{:>4}. ", ++number),
        fmt::format("{}: {} [{}]", one.paper->name, sentence(one), found_by(one)), kAnswerColumns);
  }
  return text;
}

bool is_remark(const FoundContradiction& found) {
  return found.entry != nullptr && found.entry->remark;
}

std::string found_by(const FoundContradiction& found) {
  if (found.evidence.empty()) return "known";
  std::vector<std::string> claims;
  for (const PublishedAnswer* answer : found.evidence)
    if (std::ranges::find(claims, answer->claim) == claims.end()) claims.push_back(answer->claim);
  return fmt::format("{}", fmt::join(claims, ", "));
}

std::string sentence(const FoundContradiction& found) {
  if (found.entry != nullptr) {
    std::string text = found.entry->says;
    if (!found.entry->excuse.empty())
      text += fmt::format(" It would be none if {}.", found.entry->excuse);
    return text + (found.entry->transcribed ? " (The text: from one transcription.)" : "");
  }
  const PublishedAnswer& first = *found.evidence.front();
  return fmt::format("{}, line {}: {}: {}.", first.table->file, first.row + 2, first.why,
                     first.verdict.detail);
}

}  // namespace qb
