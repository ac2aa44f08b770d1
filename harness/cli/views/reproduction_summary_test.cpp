// SPDX-License-Identifier: Apache-2.0
// The committed run of case study 2 in the place of one that this machine has just made.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "base/source_root.h"
#include "base/testing/scratch_folder.h"
#include "base/text_table.h"
#include "base/words.h"
#include "harness/cli/views/paper_reproduction.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/cli/views/paper_tables.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ReproductionSummary : public testing::Test {
 protected:
  ReproductionSummary() {
    std::filesystem::copy(source_path("data/measured/epyc-2-cores/case_study_2_tenth"), run_,
                          std::filesystem::copy_options::recursive);
    auto manifest = parse_json(read_file(run_ + "/manifest.json"), "manifest");
    manifest["figures"] = {"speed_up", "memory_timeline"};  // as the spec names them
    write_file_atomically(run_ + "/manifest.json", manifest.dump());
    const auto paper = std::ranges::find(library_, "cqs_attention", &Paper::name);
    const RunsAndModel own({results_.path("")});
    all_.here = {answer_paper(library_, *paper, own)};
    all_.committed = {answer_paper(library_, *paper, RunsAndModel(committed_runs()))};
    all_.own = {read_own_run("case_study_2_tenth", run_)};
    all_.page = "out/cqs_attention.html";
  }

  Library library_ = read_library();
  ScratchFolder results_;
  std::string run_ = results_.path("case_study_2_tenth");
  Reproduction all_;
};

TEST_F(ReproductionSummary, BeginsWithWhatThisMachineMeasuredAndHowItComparesWithThePaper) {
  const std::string text = summary_text(all_);
  EXPECT_TRUE(text.starts_with("On your machine: case_study_2_tenth\n")) << text;
  EXPECT_THAT(all_.own[0].measured,
              testing::Contains(HasSubstr("45 cases of 2 algorithms were run")));
  EXPECT_THAT(all_.own[0].measured,
              testing::Contains(HasSubstr("45 of 45 outputs with a float64 reference")));
  const auto compared = comparisons(all_.here, "case_study_2_tenth");
  ASSERT_EQ(compared.size(), 1u);
  EXPECT_THAT(compared[0], AllOf(HasSubstr("16 rows): published 1.39 to 11, here 1.61 to 26.6"),
                                 HasSubstr("have the same order"), HasSubstr("stay open")));
  const std::size_t evidence = text.find("Committed evidence:");
  EXPECT_LT(text.find("  - speed-up S"), evidence);
  EXPECT_LT(evidence, text.find("Disputed:"));
}

TEST_F(ReproductionSummary, HasTheNumbersOfPapersAndSaysHowManyRowsTheOwnRunsAdd) {
  const std::string text = summary_text(all_);
  EXPECT_THAT(text,
              HasSubstr(fmt::format("{} of 161 rows are shown", shown_rows(all_.committed[0]))));
  EXPECT_THAT(conclusion_of(all_.committed[0]),
              HasSubstr(fmt::format("Of 161 rows {} are shown", shown_rows(all_.committed[0]))));
  EXPECT_LT(shown_rows(all_.here[0]), shown_rows(all_.committed[0])) << "it has no run of a GPU";
}

TEST_F(ReproductionSummary, FitsATerminalOf80Columns) {
  for (const std::string_view line : split_words(summary_text(all_), "\n"))
    EXPECT_TRUE(display_width(line) <= 80 || line.find('/') != std::string_view::npos) << line;
}

TEST_F(ReproductionSummary, ThePictureOfTheRunIsTheFirstFigureOfThePage) {
  if (all_.own[0].pictures.empty()) GTEST_SKIP() << all_.own[0].measured.back();
  EXPECT_TRUE(std::filesystem::exists(run_ + "/figures/speed_up.svg"));
  EXPECT_THAT(all_.own[0].measured.back(), HasSubstr("figures/speed_up.svg"));
  const std::string page =
      paper_page(all_.here[0], {}, RunsAndModel({results_.path("")}), results_.path("page.html"),
                 {{.name = "later", .svg = "<svg></svg>"}}, all_.own);
  EXPECT_LT(page.find("On your machine: "), page.find("Of 161 rows"));
  EXPECT_LT(page.find("data-name=\"speed_up\""), page.find("data-name=\"later\""));
}

}  // namespace
}  // namespace qb
