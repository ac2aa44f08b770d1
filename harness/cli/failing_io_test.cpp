// SPDX-License-Identifier: Apache-2.0
// Each call on a user's files fails once, at each of its places: no verb dies, ends with another
// exit code than it documents, says less than all it has to say with exit code 0, or leaves a part
// of a file.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "base/csv.h"
#include "base/source_root.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/verify/testing/npy_fakes.h"

namespace qb {
namespace {

namespace fs = std::filesystem;
using testing_support::run_qb;
using testing_support::Said;

using Files = std::map<std::string, std::string>;  // by the path below the folder

struct Failure {
  std::string call;
  int error;
};
const Failure kFailures[] = {
    {"open", EIO},      {"open", EMFILE},  {"open", EACCES},   {"open", ENOMEM},  {"read", EIO},
    {"read", ENOMEM},   {"write", ENOSPC}, {"write", EIO},     {"write", EDQUOT}, {"rename", EIO},
    {"rename", ENOSPC}, {"rename", EXDEV}, {"fsync", EIO},     {"fsync", ENOSPC}, {"close", EIO},
    {"close", ENOSPC},  {"stat", EIO},     {"stat", EACCES},   {"fstat", EIO},    {"readdir", EIO},
    {"mkdir", ENOSPC},  {"mkdir", EACCES}, {"ftruncate", EIO}, {"flock", ENOLCK}};
// What the program tries again.
const Failure kPassing[] = {{"read", EINTR}, {"write", EINTR}};

// What a verb does with the files of a folder, which stand in it as `@`.
struct Job {
  const char* name;
  std::string words;
  std::string after{};  // words that must succeed afterwards, whatever failed
  int spare_lines = 0;  // that say where a prediction comes from, of which there may be another
};

class FailingIo : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<float> tensor(2 * 6 * 4, 0.5f);
    for (const char* name : {"q.npy", "k.npy", "v.npy"})
      (void)start_.file(name, npy_bytes(DType::f32, {2, 6, 4}, tensor.data()));
    (void)start_.file(
        "spec.yaml",
        "experiment: small\nn_tokens: 16\nhead_dim: 8\nkernel: reference\nworkers: 2\n"
        "sweep: {algorithm: [pass_kv, pass_q]}\n"
        "measure: {warmups: 0, repeats: 1, retakes: 0}\nfigures: []\n");
    fs::copy(source_path("data/devices/a100.csv"), start_.path("device.csv"));
    const Said run = run_qb("run " + start_.path("spec.yaml") + " --quiet --run-id done --out " +
                            start_.path("results"));
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }

