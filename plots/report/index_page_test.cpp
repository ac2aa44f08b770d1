// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "base/files.h"
#include "base/status.h"
#include "plots/draw/draw.h"
#include "plots/frame/table.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::Not;

// A folder with one figure and one table, as `qb plot` and write_table() leave them.
std::string sample_folder() {
  const std::string root = fresh_folder("drawn");
  const std::string figures = root + "/schemes/figures";
  ensure_directory(figures);
  Panel panel{.x = {.label = "N", .column = "n_tokens"}, .y = {.label = "t", .column = "time_ms"}};
  panel.series = {{.name = "ring", .points = {{1024, 6}}}, {.name = "cqs", .points = {{1024, 2}}}};
  const Figure figure{.name = "speed",
                      .title = "It's <fast>",
                      .subtitle = "Some CPU & N = 1,024",
                      .panels = {panel},
                      .notes = {"Bars: 75 % intervals.", "Hollow: <disturbed>."},
                      .finding = "CQS < ring."};
  write_file_atomically(figures + "/speed.csv", figure_csv(figure).to_string());
  write_file_atomically(figures + "/speed.json", figure_json(figure));
  write_file_atomically(figures + "/speed.svg", "<svg/>");
  (void)write_provenance(read_provenance(sample_manifest(), "m"), figures);
  const Table times{.name = "times", .title = "Times", .header = {"a"}, .rows = {{"1"}}};
  (void)qb::write_table(times, root + "/schemes/tables");
  return root;
}

TEST(IndexPage, AFigureHasItsTitleThumbnailFindingNotesAndFiles) {
  const std::string page = index_html(sample_folder());
  EXPECT_THAT(page, HasSubstr("<h3>It&#39;s &lt;fast&gt;</h3>"));
  EXPECT_THAT(page, HasSubstr("<img loading=\"lazy\" src=\"schemes/figures/speed.svg\" "
                              "alt=\"It&#39;s &lt;fast&gt;\">"));
  EXPECT_THAT(page, HasSubstr("<p>CQS &lt; ring.</p>\n"
                              "<p>Bars: 75 % intervals. Hollow: &lt;disturbed&gt;.</p>\n"
                              "<p class=\"note\">Some CPU &amp; N = 1,024</p>\n"));
  for (const char* file : {"speed.svg", "speed.csv", "speed.json", "provenance.json"})
    EXPECT_THAT(page, HasSubstr(std::string("<a href=\"schemes/figures/") + file + "\">"));
}

TEST(IndexPage, FiguresComeInTheOrderOfTheFolder) {
  const std::string root = sample_folder();
  for (const char* name : {"a_first", "z_last"})
    for (const char* kind : {"json", "csv", "svg"})
      write_file_atomically(fmt::format("{}/schemes/figures/{}.{}", root, name, kind), "{}");
  const auto order_of = [&] {
    const std::string page = index_html(root);
    return std::vector<std::size_t>{page.find("src=\"schemes/figures/z_last.svg"),
                                    page.find("src=\"schemes/figures/speed.svg"),
                                    page.find("src=\"schemes/figures/a_first.svg")};
  };
  EXPECT_FALSE(std::ranges::is_sorted(order_of()));
  write_file_atomically(root + "/order.txt", "schemes/z_last\nschemes/speed\n");
  EXPECT_TRUE(std::ranges::is_sorted(order_of()));
}

TEST(IndexPage, ATableHasItsTitleAndFiles) {
  const std::string page = index_html(sample_folder());
  for (const char* file : {"times.md", "times.tex", "times.csv"})
    EXPECT_THAT(page, HasSubstr(std::string("<a href=\"schemes/tables/") + file + "\">"));
  EXPECT_THAT(page, HasSubstr("<li>Times: "));
}

TEST(IndexPage, IsTheSameWhereverItsFolderIs) {
  const std::string root = sample_folder();
  EXPECT_THAT(index_html(root), Not(HasSubstr(root)));
}

TEST(IndexPage, WhatHasNoPictureIsLeftOut) {
  const std::string root = fresh_folder("none");
  ensure_directory(root + "/empty");
  write_file_atomically(root + "/empty/x.csv", "a\n1\n");
  EXPECT_THROW((void)index_html(root), UsageError);
  EXPECT_THROW((void)index_html(root + "/nowhere"), UsageError);
}

}  // namespace
}  // namespace qb
