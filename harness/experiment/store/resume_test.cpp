// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/status.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

constexpr std::time_t kNow = 1'700'000'000;  // 2023-11-14 22:13:20 UTC

class Resume : public testing::Test {
 protected:
  void add_run(const std::string& run_id, const std::string& started_at, bool finished,
               const std::string& hash = "0123456789abcdef", const std::string& machine = "m",
               const std::string& commit = "c0ffee") {
    Manifest manifest;
    manifest.run_id = run_id;
    manifest.spec_hash = hash;
    manifest.started_at = started_at;
    manifest.finished_at = finished ? "2025-12-31T00:00:00Z" : "";
    manifest.environment =
        R"({"device_fingerprint": ")" + machine + R"(", "build": {"commit": ")" + commit + "\"}}";
    ensure_directory(folder_ / ("study/" + run_id));
    write_file_atomically(folder_ / ("study/" + run_id + "/manifest.json"),
                          manifest_to_json(manifest));
  }
  RunPlace find(const std::string& run_id = "", bool retry = false) const {
    return find_run({folder_.path(), "study", run_id, "0123456789abcdef", "m", "c0ffee", retry},
                    kNow);
  }
  ScratchFolder folder_;
};

TEST_F(Resume, ANewRunIsNamedByTimeAndSpec) {
  const RunPlace place = find();
  EXPECT_FALSE(place.exists);
  EXPECT_EQ(place.run_id, "20231114-221320-abcdef");
  EXPECT_EQ(place.path, folder_ / "study/20231114-221320-abcdef");
}

TEST_F(Resume, TheNewestUnfinishedRunGoesOn) {
  add_run("a", "2025-01-01T00:00:00Z", false);
  add_run("b", "2025-01-02T00:00:00Z", false);
  add_run("c", "2025-01-03T00:00:00Z", true);
  EXPECT_EQ(find().run_id, "b");
}

TEST_F(Resume, FinishedRunsOtherSpecsAndOtherMachinesAreLeftAlone) {
  add_run("a", "2025-01-01T00:00:00Z", true);
  add_run("b", "2025-01-01T00:00:00Z", false, "another spec");
  add_run("c", "2025-01-01T00:00:00Z", false, "0123456789abcdef", "another machine");
  ensure_directory(folder_ / "study/no_manifest");
  ensure_directory(folder_ / "study/broken");
  write_file_atomically(folder_ / "study/broken/manifest.json", "{\"run_id\":");
  EXPECT_FALSE(find().exists);
}

TEST_F(Resume, ARunOfAnotherBuildIsLeftAlone) {
  add_run("old", "2025-01-01T00:00:00Z", false, "0123456789abcdef", "m", "beef");
  const RunPlace place = find();
  EXPECT_FALSE(place.exists);
  EXPECT_THAT(
      place.left_alone,
      testing::EndsWith("/old was measured by another build (commit beef, this is c0ffee)"));
  EXPECT_THROW((void)find("old"), UsageError);
  EXPECT_THROW((void)find("", true), UsageError);
  add_run("ours", "2024-12-31T00:00:00Z", false);
  EXPECT_EQ(find().run_id, "ours");
  EXPECT_EQ(find("", true).run_id, "ours");
}

TEST_F(Resume, TwoRunsInOneSecondGetTwoNames) {
  add_run("20231114-221320-abcdef", "2023-11-14T22:13:20Z", true);
  EXPECT_EQ(find().run_id, "20231114-221320-abcdef-2");
  add_run("20231114-221320-abcdef-2", "2023-11-14T22:13:20Z", true);
  EXPECT_EQ(find().path, folder_ / "study/20231114-221320-abcdef-3");
}

TEST_F(Resume, ARunIdIsTakenAsItIs) {
  EXPECT_FALSE(find("mine").exists);
  add_run("mine", "2025-01-01T00:00:00Z", true);
  EXPECT_TRUE(find("mine").exists);
  EXPECT_THROW((void)find("../mine"), UsageError);
  EXPECT_THROW((void)find(".."), UsageError);
  EXPECT_THROW((void)find("mi ne"), UsageError);
  EXPECT_EQ(find("Mi_ne-2.b").path, folder_ / "study/Mi_ne-2.b");
}

TEST_F(Resume, ARunIdOfAnotherSpecOrMachineIsRefused) {
  add_run("theirs", "2025-01-01T00:00:00Z", false, "another spec");
  add_run("there", "2025-01-01T00:00:00Z", false, "0123456789abcdef", "another machine");
  EXPECT_THROW((void)find("theirs"), UsageError);
  EXPECT_THROW((void)find("there"), UsageError);
}

TEST_F(Resume, RetryTakesTheNewestRunFinishedOrNot) {
  EXPECT_THROW((void)find("", true), UsageError);
  EXPECT_THROW((void)find("mine", true), UsageError);
  add_run("a", "2025-01-01T00:00:00Z", false);
  add_run("b", "2025-01-02T00:00:00Z", true);
  EXPECT_EQ(find("", true).run_id, "b");
}

TEST(Manifest, ComesBackAsItWas) {
  Manifest sent;
  sent.schema_version = 1;
  sent.experiment = "study";
  sent.description = "two \"words\"";
  sent.figures = {"a", "b"};
  sent.order_seed = 0xfedcba9876543210u;
  sent.argv = {"qb", "run", "x.yaml"};
  sent.resumed_at = {"2025-01-31T12:00:00Z"};
  sent.environment = R"({"device_fingerprint": "m", "cpu": {"model": null}})";
  sent.run_id = "one";
  sent.spec_hash = "0123456789abcdef";
  sent.n_cases = 12;
  sent.started_at = "2025-01-31T11:00:00Z";
  const std::string text = manifest_to_json(sent);
  EXPECT_EQ(text, R"({
  "schema_version": 1,
  "experiment": "study",
  "description": "two \"words\"",
  "figures": [
    "a",
    "b"
  ],
  "run_id": "one",
  "spec_hash": "0123456789abcdef",
  "order_seed": 18364758544493064720,
  "n_cases": 12,
  "argv": [
    "qb",
    "run",
    "x.yaml"
  ],
  "started_at": "2025-01-31T11:00:00Z",
  "resumed_at": [
    "2025-01-31T12:00:00Z"
  ],
  "finished_at": null,
  "environment": {
    "device_fingerprint": "m",
    "cpu": {
      "model": null
    }
  }
}
)");
  const Manifest got = manifest_from_json(text, "manifest.json");
  EXPECT_EQ(manifest_to_json(got), text);
  sent.finished_at = "2025-01-31T13:00:00Z";
  EXPECT_EQ(manifest_from_json(manifest_to_json(sent), "manifest.json").finished_at,
            sent.finished_at);
  EXPECT_EQ(got.description, sent.description);
  EXPECT_EQ(got.figures, sent.figures);
  EXPECT_EQ(got.order_seed, sent.order_seed);
  EXPECT_EQ(got.argv, sent.argv);
  EXPECT_EQ(got.resumed_at, sent.resumed_at);
  EXPECT_EQ(got.finished_at, "");
  EXPECT_EQ(got.device_fingerprint, "m");
  EXPECT_THROW((void)manifest_from_json("[]", "manifest.json"), UsageError);
}

TEST(Manifest, TimesAreUtc) { EXPECT_EQ(utc_text(kNow), "2023-11-14T22:13:20Z"); }

}  // namespace
}  // namespace qb
