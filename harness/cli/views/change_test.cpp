// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/publish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/experiment/testing/fake_run.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Runs of one experiment in one results folder.
class Change : public testing::Test {
 protected:
  struct Run {
    std::string id;
    std::string day;
    double median_s = 1.0;
    std::string spec_hash = "0123456789abcdef";
    std::string device = "X";
    bool finished = true;
  };

  // Writes a run of two cases, the second of which takes as long in all runs, and returns its path.
  [[nodiscard]] std::string write(const Run& run) const {
    Manifest manifest;
    manifest.schema_version = kSchemaVersion;
    manifest.experiment = "tiny";
    manifest.run_id = run.id;
    manifest.spec_hash = run.spec_hash;
    manifest.started_at = run.day + "T12:00:00Z";
    if (run.finished) manifest.finished_at = run.day + "T12:01:00Z";
    manifest.environment = R"({"device_fingerprint": ")" + run.device + "\"}";
    const FakeRun tables(run.id);
    const double m = run.median_s;
    tables.write_tables({FakeRun::ok_row(tiny("cqs", 7), m, 0.99 * m, 1.01 * m),
                         FakeRun::ok_row(tiny("dense", 1), 2.0, 1.99, 2.01)});
    (void)scratch_.file("tiny/" + run.id + "/manifest.json", manifest_to_json(manifest));
    for (const char* table : {"cases.csv", "samples.csv"})
      (void)scratch_.file("tiny/" + run.id + "/" + table, read_file(tables.path() + "/" + table));
    return scratch_.path("tiny/" + run.id);
  }
  ScratchFolder scratch_;
};

TEST_F(Change, NamesTheCasesThatTheNewestRunBeforeHadOtherwise) {
  (void)write({.id = "old", .day = "2025-01-01", .median_s = 9.0});
  (void)write({.id = "before", .day = "2025-01-02"});
  (void)write({.id = "after", .day = "2025-01-04"});
  const auto section = change_section(write({.id = "own", .day = "2025-01-03", .median_s = 1.5}));
  ASSERT_TRUE(section.has_value());
  EXPECT_THAT(section->paragraphs,
              ElementsAre("The previous run of this spec on this machine is before of 2025-01-02. "
                          "Of 2 cases in both runs 1 changed, 1 stayed within 5 %, and of 0 the "
                          "intervals decide nothing."));
  ASSERT_EQ(section->tables.size(), 1u);
  ASSERT_EQ(section->tables[0].rows.size(), 1u);
  EXPECT_THAT(section->tables[0].rows[0][0], HasSubstr("cqs"));
  EXPECT_EQ(section->tables[0].rows[0][1], "1000");
  EXPECT_EQ(section->tables[0].rows[0][2], "1500");
  EXPECT_EQ(section->tables[0].rows[0][4], "SLOW");
}

TEST_F(Change, TheSameTimesHaveNoTable) {
  (void)write({.id = "before", .day = "2025-01-02"});
  const auto section = change_section(write({.id = "own", .day = "2025-01-03"}));
  ASSERT_TRUE(section.has_value());
  EXPECT_TRUE(section->tables.empty());
}

TEST_F(Change, OtherSpecsMachinesAndUnfinishedRunsAreNoPreviousRun) {
  (void)write({.id = "spec", .day = "2025-01-02", .spec_hash = "other"});
  (void)write({.id = "machine", .day = "2025-01-02", .device = "Y"});
  (void)write({.id = "unfinished", .day = "2025-01-02", .finished = false});
  EXPECT_FALSE(change_section(write({.id = "own", .day = "2025-01-03"})).has_value());
}

TEST_F(Change, ARunOfAnotherProgramHasNone) {
  (void)write({.id = "before", .day = "2025-01-02", .spec_hash = ""});
  EXPECT_FALSE(
      change_section(write({.id = "own", .day = "2025-01-03", .spec_hash = ""})).has_value());
  (void)scratch_.file("tiny/peer/manifest.json", "{}");
  EXPECT_FALSE(change_section(scratch_.path("tiny/peer")).has_value());
}

}  // namespace
}  // namespace qb
