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
            "**100 % of R&D**\n\n| what | ours_ms | verdict |\n| --- | ---: | --- |\n"
            "| a\\|b | 1.50 | agrees |\n| x_y | - | differs |\n\nCosts $5 #1.\n");
}

TEST(Table, AStarThatBeginsANoteMakesNoListInMarkdown) {
  const Table table{.header = {"a"}, .rows = {{"1*"}}, .notes = {"* Disturbed."}};
  EXPECT_THAT(table_markdown(table), ::testing::EndsWith("\n\\* Disturbed.\n"));
  EXPECT_THAT(table_terminal(table), ::testing::EndsWith("\n* Disturbed.\n"));
}

TEST(Table, LatexIsABooktabsTable) {
  EXPECT_EQ(table_latex(small_table()),
            "\\begin{table}\n\\centering\\small\\setlength{\\tabcolsep}{4pt}\n"
            "\\caption{100 \\% of R\\&D}\n\\label{tab:small}\n"
            "\\begin{tabular}{@{}lrl@{}}\n\\toprule\nwhat & ours\\_ms & verdict \\\\\n\\midrule\n"
            "a\\textbar{}b & 1.50 & agrees \\\\\nx\\_y & -- & differs \\\\\n"
            "\\bottomrule\n\\end{tabular}\n"
            "\n\\smallskip\\raggedright\\footnotesize\nCosts \\$5 \\#1.\n\\end{table}\n");
}

TEST(Table, LatexPutsTitlesOverTheirColumnsAndTurnsTheHeadsOfValues) {
  const Table table{.header = {"N", "ring", "cqs"},
                    .rows = {{"1000", "5.00\n[4.00, 6.00]", "-"}},
                    .spans = {{"", 1}, {"time (ms)", 2}},
                    .values_from = 1};
  const std::string latex =
      table_latex(table, {.size = "scriptsize", .gap_pt = 2.0, .turned = true});
  for (const char* part : {"\\scriptsize\\setlength{\\tabcolsep}{2pt}", "{@{}rrr@{}}",
                           " & \\multicolumn{2}{c}{time (ms)} \\\\\n\\cmidrule(lr){2-3}\n",
                           "N & \\rotatebox{90}{ring} & \\rotatebox{90}{cqs} \\\\",
                           "1000 & 5.00 & -- \\\\\n & \\scriptsize [4.00, 6.00] &  \\\\[2pt]\n"})
    EXPECT_THAT(latex, ::testing::HasSubstr(part));
  EXPECT_THAT(table_latex(table, {.across = true}), ::testing::StartsWith("\\begin{table*}"));
}

TEST(Table, TheWidthInLatexIsThatOfTheWidestCellsAndTheGaps) {
  Table table{.header = {"N", "t"}, .rows = {{"10000", "5"}}, .values_from = 1};
  const double width = latex_width_pt(table);
  EXPECT_NEAR(width, 6 * 4.63 + 2 * 4.0, 0.1) << "six digits of small letters and a gap";
  EXPECT_LT(latex_width_pt(table, {.size = "scriptsize", .gap_pt = 2.0}), width);
  table.header[1] = "a long head";
  EXPECT_GT(latex_width_pt(table), width + 20.0);
  EXPECT_LT(latex_width_pt(table, {.turned = true}), width + 8.0);
  const double flat = latex_width_pt(table);
  table.header[1] = "a long\nhead";
  EXPECT_LT(latex_width_pt(table), flat - 10.0) << "a unit below its name";
}

TEST(Table, CsvHasTheTitleOfSeveralColumnsInEach) {
  const Table table{.header = {"N", "7"}, .rows = {{"1", "2"}}, .spans = {{"", 1}, {"time", 1}}};
  EXPECT_EQ(table_csv(table), "N,\"time, 7\"\n1,2\n");
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
