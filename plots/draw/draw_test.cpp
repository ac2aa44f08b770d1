// SPDX-License-Identifier: Apache-2.0
#include "plots/draw/draw.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files.h"
#include "base/source_root.h"
#include "base/status.h"
#include "base/words.h"
#include "plots/frame/table.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Has one of everything; golden/small.csv and golden/small.json are the expected output.
Figure small_figure() {
  Panel panel{.title = "panel's title",
              .x = {.label = "N (tokens)", .column = "n_tokens"},
              .y = {.label = "time (ms)", .column = "time_ms", .log = true}};
  panel.series = {
      {.name = "W = 1",
       .style = {kBlack},
       .points = {{1000, 2.5, 2.25, 3}, {2000, kNaN}, {3000, 20, 18.5, 22}}},
      {.name = "W = 1",
       .style = {kBlack},
       .published = true,
       .points = {{1000, 3.4310221672058105}, {2000, 8.166}}},
      {.name = "W = 1", .draw = Draw::out_of_memory, .style = {kBlack}, .points = {{4000}}},
      {.name = "budget", .draw = Draw::limit, .style = {kGrey, 0}, .points = {{.y = 50}}}};
  return {.name = "small",
          .title = "It's a {small} <title> & more",
          .subtitle = "machine · commit",
          .panels = {panel},
          .published_legend = "published",
          .notes = {"A note."}};
}

std::vector<std::string> write_figure(const Figure& figure, const std::string& directory) {
  return write_figures({&figure, 1}, directory).front();
}

std::string golden(const std::string& name) {
  return read_file(source_path("plots/draw/golden/" + name));
}

TEST(Figures, TheCsvHoldsEveryPlottedNumber) {
  EXPECT_EQ(figure_csv(small_figure()).to_string(), golden("small.csv"));
}

TEST(Figures, TheJsonSaysWhatIsShownAndNoNumberOfTheCsv) {
  EXPECT_EQ(figure_json(small_figure()), golden("small.json"));
  EXPECT_THAT(figure_json(small_figure()), ::testing::Not(HasSubstr("3.4310221672058105")));
}

TEST(Figures, RectanglesHaveEdgesInTheCsv) {
  Figure figure = small_figure();
  figure.panels[0].series = {
      {.name = "bars", .draw = Draw::rectangles, .text = "7", .points = {{1.5, 2, 1, 3, 1, 2}}}};
  EXPECT_EQ(figure_csv(figure).to_string(),
            "panel,panel_title,series,kind,n_tokens,time_ms,time_ms_low,time_ms_high,n_tokens_low,"
            "n_tokens_high\n1,panel's title,bars,data,1.5,2.0,1.0,3.0,1.0,2.0\n");
}

TEST(Figures, TheTextAndWhatIsKnownOfAMarkAreColumns) {
  Figure figure = small_figure();
  figure.more_columns = {"lead_ratio", "next"};
  figure.panels[0].series = {{.name = "ring",
                              .draw = Draw::rectangles,
                              .points = {{.x = 1, .y = 2, .text = "R", .more = {"1.5", "cqs"}},
                                         {.x = 2, .y = 3, .disturbed = true}}}};
  EXPECT_EQ(figure_csv(figure).to_string(),
            "panel,panel_title,series,kind,n_tokens,time_ms,time_ms_low,time_ms_high,text,"
            "lead_ratio,next,disturbed\n1,panel's title,ring,data,1.0,2.0,,,R,1.5,cqs,0\n"
            "1,panel's title,ring,data,2.0,3.0,,,,,,1\n");
}

TEST(Figures, DisturbedPointsAreMarkedInTheCsv) {
  Figure figure = small_figure();
  figure.panels[0].series = {
      {.name = "quiet", .points = {{1, 2}}},
      {.name = "noisy", .points = {{1, 3}, {.x = 2, .y = 4, .disturbed = true}}}};
  EXPECT_EQ(figure_csv(figure).to_string(),
            "panel,panel_title,series,kind,n_tokens,time_ms,time_ms_low,time_ms_high,disturbed\n"
            "1,panel's title,quiet,data,1.0,2.0,,,0\n1,panel's title,noisy,data,1.0,3.0,,,0\n"
            "1,panel's title,noisy,data,2.0,4.0,,,1\n");
}

TEST(Figures, SeriesThatCannotBeToldApartAreAMistake) {
  Figure figure = small_figure();
  figure.panels[0].series.push_back(figure.panels[0].series[0]);
  EXPECT_THROW((void)figure_csv(figure), std::logic_error);
}

TEST(Figures, ACaptionHasTheTitleWhatIsShownTheNotesAndTheProvenance) {
  Figure figure = small_figure();
  figure.title = "Time & memory";
  figure.finding = "Both against N.";
  figure.notes = {"100 % of it."};
  EXPECT_EQ(caption_latex(figure),
            "\\caption{Time \\& memory.\nBoth against N.\n100 \\% of it.\nmachine · commit.}\n"
            "\\label{fig:small}\n");
}

