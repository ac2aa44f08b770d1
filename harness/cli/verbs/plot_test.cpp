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
#include "base/schema/declared_figure.h"
#include "base/schema/figure_names.h"
#include "base/schema/value_names.h"
#include "base/text_table.h"
#include "base/words.h"
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
  // The panel and the name of each line of a figure, without intervals and limits.
  [[nodiscard]] std::set<std::string> drawn_lines(const std::string& figure) const {
    const CsvTable csv = CsvTable::parse(read_file(run_ + "/figures/" + figure + ".csv"), figure);
    std::set<std::string> lines;
    for (std::size_t row = 0; row < csv.size(); ++row)
      if (const std::string name = csv.text(row, "series");
          !name.ends_with("interval") && !name.starts_with("measured peak"))
        lines.insert(csv.text(row, "panel") + " " + name);
    return lines;
  }
  ScratchFolder scratch_;
  const std::string run_ = scratch_.path("r/tiny/a");
};

TEST_F(Plot, TwoRunsOfOneKernelAreTwoLinesOfThroughput) {
  const Said said = plot("--figure throughput --beside " + scratch_.path("r/tiny/b"));
  EXPECT_THAT(said.err, Not(HasSubstr("--beside")));
  EXPECT_THAT(drawn_lines("throughput"), testing::ElementsAre("1 a", "1 b"));
}

TEST_F(Plot, WhereNoFigureShowsTwoRunsTheOneBesideIsIgnoredWithASentence) {
  EXPECT_THAT(plot("--figure gantt --beside " + run_).err,
              HasSubstr("--beside is ignored: no figure that shows another run is drawn, such as "
                        "--figure wall_clock\n"));
}

TEST_F(Plot, AFigureIsDeclaredByOptions) {
  const Said said = plot(
      "--y time,device_peak --x N --lines kernel --panels dtype --name mine "
      "--filter n_tokens=64 --log xy --beside " +
      scratch_.path("r/tiny/b"));
  EXPECT_THAT(said.err, Not(HasSubstr("--beside")));
  EXPECT_EQ(drawn_lines("mine").size(), 4u);  // two values of two runs
  (void)plot("--y critical_path --x workers");
  EXPECT_TRUE(std::filesystem::exists(run_ + "/figures/critical_path_by_workers.csv"));
}

TEST_F(Plot, ADeclaredFigureDividesByACaseThatItDoesNotShow) {
  const std::string spec = scratch_.file(
      "two.yaml",
      "experiment: two\nhead_dim: 16\nn_tokens: 64\nsweep: {kernel: [flash, materialized]}\n"
      "measure: {repeats: 2, warmups: 0}\nfigures: []\n");
  const std::string run = scratch_.path("r/two/a");
  ASSERT_EQ(
      run_qb("run " + spec + " --quiet --out " + scratch_.path("r") + " --run-id a").exit_code, 0);
  (void)run_qb("plot " + run + " --y speed_up --base kernel=materialized --filter kernel=flash",
               "QB_PYTHON=/nonexistent");
  const CsvTable csv = CsvTable::parse(read_file(run + "/figures/speed_up_by_n_tokens.csv"), "csv");
  ASSERT_GT(csv.size(), 0u);
  EXPECT_GT(csv.number(0, "speed_up"), 0.0);
}

TEST_F(Plot, ADeclarationThatDoesNotStandIsASentence) {
  const auto refused = [&](const std::string& words) {
    const Said said = plot(words);
    EXPECT_EQ(said.exit_code, 2) << words;
    return said.err;
  };
  EXPECT_THAT(refused("--x workers"), HasSubstr("--x: only with --y"));
  EXPECT_THAT(refused("--figure wall_clock --panels dtype"), HasSubstr("--panels: only with --y"));
  EXPECT_THAT(refused("--base kernel=flash"), HasSubstr("--base: only with --y"));
  EXPECT_THAT(refused("--y time --figure wall_clock"),
              HasSubstr("--figure names another one, wall_clock; give one of the two options"));
  EXPECT_THAT(refused("--y tim"), HasSubstr("y: unknown value 'tim'; did you mean 'time'?"));
  EXPECT_THAT(refused("--y time --base flash"), HasSubstr("--base flash: write KEY=VALUE"));
  EXPECT_THAT(refused("--y time --bound peek"), HasSubstr("did you mean 'peak'?"));
  EXPECT_THAT(refused("--y time --filter n_tokens=65"), HasSubstr("no case of the run is left"));
  EXPECT_THAT(refused("--y time --name ../a"), HasSubstr("name: it has only letters"));
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

TEST(Figures, HelpListsWhatADeclaredFigureTakesInShortLines) {
  const std::string plot = run_qb("plot --help").out;
  const std::string table = run_qb("table --help").out;
  for (const DerivedValue& derived : kDerivedValues) {
    const auto line = HasSubstr(fmt::format("\n  {:<17} {}\n", derived.name, derived.meaning));
    EXPECT_THAT(plot, line);
    if (derived.on_x)
      EXPECT_THAT(table, Not(line));
    else
      EXPECT_THAT(table, line);
  }
  for (const FigureBound& bound : kFigureBounds)
    EXPECT_THAT(plot, HasSubstr(std::string(bound.meaning)));
  const std::string texts = plot.substr(plot.find("\nFigures")) + table.substr(table.find("\nA "));
  for (const std::string_view line : split_words(texts, "\n"))
    EXPECT_LE(display_width(line), 100u) << line;
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
  EXPECT_EQ(drawn_lines("throughput").size(), 1u);
}

}  // namespace
}  // namespace qb
