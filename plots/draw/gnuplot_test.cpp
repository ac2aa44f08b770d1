// SPDX-License-Identifier: Apache-2.0
#include "plots/draw/gnuplot.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/files.h"
#include "base/status.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Figure one_point() {
  Figure figure{.name = "one_point", .title = "Angle <brackets> & it's {fine}"};
  Panel panel{.x = {.label = "x", .column = "x"}, .y = {.label = "y", .column = "y", .log = true}};
  panel.series = {{.name = "only", .points = {{1, 2, 1.5, 2.5}}},
                  {.name = "gap", .points = {{1, 3}, {2, kNaN}, {3, 4}}}};
  figure.panels = {panel};
  return figure;
}

// Restores PATH at the end.
class Path {
 public:
  explicit Path(const char* value) : before_(std::getenv("PATH")) { ::setenv("PATH", value, 1); }
  ~Path() { ::setenv("PATH", before_.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

 private:
  std::string before_;
};

bool gnuplot_there() { return std::system("gnuplot --version >/dev/null 2>&1") == 0; }

#define NEEDS_GNUPLOT() \
  if (!gnuplot_there()) GTEST_SKIP() << "gnuplot is not installed"

TEST(Gnuplot, DrawsThreeFormatsOfASinglePoint) {
  NEEDS_GNUPLOT();
  const auto paths = write_figure(one_point(), testing_support::fresh_folder("formats"));
  ASSERT_EQ(paths.size(), 5u);
  for (const std::string& path : paths) EXPECT_GT(fs::file_size(path), 0u) << path;
  EXPECT_THAT(read_file(paths[2]), HasSubstr("Angle &lt;brackets> &amp; it's {fine}"));
  EXPECT_THAT(read_file(paths[3]), ::testing::StartsWith("%PDF"));
  EXPECT_THAT(read_file(paths[4]), ::testing::StartsWith("\x89PNG"));
}

TEST(Gnuplot, TheSameFigureIsTheSameBytes) {
  NEEDS_GNUPLOT();
  const auto first = write_figure(one_point(), testing_support::fresh_folder("same_a"));
  const auto second = write_figure(one_point(), testing_support::fresh_folder("same_b"));
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string bytes = read_file(first[i]);
    // cairo 1.18 has the date of a PDF where it cannot be replaced.
    if (bytes.starts_with("%PDF") && bytes.find("/CreationDate (D:") == std::string::npos) continue;
    EXPECT_EQ(bytes, read_file(second[i])) << first[i];
    if (bytes.starts_with("%PDF")) {
      EXPECT_THAT(bytes, HasSubstr("/CreationDate (D:20000101000000"));
    }
  }
}

TEST(Gnuplot, AFolderWithAwkwardLettersIsNoTrouble) {
  NEEDS_GNUPLOT();
  const std::string folder = testing_support::fresh_folder("awkward") + "/a 'b' $(c) \"d\"";
  EXPECT_EQ(write_figure(one_point(), folder).size(), 5u);
}

TEST(Gnuplot, MissingGnuplotSaysWhatToInstallAndLeavesCsvAndScript) {
  const std::string folder = testing_support::fresh_folder("missing");
  const Path nowhere("/nonexistent");
  try {
    write_figure(one_point(), folder);
    FAIL() << "drawn without gnuplot";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("install gnuplot-nox"));
    EXPECT_EQ(error.code(), ExitCode::environment);
  }
  EXPECT_TRUE(fs::exists(folder + "/one_point.csv"));
  EXPECT_TRUE(fs::exists(folder + "/one_point.gp"));
  EXPECT_FALSE(fs::exists(folder + "/one_point.svg"));
}

TEST(Gnuplot, AFailingGnuplotLeavesNoPicture) {
  const std::string folder = testing_support::fresh_folder("failing");
  write_file_atomically(
      folder + "/gnuplot",
      "#!/bin/sh\necho half > one_point.svg\necho 'no such terminal' >&2\nexit 1\n");
  fs::permissions(folder + "/gnuplot", fs::perms::owner_all);
  const Path fake((folder + ":/usr/bin:/bin").c_str());
  try {
    write_figure(one_point(), folder);
    FAIL() << "a failure passed for success";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no such terminal"));
  }
  EXPECT_FALSE(fs::exists(folder + "/one_point.svg"));
}

TEST(Gnuplot, AnEmptyFigureIsASentence) {
  const std::string folder = testing_support::fresh_folder("empty");
  EXPECT_THROW(write_figure(empty_figure("None", "no case has a time"), folder), UsageError);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(Gnuplot, APictureIsOneFileOfTheFormatItsNameSays) {
  NEEDS_GNUPLOT();
  const std::string folder = testing_support::fresh_folder("picture");
  write_picture(one_point(), folder + "/out.svg");
  EXPECT_THAT(read_file(folder + "/out.svg"), HasSubstr("<svg"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST(Gnuplot, AnUnknownPictureFormatIsRefused) {
  EXPECT_THROW(write_picture(one_point(), "out.jpeg"), UsageError);
}

TEST(Gnuplot, ACaptionHasTheTitleTheNotesAndTheProvenance) {
  Figure figure = one_point();
  figure.title = "Time & memory";
  figure.notes = {"100 % of it."};
  figure.subtitle = "a machine";
  EXPECT_EQ(caption_latex(figure),
            "\\caption{Time \\& memory.\n100 \\% of it.\na machine.}\n\\label{fig:one_point}\n");
}

// Reads what was drawn, not what was asked for.
TEST(Gnuplot, TheDrawnPictureForPaperIsAsWideAsAskedAndItsTextIsLargeEnough) {
  NEEDS_GNUPLOT();
  Figure figure = one_point();
  figure.panels[0].series[0].style.dash = 1;
  figure.paper_width_in = 3.5;
  const std::string folder = testing_support::fresh_folder("paper_sizes");
  (void)write_figure(figure, folder);
  const std::string svg = read_file(folder + "/one_point.svg");
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 336 "));
  const std::regex size("font-size=\"([0-9.]+)\"");
  int texts = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), size), end; at != end; ++at) {
    EXPECT_GE(std::stod((*at)[1].str()) * 72.0 / 96.0, 7.0);
    ++texts;
  }
  EXPECT_GT(texts, 0);
}

TEST(Gnuplot, AFigureForPaperHasItsCaptionBesideIt) {
  NEEDS_GNUPLOT();
  const std::string folder = testing_support::fresh_folder("paper");
  Figure figure = one_point();
  EXPECT_EQ(write_figure(figure, folder).size(), 5u);
  figure.title = "A title for the caption";
  figure.paper_width_in = 3.5;
  const std::vector<std::string> paths = write_figure(figure, folder);
  ASSERT_EQ(paths.size(), 6u);
  EXPECT_EQ(read_file(paths.back()), caption_latex(figure));
  EXPECT_THAT(read_file(folder + "/one_point.svg"), testing::Not(HasSubstr("A title for")));
}

}  // namespace
}  // namespace qb
