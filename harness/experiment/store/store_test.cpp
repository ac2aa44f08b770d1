// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "base/files.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/testing/fake_sweep.h"

namespace qb {
namespace {

const std::vector<std::string> kFiles = {"samples.csv", "steps.csv", "memory_timeline.csv",
                                         "cases.csv"};

Manifest a_manifest() {
  Manifest manifest;
  manifest.schema_version = kSchemaVersion;
  manifest.experiment = "study";
  manifest.run_id = "one";
  manifest.n_cases = 2;
  manifest.environment = R"({"device_fingerprint": "this machine"})";
  return manifest;
}

RunStore::Record a_record(std::int64_t n_tokens, const CaseResult& result = good_result()) {
  return make_record(small_case(n_tokens), result, "2025-01-31T12:00:00Z", 1.5);
}

std::string this_process() {
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{} on {}", ::getpid(), host.data());
}

class Store : public testing::Test {
 protected:
  RunStore create() { return RunStore::create(run_, a_manifest(), "experiment: study\n"); }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const std::string& name : kFiles) files[name] = read_file(run_ + "/" + name);
    return files;
  }
  CsvTable table(const std::string& name) const {
    return CsvTable::parse(read_file(run_ + "/" + name), name);
  }

  ScratchFolder folder_;
  const std::string run_ = folder_ / "run";
};

TEST_F(Store, ANewRunHasItsFilesWithHeaders) {
  const RunStore store = create();
  EXPECT_EQ(read_file(run_ + "/spec.resolved.yaml"), "experiment: study\n");
  EXPECT_EQ(table("cases.csv").header(), case_table().columns);
  EXPECT_EQ(table("samples.csv").header(), sample_table().columns);
  EXPECT_EQ(table("steps.csv").header(), step_table().columns);
  EXPECT_EQ(table("parts.csv").header(), part_table().columns);
  EXPECT_EQ(table("memory_timeline.csv").header(), timeline_table().columns);
  EXPECT_TRUE(std::filesystem::is_directory(run_ + "/logs"));
}

TEST_F(Store, AValueThatItsTableHasNoColumnForIsNotWritten) {
  RunStore store = create();
  const auto before = contents();
  for (const auto spoil :
       {+[](RunStore::Record& record) { record.row.set("step", 1); },
        +[](RunStore::Record& record) { record.steps.front().set("label", "q"); },
        +[](RunStore::Record& record) { record.samples.front().set("step", 1); }}) {
    RunStore::Record record = a_record(64);
    ASSERT_FALSE(record.steps.empty());
    spoil(record);
    EXPECT_THROW(store.commit(record), std::logic_error);
  }
  EXPECT_EQ(contents(), before);
}

TEST_F(Store, LatestNamesTheNewestRunAndIsNoRunOfItsOwn) {
  { const RunStore first = create(); }
  {
    const RunStore second =
        RunStore::create(folder_ / "second", a_manifest(), "experiment: study\n");
  }
  const std::string latest = folder_ / "latest";
  EXPECT_EQ(std::filesystem::read_symlink(latest), "second");
  EXPECT_EQ(list_runs(std::filesystem::path(latest).parent_path()).size(), 2u);
}

TEST_F(Store, ACommittedCaseIsThereWhenOpenedAgain) {
  std::string id;
  {
    RunStore store = create();
    const RunStore::Record record = a_record(100);
    id = record.case_id;
    EXPECT_FALSE(store.has(id));
    store.commit(record);
    EXPECT_TRUE(store.has(id));
  }
  const RunStore store = RunStore::open(run_);
  EXPECT_TRUE(store.has(id));
  EXPECT_EQ(store.cases().text(0, "n_tokens"), "100");
  EXPECT_EQ(store.cases().text(0, "wall_time_median_s"), "0.5");
  EXPECT_EQ(store.cases().text(0, "duration_s"), "1.5");
  EXPECT_EQ(table("samples.csv").size(), 2u);
  EXPECT_EQ(table("samples.csv").text(0, "warmup"), "1");
  EXPECT_EQ(table("memory_timeline.csv").text(0, "label"), "scores, of \"one\" head");
}

TEST_F(Store, ARowThatIsNotOkHasNoSamplesAndItsMessageIsOneLine) {
  RunStore store = create();
  CaseResult wrong = good_result();
  wrong.status = Status::incorrect;
  wrong.message = "row 3,\nhead \"2\"\n";
  store.commit(a_record(100, wrong));
  EXPECT_EQ(table("samples.csv").size(), 0u);
  EXPECT_EQ(table("cases.csv").text(0, "message"), "row 3, head \"2\"");
}

// Lengths of a cut write: the first and last bytes, and every thirteenth between.
std::vector<std::size_t> cuts(std::size_t before, std::size_t after) {
  std::vector<std::size_t> lengths = {before, before + 1, after - 2, after - 1, after};
  for (std::size_t length = before + 2; length + 2 < after; length += 13) lengths.push_back(length);
  return lengths;
}

