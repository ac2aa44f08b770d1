// SPDX-License-Identifier: Apache-2.0
#include "base/schema/row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace qb {
namespace {

TEST(Column, FieldsOfOneNameHaveOneKindAndUnit) {
  std::map<std::string_view, const Field*> first;
  std::size_t again = 0;
  for_each_field([&](const Field& field) {
    const auto [at, is_new] = first.try_emplace(field.column, &field);
    if (is_new) return;
    ++again;
    EXPECT_EQ(at->second->kind, field.kind) << field.column;
    EXPECT_EQ(at->second->unit, field.unit) << field.column;
  });
  EXPECT_GT(again, 5u) << "case_id, worker, repeat and times are in several tables";
}

TEST(Column, ThatOfCasesComesBeforeThoseOfOtherTables) {
  EXPECT_EQ(find_field("disturbed_by")->group, FieldGroup::time) << "samples have another group";
  EXPECT_EQ(find_field("no_such_column"), nullptr);
  EXPECT_FALSE(is_column("no_such_column"));
}

TEST(Column, AMedianWithItsIntervalIsOneHandle) {
  constexpr IntervalColumns kWall = "wall_time";
  EXPECT_EQ(kWall.median().name(), "wall_time_median_s");
  EXPECT_EQ(kWall.low95().name(), "wall_time_low95_s");
  EXPECT_EQ(kWall.high95().name(), "wall_time_high95_s");
  constexpr IntervalColumns kCounted = "instructions";
  EXPECT_EQ(kCounted.median().name(), "instructions_median") << "it has no unit";
}

TEST(Row, ReadsByColumnsAndByNames) {
  const CsvTable table =
      CsvTable::parse("status,n_tokens,wall_time_median_s,other\nok,64,0.5,x\noom,,,\n", "rows");
  const Rows rows = all_rows(table);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].is("status", "ok"));
  EXPECT_EQ(rows[0].integer("n_tokens"), 64);
  EXPECT_EQ(rows[0].number("wall_time_median_s"), 0.5);
  EXPECT_EQ(rows[0].at("other"), "x");
  EXPECT_EQ(rows[1].integer("n_tokens"), 0);
  EXPECT_TRUE(std::isnan(rows[1].number("wall_time_median_s")));
}

TEST(RowValues, AreTextsOfTheirColumnsKinds) {
  RowValues row;
  row.set("n_tokens", 64u);
  row.set("wall_time_median_s", 0.5);
  row.set("status", "ok");
  row.set("warmup", true);
  row.set("executed_pairs", std::optional<std::int64_t>(7));
  EXPECT_EQ(row, (RowValues{{"warmup", "1"},
                            {"status", "ok"},
                            {"n_tokens", "64"},
                            {"executed_pairs", "7"},
                            {"wall_time_median_s", "0.5"}}));
  EXPECT_EQ(row.number("n_tokens"), 64.0);
}

TEST(RowValues, ANumberIsWrittenAsItsColumnHasIt) {
  RowValues row;
  row.set_number("major_faults", 1e6);
  row.set_number("throttled", 1.0);
  row.set_number("stolen_s", 0.0);
  row.set_number("cycles", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(row, (RowValues{{"major_faults", "1000000"}, {"throttled", "1"}, {"stolen_s", "0.0"}}));
}

TEST(RowValues, WhatIsNotThereLeavesNoValue) {
  RowValues row{{"wall_time_median_s", "0.5"}, {"executed_pairs", "7"}, {"status", "ok"}};
  row.set("wall_time_median_s", std::numeric_limits<double>::quiet_NaN());
  row.set("executed_pairs", std::optional<std::int64_t>());
  row.erase("status");
  EXPECT_EQ(row.size(), 0u);
  EXPECT_FALSE(row.has("status"));
  EXPECT_EQ(row.text("status"), "");
  EXPECT_TRUE(std::isnan(row.number("executed_pairs")));
  EXPECT_THROW(row.set_text("no_such_column", "1"), std::logic_error);
}

TEST(RowValues, MergingKeepsItsOwnAndAGroupCanBeErased) {
  RowValues row{{"status", "ok"}, {"wall_time_median_s", "0.5"}};
  row.merge({{"status", "oom"}, {"isa", "avx2"}});
  EXPECT_EQ(row, (RowValues{{"status", "ok"}, {"isa", "avx2"}, {"wall_time_median_s", "0.5"}}));
  row.erase(FieldGroup::time);
  EXPECT_EQ(row, (RowValues{{"status", "ok"}, {"isa", "avx2"}}));
}

}  // namespace
}  // namespace qb
