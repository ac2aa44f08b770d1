// SPDX-License-Identifier: Apache-2.0
// What a lie in a published table would change: data/papers/POWER.md. To write it again:
//
//   QB_WRITE_POWER=1 build/release/harness/cli/qb_cli_test --gtest_filter='PapersPower.*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/files.h"
#include "base/source_root.h"
#include "base/text_table.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/papers/testing/lies.h"

namespace qb {
namespace {

using testing_support::Liar;
using testing_support::Told;

constexpr std::size_t kMostLies = 20;  // of single cells, for each paper and kind

using OfPaper = std::map<Lie, Told>;

std::map<std::string, OfPaper> tell_all() {
  Library library = read_library();
  const RunsAndModel measurements(committed_runs());
  std::map<std::string, OfPaper> told;
  for (std::size_t paper = 0; paper < library.size(); ++paper) {
    Liar liar(library, paper, measurements, kMostLies);
    for (const auto& [lie, word] : kWords<Lie>.rows)
      told[library[paper].name][lie] = liar.tell(lie);
  }
  return told;
}

const std::map<std::string, OfPaper>& told() {
  static const std::map<std::string, OfPaper> all = tell_all();
  return all;
}

std::string share(std::size_t part, std::size_t whole) {
  return whole == 0 ? "" : fmt::format("{}/{}", part, whole);
}

Told sum_of(Lie lie) {
  Told sum;
  for (const auto& [paper, lies] : told()) {
    const Told& one = lies.at(lie);
    sum.times += one.times;
    sum.noticed += one.noticed;
    sum.supported += one.supported;
    sum.still += one.still;
  }
  return sum;
}

template <class Cell>
std::string table_of(std::span<const Lie> lies, const Cell& cell) {
  std::vector<std::string> header = {"paper"};
  for (const Lie lie : lies) header.emplace_back(word(lie));
  TextTable table(header);
  for (const auto& [paper, of_paper] : told()) {
    std::vector<std::string> row = {paper};
    for (const Lie lie : lies) row.push_back(cell(of_paper.at(lie)));
    table.add(std::move(row));
  }
  std::vector<std::string> all = {"all"};
  for (const Lie lie : lies) all.push_back(cell(sum_of(lie)));
  table.add(std::move(all));
  return table.markdown();
}

std::string power_page() {
  constexpr Lie kOfCells[] = {Lie::cell_up,     Lie::cell_down,    Lie::point_moved,
                              Lie::units_mixed, Lie::rows_swapped, Lie::column_doubled};
  constexpr Lie kOfPapers[] = {Lie::times_doubled, Lie::gains_halved, Lie::gains_zeroed,
                               Lie::gains_negated};
  std::string blind;
  for (const auto& [paper, lies] : told()) {
    const Told& doubled = lies.at(Lie::times_doubled);
    if (doubled.times == 0 || doubled.noticed == 0)
      blind += fmt::format("{}`{}`", blind.empty() ? "" : ", ", paper);
  }
  return fmt::format(
      "# What a lie in a paper would change\n\n"
      "Written by the test `PapersPower`, which tells seeded lies in the published tables and "
      "answers "
      "them again.\nA lie of one cell, of two rows or of a column changes headlines only; it is "
      "noticed "
      "where an answer is newly against a row, or where a row\nloses the support that it had "
      "(reproduced, "
      "shape reproduced, predicted or derived).\n\n"
      "## Noticed, of those told\n\n{}\n"
      "## Consistent lies of a whole paper: rows that still stand as supported, of those that "
      "did\n\n"
      "All times of a paper are doubled and its rates halved, or of all its speed-ups what is "
      "above 1 is "
      "changed. Empty: it has no such number, or\nno supported row.\n\n{}\n"
      "Blind to all times doubled, for they hold ratios, errors or lengths, or nothing here "
      "answers their "
      "times: {}.\n",
      table_of(kOfCells, [](const Told& one) { return share(one.noticed, one.times); }),
      table_of(kOfPapers, [](const Told& one) { return share(one.still, one.supported); }),
      blind.empty() ? "none" : blind);
}

// One test, since each telling of all lies takes seconds.
TEST(PapersPower, LiesAreNoticedAsThePageSays) {
  const std::string path = source_path("data/papers/POWER.md");
  const std::string page = power_page();
  if (std::getenv("QB_WRITE_POWER") != nullptr) write_file_atomically(path, page);
  EXPECT_EQ(read_file(path), page) << "QB_WRITE_POWER=1 writes it again";

  const OfPaper& striped = told().at("striped_attention");
  EXPECT_EQ(striped.at(Lie::gains_zeroed).still, 0u);
  EXPECT_EQ(striped.at(Lie::gains_negated).still, 0u);
  EXPECT_LE(striped.at(Lie::gains_halved).still, 10u);

  const auto noticed = [](const Told& one) {
    return static_cast<double>(one.noticed) / static_cast<double>(one.times);
  };
  for (const Lie lie : {Lie::cell_up, Lie::cell_down}) {
    EXPECT_GE(noticed(told().at("flash_attention").at(lie)), 0.6);
    EXPECT_GE(noticed(sum_of(lie)), 0.85);
  }
  EXPECT_GE(noticed(sum_of(Lie::units_mixed)), 0.9);
}

}  // namespace
}  // namespace qb