  static Files files_of(const std::string& folder) {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file())
        files[fs::relative(entry.path(), folder).string()] = read_file(entry.path().string());
    return files;
  }

  // Runs the words on a copy of the folder, with what is preloaded.
  Said run(const std::string& words, const std::string& folder,
           const std::string& variables) const {
    std::string said = words;
    for (std::size_t at = 0; (at = said.find('@', at)) != std::string::npos;)
      said.replace(at, 1, folder);
    return run_qb(said, "env QB_IO_UNDER=" + folder + " LD_PRELOAD=" QB_FAILING_IO " " + variables);
  }

  // Runs attend, of which the n-th call fails.
  Said attend(const std::string& folder, const std::string& call, int n) const {
    return run("attend --q @/q.npy --k @/k.npy --v @/v.npy --out @/o.npy --lse @/lse.npy", folder,
               fmt::format("QB_IO_CALL={} QB_IO_AT={} QB_IO_ERRNO={}", call, n, EIO));
  }

  static void copy(const std::string& from, const std::string& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
  }

  std::map<std::string, long> calls_of(const Job& job, Said& said, Files& left) const {
    const ScratchFolder scratch;
    copy(start_.path(), scratch.path("work"));
    const std::string counts = scratch.path("counts");
    said = run(job.words, scratch.path("work"), "QB_IO_COUNTS=" + counts);
    left = files_of(scratch.path("work"));
    std::map<std::string, long> calls;
    std::istringstream lines(read_file(counts));
    std::string call;
    long n = 0;
    while (lines >> call >> n) calls[call] = std::max(calls[call], n);  // of all processes
    return calls;
  }

  // `whole` and `left` are what the job says and leaves where nothing fails.
  void try_failure(const Job& job, const Failure& failure, long at, const Said& whole,
                   const Files& left) const {
    SCOPED_TRACE(fmt::format("{}: {} {} fails with {}", job.name, failure.call, at,
                             std::strerror(failure.error)));
    const ScratchFolder scratch;
    const std::string folder = scratch.path("work");
    copy(start_.path(), folder);
    const Said said = run(
        job.words, folder,
        fmt::format("QB_IO_CALL={} QB_IO_AT={} QB_IO_ERRNO={}", failure.call, at, failure.error));
    EXPECT_THAT(said.exit_code, testing::AnyOf(0, 1, 2, 3, 4, 5)) << said.err;
    EXPECT_THAT(said.err, testing::Not(testing::HasSubstr("unexpected")));
    if (failure.error == EINTR) {
      EXPECT_EQ(said.exit_code, whole.exit_code) << said.err;
    }
    if (said.exit_code == whole.exit_code && job.after.empty()) {
      // More where it says what it left out.
      EXPECT_GE(std::ranges::count(said.out, '\n') + job.spare_lines,
                std::ranges::count(whole.out, '\n'))
          << said.err;
    }
    expect_files(folder, left);
    if (job.after.empty()) return;
    const Said after = run(job.after, folder, "");
    EXPECT_EQ(after.exit_code, 0) << after.err;
    const std::string cases = folder + "/results/small/again/cases.csv";
    if (fs::exists(cases)) {
      EXPECT_EQ(CsvTable::parse(read_file(cases), cases).size(), 2u);
    }
  }

  // A file is whole or not there, and what was there before is as it was.
  void expect_files(const std::string& folder, const Files& left) const {
    const Files now = files_of(folder);
    for (const auto& [path, content] : now) {
      EXPECT_FALSE(path.ends_with(".part")) << path;
      if (path.find('/') == std::string::npos && path != "journal") {
        EXPECT_TRUE(left.contains(path) && left.at(path) == content) << path;
      }
    }
    for (const auto& [path, content] : files_of(start_.path())) {
      if (path.ends_with("/.lock")) continue;  // it names the last process
      EXPECT_TRUE(now.contains(path) && now.at(path) == content) << path;
    }
  }

  ScratchFolder start_;
};

const std::string kInputs = "attend --q @/q.npy --k @/k.npy --v @/v.npy";

const Job kJobs[] = {
    {"dry run", "run @/spec.yaml --dry-run --out @/results", "", 2},
    {"run", "run @/spec.yaml --quiet --run-id again --out @/results",
     "run @/spec.yaml --quiet --run-id again --out @/results"},
    {"go on", "run @/spec.yaml --quiet --run-id done --out @/results"},
    {"verify", "verify @/results/small/done"},
    {"status", "status @/results/small"},
    {"table", "table @/results/small/done --rows algorithm --format csv"},
    {"compare", "compare @/results/small/done @/results/small/done"},
    {"select", "select @/results/small/done --compute 1e12 --bandwidth 1e10 --csv"},
    {"record", "papers --record @/record.csv"},
    {"attend", kInputs + " --out @/o.npy --lse @/lse.npy"},
    {"backward", kInputs + " --backward --do @/q.npy --dq @/dq.npy --dk @/dk.npy --dv @/dv.npy"
                           " --out @/o.npy --lse @/lse.npy --save-lse @/saved.npy"},
    {"sets search", "sets search --workers 13 --quiet"},
    {"advise", "advise --n-tokens 4096 --workers 4 --device @/device.csv --json"},
};