TEST(Figures, AnEmptyOneIsASentence) {
  const std::string folder = testing_support::fresh_folder("empty");
  EXPECT_THROW(write_figure(empty_figure("None", "no case has a time"), folder), UsageError);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(Figures, AnUnknownPictureFormatIsRefused) {
  EXPECT_THROW(write_picture(small_figure(), "out.jpeg"), UsageError);
}

// Restores QB_PYTHON at the end.
class Python {
 public:
  explicit Python(const std::string& program) {
    if (const char* const before = std::getenv("QB_PYTHON")) before_ = before;
    ::setenv("QB_PYTHON", program.c_str(), 1);
  }
  ~Python() { before_ ? ::setenv("QB_PYTHON", before_->c_str(), 1) : ::unsetenv("QB_PYTHON"); }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;

 private:
  std::optional<std::string> before_;
};

// A renderer that says and does what a test wants.
std::string fake(const std::string& folder, const std::string& script) {
  const std::string path = folder + "/python";
  write_file_atomically(path, "#!/bin/sh\n" + script);
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

std::string failure_of(const std::string& folder) {
  try {
    (void)write_figure(small_figure(), folder);
  } catch (const ExitError& error) {
    return fmt::format("{}: {}", static_cast<int>(error.code()), error.what());
  }
  return "drawn";
}

TEST(Figures, WithoutPythonOrMatplotlibItSaysWhatToInstallAndLeavesCsvAndJson) {
  const std::string folder = testing_support::fresh_folder("missing");
  for (const std::string& program :
       {std::string("/nonexistent/python3"),
        fake(folder, "echo \"ModuleNotFoundError: No module named 'matplotlib'\" >&2\nexit 1\n")}) {
    const Python python(program);
    EXPECT_THAT(failure_of(folder), ::testing::StartsWith("3: "));
    EXPECT_THAT(failure_of(folder), HasSubstr("install python3-matplotlib"));
  }
  EXPECT_TRUE(fs::exists(folder + "/small.csv"));
  EXPECT_TRUE(fs::exists(folder + "/small.json"));
  EXPECT_FALSE(fs::exists(folder + "/small.svg"));
}

TEST(Figures, WhatTheRendererSaysOfItsFailureIsPassedOn) {
  const std::string folder = testing_support::fresh_folder("failing");
  const Python python(fake(folder, "echo 'the disk is full' >&2\nexit 3\n"));
  EXPECT_EQ(failure_of(folder), "3: the renderer of figures failed: the disk is full");
  (void)fake(folder, "echo '--dpi x: not a number' >&2\nexit 2\n");
  EXPECT_EQ(failure_of(folder), "2: --dpi x: not a number");
  (void)fake(folder,
             "echo 'a warning' >&2\necho 'qbdraw: a: no' >&2\necho 'qbdraw: b: no' >&2\nexit 2\n");
  EXPECT_EQ(failure_of(folder), "2: a: no\nb: no") << "a sentence for each figure left out";
  (void)fake(folder, "exit 0\n");
  EXPECT_THAT(failure_of(folder), HasSubstr("left no "));
}

// ---- with the renderer itself ------------------------------------------------------------------

bool can_draw() {
  return std::system("/usr/bin/python3 -c 'import matplotlib' >/dev/null 2>&1") == 0;
}

TEST(Figures, AreDrawnInThreeFormatsTheSameBytesEachTime) {
  if (!can_draw()) GTEST_SKIP() << "matplotlib is not installed";
  const std::string folder = testing_support::fresh_folder("awkward") + "/a 'b' $(c) \"d\"";
  const auto first = write_figure(small_figure(), folder);
  ASSERT_EQ(first.size(), 7u);
  EXPECT_THAT(read_file(first[2]), HasSubstr("<svg"));
  EXPECT_THAT(read_file(first[3]), ::testing::StartsWith("%PDF"));
  EXPECT_THAT(read_file(first[4]), ::testing::StartsWith("\x89PNG"));
  const auto second = write_figure(small_figure(), testing_support::fresh_folder("same"));
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_EQ(read_file(first[i]), read_file(second[i])) << first[i];
}

TEST(Figures, AScriptBesideEachDrawsIt) {
  if (!can_draw()) GTEST_SKIP() << "matplotlib is not installed";
  const std::string folder = testing_support::fresh_folder("script");
  const auto paths = write_figure(small_figure(), folder);
  ASSERT_THAT(paths.back(), ::testing::EndsWith("/small.py"));
  const std::string picture = read_file(paths[4]);
  fs::remove(paths[4]);
  const std::string python = "/usr/bin/python3 " + shell_quote(paths.back()) + " >/dev/null 2>&1";
  EXPECT_NE(std::system(python.c_str()), 0) << "outside of the sources it must be told where it is";
  const std::string home = shell_quote(source_path("plots/draw"));
  EXPECT_EQ(std::system(("QBDRAW=" + home + ' ' + python).c_str()), 0);
  EXPECT_EQ(read_file(paths[4]), picture);
}

TEST(Figures, APictureIsOneFileAndAPdfHasItsCaptionBesideIt) {
  if (!can_draw()) GTEST_SKIP() << "matplotlib is not installed";
  const std::string folder = testing_support::fresh_folder("picture");
  write_picture(small_figure(), folder + "/out.svg");
  EXPECT_THAT(read_file(folder + "/out.svg"), HasSubstr("<svg"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  Figure figure = small_figure();
  const auto paths =
      write_figures({&figure, 1}, folder, {.formats = {"pdf"}, .words = {"--width", "3.5in"}});
  EXPECT_EQ(read_file(paths.front().at(3)), caption_latex(figure));
}

}  // namespace
}  // namespace qb
