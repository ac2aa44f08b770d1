// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/schema/run_tables.h"
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

// What a later version adds: a parameter, a measured column, and a column that stays where it is.
TEST(RunFolder, AnOlderTableGetsTheColumnsOfLaterVersions) {
  const Field now[] = {
      fields::column(FieldGroup::identity, "case_id", FieldKind::text, "the id"),
      fields::parameter(FieldKind::word, FieldGroup::problem, "later_parameter",
                        fields::since(kOldestSchema + 1), fields::standard("usual")),
      fields::column(FieldGroup::time, "later_time_s", FieldKind::real, "a time", "s",
                     kOldestSchema + 1),
      fields::column(FieldGroup::time, "time_s", FieldKind::real, "a time", "s")};
  CsvTable table = CsvTable::parse("case_id,time_s,worker_speeds\na,1.5,\n", "cases.csv");
  add_later_fields(table, now);
  EXPECT_EQ(table.to_string(),
            "case_id,later_parameter,later_time_s,time_s,worker_speeds\na,usual,,1.5,\n");
  fit_columns(table);
  EXPECT_FALSE(table.has("worker_speeds")) << "it is gone";
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
