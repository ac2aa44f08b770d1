// SPDX-License-Identifier: Apache-2.0
#include "plots/report/html.h"

#include <gmock/gmock.h>

#include "base/status.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Html, EscapesText) {
  EXPECT_EQ(html_escape("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(Html, IdsOfAnInlinePictureAreItsOwn) {
  const std::string svg = inline_svg(
      "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\"><g id=\"a\"/><use xlink:href='#a'/>"
      "<path id='b' fill=\"url(#c)\"/></svg>\n",
      "f1-", "A \"picture\"");
  EXPECT_THAT(svg, ::testing::StartsWith("<svg role=\"img\" aria-label=\"A &quot;picture&quot;\""));
  EXPECT_THAT(svg, HasSubstr("id=\"f1-a\""));
  EXPECT_THAT(svg, HasSubstr("href='#f1-a'"));
  EXPECT_THAT(svg, HasSubstr("id='f1-b'"));
  EXPECT_THAT(svg, HasSubstr("url(#f1-c)"));
  EXPECT_THAT(svg, Not(HasSubstr("<?xml")));
}

TEST(Html, AnInlinePictureKeepsItsAttributes) {
  EXPECT_EQ(inline_svg("<svg viewBox=\"0 0 1 1\"><g/></svg>", "f1-", "A"),
            "<svg role=\"img\" aria-label=\"A\" viewBox=\"0 0 1 1\"><g/></svg>");
}

TEST(Html, WhatIsNoPictureIsRefused) { EXPECT_THROW((void)inline_svg("x", "f", "l"), UsageError); }

TEST(Html, TablesEscapeCellsAndMarkVerdicts) {
  const std::string html = html_table({.title = "T<1>",
                                       .header = {"what", "n", "verdict"},
                                       .rows = {{"<script>", "12", "contradicts: 3 off"}}});
  EXPECT_THAT(html, HasSubstr("<caption>T&lt;1&gt;</caption>"));
  EXPECT_THAT(
      html,
      HasSubstr(
          "<td data-label=\"what\">&lt;script&gt;</td><td class=\"number\" data-label=\"n\">12</td>"
          "<td class=\"bad\" data-label=\"verdict\">contradicts: 3 off</td>"));
}

TEST(Html, StatusesAreMarkedAloneAndVerdictsWithTheirReasons) {
  const std::string html =
      html_table({.header = {"a", "b", "c"}, .rows = {{"ok", "ok (7 MiB)", "within 2 tokens"}}});
  EXPECT_THAT(html, HasSubstr("<td class=\"good\">ok</td><td>ok (7 MiB)</td>"
                              "<td class=\"good\">within 2 tokens</td>"));
}

TEST(Html, TablesHaveHeadingsWithAScopeInABoxThatTheKeyboardReaches) {
  const std::string html = html_table({.title = "T", .header = {"a"}, .rows = {{"1"}}});
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"number\">a</th>"));
  EXPECT_THAT(html, HasSubstr("tabindex=\"0\" role=\"region\" aria-label=\"T\""));
}

TEST(Html, VerdictsStayInSightOnlyInTheLastColumn) {
  const auto table_with = [](const std::string& last) {
    return html_table({.header = {"what", last}, .rows = {{"a", "agrees"}}});
  };
  EXPECT_THAT(table_with("verdict"), HasSubstr("<table class=\"cards judged\">"));
  EXPECT_THAT(table_with("notes"), Not(HasSubstr("judged")));
}

TEST(Html, RowsOfWideTablesHaveTheLabelsOfCards) {
  const auto table_of = [](std::size_t columns) {
    return html_table({.header = std::vector<std::string>(columns, "h"),
                       .rows = {std::vector<std::string>(columns, "x")}});
  };
  EXPECT_THAT(table_of(4), HasSubstr("<td data-label=\"h\">x</td>"));
  EXPECT_THAT(table_of(3), Not(HasSubstr("data-label")));
}

TEST(Html, ACaptionCanStandElsewhere) {
  const Table table{.title = "T", .header = {"a"}, .rows = {{"1"}}};
  EXPECT_THAT(html_table(table, false), Not(HasSubstr("<caption>")));
  EXPECT_THAT(html_table(table, false), HasSubstr("aria-label=\"T\""));
}

TEST(Html, AnAddressHoldsAnyContent) {
  EXPECT_EQ(data_url("text/csv", "a,b\n1 %,\"é\"\n"),
            "data:text/csv,a,b%0A1%20%25,%22%C3%A9%22%0A");
}

TEST(Html, APageHasItsStylesheetAndItsScriptInside) {
  const std::string page = html_page("a < b", "<p>x</p>");
  EXPECT_THAT(page, HasSubstr("<title>a &lt; b</title>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("aria-sort"));
}

}  // namespace
}  // namespace qb
