// SPDX-License-Identifier: Apache-2.0
// `qb plot` through the real binary, as far as it gets without Python.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/schema/figure_names.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

class Plot : public testing::Test {
 protected:
  void SetUp() override {
    const std::string spec = scratch_.file(
        "tiny.yaml",
        "experiment: tiny\nhead_dim: 16\nn_tokens: 64\nmeasure: {repeats: 2, warmups: 0}\n");
    const std::string run = "run " + spec + " --quiet --out " + scratch_.path("r") + " --run-id ";
    for (const char* id : {"a", "b"}) ASSERT_EQ(run_qb(run + id).exit_code, 0);
  }
  // CSV and script are written before Python is found to be missing.
  [[nodiscard]] Said plot(const std::string& words) const {
    return run_qb("plot " + run_ + " " + words, "QB_PYTHON=/nonexistent");
  }
  // The lines of throughput but that of the measured peak, a row each.
  [[nodiscard]] std::vector<std::string> drawn_lines() const {
    const CsvTable csv = CsvTable::parse(read_file(run_ + "/figures/throughput.csv"), "throughput");
    std::vector<std::string> lines;
    for (std::size_t row = 0; row < csv.size(); ++row)
      if (!csv.text(row, "series").starts_with("measured peak"))
        lines.push_back(csv.text(row, "series"));
    return lines;
  }
  ScratchFolder scratch_;
  const std::string run_ = scratch_.path("r/tiny/a");
};

TEST_F(Plot, TwoRunsOfOneKernelAreTwoLinesOfThroughput) {
  const Said said = plot("--figure throughput --beside " + scratch_.path("r/tiny/b"));
  EXPECT_THAT(said.err, Not(HasSubstr("--beside")));
  EXPECT_THAT(drawn_lines(), testing::ElementsAre("flash f32, a", "flash f32, b"));
}

TEST_F(Plot, WithoutThroughputWhatStandsBesideIsIgnoredWithASentence) {
  EXPECT_THAT(
      plot("--figure wall_clock --beside " + run_).err,
      HasSubstr("--beside is ignored: only these show another run, and none of them is drawn: "
                "throughput, sparse_attention, "));
}

TEST_F(Plot, WhatStandsBesideMustHaveCases) {
  const std::string folder = scratch_.path("micro");
  ensure_directory(folder);
  write_file_atomically(folder + "/manifest.json", "{}");
  write_file_atomically(folder + "/microbench.csv", "benchmark\n");
  const Said said = plot("--beside " + folder);
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.err, HasSubstr("it has no cases.csv"));
  EXPECT_EQ(run_qb("report " + folder).exit_code, 2);
}

TEST(Figures, AreListedWithASentenceEach) {
  const Said help = run_qb("plot --help");
  const Said list = run_qb("plot --list");
  EXPECT_EQ(list.exit_code, 0);
  for (std::size_t i = 0; i < std::size(kFigureNames); ++i) {
    EXPECT_THAT(help.out, HasSubstr(std::string(kFigureNames[i])));
    EXPECT_THAT(list.out, ContainsRegex(fmt::format("  {} +{}", kFigureNames[i],
                                                    kFigureSentences[i].substr(0, 12))));
    EXPECT_TRUE(kFigureSentences[i].ends_with('.')) << kFigureNames[i];
  }
  EXPECT_EQ(run_qb("plot").exit_code, 2);
}

TEST_F(Plot, AReportWritesItsPageAndNothingElse) {
  const auto listing = [&] {
    std::set<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run_))
      paths.insert(entry.path().string());
    return paths;
  };
  const auto before = listing();
  const std::string page = scratch_.path("page.html");
  const std::string scratch = scratch_.path("tmp");
  ensure_directory(scratch);
  const Said said = run_qb("report " + run_ + " --out " + page, "TMPDIR=" + scratch);
  const bool has_figures = read_file(page).find("<svg") != std::string::npos;
  EXPECT_EQ(said.exit_code, has_figures ? 0 : 3) << said.err;
  EXPECT_EQ(listing(), before);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
}

TEST_F(Plot, WhatIsChosenIsReadStrictly) {
  const Said said = plot("--filter n_tokens=65");
  EXPECT_THAT(said.err, HasSubstr("no case of the run is left"));
  EXPECT_EQ(said.exit_code, 2);
}

TEST_F(Plot, AFilterLeavesOutTheOtherCases) {
  (void)plot("--figure throughput --filter n_tokens=64 --width 89mm");
  EXPECT_EQ(drawn_lines().size(), 1u);
}

}  // namespace
}  // namespace qb
