// SPDX-License-Identifier: Apache-2.0
// `qb table` through the real binary, on a run of data/measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "base/source_root.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

Said tabulated(const std::string& words) {
  return run_qb("table " + source_path("data/measured/epyc-zen3-2-cores/schemes") + " " + words);
}

TEST(TableVerb, ABaseAndAFilterChooseWhatIsDivided) {
  const Said said = tabulated(
      "--rows workers --cols algorithm --filter ranks=threads --value speed_up --base "
      "algorithm=ring --format csv");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const CsvTable table = CsvTable::parse(said.out, "table");
  ASSERT_EQ(table.size(), 3u);
  for (std::size_t row = 0; row < table.size(); ++row) {
    EXPECT_EQ(table.number(row, "ring"), 1.0);
    EXPECT_GT(table.number(row, "zigzag"), 0.5);
  }
}

TEST(TableVerb, SeveralValuesOfEverySchemeFitAColumnOrSaySo) {
  const std::string words =
      "--rows workers --cols algorithm --filter ranks=threads --value critical_path,device_sent "
      "--format latex --width ";
  const Said column = tabulated(words + "4in");
  ASSERT_EQ(column.exit_code, 0) << column.err;
  EXPECT_THAT(column.out, HasSubstr("\\multicolumn{8}{c}{critical path (ms)}"));
  EXPECT_THAT(column.out, HasSubstr("\\multicolumn{8}{c}{bytes sent by a device (MiB)}"));
  EXPECT_THAT(column.out, HasSubstr("--: unsupported: cqs needs at least 3 workers (2 cases)."));
  const Said narrow = tabulated(words + "50mm");
  EXPECT_EQ(narrow.exit_code, 2);
  EXPECT_THAT(narrow.err, HasSubstr("the table needs a width of"));
}

TEST(TableVerb, AFilterTakesAKeyOrItsColumnAndStaysInTheNote) {
  const std::string words = "table " + source_path("paper_figures/mixers_model") +
                            " --rows workers --cols mixer.scan --value critical_path --filter "
                            "model.device=h100 --filter mask=causal --format ";
  for (const char* form : {"text", "latex"}) {
    const Said said = run_qb(words + form + " --filter mixer.operator=linear");
    EXPECT_THAT(said.out, HasSubstr("modelled H100, linear\n")) << said.err;
    EXPECT_EQ(said.out, run_qb(words + form + " --filter mixer_operator=linear").out);
  }
}

TEST(TableVerb, WhatCannotBeTabulatedIsASentence) {
  EXPECT_THAT(tabulated("--rows worker").err, HasSubstr("did you mean 'workers'?"));
  EXPECT_THAT(tabulated("--rows workers --cols algorithm").err, HasSubstr("share a cell"));
  EXPECT_THAT(tabulated("--base ring").err, HasSubstr("--base ring: write KEY=VALUE"));
  EXPECT_THAT(tabulated("--value critical_pth").err, HasSubstr("did you mean 'critical_path'?"));
  EXPECT_THAT(tabulated("--width 3.5in").err, HasSubstr("--width: only with --format latex"));
  EXPECT_THAT(tabulated("--format latex --width broad").err, HasSubstr("as in 3.5in or 89mm"));
  EXPECT_EQ(tabulated("--value tim").exit_code, 2);
}

}  // namespace
}  // namespace qb
