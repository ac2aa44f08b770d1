// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/csv.h"
#include "base/files.h"
#include "base/schema/column_fields.h"
#include "base/source_root.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Schema, ThePageOfKeysIsMadeFromItAndNoCellIsLong) {
  const std::string page = read_file(source_path("experiments/keys.md"));
  EXPECT_THAT(page, HasSubstr(parameters_markdown())) << "run `qb columns --write`";
  for (const std::string_view line : split_words(page, "\n")) {
    if (!line.starts_with("| ")) continue;
    for (const std::string_view cell : split_words(line, "|"))
      EXPECT_LE(cell.size(), 122u) << cell;  // with its two spaces
  }
}

TEST(Schema, TheTablesOfColumnsInTheReadmeAreMadeFromIt) {
  EXPECT_THAT(read_file(source_path("data/README.md")), HasSubstr(columns_markdown()))
      << "run `qb columns --write`";
}

TEST(Schema, EveryColumnIsSaidOnceAndSaysSomething) {
  for (const RunTable& table : run_tables()) {
    std::set<std::string_view> names;
    for (const Field& field : table.fields) {
      EXPECT_TRUE(names.insert(field.column).second) << table.file << ": " << field.column;
      EXPECT_FALSE(field.meaning.empty()) << field.column;
      EXPECT_LE(field.since, kSchemaVersion) << field.column;
      EXPECT_EQ(is_parameter(field.group), !field.key.empty()) << field.column;
    }
  }
}

// A number's unit ends its column's name, for those who read only the file.
TEST(Schema, UnitsOfResultsStandInTheirNames) {
  const std::map<std::string_view, std::string_view> ends = {
      {"s", "_s"},           {"bytes", "_bytes"}, {"Hz", "_hz"},
      {"tokens", "_tokens"}, {"pairs", "_pairs"}, {"FLOP/s", "_flop_per_s"}};
  for (const Field& field : kResultFields) {
    const auto end = ends.find(field.unit);
    if (end != ends.end()) {
      EXPECT_TRUE(field.column.ends_with(end->second)) << field.column;
    }
  }
}

TEST(Schema, TheJsonHasEveryColumnInOrder) {
  const nlohmann::json json = nlohmann::json::parse(schema_json());
  EXPECT_EQ(json.at("schema_version"), kSchemaVersion);
  for (const RunTable& table : run_tables()) {
    std::vector<std::string> names;
    for (const auto& column : json.at("tables").at(std::string(table.file)))
      names.push_back(column.at("name"));
    EXPECT_EQ(names, table.columns);
  }
  EXPECT_EQ(json.at("colours").at("ring"), "#2572aa");
}

TEST(Schema, PlainMeaningsHaveNoMarkdown) {
  const Parameter& mask = parameters()[*find_parameter("mask")];
  EXPECT_EQ(plain_meaning(mask), "full, causal (the last query sees the last key), or a pattern");
  const Parameter& batch = parameters()[*find_parameter("batch")];
  EXPECT_EQ(plain_meaning(batch), "the number of sequences, 1 to 65,536");
  const Parameter& algorithm = parameters()[*find_parameter("algorithm")];
  EXPECT_THAT(plain_meaning(algorithm), AllOf(HasSubstr("dense, cqs"), Not(HasSubstr("see"))));
  EXPECT_EQ(plain_standard(parameters()[*find_parameter("kv_len")]), "n_tokens");
}

TEST(Schema, ATableIsFoundByTheFileOfARunFolderToo) {
  EXPECT_EQ(table_named("samples.csv").file, "samples.csv");
  EXPECT_EQ(table_named("results/smoke/latest/steps.csv").file, "steps.csv");
  EXPECT_THROW((void)table_named("results/smoke/latest"), UsageError);
}

TEST(Schema, EveryColumnSaysWhenItIsEmpty) {
  for (const RunTable& table : run_tables())
    for (const Field& field : table.fields)
      EXPECT_NE(plain_empty_when(table, field), "") << field.column;
  const auto said = [](const RunTable& table, std::string_view column) {
    for (const Field& field : table.fields)
      if (field.column == column) return plain_empty_when(table, field);
    return std::string("no such column");
  };
  EXPECT_EQ(said(case_table(), "case_id"), "never");
  EXPECT_EQ(said(case_table(), "n_tokens"), "never");
  EXPECT_EQ(said(case_table(), "interest_set"), "where the case has none");
  EXPECT_EQ(said(case_table(), "wall_time_median_s"), "unless the case is ok");
  EXPECT_EQ(said(case_table(), "gpu"), "on a CPU");
  EXPECT_EQ(said(sample_table(), "wall_time_s"), "never");
  EXPECT_EQ(said(step_table(), "idle_s"), "with ranks: serial");
}

// The rows that are committed keep what is said of them.
TEST(Schema, CommittedRowsAreEmptyOnlyWhereTheirColumnSaysSo) {
  int tables = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(source_path("data/measured"))) {
    if (file.path().extension() != ".csv") continue;
    const auto known =
        std::ranges::find(run_tables(), file.path().filename().string(), &RunTable::file);
    if (known == run_tables().end()) continue;
    const CsvTable rows = CsvTable::parse(read_file(file.path().string()), file.path().string());
    if (rows.header() != known->columns) continue;
    ++tables;
    for (const Field& field : known->fields) {
      const std::string when = plain_empty_when(*known, field);
      const bool of_ok = when == "unless the case is ok";
      if (when != "never" && !of_ok) continue;
      for (std::size_t row = 0; row < rows.size(); ++row)
        if (!of_ok || rows.text(row, "status") == "ok") {
          ASSERT_NE(rows.text(row, field.column), "") << file.path() << " " << field.column;
        }
    }
  }
  EXPECT_GT(tables, 0);
}

}  // namespace
}  // namespace qb
