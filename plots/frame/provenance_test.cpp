// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/run.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "base/status.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

// What provenance.json of these runs holds.
std::string written(const Provenance& own, const std::vector<Provenance>& beside = {}) {
  return read_file(write_provenance(own, testing_support::fresh_folder("written"), beside));
}

TEST(Provenance, ReadsTheManifestOfARun) {
  const Provenance provenance =
      read_provenance(testing_support::sample_manifest(), "manifest.json");
  EXPECT_EQ(provenance.command, "qb run 'case study.yaml'");
  EXPECT_EQ(provenance.spec_hash, "deadbeef");
  EXPECT_TRUE(provenance.sources_modified);
  EXPECT_THAT(provenance.figures, ::testing::ElementsAre("wall_clock", "peak_memory"));
  EXPECT_EQ(provenance.memory_bytes, 8589934592.0) << "the container has less than the machine";
  EXPECT_THAT(provenance.facts, Contains(Pair("memory.total_bytes", "24.00 GiB")));
  EXPECT_THAT(provenance.facts, Contains(Pair("cpu.model", "not available")));
}

TEST(Provenance, CoresAreThoseThatTheRunCouldUse) {
  EXPECT_EQ(
      read_provenance(R"({"environment": {"cpu": {"usable_processors": [0, 2, 3]}}})", "m").cores,
      3);
  EXPECT_EQ(read_provenance("{}", "m").cores, 0) << "not known";
}

TEST(Provenance, TheNoiseFloorIsThereIfTheManifestHasAWholeOne) {
  EXPECT_THAT(
      read_provenance(R"({"noise_floor": {"case": "x", "ratio": 1.5, "low": 1, "high": 2}})", "m")
          .noise_floor,
      HasSubstr("x measured twice differs by a factor 1.500 [1.000, 2.000]"));
  for (const char* damaged :
       {R"({"noise_floor": 7})", R"({"noise_floor": {"case": 1, "ratio": "1"}})"})
    EXPECT_EQ(read_provenance(damaged, "m").noise_floor, "") << damaged;
}

TEST(Provenance, OneLineSaysMachineCodeAndDay) {
  EXPECT_EQ(provenance_line(read_provenance(testing_support::sample_manifest(), "m")),
            "Some CPU, 2 processors; qb 0.1.0; commit 0123456789ab with changes; 2026-01-02");
}

TEST(Provenance, ARunThatIsNotFinishedSaysSoFirst) {
  Provenance part = read_provenance(testing_support::sample_manifest(), "m");
  part.unfinished = "3 of 24 cases: the run is not finished";
  EXPECT_THAT(provenance_line(part), ::testing::StartsWith(part.unfinished + "; Some CPU"));
  EXPECT_THAT(written(part), HasSubstr("\"unfinished\": \"3 of 24 cases"));
}

TEST(Provenance, AnotherProgramIsNamedWithItsVersion) {
  const Provenance peer = read_provenance(
      R"({"environment": {"peer": {"name": "torch", "version": "2.5.1"}}})", "manifest.json");
  EXPECT_EQ(provenance_line(peer), "torch 2.5.1");
  const Provenance own = read_provenance(testing_support::sample_manifest(), "manifest.json");
  const std::vector<Provenance> beside = {peer};
  EXPECT_THAT(written(own, beside), HasSubstr("\"peer\": \"torch 2.5.1\""));
  EXPECT_THAT(written(own), ::testing::Not(HasSubstr("beside")));
}

TEST(Provenance, MissingFactsAreLeftOut) {
  const Provenance provenance = read_provenance("{}", "m");
  EXPECT_EQ(provenance_line(provenance), "");
  EXPECT_TRUE(std::isnan(provenance.memory_bytes));
  EXPECT_THAT(written(provenance), HasSubstr("\"commit\": null"));
}

TEST(Provenance, NoManifestIsASentence) {
  EXPECT_THROW((void)read_provenance("[1, 2", "m"), UsageError);
  const std::string levels(100'000, '[');
  EXPECT_THROW((void)read_provenance(levels + std::string(levels.size(), ']'), "m"), UsageError);
}

TEST(Provenance, StandsBesideTheFigures) {
  const std::string folder = testing_support::fresh_folder("provenance");
  const std::string path =
      write_provenance(read_provenance(testing_support::sample_manifest(), "m"), folder);
  EXPECT_EQ(path, folder + "/provenance.json");
  EXPECT_THAT(read_file(path), HasSubstr("\"spec_hash\": \"deadbeef\""));
}

}  // namespace
}  // namespace qb
