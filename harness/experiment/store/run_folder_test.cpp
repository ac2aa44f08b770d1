// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/schema/older_runs.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/testing/fake_run.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(RunFolder, IsReadWithItsDevice) {
  FakeRun fake("read");
  fake.write_manifest("EPYC | 2 cores");
  fake.write_tables({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  const RunFolder run = read_run_folder(fake.path());
  EXPECT_EQ(run.cases.size(), 1U);
  EXPECT_EQ(run.manifest.schema_version, kSchemaVersion);
  EXPECT_EQ(run.manifest.device_fingerprint, "EPYC | 2 cores");
  EXPECT_EQ(row_status(run, 0), Status::ok);
}

TEST(RunFolder, TornLastLineIsLeftOut) {
  FakeRun fake("torn");
  fake.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1), FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1)});
  const std::string text = read_file(fake.path() + "/cases.csv");
  fake.write("cases.csv", text.substr(0, text.size() - 20));
  const RunFolder run = read_run_folder(fake.path());
  EXPECT_EQ(run.cases.size(), 1U);
  EXPECT_TRUE(run.cases.torn());
}

TEST(RunFolder, AManifestOfTooManyLevelsIsRefused) {
  FakeRun fake("deep");
  fake.with({});
  const std::string levels(100'000, '[');
  fake.write("manifest.json",
             "{\"environment\": " + levels + std::string(levels.size(), ']') + "}");
  EXPECT_THAT([&] { (void)read_run_folder(fake.path()); },
              ThrowsMessage<UsageError>(HasSubstr("its JSON has more than 100 levels")));
}

TEST(RunFolder, AnOlderRowWithoutAPlanIsNamed) {
  FakeRun fake("no_plan");
  for (const auto& [column, value] : {std::pair{"workers", "0"}, {"workers", "4294967297"}}) {
    RunRow row = FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1);
    row["schema_version"] = "7";
    row["predicted_active_peak_bytes"] = "1";
    row[column] = value;
    fake.with({row});
    EXPECT_THAT([&] { (void)read_run_folder(fake.path()); },
                ThrowsMessage<UsageError>(
                    AllOf(HasSubstr("cases.csv: record 1: workers"), HasSubstr(value))));
  }
}

TEST(RunFolder, ARunOlderThanThePassRanForward) {
  FakeRun fake("older");
  fake.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  const auto without = [&](const RunTable& table, const char* file) {
    const CsvTable now = CsvTable::parse(read_file(fake.path() + "/" + file), file);
    std::vector<std::string> older;
    for (const Field& field : table.fields)
      if (field.since <= kOldestSchema) older.emplace_back(field.column);
    CsvTable then(older);
    for (std::size_t row = 0; row < now.size(); ++row) {
      std::vector<std::string> fields;
      for (const std::string& column : older) fields.push_back(now.text(row, column));
      then.append(std::move(fields));
    }
    fake.write(file, then.to_string());
  };
  without(case_table(), "cases.csv");
  without(sample_table(), "samples.csv");
  CsvTable with_gone = CsvTable::parse(read_file(fake.path() + "/cases.csv"), "cases.csv");
  with_gone.insert_column(3, "product_depth", "0");
  fake.write("cases.csv", with_gone.to_string());
  const RunFolder run = read_run_folder(fake.path());
  EXPECT_EQ(run.cases.header(), case_table().columns);
  EXPECT_EQ(run.samples.header(), sample_table().columns);
  EXPECT_EQ(run.cases.text(0, "pass"), "forward");
  EXPECT_EQ(run.cases.text(0, "d_q_max_error"), "");
}

TEST(RunFolder, WhatIsNoneIsASentence) {
  EXPECT_THAT([] { (void)read_run_folder("/nowhere/at/all"); },
              ThrowsMessage<UsageError>(HasSubstr("/nowhere/at/all: no such folder")));
  FakeRun fake("partial");
  fake.write_manifest("X");
  EXPECT_THAT(
      [&] { (void)read_run_folder(fake.path()); },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("not a run folder"), HasSubstr("cases.csv"))));
}

TEST(RunFolder, MalformedManifestIsNamed) {
  FakeRun fake("manifest");
  fake.with({});
  fake.write("manifest.json", "{\"schema_version\": ");
  EXPECT_THAT([&] { (void)read_run_folder(fake.path()); },
              ThrowsMessage<UsageError>(HasSubstr("manifest.json is not a manifest of a run: ")));
}

TEST(RunFolder, UnknownStatusIsNamedWithTheRow) {
  FakeRun fake("status");
  fake.with({FakeRun::untimed_row(tiny("dense", 1), "okay")});
  const RunFolder run = read_run_folder(fake.path());
  EXPECT_THAT([&] { (void)row_status(run, 0); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("record 1"), HasSubstr("'okay'"))));
}

TEST(RunFolder, TheManifestSaysHowBusyTheMachineWas) {
  FakeRun fake("load");
  fake.write_manifest("X");
  EXPECT_EQ(read_manifest(fake.path()).processors, 2U);
  EXPECT_EQ(read_manifest(fake.path()).load_average, 0.0) << "it is not known";
  Manifest manifest = read_manifest(fake.path());
  manifest.environment =
      R"({"cpu": {"usable_processors": [0, 1, 2]}, "system": {"load_average": "1.25 0.5 0.1"}})";
  fake.write("manifest.json", manifest_to_json(manifest));
  EXPECT_EQ(read_manifest(fake.path()).load_average, 1.25);
  EXPECT_EQ(read_manifest(fake.path()).processors, 3U);
}

}  // namespace
}  // namespace qb
