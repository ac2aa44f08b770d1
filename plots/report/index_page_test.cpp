// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
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

constexpr const char* kSvg = "<svg viewBox=\"0 0 1 1\"><g id=\"canvas\"/></svg>";

// A folder with one figure and one table, as `qb plot` and write_table() leave them.
std::string sample_folder() {
  const std::string root = fresh_folder("drawn");
  const std::string figures = root + "/schemes/figures";
  ensure_directory(figures);
  Panel panel{.x = {.label = "N", .column = "n_tokens"}, .y = {.label = "t", .column = "time_ms"}};
  panel.series = {{.name = "ring", .points = {{1024, 6}}}, {.name = "cqs", .points = {{1024, 2}}}};
  const Figure figure{.name = "speed",
                      .title = "It's <fast>",
                      .subtitle = "N = 1,024; Some CPU, 2 processors & more",
                      .panels = {panel},
                      .notes = {"Bars: 75 % intervals.", "Hollow: <disturbed>."},
                      .finding = "CQS < ring."};
  write_file_atomically(figures + "/speed.csv", figure_csv(figure).to_string());
  write_file_atomically(figures + "/speed.json", figure_json(figure));
  write_file_atomically(figures + "/speed.svg", kSvg);
  (void)write_provenance(read_provenance(sample_manifest(), "m"), figures);
  const Table times{.name = "times", .title = "Times", .header = {"a"}, .rows = {{"1"}}};
  (void)qb::write_table(times, root + "/schemes/tables");
  return root;
}

TEST(IndexPage, AFigureHasItsTitlePictureFindingNotesAndFiles) {
  const std::string page = index_html(sample_folder());
  EXPECT_THAT(page, HasSubstr("<svg role=\"img\" aria-label=\"It&#39;s &lt;fast&gt;\""));
  EXPECT_THAT(page,
              HasSubstr("<p>CQS &lt; ring.</p>\n"
                        "<p>Bars: 75 % intervals. Hollow: &lt;disturbed&gt;.</p>\n"
                        "<p class=\"note\">N = 1,024; Some CPU, 2 processors &amp; more</p>\n"));
  for (const char* file : {"speed.svg", "speed.csv", "speed.json", "provenance.json"})
    EXPECT_THAT(page, HasSubstr(std::string("<a href=\"schemes/figures/") + file + "\">"));
}

TEST(IndexPage, BeginsWithWhatTheProjectIsThenPagesThenFigures) {
  const std::string root = sample_folder();
  ensure_directory(root + "/papers");
  write_file_atomically(root + "/papers/usp_paper.html", "x");
  const std::string page = index_html(root);
  const auto at = [&](const char* text) { return page.find(text); };
  EXPECT_THAT(page, HasSubstr("<h1>QuorumBench</h1>\n<p>QuorumBench compares ways to split"));
  EXPECT_LT(at("over N tokens"), at("among W workers"));
  EXPECT_LT(at("among W workers"), at("cyclic quorum sets (CQS)"));
  EXPECT_LT(at("cyclic quorum sets (CQS)"),
            at("<b>papers:</b> <a href=\"papers/usp_paper.html\">usp paper</a>"));
  EXPECT_LT(at(">usp paper</a>"), at("<figure"));
}

TEST(IndexPage, AFigureSaysWhatItsNumbersAreAndOnWhichMachine) {
  const std::string root = sample_folder();
  const std::string figures = root + "/schemes/figures/";
  const auto drawn = [&](const std::string& name, const std::string& column,
                         const std::string& provenance) {
    write_file_atomically(figures + name + ".csv", "");
    write_file_atomically(figures + name + ".svg", kSvg);
    write_file_atomically(
        figures + name + ".json",
        fmt::format("{{\"provenance\": \"{}\", \"panels\": [{{\"x\": {{\"column\": \"workers\"}}, "
                    "\"y\": {{\"column\": \"{}\"}}}}]}}",
                    provenance, column));
    const std::string page = index_html(root);
    const std::size_t end = page.find("data-name=\"" + name);
    const std::size_t begin = page.rfind("<li ", end);
    return page.substr(begin, page.find('\n', begin) - begin);
  };
  const auto card = [](const char* machine, const char* numbers) {
    return HasSubstr(fmt::format("data-machine=\"{}\" data-numbers=\"{}\">", machine, numbers));
  };
  const std::string here = "Some CPU, 2 processors";
  EXPECT_THAT(drawn("a", "time_ms", "d = 64; " + here + "; qb 1"), card(here.c_str(), "measured"));
  EXPECT_THAT(drawn("b", "time_ms", "d = 64, modelled A100; qb 1"),
              card("modelled A100", "modelled"));
  EXPECT_THAT(drawn("c", "time_ms", "d = 64, modelled; qb 1"),
              card("several modelled devices", "modelled"));
  EXPECT_THAT(drawn("d", "device_sent_gib", here), card("no machine", "derived"));
  EXPECT_THAT(drawn("e", "critical_path_pairs", here), card("no machine", "derived"));
  std::filesystem::remove(figures + "provenance.json");
  EXPECT_THAT(drawn("a", "time_ms", here), card("no machine", "derived"));
}

TEST(IndexPage, FiguresComeInTheOrderOfTheFolder) {
  const std::string root = sample_folder();
  for (const char* name : {"a_first", "z_last"})
    for (const char* kind : {"json", "csv", "svg"})
      write_file_atomically(fmt::format("{}/schemes/figures/{}.{}", root, name, kind),
                            kind == std::string("svg") ? kSvg : "{}");
  const auto order_of = [&] {
    const std::string page = index_html(root);
    return std::vector<std::size_t>{page.find("data-name=\"z_last\""),
                                    page.find("data-name=\"speed\""),
                                    page.find("data-name=\"a_first\"")};
  };
  EXPECT_FALSE(std::ranges::is_sorted(order_of()));
  write_file_atomically(root + "/order.txt", "schemes/z_last\nschemes/speed\n");
  EXPECT_TRUE(std::ranges::is_sorted(order_of()));
}

TEST(IndexPage, FiguresStandUnderTheTopicsOfTheOrder) {
  const std::string root = sample_folder();
  EXPECT_THAT(index_html(root), HasSubstr("<h2>Figures</h2>\n<ul class=\"gallery\">\n"
                                          "<li data-topic=\"Figures\" "));
  write_file_atomically(root + "/order.txt", "# Speed & size\nschemes/speed\n# Empty\n");
  const std::string page = index_html(root);
  EXPECT_THAT(page, HasSubstr("<h2>Speed &amp; size</h2>\n<ul class=\"gallery\">\n"
                              "<li data-topic=\"Speed &amp; size\" "));
  EXPECT_THAT(page, Not(HasSubstr("Empty")));
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
