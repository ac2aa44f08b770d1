// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/table.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

Table small_table() {
  return {.name = "small",
          .title = "100 % of R&D",
          .header = {"what", "ours_ms", "verdict"},
          .rows = {{"a|b", "1.50", "agrees"}, {"x_y", "-", "differs"}},
          .notes = {"Costs $5 #1."}};
}

TEST(Table, MarkdownEscapesPipes) {
  EXPECT_EQ(table_markdown(small_table()),
            "**100 % of R&D**\n\n| what | ours_ms | verdict |\n| --- | --- | --- |\n"
            "| a\\|b | 1.50 | agrees |\n| x_y | - | differs |\n\nCosts $5 #1.\n");
}

TEST(Table, LatexIsABooktabsTable) {
  EXPECT_EQ(table_latex(small_table()),
            "\\begin{table}\n\\centering\\small\\setlength{\\tabcolsep}{4pt}\n"
            "\\caption{100 \\% of R\\&D}\n\\label{tab:small}\n"
            "\\begin{tabular}{@{}lrl@{}}\n\\toprule\nwhat & ours\\_ms & verdict \\\\\n\\midrule\n"
            "a|b & 1.50 & agrees \\\\\nx\\_y & - & differs \\\\\n\\bottomrule\n\\end{tabular}\n"
            "\n\\smallskip\\footnotesize Costs \\$5 \\#1.\n\\end{table}\n");
}

TEST(Table, EveryLetterThatLatexTakesForItselfIsEscaped) {
  EXPECT_EQ(latex_escape("\\{}$&#_%~^<>"),
            "\\textbackslash{}\\{\\}\\$\\&\\#\\_\\%\\textasciitilde{}\\textasciicircum{}"
            "\\textless{}\\textgreater{}");
  EXPECT_EQ(latex_escape("3 × N²"), "3 $\\times$ N$^2$");
}

TEST(Table, CsvIsHeaderAndRows) {
  EXPECT_EQ(table_csv(small_table()), "what,ours_ms,verdict\na|b,1.50,agrees\nx_y,-,differs\n");
}

TEST(Table, TerminalAlignsNumbersRight) {
  EXPECT_THAT(table_terminal(small_table()), ::testing::HasSubstr("a|b      1.50  agrees\n"));
}

TEST(Table, WritesMarkdownLatexAndCsv) {
  const std::string folder = testing_support::fresh_folder("tables");
  const auto paths = write_table(small_table(), folder);
  EXPECT_THAT(paths, ::testing::ElementsAre(folder + "/small.md", folder + "/small.tex",
                                            folder + "/small.csv"));
  EXPECT_EQ(read_file(paths[1]), table_latex(small_table()));
}

}  // namespace
}  // namespace qb
