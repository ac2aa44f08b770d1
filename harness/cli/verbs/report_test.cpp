// SPDX-License-Identifier: Apache-2.0
// `qb report` through the real binary. Without Python the page has no figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/testing/run_binary.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

TEST(ReportVerb, NeedsARunOrAFolderOfFigures) {
  for (const char* words : {"report", "report a --index b"}) {
    const Said said = run_qb(words);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_THAT(said.err, HasSubstr("name a run folder, or a folder of figures by --index"));
  }
}

TEST(ReportVerb, AnIndexIsWrittenIntoItsFolder) {
  const ScratchFolder scratch;
  const Table times{.name = "times", .title = "Times", .header = {"a"}, .rows = {{"1"}}};
  (void)write_table(times, scratch.path("study/tables"));
  const Said said = run_qb("report --index " + scratch.path());
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out, scratch.path("index.html") + "\n");
  EXPECT_THAT(read_file(scratch.path("index.html")), HasSubstr("href=\"study/tables/times.tex\""));
  EXPECT_EQ(run_qb("report --index " + scratch.path("study")).exit_code, 0);
  EXPECT_EQ(run_qb("report --index " + scratch.path("nowhere")).exit_code, 2);
}

class ReportOfRun : public testing::Test {
 protected:
  void SetUp() override {
    const std::string spec = scratch_.file(
        "tiny.yaml",
        "experiment: tiny\nkernel: reference\nhead_dim: 16\nzip: {algorithm: [dense, cqs], "
        "workers: [1, 3]}\nsweep: "
        "{n_tokens: [48, 64], mask: [full, {sliding_window: {left: 8, right: 7}}]}\nmeasure: "
        "{repeats: 2, warmups: 1, retakes: 0}\n");
    ASSERT_EQ(run_qb("run " + spec + " --quiet --run-id a --out " + scratch_.path("r")).exit_code,
              0);
  }
  // Writes the page into a folder of its own and returns it.
  [[nodiscard]] std::string page() const {
    ensure_directory(scratch_.path("pages"));
    const std::string path = scratch_.path("pages/page.html");
    (void)run_qb("report " + run_ + " --out " + path);
    return read_file(path);
  }
  ScratchFolder scratch_;
  const std::string run_ = scratch_.path("r/tiny/a");
};

TEST_F(ReportOfRun, OpensWithWhatWasRunWhatAgreesAndWhatDoesNot) {
  EXPECT_THAT(page(), AllOf(HasSubstr("8 cases of 2 algorithms were run: 8 ok."),
                            HasSubstr("<p>Agrees: 8 of 8 outputs with a float64 reference"),
                            HasSubstr("<p>Does not agree: ")));
}

}  // namespace
}  // namespace qb
