// SPDX-License-Identifier: Apache-2.0
// `qb history` through the real binary.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/csv.h"
#include "base/numbers.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

class HistoryVerb : public testing::Test {
 protected:
  // A real run, as if other commits had made it again; the last one took `last` times as long.
  void write_runs(int commits, double last) const {
    const std::string spec = scratch_.file(
        "tiny.yaml",
        "experiment: tiny\nalgorithm: dense\nworkers: 1\ndtype: f32\nq_heads: 1\nhead_dim: 16\n"
        "n_tokens: 64\nmeasure: {repeats: 3}\n");
    const Said said =
        run_qb(fmt::format("run {} --quiet --run-id first --out {}", spec, scratch_.path("real")));
    ASSERT_EQ(said.exit_code, 0) << said.err;
    const std::string real = scratch_.path("real/tiny/first/");
    const std::string manifest = read_file(real + "manifest.json");
    const CsvTable cases = CsvTable::parse(read_file(real + "cases.csv"), "cases.csv");
    for (int i = 0; i < commits; ++i) {
      const std::string folder = fmt::format("results/tiny/run{}/", i);
      std::string other = std::regex_replace(manifest, std::regex(R"("commit": "[^"]*")"),
                                             fmt::format(R"("commit": "commit{}")", i));
      other = std::regex_replace(other, std::regex(R"("sources_modified": true)"),
                                 R"("sources_modified": false)");
      other = std::regex_replace(other, std::regex(R"("started_at": "[^"]*")"),
                                 fmt::format(R"("started_at": "2026-01-{:02}T00:00:00Z")", i + 1));
      (void)scratch_.file(folder + "manifest.json", other);
      CsvTable copy(cases.header());
      std::vector<std::string> fields;
      for (const std::string& column : cases.header())
        fields.push_back(column == "critical_path_median_s" ? to_text(i + 1 == commits ? last : 1.0)
                         : column == "disturbed_by"         ? ""
                                                            : cases.text(0, column));
      copy.append(fields);
      (void)scratch_.file(folder + "cases.csv", copy.to_string());
      (void)scratch_.file(folder + "samples.csv", read_file(real + "samples.csv"));
    }
  }
  [[nodiscard]] Said history(const std::string& more = "") const {
    return run_qb(fmt::format("history --results {} {}", scratch_.path("results"), more));
  }
  ScratchFolder scratch_;
};

TEST_F(HistoryVerb, ASlowerCommitIsExitCode4) {
  write_runs(6, 1.5);
  const Said said = history();
  EXPECT_EQ(said.exit_code, 4) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("6 runs at 6 commits"), HasSubstr("1.500"), HasSubstr("SLOW")));
}

TEST_F(HistoryVerb, ASteadyHistoryIsExitCode0) {
  write_runs(5, 1.0);
  const Said said = history("--csv");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(CsvTable::parse(said.out, "out").text(4, "verdict"), "SAME");
}

TEST_F(HistoryVerb, AFolderWithoutRunsIsRefused) {
  const Said said = history();
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.err, HasSubstr("no run of this schema"));
  EXPECT_THAT(history("--metric wall").err, HasSubstr("--metric: unknown metric 'wall'"));
  EXPECT_THAT(history("--threshold 0").err, HasSubstr("--threshold"));
}

}  // namespace
}  // namespace qb
