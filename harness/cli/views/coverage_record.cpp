// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/print.h"
#include "base/source_root.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecord = "data/papers/coverage.csv";

// The files that answers follow from; of a measured run those are its cases.
std::vector<std::string> files_of_answers() {
  std::vector<std::string> files;
  for (const char* folder : {"data/papers", "data/published", "data/devices", "data/measured"})
    for (const auto& entry : fs::recursive_directory_iterator(
             source_root() / folder, fs::directory_options::follow_directory_symlink)) {
      const std::string file = entry.path().lexically_relative(source_root()).generic_string();
      const bool answers = file.starts_with("data/measured/")
                               ? file.ends_with("/cases.csv")
                               : file.ends_with(".csv") || file.ends_with(".yaml");
      if (answers && file != kRecord) files.push_back(file);
    }
  std::ranges::sort(files);
  return files;
}

std::string fingerprint_of_data() {
  std::uint64_t hash = fnv1a("");
  for (const std::string& file : files_of_answers())
    hash = fnv1a(read_text(source_path(file)), fnv1a(file, hash));
  return fmt::format("{:016x}", hash);
}

// The first value that is exact here and contradicts, in a table that the record calls free of
// contradictions; nullptr if there is none.
const PublishedAnswer* unrecorded_contradiction(std::span<const AnsweredPaper> papers,
                                                const CsvTable& record) {
  std::set<std::string> disputed;
  for (std::size_t row = 0; row < record.size(); ++row)
    if (record.text(row, word(RowStanding::contradicts)) != "0")
      disputed.insert(record.text(row, "table"));
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& table : paper.tables)
      for (const PublishedAnswer& answer : table.answers)
        if (is_wrong_here(answer) && !disputed.contains(table.table->file)) return &answer;
  return nullptr;
}

}  // namespace

CsvTable coverage_csv(std::span<const AnsweredPaper> papers) {
  std::vector<std::string> header = {"paper", "table", "rows"};
  for (const auto& [standing, text] : kWords<RowStanding>.rows) header.emplace_back(text);
  CsvTable record(header);
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& answered : paper.tables) {
      const std::vector<RowStanding> standings = answered.standings();
      std::vector<std::string> row = {paper.paper->name, answered.table->file,
                                      std::to_string(standings.size())};
      for (const auto& [standing, text] : kWords<RowStanding>.rows)
        row.push_back(std::to_string(std::ranges::count(standings, standing)));
      record.append(std::move(row));
    }
  return record;
}

std::string coverage_record(std::span<const AnsweredPaper> papers) {
  CsvTable record = coverage_csv(papers);
  record.insert_column(0, "data", fingerprint_of_data());
  return record.to_string();
}

bool answers_as_recorded(std::span<const AnsweredPaper> papers) {
  const std::string ours = coverage_record(papers);
  const std::string committed = read_text(source_path(std::string(kRecord)));
  if (ours == committed) return true;
  const CsvTable here = CsvTable::parse(ours, "coverage of this build");
  const CsvTable there = CsvTable::parse(committed, kRecord);
  if (here.header() != there.header() || here.size() != there.size() ||
      (here.size() > 0 && here.text(0, "data") != there.text(0, "data"))) {
    print_note(
        "qb: the data are not those of {}, so that it cannot tell whether this build answers "
        "rightly; paper_figures/redraw.sh records the new standings.\n",
        kRecord);
    const PublishedAnswer* wrong = unrecorded_contradiction(papers, there);
    if (wrong == nullptr) return true;
    print_note(
        "qb: {}, line {}, {}: {}. This build calculates that value exactly, so that it or the "
        "published number is wrong; {} records no contradiction in that table.\n",
        wrong->table->file, wrong->row + 2, wrong->claim, wrong->verdict.detail, kRecord);
    return false;
  }
  std::size_t different = 0;
  std::string first;
  for (std::size_t row = 0; row < here.size(); ++row) {
    if (here.row(row) == there.row(row)) continue;
    ++different;
    for (std::size_t i = 0; i < here.header().size() && first.empty(); ++i)
      if (here.row(row)[i] != there.row(row)[i])
        first = fmt::format("{} has {} rows called '{}' in place of {}", here.text(row, "table"),
                            here.row(row)[i], here.header()[i], there.row(row)[i]);
  }
  print_note(
      "qb: THIS BUILD IS WRONG: it answers unchanged data otherwise than {} records, in {} of {} "
      "tables ({}). Believe none of its verdicts. `qb env` checks its arithmetic; another compiler "
      "or build folder may mend it.\n",
      kRecord, different, here.size(), first);
  return false;
}

}  // namespace qb
