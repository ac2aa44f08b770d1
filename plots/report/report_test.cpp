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
          .sections = {{.title = "First",
                        .paragraphs = {"a < b"},
                        .figures = {{.name = "one",
                                     .title = "One",
                                     .svg = svg,
                                     .finding = "a < b everywhere.",
                                     .files = {{"CSV", "data:text/csv,x"}, {"PDF", "one.pdf"}}},
                                    {.name = "two", .title = "Two", .svg = svg}},
                        .tables = {{.header = {"h"}, .rows = {{"cell"}}}},
                        .markup = "<p>made of <b>pieces</b></p>",
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
  EXPECT_THAT(page, HasSubstr("<h2>Second</h2>\n<details>"));
}

TEST(Report, AFigureHasItsCaptionFindingAndFiles) {
  const std::string page = report_html(small_report());
  EXPECT_THAT(page, HasSubstr("<figcaption>One</figcaption>"));
  EXPECT_THAT(page, HasSubstr("<p>a &lt; b everywhere.</p>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"data:text/csv,x\" download=\"one.csv\">CSV</a>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"one.pdf\">PDF</a>"));
}

TEST(Report, MarkupIsNotEscaped) {
  EXPECT_THAT(report_html(small_report()), HasSubstr("<p>made of <b>pieces</b></p>"));
}

}  // namespace
}  // namespace qb