// QB_IO_PLACES sets how many places of a call are tried, spread over all of them. Without it each
// job meets every third failure, at one place.
TEST_F(FailingIo, LosesNothingAndSaysSo) {
  const char* const asked = std::getenv("QB_IO_PLACES");
  const long most = asked != nullptr ? std::atol(asked) : 1;
  std::vector<Failure> failures(std::begin(kFailures), std::end(kFailures));
  failures.insert(failures.end(), std::begin(kPassing), std::end(kPassing));
  int tried = 0;
  for (std::size_t j = 0; j < std::size(kJobs); ++j) {
    const Job& job = kJobs[j];
    Said whole;
    Files left;
    const auto calls = calls_of(job, whole, left);
    ASSERT_THAT(whole.exit_code, testing::AnyOf(0, 5)) << job.name << whole.err;
    for (std::size_t f = 0; f < failures.size(); ++f) {
      if (asked == nullptr && (j + f) % 3 != 0) continue;
      const auto found = calls.find(failures[f].call);
      const long n = found == calls.end() ? 0 : found->second;
      for (long i = 0; i < std::min(most, n); ++i, ++tried)
        try_failure(job, failures[f], 1 + i * n / std::min(most, n), whole, left);
    }
  }
  RecordProperty("tried", tried);
  std::printf("%d failures\n", tried);
  EXPECT_GT(tried, 50);
}

// NFS without its lock service and Lustre without -o flock are such.
TEST_F(FailingIo, AFileSystemWithoutLocksIsNoOtherRun) {
  const Said said =
      run("run @/spec.yaml --quiet --run-id again --wait --out @/results", start_.path(),
          fmt::format("QB_IO_CALL=flock QB_IO_AT=1 QB_IO_ERRNO={}", ENOLCK));
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err, testing::EndsWith(fmt::format(
                            "qb: cannot lock the run folder {}: {}; choose one on another file "
                            "system with --out\n",
                            start_.path("results/small/again"), std::strerror(ENOLCK))));
}

TEST_F(FailingIo, WhatAttendHasWrittenBeforeAFailureIsSaid) {
  const std::string folder = start_.path();
  const std::string failure = "qb: cannot write " + folder + "/{}.npy: Input/output error";
  for (const auto& [call, n] : {std::pair{"fsync", 1}, {"fsync", 2}, {"rename", 1}}) {
    const Said said = attend(folder, call, n);
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_EQ(said.err, fmt::format(fmt::runtime(failure), n == 1 ? "o" : "lse") + "\n");
    EXPECT_FALSE(fs::exists(folder + "/o.npy")) << call << n;
  }
  const Said said = attend(folder, "rename", 2);
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_EQ(said.err, fmt::format(fmt::runtime(failure), "lse") +
                          "; these files are already written: " + folder + "/o.npy\n");
  EXPECT_TRUE(fs::exists(folder + "/o.npy"));
  EXPECT_FALSE(fs::exists(folder + "/lse.npy"));
}

TEST_F(FailingIo, AFifoGetsNothingBeforeTheFilesAreWritten) {
  const std::string fifo = start_.path("o.npy");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  std::string got(1 << 12, ' ');
  EXPECT_EQ(attend(start_.path(), "rename", 1).exit_code, 3);
  EXPECT_EQ(::read(reader, got.data(), got.size()), 0) << "lse.npy has failed";
  EXPECT_EQ(attend(start_.path(), "rename", 2).exit_code, 0) << "only lse.npy is renamed";
  got.resize(
      static_cast<std::size_t>(std::max<ssize_t>(::read(reader, got.data(), got.size()), 0)));
  ::close(reader);
  EXPECT_THAT(got, testing::StartsWith("\x93NUMPY"));
  EXPECT_TRUE(fs::exists(start_.path("lse.npy")));
}

}  // namespace
}  // namespace qb
