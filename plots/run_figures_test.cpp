#include "plots/run_figures.h"

#include <gmock/gmock.h>

#include "harness/base/status.h"
#include "harness/files/files.h"
#include "plots/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PlottedRun sample() {
  const std::string folder = fresh_folder("run");
  write_file_atomically(folder + "/manifest.json", sample_manifest());
  write_file_atomically(folder + "/cases.csv", case_study_2(10).to_string());
  return read_plotted_run(folder);
}

std::vector<std::string> names(const std::vector<Figure>& figures) {
  std::vector<std::string> out;
  for (const Figure& figure : figures) out.push_back(figure.name);
  return out;
}

TEST(RunFigures, DrawsWhatTheSpecNames) {
  EXPECT_THAT(names(figures_of_run(sample(), {})), ElementsAre("wall_clock", "peak_memory"));
}

TEST(RunFigures, WithoutNamesDrawsAllThatTheRunHasDataFor) {
  PlottedRun run = sample();
  run.provenance.figures.clear();
  EXPECT_THAT(names(figures_of_run(run, {})),
              ElementsAre("memory_summary", "wall_clock", "speed_up", "peak_memory"));
}

TEST(RunFigures, ANamedFigureWithoutDataSaysWhy) {
  const auto figures = figures_of_run(sample(), {.names = {"memory_timeline"}});
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_THAT(figures[0].empty_reason, HasSubstr("memory_timeline.csv"));
}

TEST(RunFigures, AnUnknownNameGetsTheNearest) {
  try {
    (void)figures_of_run(sample(), {.names = {"wallclock"}});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'wall_clock'"));
  }
}

TEST(RunFigures, TheSubtitleSaysShapeAndOrigin) {
  const std::string subtitle = figures_of_run(sample(), {}).at(0).subtitle;
  EXPECT_THAT(subtitle, HasSubstr("H = 8"));
  EXPECT_THAT(subtitle, HasSubstr("Some CPU"));
}

TEST(RunFigures, AFolderThatIsNoRunIsASentence) {
  EXPECT_THROW((void)read_plotted_run(fresh_folder("no_run")), UsageError);
  EXPECT_THROW((void)read_plotted_run("/nonexistent/run"), UsageError);
}

}  // namespace
}  // namespace qb
