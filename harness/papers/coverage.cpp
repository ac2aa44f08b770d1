// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/status.h"
#include "harness/papers/scope.h"

namespace qb {
namespace {

// Whether this answer to a row of the scope is what an entry of the index names.
bool is_evidence(const Contradiction::Evidence& evidence, const PublishedAnswer& answer,
                 RowScope& scope) {
  if (answer.verdict.answer != Answer::contradicts || answer.table->file != evidence.file ||
      answer.claim != evidence.claim ||
      (!evidence.column.empty() && answer.column != evidence.column))
    return false;
  scope.go_to(answer.row);
  return !evidence.where || scope.holds(*evidence.where);
}

// Adds one for each claim of a table that no entry of the index explains.
void add_unexplained(const AnsweredPaper& answered,
                     const std::set<const PublishedAnswer*>& explained,
                     std::vector<FoundContradiction>& found) {
  std::map<std::pair<std::string, std::string>, FoundContradiction> others;
  for (const AnsweredTable& table : answered.tables)
    for (const PublishedAnswer& answer : table.answers)
      if (standing_of(answer) == RowStanding::contradicts && !explained.contains(&answer)) {
        FoundContradiction& other = others[{table.table->file, answer.claim}];
        other.paper = answered.paper;
        other.evidence.push_back(&answer);
      }
  for (auto& [where, other] : others) found.push_back(std::move(other));
}

}  // namespace

RowStanding standing_of(const PublishedAnswer& answer) {
  const bool is_ours = answer.kind == ClaimKind::shape || answer.kind == ClaimKind::modelled ||
                       answer.kind == ClaimKind::absolute;
  switch (answer.verdict.answer) {
    case Answer::contradicts:
      if (answer.remark) return RowStanding::open;
      return is_ours ? RowStanding::differs : RowStanding::contradicts;
    case Answer::shape_agrees:
      return RowStanding::shape_reproduced;
    case Answer::agrees:
    case Answer::within:
      if (answer.kind == ClaimKind::absolute) return RowStanding::reproduced;
      if (answer.kind != ClaimKind::exact) return RowStanding::consistent;
      return answer.fitted ? RowStanding::fitted : RowStanding::derived;
    case Answer::modelled:
      return answer.fitted ? RowStanding::fitted : RowStanding::predicted;
    case Answer::obeys:
      return RowStanding::consistent;
    case Answer::disturbed:
    case Answer::not_comparable:
    case Answer::not_measured:
      return RowStanding::open;
  }
  return RowStanding::open;
}

bool is_against(const PublishedAnswer& answer) {
  return standing_of(answer) <= RowStanding::differs;
}

std::vector<RowStanding> AnsweredTable::standings() const {
  std::vector<RowStanding> rows(table->cells.size(), RowStanding::open);
  for (const PublishedAnswer& answer : answers)
    if (answer.headline || is_against(answer))
      rows[answer.row] = std::min(rows[answer.row], standing_of(answer));
  return rows;
}

std::size_t AnsweredPaper::answers() const {
  std::size_t count = 0;
  for (const AnsweredTable& table : tables) count += table.answers.size();
  return count;
}

std::size_t AnsweredPaper::rows() const {
  std::size_t rows = 0;
  for (const AnsweredTable& table : tables) rows += table.table->cells.size();
  return rows;
}

std::map<RowStanding, std::size_t> AnsweredPaper::count() const {
  std::map<RowStanding, std::size_t> counted;
  for (const AnsweredTable& table : tables)
    for (const RowStanding standing : table.standings()) ++counted[standing];
  return counted;
}

std::map<Need, std::size_t> AnsweredTable::needs() const {
  std::set<std::pair<Need, std::size_t>> rows;
  for (const PublishedAnswer& answer : answers)
    if (answer.verdict.answer == Answer::not_measured)
      for (const Need need : answer.needs) rows.emplace(need, answer.row);
  std::map<Need, std::size_t> counted;
  for (const auto& [need, row] : rows) ++counted[need];
  return counted;
}

AnsweredTable answer_table(const Library& library, const Paper& paper, const PublishedTable& table,
                           const Measurements& measurements) {
  AnsweredTable answered{&table, answers_to(library, paper, table, measurements)};
  RowScope scope(library, paper, table, measurements);
  for (PublishedAnswer& answer : answered.answers)
    for (const Contradiction& entry : paper.contradictions)
      for (const Contradiction::Evidence& evidence : entry.evidence)
        if (entry.remark && is_evidence(evidence, answer, scope)) answer.remark = true;
  return answered;
}

AnsweredPaper answer_paper(const Library& library, const Paper& paper,
                           const Measurements& measurements) {
  AnsweredPaper answered{&paper, {}};
  for (const PublishedTable& table : paper.tables)
    answered.tables.push_back(answer_table(library, paper, table, measurements));
  return answered;
}

std::vector<AnsweredPaper> answer_all(const Library& library, const Measurements& measurements) {
  std::vector<AnsweredPaper> all;
  for (const Paper& paper : library) all.push_back(answer_paper(library, paper, measurements));
  return all;
}

bool is_wrong_here(const PublishedAnswer& answer) {
  return answer.kind == ClaimKind::exact && answer.column.empty() && is_against(answer);
}

std::vector<FoundContradiction> contradictions_of(const AnsweredPaper& answered,
                                                  const Library& library,
                                                  const Measurements& measurements) {
  const Paper& paper = *answered.paper;
  std::set<const PublishedAnswer*> explained;
  std::vector<FoundContradiction> found;
  for (const Contradiction& entry : paper.contradictions) {
    FoundContradiction here{&paper, &entry, {}};
    for (const Contradiction::Evidence& evidence : entry.evidence) {
      const std::size_t before = here.evidence.size();
      for (const AnsweredTable& table : answered.tables) {
        RowScope scope(library, paper, *table.table, measurements);
        for (const PublishedAnswer& answer : table.answers)
          if (is_evidence(evidence, answer, scope)) {
            here.evidence.push_back(&answer);
            explained.insert(&answer);
          }
      }
      if (here.evidence.size() == before)
        throw UsageError(fmt::format(
            "{}: contradiction '{}' names evidence that is not there: no row of {} contradicts {}",
            paper.name, entry.name, evidence.file, evidence.claim));
    }
    found.push_back(std::move(here));
  }
  add_unexplained(answered, explained, found);
  return found;
}

std::vector<GradedRow> graded_rows(std::span<const AnsweredPaper> papers, bool digitised) {
  std::vector<GradedRow> rows;
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& table : paper.tables)
      for (const PublishedAnswer& answer : table.answers)
        if (answer.predicted && table.table->digitised == digitised)
          rows.push_back(
              {&answer, answer.predicted->is_time ? 1.0 / answer.ratio() : answer.ratio()});
  return rows;
}

std::optional<double> grade_of(std::span<const GradedRow> rows) {
  if (rows.empty()) return std::nullopt;
  std::vector<double> factors;
  for (const GradedRow& row : rows) factors.push_back(std::max(row.slowness, 1.0 / row.slowness));
  std::ranges::sort(factors);
  return factors[(9 * factors.size() - 1) / 10];
}

}  // namespace qb