// The writer is killed in any write of the second commit: the first case stays, the second is whole
// or gone, and committing it again gives exactly the files of an undisturbed run.
TEST_F(Store, KilledAtAnyMomentItLosesAtMostTheCaseInFlight) {
  std::map<std::string, std::string> before;
  std::map<std::string, std::string> after;
  const RunStore::Record second = a_record(200);
  {
    RunStore store = create();
    store.commit(a_record(100));
    before = contents();
    store.commit(second);
    after = contents();
  }
  for (std::size_t torn = 0; torn < kFiles.size(); ++torn) {
    const std::string& name = kFiles[torn];
    for (const std::size_t bytes : cuts(before[name].size(), after[name].size())) {
      SCOPED_TRACE(name + " cut at " + std::to_string(bytes));
      for (std::size_t i = 0; i < kFiles.size(); ++i)
        std::ofstream(run_ + "/" + kFiles[i], std::ios::binary)
            << (i < torn    ? after[kFiles[i]]
                : i == torn ? after[name].substr(0, bytes)
                            : before[kFiles[i]]);
      RunStore store = RunStore::open(run_);
      const bool committed = name == "cases.csv" && bytes == after[name].size();
      ASSERT_EQ(store.has(second.case_id), committed);
      ASSERT_EQ(contents(), committed ? after : before);
      if (!committed) store.commit(second);
      ASSERT_EQ(contents(), after);
    }
  }
}

TEST_F(Store, ATornHeaderIsWrittenAgain) {
  { (void)create(); }
  for (const std::string& name : kFiles) {
    const std::string whole = read_file(run_ + "/" + name);
    write_file_atomically(run_ + "/" + name, whole.substr(0, 5));
    (void)RunStore::open(run_);
    EXPECT_EQ(read_file(run_ + "/" + name), whole);
    std::filesystem::remove(run_ + "/" + name);
    (void)RunStore::open(run_);
    EXPECT_EQ(read_file(run_ + "/" + name), whole);
  }
}

TEST_F(Store, LeftoversOfAKilledWriterAreRemoved) {
  { (void)create(); }
  write_file_atomically(run_ + "/cases.csv.123.part", "half");
  (void)RunStore::open(run_);
  EXPECT_FALSE(std::filesystem::exists(run_ + "/cases.csv.123.part"));
}

TEST_F(Store, LeftoversOfACreationThatWasKilledAreRemovedByTheNext) {
  ensure_directory(run_);
  write_file_atomically(run_ + "/cases.csv.123.part", "half");
  (void)create();
  EXPECT_FALSE(std::filesystem::exists(run_ + "/cases.csv.123.part"));
}

TEST_F(Store, OfTwoWritersTheSecondIsToldWhoTheFirstIs) {
  const RunStore first = create();
  try {
    (void)RunStore::open(run_);
    FAIL() << "the folder was opened twice";
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(error.what(),
              fmt::format("another run (pid {}) is writing {}; wait for it (qb run --wait), or "
                          "choose another --run-id",
                          this_process(), run_));
  }
  EXPECT_EQ(writer_of(run_), this_process());
}

TEST_F(Store, ARunThatAnotherMadeMeanwhileIsNotMadeAgain) {
  create().commit(a_record(100));
  EXPECT_THROW((void)create(), FolderBusy);
  EXPECT_EQ(RunStore::open(run_).cases().size(), 1u);
}

TEST_F(Store, TheLockEndsWithItsHolder) {
  { (void)create(); }
  EXPECT_EQ(writer_of(run_), "");
  EXPECT_NO_THROW((void)RunStore::open(run_));
}

TEST_F(Store, AFullDiskKeepsTheRowsSoFar) {
  RunStore store = create();
  store.commit(a_record(100));
  const auto before = contents();
  // A child commits, since its limit on file sizes, too small for a case, cannot be raised again.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {before.at("cases.csv").size() + 20, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      store.commit(a_record(200));
    } catch (const EnvironmentError&) {
      ::_exit(store.has(a_record(200).case_id) ? 2 : 3);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(contents().at("cases.csv"), before.at("cases.csv"));
}

TEST_F(Store, AFolderThatCannotBeMadeIsTheEnvironment) {
  write_file_atomically(folder_ / "run", "a file in the way");
  EXPECT_THROW((void)create(), EnvironmentError);
}

TEST_F(Store, AReadOnlyFolderIsTheEnvironment) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  std::filesystem::create_directory(run_);
  std::filesystem::permissions(run_, std::filesystem::perms::owner_read);
  EXPECT_THROW((void)create(), EnvironmentError);
  std::filesystem::permissions(run_, std::filesystem::perms::owner_all);
}

TEST_F(Store, ColumnsOfAnotherVersionAreRefused) {
  { (void)create(); }
  write_file_atomically(run_ + "/cases.csv", "case_id,something\n");
  EXPECT_THROW((void)RunStore::open(run_), UsageError);
}

TEST_F(Store, WhatIsTriedAgainTakesItsRowsWithIt) {
  RunStore store = create();
  CaseResult late = good_result();
  late.status = Status::timeout;
  CaseResult disturbed = good_result();
  disturbed.values.set("disturbed_by", "neighbours");
  store.commit(a_record(100));
  store.commit(a_record(200, late));
  store.commit(a_record(300, disturbed));
  CaseResult crowded = good_result();  // it would be so again
  crowded.values.set("disturbed_by", "oversubscribed");
  store.commit(a_record(400, crowded));
  store.finish("2025-01-31T13:00:00Z");
  EXPECT_EQ(store.cases().text(2, "disturbed_by"), "neighbours");
  EXPECT_EQ(table("steps.csv").size(), 4u);
  store.drop_for_retry();
  EXPECT_TRUE(store.has(a_record(100).case_id));
  EXPECT_FALSE(store.has(a_record(200).case_id));
  EXPECT_FALSE(store.has(a_record(300).case_id));
  EXPECT_TRUE(store.has(a_record(400).case_id));
  EXPECT_EQ(table("steps.csv").size(), 2u);
  EXPECT_EQ(store.manifest().finished_at, "");
}

}  // namespace
}  // namespace qb
