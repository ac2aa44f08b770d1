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
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "base/csv.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/execute/testing/npy_fakes.h"

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
    {"open", EIO},     {"open", EMFILE},  {"open", EACCES},   {"open", ENOMEM},
    {"read", EIO},     {"read", ENOMEM},  {"write", ENOSPC},  {"write", EIO},
    {"write", EDQUOT}, {"rename", EIO},   {"rename", ENOSPC}, {"rename", EXDEV},
    {"fsync", EIO},    {"fsync", ENOSPC}, {"close", EIO},     {"close", ENOSPC}};
// What the program tries again.
const Failure kPassing[] = {{"read", EINTR}, {"write", EINTR}};

// What a verb does with the files of a folder, which stand in it as `@`.
struct Job {
  const char* name;
  std::string words;
  std::string after{};  // words that must succeed afterwards, whatever failed
};

class FailingIo : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<float> tensor(2 * 6 * 4, 0.5f);
    for (const char* name : {"q.npy", "k.npy", "v.npy"})
      (void)start_.file(name, npy_bytes(DType::f32, {2, 6, 4}, tensor.data()));
    (void)start_.file("spec.yaml",
                      "experiment: small\nn_tokens: 16\nhead_dim: 8\nkernel: reference\n"
                      "sweep: {seed: [1, 2]}\nmeasure: {warmups: 0, repeats: 1, retakes: 0}\n"
                      "figures: []\n");
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

  ScratchFolder start_;
};

// QB_IO_PLACES sets how many places of a call are tried, spread over all of them.
TEST_F(FailingIo, LosesNothingAndSaysSo) {
  const Job jobs[] = {
      {"dry run", "run @/spec.yaml --dry-run --out @/results"},
      {"run", "run @/spec.yaml --quiet --run-id again --out @/results",
       "run @/spec.yaml --quiet --run-id again --out @/results"},
      {"verify", "verify @/results/small/done"},
      {"status", "status @/results/small/done"},
      {"table", "table @/results/small/done --rows seed --format csv"},
      {"compare", "compare @/results/small/done @/results/small/done"},
      {"history", "history --results @/results --out @/history"},
      {"attend", "attend --q @/q.npy --k @/k.npy --v @/v.npy --out @/o.npy --lse @/lse.npy"},
  };
  const char* const asked = std::getenv("QB_IO_PLACES");
  const long most = asked != nullptr ? std::atol(asked) : 1;
  int tried = 0;
  for (const Job& job : jobs) {
    Said whole;
    Files left;
    const auto calls = calls_of(job, whole, left);
    ASSERT_THAT(whole.exit_code, testing::AnyOf(0, 5)) << job.name << whole.err;
    std::vector<Failure> failures(std::begin(kFailures), std::end(kFailures));
    failures.insert(failures.end(), std::begin(kPassing), std::end(kPassing));
    for (const Failure& failure : failures) {
      const auto found = calls.find(failure.call);
      const long n = found == calls.end() ? 0 : found->second;
      for (long i = 0; i < std::min(most, n); ++i) {
        const long at = 1 + i * n / std::min(most, n);
        ++tried;
        SCOPED_TRACE(fmt::format("{}: {} {} of {} fails with {}", job.name, failure.call, at, n,
                                 std::strerror(failure.error)));
        const ScratchFolder scratch;
        const std::string folder = scratch.path("work");
        copy(start_.path(), folder);
        const Said said = run(job.words, folder,
                              fmt::format("QB_IO_CALL={} QB_IO_AT={} QB_IO_ERRNO={}", failure.call,
                                          at, failure.error));
        EXPECT_THAT(said.exit_code, testing::AnyOf(0, 1, 2, 3, 4, 5)) << said.err;
        if (failure.error == EINTR) {
          EXPECT_EQ(said.exit_code, whole.exit_code) << said.err;
        }
        if (said.exit_code == whole.exit_code && job.after.empty()) {
          // More where it says what it left out, as `history` does of a run.
          EXPECT_GE(std::ranges::count(said.out, '\n'), std::ranges::count(whole.out, '\n'))
              << said.err;
        }
        for (const auto& [path, content] : files_of(folder)) {
          EXPECT_FALSE(path.ends_with(".part")) << path;
          if (path.ends_with(".npy")) {
            EXPECT_TRUE(left.contains(path) && left.at(path) == content) << path;
          }
        }
        EXPECT_EQ(files_of(folder + "/results/small/done"),
                  files_of(start_.path("results/small/done")))
            << "what was there before is as it was";
        if (job.after.empty()) continue;
        const Said after = run(job.after, folder, "");
        EXPECT_EQ(after.exit_code, 0) << after.err;
        const std::string cases = folder + "/results/small/again/cases.csv";
        EXPECT_EQ(CsvTable::parse(read_file(cases), cases).size(), 2u);
      }
    }
  }
  RecordProperty("tried", tried);
  EXPECT_GT(tried, 50);
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
