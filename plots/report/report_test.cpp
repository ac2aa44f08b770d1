// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <gmock/gmock.h>

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Report small_report() {
  const std::string svg = "<svg viewBox=\"0 0 1 1\"><g id=\"canvas\"/></svg>";
  return {.title = "Runs & <figures>",
          .subtitle = "machine",
          .sections = {{.title = "Opening", .paragraphs = {"What was found."}},
                       {.title = "First",
                        .paragraphs = {"a < b"},
                        .figures = {{.name = "one",
                                     .title = "One",
                                     .svg = svg,
                                     .narrow = svg,
                                     .finding = "a < b everywhere.",
                                     .notes = {"Bars: > 1 repeat.", "Hollow: late."},
                                     .provenance = "machine & day",
                                     .files = {{"CSV", "data:text/csv,x"}, {"PDF", "one.pdf"}}},
                                    {.name = "two", .title = "Two", .svg = svg}},
                        .tables = {{.header = {"h"}, .rows = {{"cell"}}}},
                        .code = {"qb run 'a&b'"}},
                       {.title = "Second", .paragraphs = {"later"}, .folded = true}}};
}

TEST(Report, IsOnePageThatNeedsNothingElse) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("width=device-width"));
  for (const char* outside : {"<script src", "<link", "<img", "@import", "src="})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(Report, EscapesTitlesTextAndCode) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, HasSubstr("<title>Runs &amp; &lt;figures&gt;</title>"));
  EXPECT_THAT(page, HasSubstr("<p>a &lt; b</p>"));
  EXPECT_THAT(page, HasSubstr("<pre tabindex=\"0\">qb run &#39;a&amp;b&#39;</pre>"));
}

TEST(Report, TwoPicturesShareNoId) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, HasSubstr("id=\"f1-canvas\""));
  EXPECT_THAT(page, HasSubstr("id=\"f2-canvas\""));
}

TEST(Report, SectionsAreLinkedAndLongOnesFolded) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, HasSubstr("<a href=\"#section-2\">Second</a>"));
  EXPECT_THAT(page, HasSubstr("<details><summary><h2>Second</h2></summary>"));
}

TEST(Report, AFigureHasItsFindingNotesProvenanceAndFiles) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, HasSubstr("<figcaption><p>a &lt; b everywhere.</p>\n"
                              "<p>Bars: &gt; 1 repeat. Hollow: late.</p>\n"
                              "<p class=\"note\">machine &amp; day</p>\n"));
  EXPECT_THAT(page, HasSubstr("<figcaption><p>Two</p>\n")) << "it has no finding";
  EXPECT_THAT(page, HasSubstr("<a href=\"data:text/csv,x\" download=\"one.csv\">CSV</a>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"one.pdf\">PDF</a>"));
}

TEST(Report, OpensWithoutAHeadingBeforeTheLinks) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, Not(HasSubstr("Opening")));
  EXPECT_LT(page.find("<p>What was found.</p>"), page.find("<nav"));
  EXPECT_LT(page.find("<nav"), page.find("<h2>First</h2>"));
}

TEST(Report, APhoneHasADrawingOfItsOwnWhereThereIsOne) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, HasSubstr("<div class=\"paper broad\""));
  EXPECT_THAT(page, HasSubstr("<div class=\"paper narrow\""));
  EXPECT_THAT(page, HasSubstr("id=\"nf1-canvas\""));
  EXPECT_THAT(page, HasSubstr("<div class=\"paper\"")) << "the second has one for both";
}

TEST(Report, ALongTableIsClosedAndSaysHowManyRowsItHas) {
  Report report = small_report();
  Table table{.title = "Rows", .header = {"h"}};
  for (int i = 0; i < 13; ++i) table.rows.push_back({"cell"});
  report.sections[1].tables = {table};
  const std::string closed = "<details><summary>Rows: 13 rows</summary>";
  EXPECT_THAT(report_html(report), HasSubstr(closed));
  report.sections[1].tables[0].rows.pop_back();
  EXPECT_THAT(report_html(report), Not(HasSubstr(closed)));
}

TEST(Report, ATableDoesNotRepeatTheTitleOfItsSection) {
  Report report = small_report();
  report.sections[1].tables[0].title = "First";
  EXPECT_THAT(report_html(report), Not(HasSubstr("<caption>")));
}

}  // namespace
}  // namespace qb
