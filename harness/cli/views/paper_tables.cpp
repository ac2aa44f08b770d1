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

// The columns of an answer.
enum Answered { kLine, kRow, kStanding, kOf, kClaim, kPublished, kOurs, kRatio, kVerdict, kWhy };
const std::vector<std::string> kAnswerHeader = {"line",    "row",       "standing", "of",
                                                "claim",   "published", "ours",     "ratio",
                                                "verdict", "why",       "formula"};

// The tables of a paper that are asked for.
std::vector<const AnsweredTable*> chosen(const AnsweredPaper& paper, const AnswerChoice& choice) {
  std::vector<const AnsweredTable*> tables;
  for (const AnsweredTable& answered : paper.tables)
    if (choice.table.empty() || answered.table->stem() == choice.table) tables.push_back(&answered);
  return tables;
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
  AnsweredPaper all;
  const auto add = [&](const std::string& name, const AnsweredPaper& paper) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {name, std::to_string(paper.tables.size()), std::to_string(paper.rows())};
    auto counted = paper.count();
    for (const auto& [standing, text] : kWords<RowStanding>.rows)
      row.push_back(std::to_string(counted[standing]));
    row.push_back(std::to_string(paper.answers()));
  };
  for (const AnsweredPaper& paper : papers) {
    add(paper.paper->name, paper);
    all.tables.insert(all.tables.end(), paper.tables.begin(), paper.tables.end());
  }
  if (papers.size() > 1) add("all", all);
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
  Table table{.name = std::string(published.stem()),
              .title = published.title,
              .header = kAnswerHeader,
              .notes = {}};
  if (!published.hardware.empty())
    table.notes.push_back(fmt::format("Published on: {}.", published.hardware));
  if (published.digitised)
    table.notes.emplace_back("Read off a picture: no number of it is printed.");
  const std::vector<RowStanding> standings = answered.standings();
  auto answers = answered.answers;
  std::ranges::stable_sort(answers, {}, [](const PublishedAnswer& answer) {
    return std::pair(answer.row, !answer.headline);
  });
  for (const PublishedAnswer& answer : answers)
    if ((!choice.standing || standings[answer.row] == *choice.standing) &&
        (choice.claims.empty() || std::ranges::count(choice.claims, answer.claim) > 0) &&
        (choice.obeyed || answer.verdict.answer != Answer::obeys))
      table.rows.push_back(
          {std::to_string(answer.row + 2), row_name(published, answer.row),
           std::string(word(standings[answer.row])), answer.headline ? "headline" : "side",
           answer.claim, number(answer.published.value), number(answer.ours.value),
           number(answer.ratio()), verdict_text(answer), answer.why, answer.formula});
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

Table all_answers_table(std::span<const AnsweredPaper> papers, const AnswerChoice& choice) {
  const bool one = papers.size() == 1;
  Table all{.name = one ? papers[0].paper->name : "answers",
            .title = one ? papers[0].paper->title : "Answers to published rows",
            .header = {"paper", "table"}};
  std::ranges::copy(kAnswerHeader, std::back_inserter(all.header));
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable* const answered : chosen(paper, choice))
      for (std::vector<std::string>& row : answers_table(*answered, choice).rows) {
        row.insert(row.begin(), {paper.paper->name, std::string(answered->table->stem())});
        all.rows.push_back(std::move(row));
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
  std::string text;
  const auto say = [&](std::string margin, std::string_view words) {
    text += wrapped_beside(std::move(margin), words, kAnswerColumns);
  };
  say("", paper.paper->title + ". " + paper.paper->cite);
  say("", conclusion_of(paper));
  for (const AnsweredTable* const answered : chosen(paper, choice)) {
    std::map<RowStanding, std::size_t> counted;
    for (const RowStanding standing : answered->standings()) ++counted[standing];
    std::vector<std::string> counts;  // `3 contradicts, 20 predicted`
    for (const auto& [standing, count] : counted)
      counts.push_back(fmt::format("{} {}", count, word(standing)));
    const Table table = answers_table(*answered, choice);
    text += "\n";
    say("", fmt::format("{} [{}]", table.title, table.name));
    say("  ", fmt::format("{}", fmt::join(counts, ", ")));
    if (choice.summary) continue;
    std::string line;
    for (const std::vector<std::string>& row : table.rows) {
      if (std::exchange(line, row[kLine]) != row[kLine])
        say(fmt::format("  line {:<4} ", line), row[kRow] + ": " + row[kStanding]);
      std::string answer = fmt::format("{}: {}", row[kClaim], row[kVerdict]);
      if (!row[kOurs].empty())
        answer += fmt::format(" [{} published, {} ours, ratio {}]", row[kPublished], row[kOurs],
                              row[kRatio]);
      say(fmt::format("      {:<10}", row[kOf]), answer + " " + row[kWhy]);
    }
  }
  if (choice.summary)
    text += fmt::format(
        "\nEach row, with what it was compared with: qb papers {0} --all, or qb papers {0} "
        "TABLE.\n",
        paper.paper->name);
  return text;
}

Table needs_table(std::span<const AnsweredPaper> papers, Need need) {
  Table table{.name = "needs",
              .title = "What would answer more rows",
              .header = {"needs", "paper", "table", "rows"},
              .notes = {}};
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& answered : paper.tables)
      if (const auto counted = answered.needs(); counted.contains(need))
        table.rows.push_back({std::string(word(need)), paper.paper->name, answered.table->file,
                              std::to_string(counted.at(need))});
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
