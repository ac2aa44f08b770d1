#include "harness/experiment/schema/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "base/schema/column_fields.h"
#include "base/source_root.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Schema, TheTableOfParametersInTheReadmeIsMadeFromIt) {
  EXPECT_THAT(read_file(source_path("experiments/README.md")), HasSubstr(parameters_markdown()))
      << "run `qb columns --write`";
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

// The version that brought a column is history: nothing may change it later.
TEST(Schema, ColumnsOfSamplesSayWhichVersionBroughtThem) {
  std::map<int, std::string> brought;
  for (const SampleField& field : sample_fields())
    brought[field.since] += std::string(field.column) + ' ';
  EXPECT_EQ(brought,
            (std::map<int, std::string>{
                {1,
                 "wall_time_s critical_path_s worker_sum_s longest_subsequence_s gather_s "
                 "merge_s "},
                {4, "device_time_s sm_clock_hz throttled "},
                {6, "stage_scores_s stage_softmax_s stage_product_s "},
                {7,
                 "cpu_time_s run_delay_s other_cpu_time_s stolen_s memory_stall_s stopped_s "
                 "involuntary_switches minor_faults major_faults instructions cycles "}}));
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

}  // namespace
}  // namespace qb
